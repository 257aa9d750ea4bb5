import type { Component } from "../../../topology/members";
import type { Approvals } from "./approvals";
import { type Fact, notAsked, notKnown } from "./evidence";
import { type ObservedHeartbeats, type ObservedPd, type PdTrouble, unknownPd } from "./observedPd";
import type { ObservedMember } from "./observedMember";
import { noRecords, type OperationRecords } from "./operationRecords";
import type { MemberNotes } from "./ownership";
import type { RunningBackup } from "./runningBackup";
import type { ObservedSettings } from "./settings";
import type { ObservedUpgrade } from "./smoothUpgrade";

/** A TiDB server, as TiDB lists it. */
export interface LabelledServer {
    readonly podName: string;
    /** As TiDB writes it: `8.0.11-TiDB-v8.5.3`. */
    readonly version: string;
    readonly labels: Readonly<Record<string, string>>;
}

export type * from "./observedMember";
export * from "./observedPd";
export * from "./operationRecords";

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
    /** By name of such a pod: the version of its server, as that says. Default: none has said it. */
    podVersions?: Readonly<Record<string, string>>;
    captures?: ObservedCaptures;
    /** Whether TiDB is being upgraded smoothly. Undefined if it was not requested. */
    tidbUpgrade?: Fact<ObservedUpgrade>;
    /** TiDB's servers with their labels. Undefined if it was not requested. */
    tidbServers?: Fact<readonly LabelledServer[]>;
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
