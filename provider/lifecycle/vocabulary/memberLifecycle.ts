import type { Component } from "../../../topology/members";
import type { MemberFailover } from "./memberFailover";
import type { OwnPart, PdPart } from "./look";
import type { Action } from "./actions";
import type { Observation } from "./observation";
import type { PodView, Stage } from "./stage";
import type { GatePolicy, MemberTarget } from "./target";
import type { Look } from "./look";

/** An HTTP page on which a pod reports its own health. Statuses 200 to 399 mean healthy. */
export interface StatusPage {
    readonly port: number;
    readonly path: string;
    /** The text that the page must return. A 404 means that the version has no such page, and is accepted. Default: any. */
    readonly says?: string;
    /** Whether to skip verification of the certificate, because it is issued for other names. Default: false. */
    readonly isUnchecked?: boolean;
    /** @returns the server's version in the page's text; undefined if it does not say. Default: no page says it. */
    readonly versionIn?: (text: string) => string | undefined;
}

/** The action that cleans up after an earlier run; what must be read first; why that cannot be decided; or why it stays for now. */
export type LeftBehind = { action: Action } | { look: Look } | { lacks: string } | { stays: string };

/** What an earlier run left behind, in words. `pod`: a restart of that pod ends it, too. */
export interface LeftOpen {
    readonly pod: string;
    readonly why: string;
    /** Set if it is of the whole member, so no single pod's stages end it. Default: those of the pod do. */
    readonly atEnd?: true;
}

/** How a person has PD drop the data of a pod. */
export type DroppedByHand =
    | { readonly is: "by-commands"; readonly words: string }
    | { readonly is: "only-copy" }
    /** Why PD does not tell what is on the pod's volumes, what a person does about it, and whether the pod may stop once that is done. */
    | {
          readonly is: "not-known";
          readonly why: string;
          readonly first: string;
          readonly mayStop?: true;
          /** Whether an answer of PD is missing, which may still come. Default: PD has answered. */
          readonly mayBeKnown?: true;
      };

/** What a person does where PD was not asked, or has not answered. */
export const silentPd = {
    is: "not-known",
    why: "it is not known what PD has of this data",
    first: "once PD answers, `npx pulumi-tidb diagnose` says how to go on; the pod must not stop before. If PD cannot answer any more, first keep the disk (`kubectl patch pv` with `persistentVolumeReclaimPolicy: Retain`)",
    mayBeKnown: true,
} as const;

/** What PD has of a pod: its store, or its own member. Absence from PD's lists is no evidence by itself. */
export interface InPd {
    /** PD lists every pod that it must have. Otherwise its list says nothing of the others either. */
    readonly listed: Stage;
    /**
     * @param id of a store or member that the pod had. Default: none is known, so nothing that PD lists may be the pod.
     * @returns PD's entry for the pod or the id, or why that is not known, in words; undefined if PD certainly has none.
     */
    entry(view: PodView, id?: string): string | undefined;
    /** @returns whether PD has dropped the store or member with this id for good, and has no entry for the pod. */
    hasDropped(view: PodView, id: string): boolean;
    /** @returns the id of the Tombstone that PD shows for the process that runs or last ran in the pod. Default: PD shows none. */
    tombstoneOf?(view: PodView): string | undefined;
}

