import type { Condition, ReadyReason } from "../topology/readyCondition";
import type { KubernetesTarget } from "../provider/cluster/kubernetesTarget";
import type { Component, Engine } from "../topology/members";
import type { Reading } from "./reading";
import type { SchedulesReading, ScheduleStatus } from "./schedules/scheduleStatus";
import type { Notice } from "../provider/lifecycle/vocabulary/notices";

/** Version of the JSON of a status. Fields may be added to it; a change that breaks readers gets a new version. */
export const statusApiVersion = "pulumi-tidb.io/v1";

/** The JSON that `pulumi-tidb status --output json` prints. */
export interface StatusDocument extends ClusterStatus {
    readonly apiVersion: typeof statusApiVersion;
    readonly kind: "ClusterStatus";
}

/** The status of one cluster, as it was read. Times are ISO 8601 in UTC. */
export interface ClusterStatus {
    /** `metadata.name` of the TidbCluster. */
    readonly name: string;
    readonly namespace: string;
    /** The Kubernetes cluster that was read. */
    readonly kubernetes: KubernetesTarget;
    /** When the reading began, by the clock of the machine that read it: nothing in it is older. */
    readonly at: string;
    /** The stack that owns the cluster, as `<organization>/<project>/<stack>`; null if none is recorded. */
    readonly stack: string | null;
    /** Whether the last update had `spec.paused`: nothing is changed until one without it. */
    readonly isPaused: boolean;
    /** One condition, `Ready`, as TiDB Operator has it. */
    readonly conditions: readonly Condition[];
    /** What the condition consists of, in the order in which TiDB Operator checks it. */
    readonly checks: readonly Check[];
    /** The run that operates the cluster; null if nobody holds the lock. */
    readonly operation: OperationStatus | null;
    /** Runs that wait for something else than the lock or approval, without the lock, as the journal tells. */
    readonly waiting: readonly WaitingStatus[];
    /** What runs wait for a person's consent to, without the lock. Empty if none does. */
    readonly approvals: readonly ApprovalStatus[];
    /** The last operation of an update, if it did not reach its end and no update is known to be under way; null otherwise, or if that is not known. */
    readonly unfinished: UnfinishedStatus | null;
    /** Consents that no run has used yet. */
    readonly consents: readonly ConsentStatus[];
    /** Evictions of leaders that are in force, or that this package has begun and not seen ended. */
    readonly evictions: readonly EvictionStatus[];
    /** In the order of a rollout. */
    readonly members: readonly MemberStatus[];
    readonly discovery: DiscoveryStatus | null;
    /** PD's members, those of other clusters that share it included. */
    readonly pd: Reading<readonly PdMemberStatus[]>;
    /** The stores that PD lists, except Tombstone ones, those of other clusters that share PD included. */
    readonly stores: Reading<readonly StoreStatus[]>;
    /** The BackupSchedules of the cluster in its namespace. That the user may not list them does not count as not known. */
    readonly schedules: SchedulesReading<ScheduleStatus>;
    /** The cluster's Jobs in its namespace that run or wait, such as Backups. As for schedules, no permission is not "not known". Null: not read. */
    readonly jobs: SchedulesReading<JobStatus> | null;
    /** What is worth a look although no check counts it. Empty if nothing is. */
    readonly remarks: readonly Notice[];
    /** What is not known, and why: one line each. Empty if everything was read. Zones do not count. */
    readonly notKnown: readonly string[];
}

/** One of the checks that the condition consists of. */
export interface Check {
    /** The reason of `Ready` if the check fails. */
    readonly reason: Exclude<ReadyReason, "Ready">;
    /** What holds if it passes, in words. */
    readonly claim: string;
    /** `absent` if the cluster has none of the members that it looks at. */
    readonly result: "passed" | "failed" | "not known" | "absent";
    /** What failed, or what is not known; empty if nothing. */
    readonly findings: readonly string[];
}

/** A run that holds the cluster's lock. */
export interface OperationStatus {
    /** `user@host, process 4711 (3f9a1c)`. That of the controller or of a sweep begins with this word: `controller root@pod-0, …`. */
    readonly holder: string;
    /** What it does, as it noted it in the Lease. */
    readonly step: string;
    /** When it took the lock, by its own clock; null if that is not noted. */
    readonly since: string | null;
    /** When it last renewed the lock, by its own clock; null if that is not noted. */
    readonly renewedAt: string | null;
    /** Whether the last renewal is longer ago than the lock lasts, by the clock of the machine that read it: the run may be dead. */
    readonly isOverdue: boolean;
    /** Who asked it to stop at its next safe point; null if nobody did. */
    readonly stopRequestedBy: string | null;
    /** What is not yet as wanted, as seen in the cluster: what the run can be waiting for, besides `evictions`. */
    readonly pending: readonly string[];
}

