import type { ObservedUpgrade, UpgradeRecord } from "./smoothUpgrade";
import type { Component } from "../../../topology/members";
import type { Approvals } from "./approvals";
import type { PodDrain, Room } from "./drain";
import { type Fact, type Known, notAsked, type NotKnown, notKnown } from "./evidence";
import type { SpreadConstraint } from "./spread";
import type { FixedFields } from "./fixedFields";
import type { FailoverRecord, LostVolumes } from "./failureRecord";
import type { RunningBackup } from "./runningBackup";
import type { VolumePlace } from "./volumePlace";
import type { MemberNotes } from "./ownership";
import { type ObservedHeartbeats, type ObservedPd, type PdTrouble, unknownPd } from "./observedPd";
import type { RaisedLimits } from "./leaderLimits";
import type { ObservedSettings, SettingsRecord } from "./settings";

export * from "./observedPd";

/**
 * The state of the member's main container; sidecars do not count. `not-started`: it has never run in this pod.
 * `startedAt` uses the clock of the pod's node.
 */
export type ContainerState = { is: "running"; startedAt: number } | { is: "stopped" } | { is: "not-started" };

/**
 * The state of a container, if it is known. `reported`: its pod says that it has never started, but the user may not read
 * the node, which might still run what it no longer reports.
 */
export type ContainerFact = Known<ContainerState> | (NotKnown & { readonly reported?: "not-started" });

/** One pod of a member's StatefulSet, as the API server last showed it. Times are milliseconds since 1970. */
export interface ObservedPod {
    /** The pod's name. It determines the ordinal; labels do not. */
    name: string;
    ordinal: number;
    uid: string;
    /** The resource version that was read. The pod is deleted only if it is unchanged since then. */
    resourceVersion: string;
    /** `controller-revision-hash`: the revision of the template that the pod was created from. */
    revision?: string;
    /** Whether the whole pod is Ready, including sidecars. */
    ready: boolean;
    /** Since when every check of this run has seen the pod Ready, by the run's own clock. */
    readySince?: number;
    /** When Ready last changed, by Kubernetes' clock: only whether it is the same as before means anything. */
    readyChangedAt?: number;
    /** The member's main container. Known only if its node is Ready: another node may still run what it no longer reports. */
    container: ContainerFact;
    /** The latest time at which the pod can have been created. Anything older may come from an earlier pod. */
    createdAt: number;
    /** Image of the member's main container. */
    image?: string;
    /** Whether the pod mounts the member's certificate of `spec.tlsCluster`. */
    clusterTls?: boolean;
    /** The node that it is scheduled on. */
    node?: string;
    /** The zone of its node, from the node's label; undefined if the node was not read, see `LookOptions.zones`. The value is undefined if the node has no such label. */
    zone?: Fact<string | undefined>;
    /** The Ready condition of its node, and for how long the pod is not Ready; undefined if not asked, see `LookOptions.deaths`. */
    death?: { readonly node: Fact<NodeCondition>; readonly notReadyFor: Fact<number> };
    /** Whether its node is being emptied; undefined if not asked, see `LookOptions.drains`. */
    drain?: Fact<PodDrain>;
    /** Whether another node would take it; undefined if not asked, see `LookOptions.rooms`. */
    room?: Fact<Room>;
    terminating: boolean;
    /** When the graceful shutdown began, for members that shut down before the pod is deleted. Kept in a pod annotation. */
    shutdownBegunAt?: number;
    /** Whether this package wrote that annotation, and not TiDB Operator or a person. Default: no. */
    ownShutdown?: boolean;
    /** What keeps the member's main container from starting, as Kubernetes reports it: the scheduler's reason, ImagePullBackOff, … */
    trouble?: string;
    /** What is wrong with the other containers, as Kubernetes reports it. It neither counts as an outage nor blocks a step. */
    sidecarTrouble?: string;
}

/**
 * The Ready condition of a node. `unscheduled`: the pod has no node. `for`: milliseconds by the clocks of Kubernetes' control
 * plane. `reason`: as Kubernetes gives it.
 */
export type NodeCondition =
    { is: "ready" } | { is: "absent" } | { is: "unscheduled" } | { is: "not-ready"; for: number; reason: string };

/** A PersistentVolumeClaim of one pod. */
export interface ObservedClaim {
    name: string;
    uid: string;
    ordinal: number;
    /** Whether a scale-in has released the volume: the ordinal's next pod must start with an empty one. */
    released: boolean;
    /** Whether it has been deleted but is still kept by the pod that uses it. */
    terminating: boolean;
    /** The tag of the image that last ran on the volume, as recorded on the claim. */
    version?: string;
    /** Whether it used TLS between members, as recorded with it. */
    tls?: boolean;
    /** Its phase, such as `Bound`, and whether it says from which snapshot or claim it is made; undefined if not asked, see `LookOptions.claimStates`. */
    state?: { readonly phase: string; readonly hasSource: boolean };
    /** Where its volume is; undefined if not asked, see `LookOptions.volumePlaces`. */
    place?: Fact<VolumePlace>;
}

