import { mapFact, notKnown } from "../vocabulary/evidence";
import type { Observation, ObservedMember, ObservedPod, ObservedStore } from "../vocabulary/observation";
import type { PodView } from "../vocabulary/stage";

/** The step of a plan whose result is foreseen. */
export type ForeseenStep = "restarted" | "removed";

/** @returns the observation in which the pod is Ready, as it must be before a walk goes on; or in which it has left. */
export function withPod(view: PodView, step: ForeseenStep): Observation {
    const { observation, target, member, podName } = view;
    const others = member.pods.filter((pod) => pod.name !== podName);
    const pods = step === "removed" ? others : [...others, readyPod(view)].sort((a, b) => a.ordinal - b.ordinal);
    const foreseen: ObservedMember = { ...member, pods };
    return { ...observation, members: { ...observation.members, [target.component]: foreseen } };
}

/**
 * @returns the observation in which the pod is Ready and its store is Up. A store that PD does not list yet has no region, and says
 * nothing of those of others.
 */
export function onceStoreUp(view: PodView): Observation {
    const { pd, ...seen } = withPod(view, "restarted");
    const up = (store: ObservedStore) => (store === view.store ? { ...store, state: "Up" } : store);
    return { ...seen, pd: { ...pd, stores: mapFact(pd.stores, (stores) => stores.map(up)) } };
}

function readyPod({ observation, member, podName, ordinal, pod }: PodView): ObservedPod {
    const created = {
        ...{ name: podName, ordinal, uid: "", resourceVersion: "", revision: member.statefulSet?.updateRevision },
        createdAt: observation.now,
    };
    const container = notKnown("it has not started yet");
    return { ...created, ...pod, container, ready: true, readySince: 0, terminating: false };
}
