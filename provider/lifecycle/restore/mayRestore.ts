import type { ObservedJob } from "../jobs/observedJob";
import type { Fact } from "../vocabulary/evidence";
import type { Problem } from "../vocabulary/move";
import type { ProblemCode } from "../vocabulary/problemCodes";

/** The cluster that a restore goes into. */
export interface RestoreTarget {
    readonly namespace: string;
    readonly cluster: string;
    /** What the restore does: `restore s3://backups/full into the cluster db/basic`. */
    readonly does: string;
    /** The argument with which the program allows a cluster with data, for messages. */
    readonly allowField: string;
}

/** For how long a run waits for a TiDB that says what the cluster holds, in seconds: a TiDB that restarts is back by then. */
export const unknownDataSeconds = 300;

/** What follows from what is seen of the cluster's data. */
export type RestoreMove =
    | { readonly kind: "pass" }
    | { readonly kind: "wait"; readonly reason: string; readonly until: number }
    | { readonly kind: "fail"; readonly problem: Problem };

/** @returns whether the Job of a restore has begun, so that the data in the cluster may be its own, and nothing starts it any more. */
export function hasBegun(job: ObservedJob | undefined): job is ObservedJob {
    return job !== undefined && !job.deleting && (!job.suspended || job.generation !== 1);
}

/** The most schemas that a message names. */
const shownSchemas = 5;

/**
 * Decides whether a restore may begin. A cluster whose data are not known is never taken as empty.
 *
 * @param users the schemas that users created.
 * @param began when this run began to ask, in milliseconds of its own clock.
 */
export function mayRestore(
    users: Fact<readonly string[]>,
    target: RestoreTarget,
    began: number,
    now: number,
): RestoreMove {
    if (users.known) {
        return users.value.length === 0
            ? { kind: "pass" }
            : fail("restore-target-not-empty", target, holds(users.value), dropOrAllow(target));
    }
    const until = began + unknownDataSeconds * 1000;
    const seen = `whether it holds data is not known: ${users.why}`;
    return now < until
        ? { kind: "wait", reason: seen, until }
        : fail(
              "restore-target-unknown",
              target,
              `${seen}, for ${Math.round((now - began) / 1000)} s`,
              `make a TiDB of the cluster Ready and run \`pulumi up\` again, or set \`${target.allowField}: true\` if the restore is right in any case`,
          );
}

function fail(code: ProblemCode, target: RestoreTarget, seen: string, next: string): RestoreMove {
    return { kind: "fail", problem: { code, step: target.does, target: clusterName(target), seen, next } };
}

function holds(schemas: readonly string[]): string {
    const more = schemas.length - shownSchemas;
    const names = schemas.slice(0, shownSchemas).join(", ");
    return `it holds data already: schema${schemas.length === 1 ? "" : "s"} ${names}${more > 0 ? ` and ${more} more` : ""}`;
}

function dropOrAllow({ allowField }: RestoreTarget): string {
    return `restore into an empty cluster, drop these schemas, or set \`${allowField}: true\` to restore beside them`;
}

/** @returns how messages name the cluster. */
export function clusterName({ namespace, cluster }: Pick<RestoreTarget, "namespace" | "cluster">): string {
    return `TidbCluster ${namespace}/${cluster}`;
}
