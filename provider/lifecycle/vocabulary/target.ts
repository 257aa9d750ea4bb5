import type { Component } from "../../../topology/members";

/** How patient a gate is, and what it may do when its patience ends. All durations in seconds. */
export interface GatePolicy {
    /** How long a pod may take to be Ready, and its member or store to be healthy. Default 600. */
    podReadyTimeoutSeconds: number;
    /** How long a Ready pod must have been so before the next is touched. Default 0 (the operator's default too). */
    minReadySeconds: number;
    /**
     * How long to wait for a store's leaders to leave. Default 90,000 (`spec.tikv.evictLeaderTimeout`, 1500m).
     */
    evictLeaderTimeoutSeconds: number;
    /**
     * What happens when that time is over: `restart` takes the store down with the leaders it has left (only where the
     * user set the time, as the operator does), `fail` ends the run and leaves the store up. Default `fail`.
     */
    afterEvictLeaderTimeout: "restart" | "fail";
    /** How long to wait for leaders to come back. Default 400 (`spec.tikv.waitLeaderTransferBackTimeout`). */
    leadersBackTimeoutSeconds: number;
    /** How many stores or members may leave at once. Default 1 (`scalePolicy.scaleInParallelism`). */
    scaleInParallelism: number;
    /** How long to wait for a store to become Tombstone. Default 86,400: moving terabytes takes hours. */
    storeRemovalTimeoutSeconds: number;
    /** How long a capture may take to shut down before it is taken down. Default 600 (`spec.ticdc.gracefulShutdownTimeout`). */
    gracefulShutdownTimeoutSeconds?: number;
}

/** The policy where the spec says nothing. Numbers from tidb-operator's defaults (tidbcluster.go, defaulting). */
export const defaultPolicy: GatePolicy = {
    podReadyTimeoutSeconds: 600,
    minReadySeconds: 0,
    evictLeaderTimeoutSeconds: 90_000,
    afterEvictLeaderTimeout: "fail",
    leadersBackTimeoutSeconds: 400,
    scaleInParallelism: 1,
    storeRemovalTimeoutSeconds: 86_400,
};

/** What one member shall become. */
export interface MemberTarget {
    component: Component;
    replicas: number;
    /** Digest of the template that the pods shall run; see `ObservedStatefulSet.templateRevision`. */
    templateRevision?: string;
    /** Whether PD's pods are restarted in the same update, before this member's. Default: false. */
    pdRestarts?: boolean;
    /** Version that the pods shall run, where that matters; see `MemberLifecycle.comparesVersions`. */
    version?: string;
    policy: GatePolicy;
}
