import { compareVersions, versionOfTag } from "../../topology/imageVersion";
import type { LogState, LogStep } from "../../provider/lifecycle/logBackup/target";
import type { KubernetesObject } from "../kubernetes/object";
import { specError, type SpecProblem } from "../problem";
import { commonArguments, flags } from "./arguments";
import type { BrCluster } from "./brCluster";
import { brJobName, jobOf } from "./job";
import type { BackupManifest, BackupSpec, BrManifest } from "./spec";

/** What becomes of a log backup: the gate makes a Job of each step that its task needs. */
export interface RenderedLogBackup {
    /** The Job of a step, whose container lacks the first arguments. */
    readonly job: KubernetesObject;
    /** The first arguments of BR for each step. */
    readonly commands: Readonly<Record<LogStep, string[]>>;
    /** Name of the task in PD: tidb-operator's, which is that of the Backup. */
    readonly task: string;
    /** The storage's endpoint, if the manifest says it. */
    readonly endpoint?: string;
    /** The storage account of Azure, if the manifest says it. */
    readonly account?: string;
    readonly wanted: LogState;
    readonly truncateUntil: string;
}

/** @returns whether a manifest is that of a log backup. */
export function isLogBackup({ spec }: Pick<BrManifest, "spec">): boolean {
    return (spec as BackupSpec).backupMode === "log";
}

/**
 * Renders a checked log backup (tidb-operator cmd/backup-manager/app/backup/backup.go, doStartLogBackup and so on). All of its Jobs have one
 * name, so that two never run at once.
 */
export function renderLogBackup(manifest: BackupManifest, cluster: BrCluster): RenderedLogBackup {
    const { metadata, spec } = manifest;
    const { checkRequirements, options = [] } = spec.br;
    const tail = [...commonArguments(spec, cluster), ...flags({ "check-requirements": checkRequirements }), ...options];
    const command = (step: LogStep, values: Readonly<Record<string, string | undefined>> = {}) => [
        "log",
        step,
        ...flags(step === "truncate" ? values : { "task-name": metadata.name, ...values }),
    ];
    const endpoint = namedEndpoint(options) ?? spec.s3?.endpoint;
    const account = spec.azblob?.storageAccount;
    return {
        job: jobOf("Backup", manifest, cluster, logJobName(metadata.name), tail),
        commands: {
            start: command("start", { "start-ts": spec.commitTs }),
            pause: command("pause"),
            resume: command("resume"),
            stop: command("stop"),
            truncate: command("truncate", { until: spec.logTruncateUntil }),
        },
        task: metadata.name,
        ...(endpoint ? { endpoint } : {}),
        ...(account ? { account } : {}),
        wanted: wantedState(spec),
        truncateUntil: spec.logTruncateUntil ?? "",
    };
}

/** The last one counts, and comes after the storage's own. */
function namedEndpoint(options: readonly string[]): string | undefined {
    return options.flatMap((option) => /^--(?:s3|gcs|azblob)\.endpoint=(.+)$/.exec(option)?.[1] ?? []).at(-1);
}

/** @returns the Job of a log backup's first step, as it would be for a cluster that has no such task. */
export function firstLogJob({ job, commands, wanted }: RenderedLogBackup): KubernetesObject {
    const made = structuredClone(job);
    const [container] = (made.spec as { template: { spec: { containers: { args: string[] }[] } } }).template.spec
        .containers;
    const step = wanted === "running" ? "start" : wanted === "paused" ? "pause" : "stop";
    container.args = [...commands[step], ...container.args];
    return made;
}

/** @returns the name of the Job of a log backup's steps. */
function logJobName(name: string): string {
    return `${brJobName("Backup", name)}-log`;
}

/** Checks that the cluster's version has log backups (tidb-operator pkg/backup/util/util.go). */
export function logVersionProblems(manifest: BrManifest, { version, name }: BrCluster): SpecProblem[] {
    const found = version === undefined ? undefined : versionOfTag(version);
    const isPoint = "restoreMode" in manifest.spec && manifest.spec.restoreMode === "pitr";
    return found && (isPoint || isLogBackup(manifest)) && compareVersions(found, [6, 1, 0]) < 0
        ? [
              specError(
                  isPoint ? "spec.restoreMode" : "spec.backupMode",
                  `TiKV ${version} of ${name}`,
                  "v6.1.0 or later, the first version with log backups",
              ),
          ]
        : [];
}

function wantedState({ logSubcommand, logStop }: BackupSpec): LogState {
    switch (logSubcommand) {
        case "log-pause":
            return "paused";
        case "log-stop":
            return "stopped";
        case "log-start":
        case undefined:
            return logStop === true ? "stopped" : "running";
    }
}
