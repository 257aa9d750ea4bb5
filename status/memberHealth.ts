import { bothKnown, type Fact, known, mapFact, notAsked, notKnown } from "../provider/lifecycle/vocabulary/evidence";
import type { Observation, ObservedPod, ObservedStore } from "../provider/lifecycle/vocabulary/observation";
import { isOfRunningProcess } from "../provider/lifecycle/stages/storeProcess";
import { noStoreInWords, stateInWords } from "../provider/lifecycle/stages/stores";
import type { Component, Engine, Microservice } from "../topology/members";
import type { PodStatus } from "./clusterStatus";

/** How a pod does as a member, whatever Kubernetes says of it. */
interface MemberHealth {
    /** What is wrong with it; the value is null if nothing is. */
    readonly trouble: (observation: Observation, podName: string, isLeaving: boolean) => Fact<string | null>;
    /** Its part among its peers; null if it has none, or if that is not known. Default: no pod has one. */
    readonly role?: (observation: Observation, podName: string) => PodStatus["role"];
    /** The version that its server says, as far as the one that runs now has said it. Default: no server says it. */
    readonly version?: (observation: Observation, pod: ObservedPod) => string | undefined;
}

/** Where each member's health is read, as TiDB Operator reads it (tidb-operator pkg/manager/member/*_member_manager.go). */
const table: Readonly<Record<Component, MemberHealth>> = {
    tso: serverOf("tso"),
    scheduling: serverOf("scheduling"),
    pd: {
        trouble: ({ pd }, podName) =>
            mapFact(pd.members, (members) => {
                const member = members.find((one) => one.podName === podName);
                return member === undefined ? "has not joined PD" : member.healthy ? null : "PD calls it unhealthy";
            }),
        role: ({ pd }, podName) => {
            const own = pd.members.known ? pd.members.value.find((one) => one.podName === podName) : undefined;
            return own !== undefined && own.name !== "" && pd.leader.known && pd.leader.value === own.name
                ? "leader"
                : null;
        },
        version: ({ pd }, { name, ready }) =>
            pd.members.known && ready
                ? pd.members.value.find(({ podName, healthy }) => podName === name && healthy)?.version
                : undefined,
    },
    tiproxy: { trouble: onStatusPage },
    tiflash: {
        trouble: (observation, podName, isLeaving) =>
            mapFact(
                bothKnown(storeTrouble("tiflash", observation, podName, isLeaving), onStatusPage(observation, podName)),
                ([store, page]) => store ?? page,
            ),
        version: (observation, pod) => storeVersion("tiflash", observation, pod),
    },
    tikv: {
        trouble: (observation, podName, isLeaving) => storeTrouble("tikv", observation, podName, isLeaving),
        version: (observation, pod) => storeVersion("tikv", observation, pod),
    },
    pump: {
        trouble: ({ pd }, podName) =>
            mapFact(pd.pumps, (pumps) => {
                const state = pumps.find((one) => one.own && one.podName === podName)?.state ?? "not registered";
                return state === "online" ? null : `its pump is ${state}`;
            }),
    },
    tidb: { trouble: onStatusPage, version: ({ podVersions }, { name }) => podVersions?.[name] },
    ticdc: {
        trouble: captureTrouble,
        role: (observation, podName) => (isOwner(observation, podName) ? "owner" : null),
        version: ({ captures }, { name }) => {
            const answer = captures?.byPod[name];
            return answer !== undefined && "version" in answer ? answer.version : undefined;
        },
    },
};

/**
 * Returns what is wrong with a pod as a member; the value is null if nothing is.
 * @param isLeaving whether the pod stops, or the program does not want it: its store does not come back.
 */
export function memberTrouble(
    component: Component,
    observation: Observation,
    podName: string,
    isLeaving: boolean,
): Fact<string | null> {
    return table[component].trouble(observation, podName, isLeaving);
}

/** Returns the pod's part among its peers; null if it has none, or if that is not known. */
export function memberRole(component: Component, observation: Observation, podName: string): PodStatus["role"] {
    return table[component].role?.(observation, podName) ?? null;
}

