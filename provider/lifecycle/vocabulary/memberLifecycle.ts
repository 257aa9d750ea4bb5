import type { Component } from "../../../topology/members";
import type { OwnPart, PdPart } from "./look";
import type { Action } from "./move";
import type { Observation } from "./observation";
import type { PodView, Stage } from "./stage";
import type { MemberTarget } from "./target";
import type { Look } from "./look";

/** A page on which a pod says itself whether it is well: HTTP, 200 to 399. */
export interface StatusPage {
    readonly port: number;
    readonly path: string;
    /** The word that it must say. A pod without the page (404) is of a version before it, and is not asked. Default: any. */
    readonly says?: string;
    /** Whether its certificate is not checked, because it is for other names. Default: false. */
    readonly isUnchecked?: boolean;
}

/** What cleans up after an earlier run; what must be looked at first; or why it cannot be told, in words. */
export type LeftBehind = { action: Action } | { look: Look } | { lacks: string };

/** What is special to a member, as data. How it is walked, waited for and planned is the same for all. */
export interface MemberLifecycle {
    component: Component;
    /** Its field in the spec, for messages. Default: its component's name. */
    field?: string;
    /** What happens where the program no longer has it: it is scaled in to 0 by a plan, or refused, as data would be lost. */
    leavesProgram: "scaled-in" | "refused";
    /** What of PD its decisions are made from. The shell asks for this and no more. Where it is nothing, PD's word is not needed. */
    looks: {
        readonly rollout: readonly PdPart[];
        readonly scale: readonly PdPart[];
        /** What its state is told from, when nothing is to be done: as little as can be. */
        readonly state: readonly PdPart[];
        /** Other members that scaling it is decided from. */
        readonly dependants?: readonly Component[];
    };
    /** Where each of its pods says itself whether it is well. Default: it is not asked. */
    statusPage?: StatusPage;
    /** What else its decisions are made from, that it knows of itself. Default: nothing. */
    asks?: readonly OwnPart[];
    /** Whether it matters which version its pods are to run. Default: false. */
    comparesVersions?: boolean;
    /**
     * What is done where PD cannot be asked. `restart-dead`: pods that Kubernetes says cannot start are made anew, all of
     * them, as they take nothing down. `go-on`: that too, and then what comes later, PD among it, is not held up by pods
     * that run. Default: PD is waited for.
     */
    withoutPd?: "restart-dead" | "go-on";
    /** What must hold, in order, before a pod is restarted. */
    beforeRestart: readonly Stage[];
    /** What must hold, in order, of a pod on the update revision before the next one is touched; its readiness comes first. */
    afterRestart: readonly Stage[];
    /** What must hold, in order, before `replicas` may leave the pod out. */
    beforeRemoval: readonly Stage[];
    /** What must hold, in order, of a pod that shall stay after its removal was begun; its volumes come last. */
    afterRemovalTakenBack: readonly Stage[];
    /** @returns whether the pod's restart was begun, by this run or an earlier one. Default: nothing comes before it. */
    isBegun?(view: PodView): boolean;
    /** @returns whether PD has certainly let go of what is on the pod's volumes: it must never run again. Default: there is no such thing. */
    isBuried?(view: PodView): boolean;
    /** @returns what cleans up what an earlier run left of a pod that is walked no more, once all pods are well; or why that cannot be told. */
    leftBehind?(observation: Observation, target: MemberTarget): LeftBehind | undefined;
    /** @returns why the number of replicas is refused, before anything is changed; `undefined` where it is not. */
    refuseReplicas(observation: Observation, target: MemberTarget): string | undefined;
    /** @returns what a pod that is Ready still lacks, in words: its member is unhealthy, its store not Up. Default: nothing. */
    lacks?(view: PodView): string | undefined;
    /**
     * @returns whether its pods cannot be well now, for lack of a member that comes after it in the order: that one must
     * not wait for them. Of those that are stale only the ones that do not run are made anew meanwhile; the cluster's last
     * gate does the rest. Default: there is no such member.
     */
    cannotStartYet?(observation: Observation): boolean;
    /** @returns what the members that need this one to start still lack; `undefined` when they lack nothing. */
    available(observation: Observation, target: MemberTarget): string | undefined;
    /**
     * What must be so before any pod is restarted, and takes its time whatever the pods are: a step of its own in the plan.
     * @param pdRestarts whether PD's pods are restarted before, in the same update. Default: nothing.
     */
    restartsAfter?(observation: Observation, pdRestarts: boolean): { why: string; seconds: number } | undefined;
    /** @returns an eviction or the like that an earlier run left behind, by the pod concerned, for the plan. Default: none. */
    leftOpen?(observation: Observation): { pod: string; storeId: number }[];
    /** What happens to the pod before it is restarted, in words, for the plan. */
    restartDoes(view: PodView): string[];
    /** What a new pod is waited for beside Ready, in words. */
    startWaitsFor: string;
    /** What a restarted pod is waited for beside Ready, in words. */
    restartWaitsFor: string;
    /** What the restart puts at risk, in words. */
    restartRisk(view: PodView): string | undefined;
    /** What happens before a pod is scaled away, in words. */
    removalDoes(view: PodView): string;
    estimateRestartSeconds(view: PodView): number;
    estimateRemovalSeconds(view: PodView): number;
}
