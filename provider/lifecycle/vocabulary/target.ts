import type { Component } from "../../../topology/members";
import type { ReclaimPolicy } from "./boundVolume";
import type { FixedClaim } from "./fixedFields";
import type { EvictionWindow } from "./leaderLimits";
import type { PlannedMoves } from "./drain";
import type { GrowthPolicy } from "./volumeGrowth";

/** How many pods restart side by side: up to that number, or, of stores, those of one zone. */
export type Parallelism = number | "zone";

/** How many pods, or which share of them, may be down at once. */
export type MaxUnavailable = number | `${number}%`;

/** Which labels of their nodes the stores of a member get in PD, or its servers, as the program says. */
export interface LabelSources {
    /** Labels to set besides PD's `location-labels` (`spec.tikv.storeLabels`). Default: none. */
    readonly more?: readonly string[];
    /**
     * Labels that its own configuration sets (`server.labels`, `STORE_LABELS`, TiDB's `labels`). They come back at each start, so they
     * stay as they are. `all`: which they are is not known before the pod runs. Default: none.
     */
    readonly own?: readonly string[] | "all";
}

/** A gate's timeouts, and what it may do when they expire. All durations are in seconds. */
export interface GatePolicy {
    /** How long a pod may take to become Ready and its member or store to become healthy. Default 600. */
    podReadyTimeoutSeconds: number;
    /** How long a pod must have been Ready before the next one is touched. Default 0 (also the operator's default). */
    minReadySeconds: number;
    /**
     * How long to wait for a store's leaders to leave. Default 90,000 (`spec.tikv.evictLeaderTimeout`, 1500m).
     */
    evictLeaderTimeoutSeconds: number;
    /**
     * What happens after that timeout: `restart` restarts the store with its remaining leaders, as the operator does (only
     * if the user set the timeout); `fail` ends the run and leaves the store up. Default `fail`.
     */
    afterEvictLeaderTimeout: "restart" | "fail";
    /** How long to wait for leaders to come back. Default 400 (`spec.tikv.waitLeaderTransferBackTimeout`). */
    leadersBackTimeoutSeconds: number;
    /**
     * Bounds up to which PD's limits of moving leaders are raised while a store's leaders leave and return; false if they are
     * not. Default: `defaultEvictionWindow` (`operations.rollout.evictionWindow`).
     */
    evictionWindow?: false | Partial<EvictionWindow>;
    /**
     * How many stores, or PD members, restart side by side: up to that number, or all of a zone, where it is proven that no region loses
     * its majority, and PD its quorum. Default: one (`operations.rollout.parallelism`).
     */
    parallelism?: Parallelism;
    /** The same for servers without data: while some are down, the others serve. Default: one (`operations.rollout.maxUnavailable`). */
    maxUnavailable?: MaxUnavailable;
    /** How many stores or members may be removed at once. Default 1 (`scalePolicy.scaleInParallelism`). */
    scaleInParallelism: number;
    /** How many pods of a store or of PD are added while volumes are replaced. Default 1 (`spareVolReplaceReplicas`). */
    spareReplicas?: number;
    /** Whether volumes are replaced where Kubernetes cannot change them. Default: they are (`spec.enablePVCReplace`). */
    replacesVolumes?: false;
    /** How long to wait for a store to become Tombstone. Default 86,400: moving terabytes takes hours. */
    storeRemovalTimeoutSeconds: number;
    /** Whether restarts and removals go on beside a backup that runs. Default: they wait (`operations.backup.duringBackup`). */
    duringBackup?: "continue";
    /** How long they wait for its end. Default: `defaultBackupWaitSeconds` (`operations.backup.waitTimeoutSeconds`). */
    backupWaitSeconds?: number;
    /** How long a capture may take to shut down before its pod is stopped anyway. Default 600 (`spec.ticdc.gracefulShutdownTimeout`). */
    gracefulShutdownTimeoutSeconds?: number;
}

/** The default policy. The numbers are tidb-operator's defaults (tidbcluster.go, defaulting). */
export const defaultPolicy: GatePolicy = {
    podReadyTimeoutSeconds: 600,
    minReadySeconds: 0,
    evictLeaderTimeoutSeconds: 90_000,
    afterEvictLeaderTimeout: "fail",
    leadersBackTimeoutSeconds: 400,
    scaleInParallelism: 1,
    storeRemovalTimeoutSeconds: 86_400,
};

/** The desired state of a member. */
export interface MemberTarget {
    component: Component;
    replicas: number;
    /** The ordinals among them that leave PD, to come back with new volumes. Default: none. */
    renewing?: readonly number[];
    /** How many of them are there while volumes are replaced: the highest ordinals. Default: none. */
    spares?: number;
    /** How many of them are replacements of the dead: the highest ordinals below those. Default: none. */
    added?: number;
    /** Digest of the template that the pods should run; see `ObservedStatefulSet.templateRevision`. */
    templateRevision?: string;
    /** Of a number of replicas that is decided before the template changes: the digest of the template that the same update brings. Default: none. */
    wantedTemplate?: string;
    /** Version that the pods should run, if decisions depend on it; see `MemberLifecycle.comparesVersions`. */
    version?: string;
    /**
     * Tag of the image that the pods should run, whether their configuration changed since the last update, whether that was without
     * `operations.rollout.online`, which now gives their ConfigMap another name, and its `configUpdateStrategy`, if that is another one
     * now and so names the ConfigMap differently. They give a restart its reason in the plan, and no decision depends on them. Default:
     * not known.
     */
    tag?: string;
    hasNewConfig?: boolean;
    isOnlineNew?: boolean;
    strategyBefore?: "InPlace" | "RollingUpdate";
    /** Templates of the claims on which restored data must be before a pod is created (`spec.recoveryMode`). Default: pods may start empty. */
    restoredClaims?: readonly string[];
    /** The claim templates of the program, whose sizes the claims of its pods get. Default: sizes stay as they are. */
    claims?: readonly FixedClaim[];
    /** How the volumes of its stores grow with their use. Default: they do not. */
    growth?: GrowthPolicy;
    /** Which labels of their nodes its stores get in PD. Default: those of PD's `location-labels`. */
    labels?: LabelSources;
    /** What becomes of its volumes once their claims are deleted. Default: each stays as its class made it. */
    reclaimPolicy?: ReclaimPolicy;
    /** The pods to move away from nodes that are being emptied. Default: none. */
    moves?: PlannedMoves;
    policy: GatePolicy;
}

/** @returns whether the pod with this ordinal leaves PD: the StatefulSet will drop it, or it comes back with new volumes. */
export function leaves(
    { replicas, renewing = [] }: Pick<MemberTarget, "replicas" | "renewing">,
    ordinal: number,
): boolean {
    return ordinal >= replicas || renewing.includes(ordinal);
}

/** @returns how many pods of the member the program lets restart side by side. */
export function sideBySide({ policy, replicas }: Pick<MemberTarget, "policy" | "replicas">): Parallelism {
    const { parallelism = 1, maxUnavailable } = policy;
    return typeof maxUnavailable === "string"
        ? Math.max(1, Math.floor((replicas * Number.parseInt(maxUnavailable)) / 100))
        : (maxUnavailable ?? parallelism);
}

/** @returns the setting that says so, with its value. */
export function askedSideBySide({ policy: { parallelism, maxUnavailable } }: Pick<MemberTarget, "policy">): string {
    const [name, value] =
        maxUnavailable === undefined ? ["parallelism", parallelism] : ["maxUnavailable", maxUnavailable];
    return `operations.rollout.${name} is ${JSON.stringify(value)}`;
}
