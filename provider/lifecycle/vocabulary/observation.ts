import type { Component } from "../../../topology/members";
import { type Fact, notAsked, notKnown } from "./evidence";
import type { FixedFields } from "./fixedFields";
import { type ObservedHeartbeats, type ObservedPd, type PdTrouble, unknownPd } from "./observedPd";

export * from "./observedPd";

/**
 * The member's own container in a pod; sidecars do not count. `not-started`: it has never run in this pod.
 * `startedAt` is by the clock of the pod's node.
 */
export type ContainerState = { is: "running"; startedAt: number } | { is: "stopped" } | { is: "not-started" };

/** One pod of a member's StatefulSet, as the API server last showed it. Times are milliseconds since 1970. */
export interface ObservedPod {
    /** The name decides which ordinal it is; labels do not. */
    name: string;
    ordinal: number;
    uid: string;
    /** Of the object when it was read: it is deleted only as it was seen. */
    resourceVersion: string;
    /** `controller-revision-hash`: the revision of the template that the pod was made from. */
    revision?: string;
    /** Whether the whole pod is Ready, sidecars too. */
    ready: boolean;
    /** Since when this run has seen it Ready whenever it looked, by its own clock. */
    readySince?: number;
    /** The member's own container. Known only from a node that is Ready: another one may run what it no longer reports. */
    container: Fact<ContainerState>;
    /** The latest moment at which it can have been made: what is older than this may be from before it. */
    createdAt: number;
    terminating: boolean;
    /** When its graceful shutdown was begun, where that comes before its end; kept in an annotation of the pod. */
    shutdownBegunAt?: number;
    /** What keeps the member's own container from starting, in Kubernetes' own words: the scheduler's reason, ImagePullBackOff, … */
    trouble?: string;
    /** What is wrong with its other containers, in the same words. It takes nothing down and holds nothing up. */
    sidecarTrouble?: string;
}

/** A PersistentVolumeClaim of one pod. */
export interface ObservedClaim {
    name: string;
    uid: string;
    ordinal: number;
    /** Set when a scale-in gave the volume up: the ordinal's next pod must start with an empty one. */
    released: boolean;
    /** Deleted already, and kept by the pod that uses it. */
    terminating: boolean;
}

/** A member's StatefulSet. `undefined` wherever it appears means that there is none yet. */
export interface ObservedStatefulSet {
    name: string;
    uid: string;
    /** Deleted already, and there until its pods have ended. */
    terminating: boolean;
    replicas: number;
    /** The revision that a pod created now would get. */
    updateRevision?: string;
    /** Whether the controller has seen the newest generation: until then `updateRevision` may be the one before. */
    settled: boolean;
    /** Digest of the rendered template, as this package noted it on the object. */
    templateRevision?: string;
    fixed: FixedFields;
}

export interface ObservedMember {
    component: Component;
    statefulSet?: ObservedStatefulSet;
    /** Ascending by ordinal. */
    pods: ObservedPod[];
    claims: ObservedClaim[];
}

/** TiCDC, as its captures say it themselves. */
export interface ObservedCaptures {
    /** By pod: its capture, or why it could not be asked. */
    byPod: Record<string, { id: string; version: string } | { trouble: string }>;
    /** All captures, those of other clusters too; `unsupported` by a version that cannot list them. */
    list: { id: string; isOwner: boolean }[] | "unsupported" | { trouble: string };
    /** Why the owner calls TiCDC unwell; `undefined` where it does not. */
    ownerTrouble?: string;
    /** By UID of a pod: tables that its capture still had when it was last told to move them. */
    tablesLeft: Record<string, number>;
}

/** Whether root has the password that the cluster's Secret holds. The password itself is never part of an observation. */
export interface ObservedRootPassword {
    secret: "absent" | "without-password" | "there";
    /** As noted on the Secret: its password was set, or root had another one and was left alone. */
    noted?: "set" | "left-alone";
    /** With what root can log in, or why that could not be tried; `undefined` where it was not asked. */
    login?: { pod: string; uid: string; with: "nothing" | "secret" | "neither" } | { trouble: string };
}

/** An eviction of a store's leaders that this package began; kept in the cluster's Lease until PD has let go of it for good. */
export interface EvictionRecord {
    pod: string;
    /** By the clock of the machine that began it: for people. Nothing is decided from it. */
    begunAt: number;
    leadersBefore: number;
    /** When it was ended, likewise for people. */
    endedAt?: number;
    /** Leadership of PD under which it was ended: looked at again under the next one. */
    endedUnder?: string;
    /** Whether PD was seen to have let go of it: an eviction of that store is somebody else's from then on. */
    isGone?: boolean;
    /** Whether PD's leadership was moved because PD kept the store paused after the eviction had ended (tikv/pd#9185). */
    unpaused?: boolean;
}

/** A store or member that this package told PD to remove; kept in the cluster's Lease until it is gone or taken back. */
export interface RemovalRecord {
    pod: string;
    begunAt: number;
}

/** What this package must not forget when its process dies; lives in annotations of the cluster's Lease. */
export interface OperationRecords {
    evictions: Record<string, EvictionRecord>;
    /** By store id, or by the name of a PD member. */
    removals: Record<string, RemovalRecord>;
}

/** Everything that a decision is made from. Deciding takes nothing else: no clock, no network. */
export interface Observation {
    now: number;
    /** Name of the TidbCluster, the prefix of its objects' names. */
    cluster: string;
    /** Members that were read; one that is missing here was not asked for. */
    members: Partial<Record<Component, ObservedMember>>;
    pd: ObservedPd;
    /** Leaders that a store itself says it has (`tikv_raftstore_region_count`), by name of its pod. */
    ownLeaders: Record<string, Fact<number>>;
    heartbeats: Fact<ObservedHeartbeats>;
    /** Id of the PD that the cluster's data are known to, from its Lease; `undefined` until the cluster was first well. */
    pdClusterId?: string;
    /** Why PD could not be asked, where it could not. */
    pdTrouble?: PdTrouble;
    records: OperationRecords;
    /** Who asked last, at any time, that a run end at its next safe point. */
    stopRequest?: string;
    /** Who else operates the cluster now, and what they do; `undefined` when nobody else does. */
    operatedBy?: string;
    /** Name of a pod that was asked itself → what was wrong; `null` when it is well. */
    podStatus?: Record<string, string | null>;
    captures?: ObservedCaptures;
    rootPassword?: ObservedRootPassword;
}

/** @returns the observation of a cluster of which nothing was asked yet. */
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

/** @returns PD's part of an observation where PD could not be asked. */
export function silentPd(why: string, isFinal = false): Pick<Observation, "pd" | "pdTrouble"> {
    return { pd: unknownPd(notKnown(why)), pdTrouble: { why, isFinal } };
}

/** @returns records that hold nothing. */
export function noRecords(): OperationRecords {
    return { evictions: {}, removals: {} };
}
