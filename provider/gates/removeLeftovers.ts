import { throwJoined } from "../cluster/joinedFailures";
import type { GatePorts, HeldLock } from "../cluster/gatePorts";
import { type LockWatch, lockState, type ObservedLock, watchLock } from "../lifecycle/vocabulary/lock";
import { type LookOptions, noLook } from "../lifecycle/vocabulary/look";
import type { Problem } from "../lifecycle/vocabulary/move";
import type { ProblemCode } from "../lifecycle/vocabulary/problemCodes";
import { nextSweepMove } from "../lifecycle/walks/sweep";
import { nextUndoMove } from "../lifecycle/settings/nextSettings";
import { noRecords } from "../lifecycle/vocabulary/observation";
import { defaultPolicy } from "../lifecycle/vocabulary/target";
import { undoableMembers } from "../lifecycle/walks/leftSettings";
import { GateError } from "./gateError";
import { lookForLeftSettings } from "./looks";
import { type Operation, runOperation } from "./loop";

/** A little longer than the locks of a dead run last. They end at about the same time. */
const lockPatienceMilliseconds = 20_000;
const pauseMilliseconds = 1_000;

/** The run that a user asked to sweep a cluster. */
export interface Sweeping {
    /** `namespace/name` of the cluster. */
    readonly cluster: string;
    /** Whether the user has asked to stop. Then nothing more is begun, and the locks are released. */
    isInterrupted(): boolean;
}

/** @returns whether the error is that a run works on the cluster: it renews its lock. */
export function isClusterBusy(error: unknown): boolean {
    return error instanceof GateError && error.problem.code === "cluster-busy";
}

/**
 * Watches the Lease for as long as a lock lasts. The holder's clock says nothing: only renewals count.
 * @returns the lock of a dead run; undefined if nobody holds it.
 * @throws GateError if its holder renews it, another run has taken it, or it is interrupted.
 */
export async function deadHolder(
    ports: GatePorts,
    { cluster, isInterrupted }: Sweeping,
): Promise<ObservedLock | undefined> {
    let watch: LockWatch | undefined;
    // The session watches the Lease from its first observation on, and takes no lock that it did not watch for so long.
    await ports.look(noLook);
    for (;;) {
        const lease = await ports.lease();
        const lock: ObservedLock = lease?.lock ?? {};
        const { holder, operation = "an operation" } = lock;
        if (holder === undefined) {
            return undefined;
        }
        const before = watch;
        watch = watchLock(lock, before, ports.now());
        if (before !== undefined && before !== watch) {
            const [namespace, name] = cluster.split("/");
            throw new GateError(
                notSwept(
                    "cluster-busy",
                    cluster,
                    `${holder} works on the cluster (${operation})`,
                    `Wait until it has ended, or ask it to stop: npx pulumi-tidb stop ${name} --namespace ${namespace}`,
                ),
            );
        }
        if (lockState(lock, "", watch, ports.now()).free) {
            return lock;
        }
        if (isInterrupted()) {
            throw new GateError(notSwept("interrupted", cluster, "interrupted", "Run the sweep again"));
        }
        if (before === undefined) {
            ports.progress.note(`watching whether ${holder} (${operation}) still renews the lock`);
        }
        await ports.sleep(pauseMilliseconds);
    }
}

/**
 * Removes what earlier runs left behind, under the locks that gates take. Each action is decided anew from what is seen then.
 * Whoever takes the locks and releases them also removes those that a dead run left.
 * @throws GateError if somebody else works on the cluster, or something cannot be removed.
 */
export async function removeLeftovers(ports: GatePorts, look: LookOptions, sweeping: Sweeping): Promise<void> {
    const description = `sweep ${sweeping.cluster}`;
    const lock = await takeFreeLock(ports, description, sweeping);
    try {
        await runOperation(
            {
                description,
                look,
                isLast: true,
                next: (observation, memory) =>
                    sweeping.isInterrupted() ? { kind: "done" } : nextSweepMove(observation, memory),
            },
            ports,
        );
        await giveSettingsBack(ports, sweeping);
    } finally {
        await lock.release();
    }
}

/** Members do not wait for each other: one whose servers do not answer keeps its record, and the others lose theirs. */
async function giveSettingsBack(ports: GatePorts, sweeping: Sweeping): Promise<void> {
    const records = (await ports.lease())?.records ?? noRecords();
    const failures: Error[] = [];
    for (const component of undoableMembers(records)) {
        const operation: Operation = {
            description: `give ${component} of ${sweeping.cluster} its settings back`,
            look: lookForLeftSettings(component),
            isLast: true,
            next: (observation, memory) =>
                sweeping.isInterrupted()
                    ? { kind: "done" }
                    : nextUndoMove(observation, { component, policy: defaultPolicy }, memory),
        };
        await runOperation(operation, ports).catch((error: Error) => failures.push(error));
    }
    throwJoined(failures);
}

/** Takes the locks of nobody or of a dead run. In contrast to a gate, a sweep does not wait for a run that works. */
async function takeFreeLock(ports: GatePorts, description: string, { cluster }: Sweeping): Promise<HeldLock> {
    const until = ports.now() + lockPatienceMilliseconds;
    for (;;) {
        const lease = await ports.lease();
        if (lease === undefined) {
            throw new GateError(
                notSwept("lease-gone", cluster, "the cluster's Lease is gone: somebody deletes the cluster"),
            );
        }
        const taken = await ports.tryLock(lease, description);
        if ("lock" in taken) {
            return taken.lock;
        }
        if (ports.now() >= until) {
            throw new GateError(notSwept("lock-held", cluster, `${taken.heldBy} holds a lock (${taken.operation})`));
        }
        await ports.sleep(pauseMilliseconds);
    }
}

function notSwept(
    code: ProblemCode,
    cluster: string,
    seen: string,
    end = "Wait until it has ended, then run the sweep again",
): Problem {
    return { code, step: "sweep", target: cluster, seen, next: `nothing was removed. ${end}` };
}
