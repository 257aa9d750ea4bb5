import type { Look } from "../../vocabulary/look";
import type { BatchRecord, Observation } from "../../vocabulary/observation";
import type { PodView } from "../../vocabulary/stage";
import type { MemberTarget } from "../../vocabulary/target";

/** That nothing is lost while all pods of a batch are down. */
export interface BatchProof {
    /** What proves it: PD's gauge or list of regions; that list, of replicas on TiFlash; PD's list of members; or that the other pods serve. */
    readonly by: "gauge" | "scan" | "replicas" | "members" | "pods";
    /**
     * How many more voters any region, or members PD, can lose while the batch is down; of replicas on TiFlash, how many more than one
     * any region keeps; of other pods, how many serve meanwhile.
     */
    readonly margin: number;
}

/** Why there is no proof. */
export interface NotProven {
    readonly why: string;
    /** Whether what is asked may say more a moment later. Default: it will not. */
    readonly mayPass?: true;
    /** How long that may take. Default: until PD's next count. */
    readonly seconds?: number;
}

/** What must be read first, or why there is no proof. */
export type Lacking = { readonly look: Look } | NotProven;
export type ProofFinding = { readonly proof: BatchProof } | Lacking;

/** A batch that can begin now, and what proves it. */
export interface ChosenBatch {
    readonly stores: BatchRecord["stores"];
    readonly proof: BatchProof;
}

/** The batch; what is lacking; undefined if no batch is asked for, or if there is no other pod to restart with. */
export type BatchChoice = ChosenBatch | Lacking | undefined;

/** How pods of a member restart side by side. */
export interface MemberBatch {
    /** @returns whether a Ready pod is well: its member is healthy, its store is Up. */
    isWell(view: PodView): boolean;
    /** @returns whether a pod that is well can be in a batch. Default: it can. */
    canJoin?(view: PodView): boolean;
    /** @param candidates the pods that can be in it, at least two. The first one is, and those before others are preferred. */
    choose(candidates: readonly PodView[]): BatchChoice;
    /** @param pods those that are down at the same time. */
    prove(observation: Observation, target: MemberTarget, pods: BatchRecord["stores"]): ProofFinding;
    /** Whether one pod restarts alone first: a template that does not start takes one pod down, and no batch. */
    readonly triesOneFirst: boolean;
    /** @returns whether the pod restarts after all others. Default: none does. */
    goesLast?(view: PodView): boolean;
    /** What is done where there is no proof, for the preview. */
    readonly otherwise: string;
}