/** The rules of one member, as data. Walking, waiting and planning work the same way for all members. */
export interface MemberLifecycle {
    component: Component;
    /** The member's field in the spec, for messages. Default: the component's name. */
    field?: string;
    /** The field with its volumes, in that. Default: `storageVolumes`. */
    volumesField?: string;
    /** What happens when the program drops the member: a plan scales it in to 0, or the change is refused because data would be lost. */
    leavesProgram: "scaled-in" | "refused";
    /** The parts of PD's state that the decisions need. The shell queries only these. If empty, PD is not needed. */
    looks: {
        readonly rollout: readonly PdPart[];
        readonly scale: readonly PdPart[];
        /** What is needed to report the state when nothing is to be done: as little as possible. */
        readonly state: readonly PdPart[];
        /** What is needed to set settings of its running servers. Default: nothing of PD. */
        readonly settings?: readonly PdPart[];
        /** Other members that must be read before this one is scaled, because they depend on it. */
        readonly dependants?: readonly Component[];
    };
    /** @returns what else of PD's state the plan of a rollout says. Default: nothing. */
    planLooks?(policy: GatePolicy): readonly PdPart[];
    /** The page on which each pod reports its own health. Default: none, and pods are not queried. */
    statusPage?: StatusPage;
    /** State that the member itself is queried for. Default: nothing. */
    asks?: readonly OwnPart[];
    /** Whether decisions depend on the version that its pods will run. Default: false. */
    comparesVersions?: boolean;
    /**
     * What happens while PD is unreachable. `restart-dead`: recreates all pods that Kubernetes reports as unable to
     * start, since that takes nothing down. `go-on`: does the same, and running pods then do not hold up the members
     * that come later, PD among them. Default: waits for PD.
     */
    withoutPd?: "restart-dead" | "go-on";
    /**
     * Conditions, in order, that must hold before a pod is restarted on a newer template. They are about its version, so a drain by
     * Kubernetes may take the pod without them. Default: none.
     */
    beforeUpgrade?: readonly Stage[];
    /** Conditions, in order, that must hold before a pod is restarted. */
    beforeRestart: readonly Stage[];
    /** Conditions, in order, that a pod on the update revision must meet, after it is Ready, before the next pod is touched. */
    afterRestart: readonly Stage[];
    /** Conditions, in order, that must hold before `replicas` may exclude the pod. */
    beforeRemoval: readonly Stage[];
    /** How dead pods are found and replaced. Default: no failover. */
    failover?: MemberFailover;
    /** Conditions, in order, for a pod that stays after its removal had begun. Its volumes come last. */
    afterRemovalTakenBack: readonly Stage[];
    /** @returns whether this run or an earlier one has begun to restart the pod. Default: a restart has no preparation. */
    isBegun?(view: PodView): boolean;
    /** What PD has of a pod. Default: PD stores nothing about the member's volumes. */
    inPd?: InPd;
    /** @returns whether what the pod's process has on its volumes is certainly dropped, and not only that of an earlier pod. Default: never. */
    isDroppedByPd?(view: PodView): boolean;
    /** @returns how a person has PD drop what is on the pod's volumes, that nothing else has it, or that PD does not tell. Default: PD has nothing of it. */
    droppedByHand?(view: PodView): DroppedByHand | undefined;
    /** @returns how to clean up, once all pods are healthy, what an earlier run left of a pod that is no longer walked; or why that cannot be decided. */
    leftBehind?(observation: Observation, target: MemberTarget): LeftBehind | undefined;
    /** @returns how to end, before no pod of the member is left, what only one of them can. Default: there is nothing. */
    beforeNoneLeft?(observation: Observation): LeftBehind | undefined;
    /** @returns how to end what was changed for a batch of pods, all of which are as before again. Default: nothing. */
    afterBatch?(observation: Observation, storeIds: readonly number[]): LeftBehind | undefined;
    /** @returns why the number of replicas is refused before anything is changed; `undefined` if it is accepted. */
    refuseReplicas(observation: Observation, target: MemberTarget): string | undefined;
    /** @returns what a Ready pod still lacks: its member is unhealthy, its store is not Up. Default: nothing. */
    lacks?(view: PodView): string | undefined;
    /**
     * @returns whether the pods cannot become healthy yet because they need a member that comes later in the order. That
     * member must not wait for them. Meanwhile only stale pods that do not run are recreated; the cluster's last gate
     * does the rest. Default: there is no such member.
     */
    cannotStartYet?(observation: Observation): boolean;
    /** @returns what is missing for the members that need this one to start; `undefined` if nothing is. */
    available(observation: Observation, target: MemberTarget): string | undefined;
    /** @returns what an earlier run left behind and a rollout ends, for the plan. Default: nothing. */
    leftOpen?(observation: Observation): LeftOpen[];
    /** Describes what a pod must reach besides Ready, after a start or a restart. */
    startWaitsFor: string;
    /** When a pod that stops closes the connections of its clients, in words. Default: clients do not keep to one pod. */
    closesConnections?: string;
    /** Describes what the restart puts at risk. */
    restartRisk(view: PodView): string | undefined;
    /** Describes, as a risk of the plan, what users lose while no pod of the member is left. Default: nothing. */
    noneLeft?: string;
    /** Describes what the removal of a pod puts at risk. Default: nothing. */
    removalRisk?(view: PodView): string | undefined;
}