/** Who wrote a part of a pod template. */
export interface TemplateWriter {
    /** The field manager, such as `kubectl-set`. */
    manager: string;
    /** When, by the API server's clock. Default: not known. */
    at?: number;
}

/** A member's StatefulSet. Wherever it is `undefined`, there is none yet. */
export interface ObservedStatefulSet {
    name: string;
    uid: string;
    /** Whether it has been deleted and exists only until its pods have stopped. */
    terminating: boolean;
    replicas: number;
    /** Whether its number of replicas is a field of this package's own field manager, and not of Pulumi's. Default: it is Pulumi's. */
    gatesOwnReplicas?: true;
    /** Counts the changes of its spec. Default: not known. */
    generation?: number;
    /** The revision that a pod created now would get. */
    updateRevision?: string;
    /** Whether the controller has seen the newest generation. Until then `updateRevision` may be the previous one. */
    settled: boolean;
    /** Digest of the rendered template, as this package recorded it on the object. */
    templateRevision?: string;
    /** Who besides Pulumi wrote fields of the pod template. Default: nobody. For messages only. */
    templateWriters?: TemplateWriter[];
    /** Image of the member's main container in the pod template. */
    image?: string;
    /** Whether the pod template mounts the member's certificate of `spec.tlsCluster`. */
    clusterTls?: boolean;
    /** Whether its pods were to recover from snapshots of volumes (`spec.recoveryMode`). Default: no. */
    recovers?: true;
    /** The `topologySpreadConstraints` of the pod template. Default: none. */
    spreadConstraints?: SpreadConstraint[];
    fixed: FixedFields;
}

export interface ObservedMember {
    component: Component;
    statefulSet?: ObservedStatefulSet;
    /** Ascending by ordinal. */
    pods: ObservedPod[];
    claims: ObservedClaim[];
    /** The revision of each template, by the digest that this package records; empty if several have it. Default: not known. For plans only. */
    revisions?: Readonly<Record<string, string>>;
}

/** TiCDC's state as its captures report it. */
export interface ObservedCaptures {
    /** By pod: its capture, or why it could not be queried. */
    byPod: Record<string, { id: string; version: string } | { trouble: string }>;
    /** All captures, including those of other clusters; `unsupported` if this version cannot list them. */
    list: { id: string; isOwner: boolean }[] | "unsupported" | { trouble: string };
    /** Why the owner reports TiCDC as unhealthy; `undefined` if it does not. */
    ownerTrouble?: string;
    /** By pod UID: tables that the capture still had when it was last asked to move them. */
    tablesLeft: Record<string, number>;
}

/** Whether root has the password in the cluster's Secret. The password itself is never part of an observation. */
export interface ObservedRootPassword {
    secret: "absent" | "without-password" | "there";
    /** As recorded on the Secret: its password was set, or root had a different one and was left alone. */
    noted?: "set" | "left-alone";
    /** What root can log in with, or why that could not be tried; `undefined` if it was not queried. */
    login?: { pod: string; uid: string; with: "nothing" | "secret" | "neither" } | { trouble: string };
}

/** A leader eviction that this package began. Kept in the cluster's Lease until PD has dropped it for good. */
export interface EvictionRecord {
    pod: string;
    /** Start time by the clock of the machine that began it. For people only; no decision uses it. */
    begunAt: number;
    leadersBefore: number;
    /** End time, likewise for people only. */
    endedAt?: number;
    /** The PD leadership under which it was ended. It is checked again under the next one. */
    endedUnder?: string;
    /** Whether PD was seen to have dropped it. Any later eviction of that store belongs to someone else. */
    isGone?: boolean;
    /** Whether PD's leadership was moved because PD kept the store paused after the eviction had ended (tikv/pd#9185). */
    unpaused?: boolean;
    /** Whether the limits that were raised for it are back, after its leaders have returned: they are not raised for it again. */
    limitsBack?: true;
}

/** A removal of a store or member that this package began in PD. Kept in the cluster's Lease until it is finished or reverted. */
export interface RemovalRecord {
    pod: string;
    begunAt: number;
}

