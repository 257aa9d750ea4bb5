import { memberName } from "../../../topology/names";
import type { Observation } from "../vocabulary/observation";
import { type Action } from "../vocabulary/actions";

/** How many stores or members that are not well are named. */
const mostNamed = 5;

/**
 * @param target the pod or member that an action is for.
 * @returns what a decision saw, in short texts. What was not asked is left out; what could not be read says so.
 */
export function seenFacts(observation: Observation, action: Action, target: string): string[] {
    const { pd, pdTrouble } = observation;
    return [
        ...podFacts(observation, action, target),
        ...(pdTrouble === undefined ? [] : [`PD does not answer: ${pdTrouble.why}`]),
        ...(pd.members.known
            ? [
                  healthy(
                      "PD members healthy",
                      pd.members.value,
                      (one) => one.healthy,
                      ({ name }) => name,
                  ),
              ]
            : []),
        ...(pd.leadership.known
            ? [`PD led by ${pd.leadership.value.leader}`]
            : pd.leader.known && pd.leader.value !== undefined
              ? [`PD led by ${pd.leader.value}`]
              : []),
        ...(pd.stores.known
            ? [
                  healthy(
                      "stores Up",
                      pd.stores.value,
                      ({ state }) => state === "Up",
                      ({ podName }) => podName,
                  ),
                  `pending peers ${pd.stores.value.reduce((sum, { pendingPeers }) => sum + pendingPeers, 0)}`,
              ]
            : []),
        ...(pd.regionStatus.known
            ? [
                  `regions with a missing peer ${pd.regionStatus.value.missPeer}, a down peer ${pd.regionStatus.value.downPeer}, a pending peer ${pd.regionStatus.value.pendingPeer}`,
              ]
            : []),
        ...(pd.evictedStores.known
            ? [`stores under eviction: ${pd.evictedStores.value.slice(0, mostNamed).join(", ") || "none"}`]
            : []),
    ];
}

/** What is known of the pod itself, and of its store. */
function podFacts({ members, cluster, pd, ownLeaders }: Observation, action: Action, target: string): string[] {
    const name = "pod" in action ? action.pod : target;
    for (const member of Object.values(members)) {
        const pod = member.pods.find((one) => one.name === name);
        if (!pod) {
            continue;
        }
        const wanted = member.statefulSet?.updateRevision;
        const state = pod.terminating ? "stopping" : pod.ready ? "Ready" : "not Ready";
        const revision =
            wanted === undefined || pod.revision === wanted
                ? ""
                : `, on ${pod.revision ?? "no revision"}, wanted ${wanted} (${memberName(cluster, member.component)})`;
        const store = pd.stores.known ? pd.stores.value.find(({ podName, own }) => own && podName === name) : undefined;
        const own = ownLeaders[name];
        return [
            `${name} ${state}${revision}`,
            ...(store
                ? [
                      `store ${store.id} ${store.state}, leaders ${store.leaderCount.reported} by PD${own?.known ? ` and ${own.value} by itself` : ""}, regions ${store.regionCount}`,
                  ]
                : []),
        ];
    }
    return [];
}

function healthy<T>(what: string, all: readonly T[], isWell: (one: T) => boolean, nameOf: (one: T) => string): string {
    const others = all.filter((one) => !isWell(one)).map(nameOf);
    const named = others.slice(0, mostNamed).join(", ") + (others.length > mostNamed ? ", …" : "");
    return `${what} ${all.length - others.length} of ${all.length}${others.length > 0 ? ` (not ${named})` : ""}`;
}
