import { type Component, topology } from "../../../topology/members";
import { podName } from "../../../topology/podNames";
import type { Observation, ObservedMember, ObservedPod, ObservedStore } from "../vocabulary/observation";
import { hasOtherRevision } from "../vocabulary/revision";
import { isOfRunningProcess } from "../stages/storeProcess";
import { noStoreInWords, stateInWords } from "../stages/stores";
import type { PodPhase } from "./journalOperation";

/** The phase of a pod, and what is wrong with it. */
export interface SeenPhase {
    readonly phase: PodPhase;
    readonly why?: string;
    readonly isReady?: true;
    /** Undefined if there is no pod. */
    readonly uid?: string;
}

const absent = "it does not exist";

/** What only a pod lacks whose store or member is not there yet. One that PD has removed has other words. */
export const notYetThere: readonly string[] = ["it is not a member of PD", "it has not registered a store"];

/** @returns whether a pod in that phase starts, and is not one that was well before. @param why what is wrong with it. */
export function startsAnew(why: string | undefined): boolean {
    return why === absent || notYetThere.includes(why ?? "");
}

/** @returns the phase of each pod that was observed, by name. A pod about which too little is known is left out. */
export function podPhases(observation: Observation): Map<string, SeenPhase> {
    const stores = new Map(
        (observation.pd.stores.known ? observation.pd.stores.value : [])
            .filter(({ own }) => own)
            .map((store) => [store.podName, store]),
    );
    const phases = new Map<string, SeenPhase>();
    for (const member of Object.values(observation.members)) {
        const wanted = Array.from({ length: member.statefulSet?.replicas ?? 0 }, (_, ordinal) =>
            podName(observation.cluster, member.component, ordinal),
        );
        for (const name of wanted) {
            phases.set(name, { phase: "down", why: absent });
        }
        for (const pod of member.pods) {
            const seen = phaseOf(observation, member, pod, stores.get(pod.name));
            phases.delete(pod.name);
            if (seen) {
                const ready = pod.ready && !pod.terminating ? { isReady: true as const } : {};
                phases.set(pod.name, { ...seen, ...ready, uid: pod.uid });
            }
        }
    }
    return phases;
}

function phaseOf(
    { pd, records, podStatus }: Observation,
    { component, statefulSet }: ObservedMember,
    pod: ObservedPod,
    store: ObservedStore | undefined,
): SeenPhase | undefined {
    if (pod.terminating) {
        return { phase: "down", why: "it is stopping" };
    }
    if (!pod.ready) {
        return { phase: "down", why: `it is not Ready${pod.trouble === undefined ? "" : `: ${pod.trouble}`}` };
    }
    if (topology[component].engine !== undefined && !pd.stores.known) {
        return undefined;
    }
    const removal = Object.values(records.removals).some((one) => one.pod === pod.name);
    if (removal) {
        return { phase: "leaving" };
    }
    const trouble = troubleOf(component, pod, store, pd, podStatus?.[pod.name]);
    if (trouble !== undefined) {
        return { phase: "down", why: trouble };
    }
    const eviction = store && records.evictions[store.id];
    if (!eviction) {
        return { phase: "up" };
    }
    const isLeaving = pod.drain?.known === true && pod.drain.value.isDrained;
    return {
        phase:
            eviction.endedAt === undefined && (hasOtherRevision(pod, statefulSet) || isLeaving)
                ? "evicting"
                : "leaders-back",
    };
}

function troubleOf(
    component: Component,
    pod: ObservedPod,
    store: ObservedStore | undefined,
    { members, tombstones }: Observation["pd"],
    status: string | null | undefined,
): string | undefined {
    if (topology[component].engine !== undefined) {
        if (store === undefined) {
            return `it ${noStoreInWords(tombstones, pod.name)}`;
        }
        if (store.state !== "Up") {
            return `store ${store.id} is ${stateInWords(store)}`;
        }
        // PD calls a store Up for 20 s after its process has stopped.
        const isKnown = store.startedAt !== undefined && pod.container.known && pod.container.value.is === "running";
        return isKnown && !isOfRunningProcess(store, pod)
            ? `store ${store.id} has not registered since its process started`
            : undefined;
    }
    if (component === "pd" && members.known) {
        const member = members.value.find(({ podName }) => podName === pod.name);
        return member === undefined ? "it is not a member of PD" : member.healthy ? undefined : "PD calls it unhealthy";
    }
    return status ?? undefined;
}