/** Pods that restart side by side. Kept in the cluster's Lease from before the first one is prepared until all of them are as before. */
export interface BatchRecord {
    component: Component;
    /** By pod, the id of its store; null if the member's pods are not stores. */
    stores: Readonly<Record<string, number | null>>;
    /** By the clock of the machine that began it. For people only; no decision uses it. */
    begunAt: number;
}

/** Unsafe recoveries of PD that this package began. Kept in the cluster's Lease, because PD keeps them in its leader's memory only. */
export interface RecoveryRecord {
    /** Stores from whose loss PD has recovered: it said so. */
    finished: readonly number[];
    /**
     * The failed stores of a recovery that a run wanted to begin, and of which PD has said neither that it refuses it nor how it ended.
     * That it is on record does not say that PD ever got it.
     */
    begun?: {
        stores: readonly number[];
        at: number;
        /** The digest of the risk that a person consented to. Default: not known. */
        risk?: string;
    };
}

/** What must survive the death of the process. Kept in annotations of the cluster's Lease. */
export interface OperationRecords {
    evictions: Record<string, EvictionRecord>;
    /** By store id, or by the name of a PD member. */
    removals: Record<string, RemovalRecord>;
    /** Settings that were begun to be changed on running servers, by member. Default: none. */
    settings?: Partial<Record<Component, SettingsRecord>>;
    /** Limits of PD that were raised while a store's leaders move. Default: none. */
    raisedLimits?: RaisedLimits;
    /** TiDB's smooth upgrade that was begun. Default: none. */
    smoothUpgrade?: UpgradeRecord;
    /** The batch of pods that restart side by side. Default: none. */
    batch?: BatchRecord;
    /** The dead whose replacements were decided, by member. Default: none. */
    failovers?: Partial<Record<Component, FailoverRecord>>;
    /** Default: none. */
    unsafeRecovery?: RecoveryRecord;
    /** By pod: volumes that are given up with the node that they are on. Default: none. */
    lostVolumes?: Readonly<Record<string, LostVolumes>>;
}

/** The complete input of a decision. A decision uses nothing else: no clock, no network. */
export interface Observation {
    now: number;
    /** Name of the TidbCluster, the prefix of its objects' names. */
    cluster: string;
    /** Members that were read. A missing member was not requested. */
    members: Partial<Record<Component, ObservedMember>>;
    pd: ObservedPd;
    /** Leaders that a store itself reports (`tikv_raftstore_region_count`), by pod name. */
    ownLeaders: Record<string, Fact<number>>;
    heartbeats: Fact<ObservedHeartbeats>;
    /** Cluster id of the PD that holds this cluster's metadata, from the Lease; `undefined` until the cluster was first healthy. */
    pdClusterId?: string;
    /** Why PD could not be queried, if so. */
    pdTrouble?: PdTrouble;
    records: OperationRecords;
    /** Who asked this update to stop at its next safe point, or why it stops there. Default: it goes on. */
    stopRequest?: string;
    /** Whether the program pauses the cluster, as its last update noted on the Lease. Default: it does not. */
    isPaused?: true;
    /** The members that the program had at its last update, as noted on the Lease. Default: none are noted. */
    notes?: MemberNotes;
    /** What people have consented to with `pulumi-tidb approve`. Default: nothing. */
    approvals?: Approvals;
    /** Whether earlier answers were used again, so the parts are not of the same time. Default: no. */
    mayLag?: boolean;
    /** Who else operates the cluster now, and what they are doing; `undefined` if nobody does. */
    operatedBy?: string;
    /** By name of a pod that was queried itself: what was wrong, or `null` if it is healthy. */
    podStatus?: Record<string, string | null>;
    captures?: ObservedCaptures;
    /** Whether TiDB is being upgraded smoothly. Undefined if it was not requested. */
    tidbUpgrade?: Fact<ObservedUpgrade>;
    rootPassword?: ObservedRootPassword;
    /** The backups of the cluster that run or may begin. Undefined if it was not requested. */
    backups?: readonly RunningBackup[];
    /** Undefined if it was not requested. */
    settings?: ObservedSettings;
}

/** @returns the observation of a cluster before anything was queried. */
export function nothingObserved(cluster: string, now: number): Observation {
    return {
        now,
        cluster,
        members: {},
        pd: unknownPd(),
        ownLeaders: {},
        heartbeats: notAsked,
        records: noRecords(),
    };
}

/** @returns PD's part of an observation while PD is unreachable. */
export function unreachablePd(why: string, isFinal = false): Pick<Observation, "pd" | "pdTrouble"> {
    return { pd: unknownPd(notKnown(why)), pdTrouble: { why, isFinal } };
}

/** @returns empty records. */
export function noRecords(): OperationRecords {
    return { evictions: {}, removals: {} };
}
