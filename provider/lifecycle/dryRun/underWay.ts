import { components } from "../../../topology/members";
import { podOrdinal } from "../../../topology/podNames";
import { type Action, foresee } from "../vocabulary/actions";
import { isOnSilentNode } from "../vocabulary/actions/foreseen";
import type { WaitMove } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";

/** What an earlier run or another user of PD has begun, or Kubernetes is doing, and which ends by itself: that it is waited for is no hold. */

/** @returns the cluster once that has its effect; undefined if the wait is for something else. */
export function onceUnderWay(seen: Observation, { step, target }: WaitMove): Observation | undefined {
    const action = begunAction(seen, step, target);
    if (action !== undefined) {
        // Another user's eviction does not become ours.
        return { ...foresee(seen, action), records: seen.records };
    }
    if (step === "no-backup-runs") {
        return { ...seen, backups: [] };
    }
    return step === "pod-scaled-away" || step === "suspended" ? withoutStopping(seen, target) : undefined;
}

/** @returns the action that the wait is the effect of, if it was taken. */
function begunAction({ pd, records }: Observation, step: string, pod: string): Action | undefined {
    const store = pd.stores.known ? pd.stores.value.find((one) => one.own && one.podName === pod) : undefined;
    switch (step) {
        case "leaders-evicted": {
            const record = store && records.evictions[store.id];
            const isEvicted = store && pd.evictedStores.known && pd.evictedStores.value.includes(store.id);
            return isEvicted && record?.endedAt === undefined
                ? { do: "begin-eviction", storeId: store.id, pod, leaders: store.leaderCount.reported }
                : undefined;
        }
        case "store-tombstone":
            return store?.state === "Offline" && records.removals[store.id]
                ? { do: "remove-store", storeId: store.id, pod, regions: store.regionCount }
                : undefined;
        case "pump-offline": {
            const pump = pd.pumps.known ? pd.pumps.value.find((one) => one.own && one.podName === pod) : undefined;
            return pump?.state === "closing" ? { do: "close-pump", pod, uid: "", nodeId: pump.nodeId } : undefined;
        }
        default:
            return undefined;
    }
}

/** Pods of the member of the pod or StatefulSet that are stopping have stopped. */
function withoutStopping(seen: Observation, target: string): Observation | undefined {
    const component = components.find(
        (one) => podOrdinal(target, seen.cluster, one) !== undefined || seen.members[one]?.statefulSet?.name === target,
    );
    const member = component && seen.members[component];
    const pods = member?.pods.filter((pod) => !pod.terminating || isOnSilentNode(pod));
    return member && pods && pods.length < member.pods.length
        ? { ...seen, members: { ...seen.members, [member.component]: { ...member, pods } } }
        : undefined;
}