/** A run that waits before it takes the lock. It may have been killed since it was last heard of. */
export interface WaitingStatus {
    /** The operation: `roll out basic-tikv`. */
    readonly of: string;
    /** What it waits for. */
    readonly for: string;
    /** The run, as the holder of a lock is named. */
    readonly by: string;
    /** Since when, by the run's own clock. */
    readonly since: string;
    /** When it last said so, by the run's own clock: less than three minutes ago. */
    readonly heardAt: string;
}

/** A run that waits for `pulumi-tidb approve`. */
export interface ApprovalStatus {
    /** Digest of the plan. */
    readonly digest: string;
    /** The operation: `roll out basic-tikv`. */
    readonly of: string;
    /** What the consent lets through: `restart basic-tikv-2, the first of 3 steps`. */
    readonly lets: string;
    /** How the plan differs from the one that the run asked for before: `now with restart basic-tikv-1`; null if it is the first one. */
    readonly change: string | null;
    /** The run, as the holder of a lock is named. */
    readonly by: string;
    /** Since when it waits for this consent, by the API server's clock. */
    readonly since: string;
    /** When it last said so, which it does every 30 s: after that it may have been killed. */
    readonly heardAt: string;
    /** The command that consents. */
    readonly command: string;
}

/** An operation that failed, was stopped, or was interrupted. */
export interface UnfinishedStatus {
    /** The operation: `roll out basic-tikv`. */
    readonly of: string;
    /** How it ended, and why: `failed at 2026-11-22 17:31:03 UTC: …`. */
    readonly end: string;
}

/** A consent to a plan, given with `pulumi-tidb approve`. */
export interface ConsentStatus {
    /** Digest of the plan. */
    readonly digest: string;
    /** Who gave it, and on which machine. */
    readonly by: string;
    /** When it was given, by the API server's clock. */
    readonly at: string;
    /** Whether a run may still use it: it is not older than a week. */
    readonly counts: boolean;
}

/** An eviction of the leaders from a store. */
export interface EvictionStatus {
    readonly storeId: number;
    /** The store's pod, or the first label of its address; null if PD does not list the store. */
    readonly pod: string | null;
    /** Whether PD evicts the store now. */
    readonly inForce: Reading<boolean>;
    /** PD's scheduler that evicts the store by itself, because it is slow or stops: `evict-slow-store-scheduler`; null if none does. */
    readonly byPd: string | null;
    /** What this package recorded when it began it; null if PD itself did, or another user. */
    readonly record: {
        readonly begunAt: string;
        readonly leadersBefore: number;
        /** When it was ended; null if it was not. It stays on record until PD has dropped it for good. */
        readonly endedAt: string | null;
    } | null;
    /** Leaders that are left, as PD counts them. */
    readonly leaders: Reading<number>;
}

/** One member, such as TiKV: a StatefulSet and its pods. */
export interface MemberStatus {
    readonly component: Component;
    readonly title: string;
    /** Pods that the program wants, from the note in the Lease, otherwise from the StatefulSet. */
    readonly wanted: number;
    /** Replicas of the StatefulSet; null if it has none: it is suspended, or was not created yet. */
    readonly replicas: number | null;
    /** Whether it has no StatefulSet because the program suspends it, as the note in the Lease says. */
    readonly isSuspended: boolean;
    /** Pods that are Ready. */
    readonly ready: number;
    /** Version in the template: what a pod gets when it starts; null without a StatefulSet. */
    readonly version: string | null;
    /** Revision of the template; null if the StatefulSet's controller has not reported it. */
    readonly revision: string | null;
    /** Versions that the pods run, as their servers say, the most frequent first. */
    readonly running: readonly { readonly version: string; readonly pods: number }[];
    /** The same by the tags of their images. */
    readonly tags: MemberStatus["running"];
    /** Pods that run the template's revision. */
    readonly upToDate: number;
    readonly pods: readonly PodStatus[];
}

