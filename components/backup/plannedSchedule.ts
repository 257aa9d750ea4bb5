import * as pulumi from "@pulumi/pulumi";
import type { BrCluster } from "../br/brCluster";
import { besideSpec } from "../besideSpec";
import { sourceOf } from "../br/checkBr";
import { backupOf, checkSchedule } from "../br/schedule/checkSchedule";
import type { ScheduleOptions } from "../br/schedule/options";
import { type BackupPlace, placeOf } from "../br/samePlace";
import { renderSchedule } from "../br/schedule/renderSchedule";
import { cronJobName } from "../br/schedule/rules";
import type { BackupScheduleManifest } from "../br/schedule/spec";
import type { KubernetesObject } from "../kubernetes/object";
import type { Planned } from "../objects";
import { isPlain } from "../outline";
import { isMap } from "../plainMap";
import { ManifestError, specError, type SpecProblem } from "../problem";
import { TidbCluster } from "../tidbCluster";
import { shownWithKind } from "../validation/path";
import { unknownFields } from "../validation/unknownField";
import type { ExistingClusterArgs } from "./args";
import { existingProblems, metadataProblems } from "./brArguments";
import { existing, factsOf, withCluster } from "./plannedBr";
import type { BackupScheduleArgs } from "./scheduleArgs";

/** A BackupSchedule of a program, checked as far as its values are known. */
interface PlannedSchedule {
    readonly cronJob: Planned<KubernetesObject>;
    readonly url: pulumi.Output<string>;
}

const names = ["metadata", "spec", ...besideSpec.BackupSchedule] as const satisfies (keyof BackupScheduleArgs)[];

/**
 * Checks and renders a BackupSchedule.
 *
 * @param claim notes where it writes.
 * @throws ManifestError that lists every error with its field.
 */
export function plannedSchedule(
    name: string,
    args: BackupScheduleArgs,
    claim: (place: BackupPlace | undefined) => void,
): PlannedSchedule {
    const { cluster, timeZone, startingDeadlineSeconds, retentionImage } = args;
    const given = {
        kind: "BackupSchedule",
        metadata: { ...args.metadata, name: args.metadata?.name ?? name },
        spec: args.spec,
    };
    const problems = argumentProblems(args);
    if (problems.length > 0) {
        throw new ManifestError(problems, sourceOf("BackupSchedule", isPlain(given) ? given : {}));
    }
    const options = { timeZone, startingDeadlineSeconds, retentionImage };
    const own = cluster instanceof TidbCluster ? factsOf(cluster) : undefined;
    const other = own === undefined ? (cluster as ExistingClusterArgs) : undefined;
    const check = (value: object, live?: BrCluster) => checkSchedule(live ? inCluster(value, live) : value);
    const render = (
        manifest: BackupScheduleManifest,
        live: BrCluster | undefined,
        described: unknown,
        more: ScheduleOptions,
    ) => renderSchedule(manifest, live ?? existingOf(manifest, described), more);
    if (isPlain([given, other, options])) {
        // The name of the program's cluster may be an Output; any name stands for it here.
        const assumed = { name: "cluster", namespace: "default", version: "v8.5.3", tls: false };
        if (own) {
            check(given, assumed);
        } else {
            render(check(given), undefined, other, options as ScheduleOptions);
        }
    }
    const rendered = pulumi
        .all([pulumi.output(given), own, pulumi.output(other), pulumi.output(options)])
        .apply(([value, live, described, more]) => {
            const manifest = check(value, live);
            const { namespace } = manifest.metadata;
            claim(placeOf(`BackupSchedule ${name}`, backupOf(manifest), namespace, "spec.backupTemplate"));
            return render(manifest, live, described, more as ScheduleOptions);
        });
    return {
        url: rendered.apply(({ url }) => url),
        cronJob: {
            outline: { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: cronJobName(name) }, spec: {} },
            content: rendered.apply(
                ({ cronJob }) => cronJob as pulumi.Unwrap<KubernetesObject>,
            ) as pulumi.Output<KubernetesObject>,
        },
    };
}

function argumentProblems(args: BackupScheduleArgs): SpecProblem[] {
    const { metadata, spec, cluster } = args as unknown as Record<string, unknown>;
    return [
        ...unknownFields("", args, names),
        ...metadataProblems(metadata),
        ...(isMap(spec) ? [] : [specError("spec", shownWithKind(spec), "a map")]),
        ...(cluster instanceof TidbCluster ? [] : existingProblems(cluster)),
    ];
}

function existingOf(manifest: BackupScheduleManifest, described: unknown): BrCluster {
    return existing(backupOf(manifest), described as pulumi.Unwrap<ExistingClusterArgs>);
}

/** Fills in the name and namespace of the program's cluster. */
function inCluster(given: object, cluster: BrCluster): object {
    const { metadata, spec } = given as { metadata: object; spec: Record<string, unknown> };
    const { backupTemplate } = spec;
    if (!isMap(backupTemplate)) {
        return given;
    }
    const filled = withCluster({ metadata, spec: backupTemplate }, cluster) as { metadata: object; spec: object };
    return { ...given, metadata: filled.metadata, spec: { ...spec, backupTemplate: filled.spec } };
}
