import { defaultPolicy, type GatePolicy } from "../provider/lifecycle/vocabulary/target";
import { minReadySecondsAnnotations } from "../topology/annotations";
import { goDurationSeconds } from "../topology/goDuration";
import { topology, type Component } from "../topology/members";
import { members } from "./members";
import type { BackupOperationsArgs, OperationsArgs } from "./operations";
import type { TidbClusterManifest } from "./spec";

/**
 * @returns the timeouts and limits for the gates of one member, from `operations.timeouts`, `operations.rollout.evictionWindow` and
 * `parallelism` and `maxUnavailable`, `spec.tikv.evictLeaderTimeout`, `waitLeaderTransferBackTimeout`, `gracefulShutdownTimeout`,
 * `scalePolicy.scaleInParallelism`, `spareVolReplaceReplicas`, `spec.enablePVCReplace`, and the annotation `tidb.pingcap.com/<member>-min-ready-seconds`.
 */
export function gatePolicy(
    manifest: TidbClusterManifest,
    component: Component,
    { timeouts = {}, rollout, backup }: OperationsArgs = {},
): GatePolicy {
    const { tikv } = manifest.spec;
    const evict = seconds(tikv?.evictLeaderTimeout);
    const own = members[component].specOf(manifest.spec);
    const shutdown = seconds(own?.gracefulShutdownTimeout);
    const annotations = manifest.metadata.annotations ?? {};
    const minReady = minReadySecondsAnnotations(component)
        .map((key) => annotations[key])
        .map((text) => (/^\d+$/.test(text ?? "") ? Number(text) : undefined))
        .find((number) => number !== undefined);
    const { engine, hasLeaders, atOnce, waitsForBackups } = topology[component];
    // Members without stores are scaled in all at once.
    const scalePolicy = engine === undefined ? undefined : own?.scalePolicy;
    return {
        podReadyTimeoutSeconds: timeouts.podReadySeconds ?? defaultPolicy.podReadyTimeoutSeconds,
        minReadySeconds: minReady ?? defaultPolicy.minReadySeconds,
        evictLeaderTimeoutSeconds: evict ?? timeouts.evictLeaderSeconds ?? defaultPolicy.evictLeaderTimeoutSeconds,
        afterEvictLeaderTimeout: evict === undefined ? "fail" : "restart",
        leadersBackTimeoutSeconds:
            seconds(tikv?.waitLeaderTransferBackTimeout) ?? defaultPolicy.leadersBackTimeoutSeconds,
        scaleInParallelism: scalePolicy?.scaleInParallelism ?? defaultPolicy.scaleInParallelism,
        storeRemovalTimeoutSeconds: timeouts.storeRemovalSeconds ?? defaultPolicy.storeRemovalTimeoutSeconds,
        ...(shutdown === undefined ? {} : { gracefulShutdownTimeoutSeconds: shutdown }),
        // By default a gate's inputs are those of earlier versions.
        ...(hasLeaders && rollout?.evictionWindow !== undefined ? { evictionWindow: rollout.evictionWindow } : {}),
        ...(atOnce !== undefined && rollout?.[atOnce] !== undefined ? { [atOnce]: rollout[atOnce] } : {}),
        ...(waitsForBackups ? besideBackups(backup) : {}),
        ...(own?.spareVolReplaceReplicas === undefined ? {} : { spareReplicas: own.spareVolReplaceReplicas }),
        ...(manifest.spec.enablePVCReplace === false ? { replacesVolumes: false } : {}),
    };
}

/** What a backup that runs holds back. */
function besideBackups({ duringBackup, waitTimeoutSeconds }: BackupOperationsArgs = {}): Partial<GatePolicy> {
    return {
        ...(duringBackup === "continue" ? { duringBackup } : {}),
        ...(waitTimeoutSeconds === undefined ? {} : { backupWaitSeconds: waitTimeoutSeconds }),
    };
}

/** @returns the timeouts of the ClusterGate for members that left the program. Their specs are gone, but `operations` still applies. */
export function leavingPolicy({ timeouts = {} }: OperationsArgs = {}): GatePolicy {
    return {
        ...defaultPolicy,
        podReadyTimeoutSeconds: timeouts.podReadySeconds ?? defaultPolicy.podReadyTimeoutSeconds,
        storeRemovalTimeoutSeconds: timeouts.storeRemovalSeconds ?? defaultPolicy.storeRemovalTimeoutSeconds,
    };
}

function seconds(duration: string | undefined): number | undefined {
    return duration === undefined || duration === "" ? undefined : goDurationSeconds(duration);
}