/** A pod of a member. */
export interface PodStatus {
    readonly name: string;
    /** `missing`: the program or the StatefulSet wants the pod, and it does not exist. */
    readonly phase: "ready" | "not ready" | "stopping" | "missing";
    /** The node; null if it has none yet. */
    readonly node: string | null;
    /** The zone of its node; the value is null for a node without the label. */
    readonly zone: Reading<string | null>;
    /** The version that it runs, as its server says; the tag of its image where it does not say, or says the same. */
    readonly version: string | null;
    /** The tag of its image. */
    readonly tag: string | null;
    /** Whether it runs the newest revision of the template; null if that is not known. */
    readonly isUpToDate: boolean | null;
    /** What is wrong with it as a member: a store that is not Up, a member that is unhealthy. Null: nothing is. */
    readonly trouble: Reading<string | null>;
    /** Its claims that somebody has deleted, whose volumes go once the pod stops, and what to do; null: there are none. */
    readonly losesVolumes: { readonly claims: readonly string[]; readonly next: string } | null;
    /** What keeps it from being Ready, as Kubernetes says; null: nothing does. */
    readonly notReady: string | null;
    /** Its volume claims; empty if it has none. */
    readonly claims: readonly ClaimStatus[];
    /** Its part among its peers: PD's leader, the primary of a microservice, the owner of TiCDC. */
    readonly role: "leader" | "primary" | "owner" | null;
}

/** A volume claim of a pod. Sizes are as Kubernetes writes them: `10Gi`. */
export interface ClaimStatus {
    readonly name: string;
    /** The claim template that it is made from: `tikv`. */
    readonly template: string;
    /** The size of its volume; null if it has none yet. */
    readonly size: string | null;
    /** The size that it requests; null if that is not known. */
    readonly requested: string | null;
    /** Empty if it has none. */
    readonly storageClass: string;
    /** How far the volume is from the size that the claim requests; null if it has that size. */
    readonly growth: {
        readonly stage: "not begun" | "volume" | "file-system";
        /** What it waits for, or that it has failed. */
        readonly words: string;
        /** Since when the file system waits for a node, in ISO 8601 by the clock of Kubernetes; null if that is not known. */
        readonly since: string | null;
        /** Why the last attempt failed, in the driver's words; null if none has failed. */
        readonly trouble: string | null;
        /** Whether the driver has refused the size for good. */
        readonly isRefused: boolean;
        /** Whether the file system has waited for so long that only a start of the pod is known to enlarge it. */
        readonly needsStart: boolean;
    } | null;
}

/** A Job of the cluster that has not ended. */
export interface JobStatus {
    readonly name: string;
    /** When it was made, in ISO 8601 in UTC. */
    readonly since: string;
    /** What it does or waits for. */
    readonly words: string;
}

/** Discovery's Deployment. */
export interface DiscoveryStatus {
    readonly wanted: number;
    readonly ready: number;
    readonly upToDate: number;
    readonly image: string | null;
}

/** A member of PD. */
export interface PdMemberStatus {
    /** Empty for a member that was added but never started. */
    readonly name: string;
    readonly healthy: boolean;
    readonly isLeader: Reading<boolean>;
    /** Whether it runs in a pod of this cluster. */
    readonly own: boolean;
}

/** A store, as PD lists it. */
export interface StoreStatus {
    readonly id: number;
    /** The first label of its address: its pod. */
    readonly pod: string;
    readonly address: string;
    /** Whether it belongs to this cluster. */
    readonly own: boolean;
    readonly engine: Engine;
    /** PD's word: `Up`, `Disconnected`, `Down`, `Offline`, …; `New` before its first heartbeat, when PD says Down. */
    readonly state: string;
    /** Leaders, as PD counts them: too few for up to a minute after PD's leader has changed. */
    readonly leaders: number;
    readonly regions: number;
    /** Size of its disk; null if it has not reported it. PD rounds both numbers to four digits. */
    readonly capacityBytes: number | null;
    readonly availableBytes: number | null;
    /** How much its own data take; null if it has not reported it. Others may use the same disk. */
    readonly usedBytes: number | null;
    /** The size of the claims with its data, together; null if that is not known. PD's `capacityBytes` is another figure if the store has a limit or shares a disk. */
    readonly claimBytes: number | null;
    /** Whether PD moves no region to it because too little of its disk is free (`schedule.low-space-ratio`); null if not known. */
    readonly isLowOnSpace: boolean | null;
}
