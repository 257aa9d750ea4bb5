import type { EndedBy } from "./endedBy";
import type { Look } from "./look";
import type { Component, Microservice } from "../../../topology/members";
import type { LimitChanges, RaisedLimits } from "./leaderLimits";
import type { LostVolumes } from "./failureRecord";
import type { FailureRecord } from "./failureRecord";
import type { BatchRecord } from "./observation";
import type { ProblemCode } from "./problemCodes";
import type { ServerSettings, SettingsRecord } from "./settings";

/**
 * A change that a gate makes. A gate is a Pulumi resource that checks the live cluster, plans steps, and carries them out
 * when it is safe. Actions are taken one at a time, each after a fresh observation.
 */
export type Action =
    /** `unpauses`: stores to which PD sends no leaders although they are not under eviction (tikv/pd#9185), and others that may be so. */
    | { do: "transfer-leader"; to: string; from: string; unpauses?: readonly number[] }
    | { do: "transfer-primary"; service: Microservice; to: string; from: { name: string; uid: string } }
    | { do: "begin-eviction"; storeId: number; pod: string; leaders: number }
    | { do: "end-eviction"; storeId: number; pod: string; under?: string }
    | { do: "note-eviction-gone"; storeId: number }
    | { do: "forget-eviction"; storeId: number }
    /**
     * `isDead`: its PD member failed, and is out of PD. `leaves`: the node, which is being emptied. `lost`: the node, which is gone with the
     * pod's volumes.
     */
    | {
          do: "delete-pod";
          pod: string;
          uid: string;
          resourceVersion: string;
          leaders?: number;
          isDead?: true;
          leaves?: string;
          lost?: string;
      }
    /** `isLost`: its node is gone with its volumes, which is on record. `onClaims`: UIDs of the pod's claims. */
    | { do: "remove-store"; storeId: number; pod: string; regions: number; isLost?: true; onClaims?: readonly string[] }
    | { do: "bring-store-back"; storeId: number; pod: string }
    | { do: "forget-removal"; of: string }
    /** `isDead`: it failed, and its failure is on record. */
    | {
          do: "remove-member";
          member: string;
          memberId: string;
          pod: string;
          isDead?: true;
          onClaims?: readonly string[];
      }
    /** `storeOrMember`: the id of the store or PD member on the volumes, which has left PD. Default: their process never ran. */
    | { do: "release-claims"; pod: string; claims: { name: string; uid: string }[]; storeOrMember?: string }
    | { do: "keep-claims"; claims: { name: string; uid: string }[] }
    | { do: "note-pd"; clusterId: string }
    | { do: "note-version"; version: string; tls?: boolean; claims: { name: string; uid: string }[] }
    | { do: "begin-shutdown"; pod: string; uid: string }
    | { do: "forget-shutdown"; pod: string; uid: string }
    | { do: "resign-owner"; pod: string; uid: string }
    | { do: "drain-capture"; pod: string; uid: string; capture: string }
    | { do: "close-pump"; pod: string; uid: string; nodeId: string }
    /** `ofDead`: the pod whose member failed and is out of PD. Default: an earlier scale-in released them. */
    | { do: "delete-claims"; claims: { name: string; uid: string; resourceVersion: string }[]; ofDead?: string }
    /** `endsPd`: the pods are PD's, and keep the PD's lock. */
    | { do: "delete-stateful-set"; name: string; uid: string; endsPd?: true }
    /** Without `pulumi up`. `from`: the StatefulSet as it was observed. */
    | { do: "set-replicas"; from: StatefulSetReplicas; replicas: number }
    | { do: "give-replicas-back"; from: StatefulSetReplicas }
    | { do: "make-password-secret"; secret: string }
    | { do: "set-password"; secret: string; pod: string; uid: string }
    | { do: "note-password"; secret: string; how: "set" | "left-alone" }
    /** `record`: what the next run must know if this one dies. */
    | { do: "set-settings"; component: Component; sets: readonly ServerSettings[]; record: SettingsRecord }
    | { do: "forget-settings"; component: Component }
    | { do: "set-store-labels"; sets: readonly StoreLabelSet[] }
    | { do: "set-server-labels"; sets: readonly ServerLabelSet[] }
    /** `record`: as for settings. `returning`: the leaders return after a restart. Default: they are to leave. */
    | { do: "raise-limits"; pod: string; changes: LimitChanges; record: RaisedLimits; returning?: true }
    /** `returned`: the stores whose leaders are back. Default: they are not, or there is none. */
    | { do: "put-back-limits"; changes: LimitChanges; returned?: readonly number[] }
    | { do: "forget-limits"; returned?: readonly number[] }
    /** TiDB's smooth upgrade. `pod`: the server that is told. `from`, `to`: the tags of the images. */
    | { do: "start-upgrade"; pod: string; uid: string; from: string; to: string }
    | { do: "finish-upgrade"; pod: string; uid: string }
    | { do: "forget-upgrade" }
    /** Pods that restart side by side, with the ids of their stores. */
    | { do: "begin-batch"; component: Component; stores: BatchRecord["stores"] }
    | { do: "forget-batch"; component: Component; pods: readonly string[] }
    | { do: "note-failure"; component: Component; pod: string; failure: FailureRecord }
    | { do: "count-replacement"; component: Component; pod: string }
    | { do: "forget-failures"; component: Component; pods: readonly string[] }
    /** `lost`: what is given up of the pod with a node that is gone. */
    | { do: "note-lost-volumes"; pod: string; lost: LostVolumes }
    | { do: "forget-lost-volumes"; pod: string }
    /** An unsafe recovery: PD makes the stores Tombstone, and their regions go on without them. `risk`: what a person consents to. */
    | { do: "remove-failed-stores"; stores: readonly number[]; timeoutSeconds: number; risk: string }
    /** A recovery that was begun, and that PD has given up. */
    | { do: "forget-recovery"; stores: readonly number[] }
    /** `report`: what PD last said of it. */
    | { do: "note-recovery-finished"; stores: readonly number[]; report: string };

