import type { Component } from "../../../topology/members";
import type { Observation, ObservedPdMember, ObservedPod, ObservedStore } from "./observation";

/** What an observation knows of pods, by the pods' names. */
export interface PodIndex {
    readonly pods: ReadonlyMap<string, ObservedPod>;
    /** PD's members that run in pods of the cluster. */
    readonly pdMembers: ReadonlyMap<string, readonly ObservedPdMember[]>;
    /** The cluster's own stores. */
    readonly stores: ReadonlyMap<string, readonly ObservedStore[]>;
}

/** An observation never changes, so its index is made once. Walks look at 1,000 pods in time that grows with their number. */
const indexes = new WeakMap<Observation, Map<Component, PodIndex>>();

/** @returns what the observation knows of the pods of a member. */
export function podIndexOf(observation: Observation, component: Component): PodIndex {
    const ofObservation = indexes.get(observation) ?? new Map<Component, PodIndex>();
    indexes.set(observation, ofObservation);
    const index = ofObservation.get(component) ?? podIndex(observation, component);
    ofObservation.set(component, index);
    return index;
}

function podIndex({ members, pd }: Observation, component: Component): PodIndex {
    const pdMembers = component === "pd" && pd.members.known ? pd.members.value : [];
    const stores = pd.stores.known ? pd.stores.value.filter(({ own }) => own) : [];
    return {
        pods: new Map((members[component]?.pods ?? []).map((pod) => [pod.name, pod])),
        pdMembers: byPod(pdMembers),
        stores: byPod(stores),
    };
}

function byPod<T extends { podName?: string }>(all: readonly T[]): Map<string, T[]> {
    const groups = new Map<string, T[]>();
    for (const one of all) {
        if (one.podName !== undefined) {
            const group = groups.get(one.podName);
            if (group === undefined) {
                groups.set(one.podName, [one]);
            } else {
                group.push(one);
            }
        }
    }
    return groups;
}
