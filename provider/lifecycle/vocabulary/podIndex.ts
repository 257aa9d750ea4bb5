import type { Component } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import type { Observation, ObservedClaim, ObservedPdMember, ObservedPod, ObservedStore } from "./observation";
import { onceFor } from "./onceFor";

/** What an observation knows of pods, by the pods' names. Walks look at 1,000 pods in time that grows with their number. */
export interface PodIndex {
    /** The names of the member's pods by ordinal, as far as they were asked for. */
    readonly names: string[];
    readonly pods: ReadonlyMap<string, ObservedPod>;
    /** PD's members that run in pods of the cluster. */
    readonly pdMembers: ReadonlyMap<string, readonly ObservedPdMember[]>;
    /** The cluster's own stores. */
    readonly stores: ReadonlyMap<string, readonly ObservedStore[]>;
}

const nothing = new Map<string, never>();
/** By the StatefulSet's name. Names that are made once are found faster. */
const names = new Map<string, string[]>();

function namesOf(cluster: string, component: Component): string[] {
    const of = memberName(cluster, component);
    const known = names.get(of) ?? [];
    names.set(of, known);
    return known;
}

/** @returns what the observation knows of the pods of a member. */
export function podIndexOf({ cluster, members, pd }: Observation, component: Component): PodIndex {
    const { pods } = members[component] ?? {};
    return {
        names: namesOf(cluster, component),
        pods: pods === undefined ? nothing : podsByName(pods),
        pdMembers: component === "pd" && pd.members.known ? pdMembersByPod(pd.members.value) : nothing,
        stores: pd.stores.known ? ownStoresByPod(pd.stores.value) : nothing,
    };
}

const podsByName = onceFor((pods: readonly ObservedPod[]) => new Map(pods.map((pod) => [pod.name, pod])));

const pdMembersByPod = onceFor((members: readonly ObservedPdMember[]) => groupsOf(members, ({ podName }) => podName));

const ownStoresByPod = onceFor((stores: readonly ObservedStore[]) =>
    groupsOf(stores, ({ own, podName }) => (own ? podName : undefined)),
);

const claimsByOrdinal = onceFor((claims: readonly ObservedClaim[]) => groupsOf(claims, ({ ordinal }) => ordinal));

/** @returns the pod of that name, of whichever member. */
export function podNamed(observation: Observation, name: string): ObservedPod | undefined {
    for (const { component } of Object.values(observation.members)) {
        const pod = podIndexOf(observation, component).pods.get(name);
        if (pod !== undefined) {
            return pod;
        }
    }
    return undefined;
}

/** @returns the claims of an ordinal. */
export function claimsAt(claims: readonly ObservedClaim[], ordinal: number): readonly ObservedClaim[] {
    return claimsByOrdinal(claims).get(ordinal) ?? [];
}

/** @returns what has a key, by that. */
export function groupsOf<T, Key>(all: readonly T[], keyOf: (one: T) => Key | undefined): Map<Key, T[]> {
    const groups = new Map<Key, T[]>();
    for (const one of all) {
        const key = keyOf(one);
        const group = key === undefined ? undefined : groups.get(key);
        if (group !== undefined) {
            group.push(one);
        } else if (key !== undefined) {
            groups.set(key, [one]);
        }
    }
    return groups;
}
