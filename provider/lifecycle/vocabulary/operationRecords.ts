import type { Component } from "../../../topology/members";
import type { FailoverRecord, LostVolumes } from "./failureRecord";
import type { StatefulSetManifest } from "./fixedFields";
import type { RaisedLimits } from "./leaderLimits";
import type { ObservedStatefulSet } from "./observedMember";
import type { SettingsRecord } from "./settings";
import type { UpgradeRecord } from "./smoothUpgrade";

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
    /** UIDs of the pod's claims. Default: not known, as an earlier version recorded none. */
    onClaims?: readonly string[];
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

/** A StatefulSet as it is to be created again. Kept in the cluster's Lease from before it is deleted until it is there again. */
export interface RemakeRecord {
    readonly component: Component;
    /** Of the one that is deleted. */
    readonly uid: string;
    /** How the new one is observed. */
    readonly becomes: Omit<ObservedStatefulSet, "manifest">;
    /** The object to create. */
    readonly manifest: StatefulSetManifest;
}

/** What must survive the death of the process. Kept in annotations of the cluster's Lease. */
export interface OperationRecords {
    evictions: Record<string, EvictionRecord>;
    /** By the id of the store or the PD member. */
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
    /** By member: the StatefulSet that is deleted without its pods and created again. Default: none is. */
    remakes?: Partial<Record<Component, RemakeRecord>>;
    /** By member: that volumes are replaced, with spare pods, until all pods are well with new ones. `begunAt` is for people only. Default: none are. */
    replacements?: Partial<Record<Component, { readonly begunAt: number }>>;
}

/** @returns empty records. */
export function noRecords(): OperationRecords {
    return { evictions: {}, removals: {} };
}