/** Returns the version that the pod's server says; undefined if it does not say, or if only an earlier process has said it. */
export function serverVersion(component: Component, observation: Observation, pod: ObservedPod): string | undefined {
    return table[component].version?.(observation, pod);
}

function storeVersion(engine: Engine, { pd }: Observation, pod: ObservedPod): string | undefined {
    const stores = pd.stores.known ? pd.stores.value : [];
    const own = stores.find((one) => one.own && one.engine === engine && one.podName === pod.name);
    return own !== undefined && isOfRunningProcess(own, pod) ? own.version : undefined;
}

function storeTrouble(
    engine: Engine,
    { pd, records }: Observation,
    podName: string,
    isLeaving: boolean,
): Fact<string | null> {
    if (!pd.stores.known) {
        return pd.stores;
    }
    const named = pd.stores.value.filter((one) => one.engine === engine && one.podName === podName);
    const own = named.filter((one) => one.own);
    if (own.length > 1) {
        return known(`PD lists stores ${own.map(({ id }) => id).join(" and ")} under its address`, "PD", pd.stores.at);
    }
    if (own.length === 0 && named.length > 0) {
        // Its domain is not known here, or it is another cluster's: see `DeployedCluster.id`.
        return notKnown(`PD lists no store at its address, but one at ${named[0].address}`);
    }
    const [store] = own;
    const trouble =
        store === undefined
            ? (removedStore(pd, podName, ({ id }) => isLeaving || id in records.removals) ??
              noStoreInWords(pd.tombstones, podName))
            : store.state === "Up"
              ? null
              : `store ${store.id} is ${stateInWords(store)}`;
    return known(trouble, "PD", pd.stores.at);
}

/** Returns that the store of a leaving pod was removed: no other one is to register. */
function removedStore(
    { tombstones }: Observation["pd"],
    podName: string,
    isGoing: (store: ObservedStore) => boolean,
): string | undefined {
    const removed = (tombstones.known ? tombstones.value : []).filter(
        (store) => store.own && store.podName === podName && isGoing(store),
    );
    const ids = removed.map(({ id }) => id);
    return ids.length === 0 ? undefined : `PD has removed its store ${ids.join(" and ")} ${toGo}`;
}

const toGo = "(Tombstone), and the pod is to go";

/** Returns whether PD has removed the store of a pod that leaves: its process cannot serve any more, and need not. */
export function isToGo({ trouble }: Pick<PodStatus, "trouble">): boolean {
    return trouble.known && trouble.value?.endsWith(toGo) === true;
}

function onStatusPage({ podStatus, now }: Observation, podName: string): Fact<string | null> {
    const answer = podStatus?.[podName];
    return answer === undefined ? notAsked : known(answer, podName, now);
}

function captureTrouble({ captures, now }: Observation, podName: string): Fact<string | null> {
    const answer = captures?.byPod[podName];
    if (captures === undefined || answer === undefined) {
        return notAsked;
    }
    if ("trouble" in answer) {
        return known(answer.trouble, podName, now);
    }
    if (captures.list !== "unsupported" && "trouble" in captures.list) {
        return notKnown(captures.list.trouble);
    }
    const isListed = captures.list === "unsupported" || captures.list.some(({ id }) => id === answer.id);
    return known(isListed ? null : "is not among the captures", podName, now);
}

function isOwner({ captures }: Observation, podName: string): boolean {
    const answer = captures?.byPod[podName];
    const list = captures?.list;
    return (
        answer !== undefined &&
        "id" in answer &&
        Array.isArray(list) &&
        list.some(({ id, isOwner: owns }) => owns && id === answer.id)
    );
}

function serverOf(service: Microservice): MemberHealth {
    return {
        trouble: ({ pd }, podName) =>
            mapFact(pd.microservices[service] ?? notAsked, ({ servers }) =>
                servers.some((one) => one.podName === podName) ? null : "PD does not list it as a server",
            ),
        role: ({ pd }, podName) => {
            const seen = pd.microservices[service];
            return seen?.known && seen.value.primary?.podName === podName ? "primary" : null;
        },
    };
}
