import { defaultPolicy, type GatePolicy } from "../provider/lifecycle/vocabulary/target";
import { minReadySecondsAnnotations } from "../topology/annotations";
import { topology, type Component } from "../topology/members";
import { goDurationSeconds } from "./goDuration";
import { members } from "./members";
import type { TidbClusterManifest } from "./spec";

/** What a user may say about how patient the gates are, beside what the spec says. */
export interface OperationsArgs {
    /** How long a pod may take to be Ready, and its member or store to be healthy, in seconds. Default: 600. */
    podReadyTimeoutSeconds?: number;
    /**
     * How long a store's leaders may take to leave before a restart, in seconds. Then the update fails and the store
     * stays up; with `spec.tikv.evictLeaderTimeout`, which wins, it is restarted with the leaders it has left.
     * Default: 90000.
     */
    evictLeaderTimeoutSeconds?: number;
    /** How long a store may take to become Tombstone in a scale-in, in seconds. Default: 86400. */
    storeRemovalTimeoutSeconds?: number;
}

/**
 * @returns how patient the gates of one member are: `spec.tikv.evictLeaderTimeout`, `waitLeaderTransferBackTimeout`,
 * `scalePolicy.scaleInParallelism`, and the annotation `tidb.pingcap.com/<member>-min-ready-seconds`.
 */
export function gatePolicy(
    manifest: TidbClusterManifest,
    component: Component,
    operations: OperationsArgs = {},
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
    // Of the others all that go may go at once.
    const scalePolicy = topology[component].engine === undefined ? undefined : own?.scalePolicy;
    return {
        podReadyTimeoutSeconds: operations.podReadyTimeoutSeconds ?? defaultPolicy.podReadyTimeoutSeconds,
        minReadySeconds: minReady ?? defaultPolicy.minReadySeconds,
        evictLeaderTimeoutSeconds:
            evict ?? operations.evictLeaderTimeoutSeconds ?? defaultPolicy.evictLeaderTimeoutSeconds,
        afterEvictLeaderTimeout: evict === undefined ? "fail" : "restart",
        leadersBackTimeoutSeconds:
            seconds(tikv?.waitLeaderTransferBackTimeout) ?? defaultPolicy.leadersBackTimeoutSeconds,
        scaleInParallelism: scalePolicy?.scaleInParallelism ?? defaultPolicy.scaleInParallelism,
        storeRemovalTimeoutSeconds: operations.storeRemovalTimeoutSeconds ?? defaultPolicy.storeRemovalTimeoutSeconds,
        ...(shutdown === undefined ? {} : { gracefulShutdownTimeoutSeconds: shutdown }),
    };
}

/** @returns how patient the cluster's gate is with members that left the program: their specs are gone, `operations` is not. */
export function leavingPolicy(operations: OperationsArgs = {}): GatePolicy {
    const { podReadyTimeoutSeconds, storeRemovalTimeoutSeconds } = operations;
    return {
        ...defaultPolicy,
        podReadyTimeoutSeconds: podReadyTimeoutSeconds ?? defaultPolicy.podReadyTimeoutSeconds,
        storeRemovalTimeoutSeconds: storeRemovalTimeoutSeconds ?? defaultPolicy.storeRemovalTimeoutSeconds,
    };
}

function seconds(duration: string | undefined): number | undefined {
    return duration === undefined || duration === "" ? undefined : goDurationSeconds(duration);
}
