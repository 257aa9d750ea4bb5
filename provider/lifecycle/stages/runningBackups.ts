import type { Component } from "../../../topology/members";
import type { StepKind } from "../vocabulary/actions";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import { type Finding, type PodView, type Stage, viewsOf } from "../vocabulary/stage";
import type { RunningBackup } from "../vocabulary/runningBackup";
import { isInBatch } from "./batches/batchOnRecord";
import { openEvictionOf } from "./evictionRecord";
import { isStale } from "./sharedStages";
import { isServing, isStopped, wasUpRecently } from "./stores";

/**
 * A backup or a restore that runs holds back what moves leaders: the leader of each region writes its part of the backup, and takes that of a restore, so BR tries a region again
 * where the leader has moved, and may fail (pingcap/tidb br/pkg/backup/client.go). TiDB's GC waits for it meanwhile.
 */

/** How long a backup is waited for: as long as the gate of a Backup waits by default. */
const defaultBackupWaitSeconds = 3_600;

/** What a user can do about a backup that holds an update back. */
const backupAdvice =
    'run `pulumi up` again once it has ended: it continues from here. If it can never end, delete its Job. `operations.backup.duringBackup: "continue"` goes on beside it';

function noBackupRuns(mayGoOn: (view: PodView) => boolean): Stage {
    return {
        name: "no-backup-runs",
        holds: (view) => (view.target.policy.duringBackup === "continue" || mayGoOn(view) ? true : noneRuns(view)),
        timeout: ({ target }) => ({
            seconds: target.policy.backupWaitSeconds ?? defaultBackupWaitSeconds,
            then: "fail",
        }),
        advice: backupAdvice,
    };
}

function noneRuns({ observation: { backups } }: PodView): Finding {
    if (backups === undefined) {
        return { look: { backups: true } };
    }
    return backups.length === 0 ? true : { lacks: backups.map(inWords).join("; ") };
}

function inWords({ name, does, state }: RunningBackup): string {
    return `${name} ${does} this cluster (${state})`;
}

/** Whether a pod of the same batch is down, or its leaders are leaving. Its record alone says only what was going to be begun. */
function isBatchBegun(view: PodView): boolean {
    const { observation, target } = view;
    const isBegun = (one: PodView) => isInBatch(one) && (!isServing(one.pod) || openEvictionOf(one) !== undefined);
    return isInBatch(view) && viewsOf(observation, target).some(isBegun);
}

/**
 * No backup runs when the restart of a pod is begun. A restart that was begun is finished, because a store without leaders serves nobody;
 * and a pod on a node that is being emptied leaves in any case.
 */
export const noBackupBeforeRestart: Stage = noBackupRuns(
    (view) =>
        !isStale(view) ||
        isStopped(view) ||
        isBatchBegun(view) ||
        openEvictionOf(view) !== undefined ||
        view.observation.records.raisedLimits?.pod === view.podName,
);

/** No backup runs when the removal of a store is begun. A store that leaves already, or has been Down for long, leads no region. */
export const noBackupBeforeRemoval: Stage = noBackupRuns(({ store }) => store === undefined || !wasUpRecently(store));

/** The steps that a backup holds back, by member. */
const heldBack: Partial<Record<Component, readonly StepKind[]>> = {
    pd: ["restart"],
    tikv: ["restart", "remove", "renew"],
};

/** @returns whether a plan depends on which backups run. */
export function dependsOnBackups(steps: readonly { readonly kind: StepKind }[], component: Component): boolean {
    return steps.some(({ kind }) => heldBack[component]?.includes(kind));
}

/** @returns what to know of running backups that the steps do not wait for, by the user's choice. */
export function runningMeanwhile(
    { backups = [] }: Observation,
    steps: readonly { readonly kind: StepKind }[],
    { component, policy }: Pick<MemberTarget, "component" | "policy">,
): string[] {
    return policy.duringBackup === "continue" && dependsOnBackups(steps, component)
        ? backups.map(
              (one) =>
                  `${inWords(one)}, and operations.backup.duringBackup is "continue": where leaders move, BR tries regions again, and may fail`,
          )
        : [];
}