/** Labels that a store gets in PD. It keeps its others. */
export interface StoreLabelSet {
    readonly storeId: number;
    readonly pod: string;
    readonly labels: Readonly<Record<string, string>>;
}

/** Labels that a TiDB server gets. It keeps its others. */
export interface ServerLabelSet {
    readonly pod: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
}

/** A StatefulSet with the number of replicas that it was observed with. */
export interface StatefulSetReplicas {
    readonly name: string;
    readonly uid: string;
    readonly replicas: number;
}

/** Why a run cannot continue. */
export interface Problem {
    /** Which failure it is. It stays the same when the words change. */
    code: ProblemCode;
    /** The step's name in the plan. */
    step: string;
    /** The pod, store or member concerned, unless the step's name says it. */
    target?: string;
    /** What was found. */
    seen: string;
    /** What the user can do next. */
    next: string;
}

/** A move that takes an action. */
export interface ActMove {
    kind: "act";
    action: Action;
    step: string;
    target: string;
    /** The name under which the wait is remembered. Default: the step's name. */
    waitAs?: string;
    /** Keys of earlier waits that have timed out and stay timed out. */
    passed?: readonly string[];
    /** Names of the stages that held, for the journal; no decision uses them. Default: the action depends on none. */
    held?: readonly string[];
    /** Whether this was decided while PD was unreachable: repairing PD must not wait for PD. Default: false. */
    withoutPd?: boolean;
}

/** A move that waits for a condition. */
export interface WaitMove {
    kind: "wait";
    step: string;
    target: string;
    /** The name under which the wait is remembered; steps with the same name share one timeout. Default: the step's name. */
    waitAs?: string;
    waitingFor: string;
    since: number;
    /** When it fails. */
    until?: number;
    /** When the run goes on although nothing has changed. Default: it does not. */
    goesOnAt?: number;
    /** The remaining count, if the condition has one. The timeout restarts whenever it falls. */
    left?: number;
    /** When the condition was found. It must be found again until it has held long enough. */
    steadyAt?: number;
    /** Keys of earlier waits that have timed out and stay timed out. */
    passed?: readonly string[];
    /** What alone can end the wait. Default: not known. */
    endedBy?: EndedBy;
    /** Whether no other run may operate the cluster, or its PD, meanwhile. Default: false. */
    needsLock?: boolean;
    /** Waits for other pods of the batch, whose times run too. Default: none. */
    beside?: readonly WaitMove[];
}

/** What to do now. The decision is pure; the shell carries it out and observes again. `remark`: what stays to be done. */
export type Move =
    | { kind: "done"; remark?: string }
    | ActMove
    | WaitMove
    | { kind: "look"; at: Look }
    | { kind: "fail"; problem: Problem };
