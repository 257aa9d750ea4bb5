import { components } from "../../../topology/members";
import { podOrdinal } from "../../../topology/podNames";
import { type Action, foresee } from "../vocabulary/actions";
import { isOnSilentNode } from "../vocabulary/actions/foreseen";
import { isSmaller } from "../vocabulary/claimState";
import type { WaitMove } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { storesInWords } from "../vocabulary/storesInWords";

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
function begunAction(seen: Observation, step: string, target: string): Action | undefined {
    const { pd, records } = seen;
    const store = pd.stores.known ? pd.stores.value.find((one) => one.own && one.podName === target) : undefined;
    switch (step) {
        case "leaders-evicted": {
            const record = store && records.evictions[store.id];
            const isEvicted = store && pd.evictedStores.known && pd.evictedStores.value.includes(store.id);
            return isEvicted && record?.endedAt === undefined
                ? { do: "begin-eviction", storeId: store.id, pod: target, leaders: store.leaderCount.reported }
                : undefined;
        }
        case "store-tombstone":
        case "lost-tombstone":
            return store?.state === "Offline" && (records.removals[store.id] ?? records.lostVolumes?.[target])
                ? { do: "remove-store", storeId: store.id, pod: target, regions: store.regionCount }
                : undefined;
        case "pump-offline": {
            const pump = pd.pumps.known ? pd.pumps.value.find((one) => one.own && one.podName === target) : undefined;
            return pump?.state === "closing"
                ? { do: "close-pump", pod: target, uid: "", nodeId: pump.nodeId }
                : undefined;
        }
        case "volume-grown": {
            const claims = growingNow(seen, target);
            return claims.length > 0 ? { do: "grow-claims", pod: target, claims } : undefined;
        }
        case "unsafe-recovery": {
            const recovery = pd.unsafeRecovery.known ? pd.unsafeRecovery.value : undefined;
            const stores = recovery?.stage === "running" ? (recovery.failedStores ?? []) : [];
            // One of other stores may leave other regions without a majority than are known now.
            return storesInWords(stores) === target
                ? { do: "remove-failed-stores", stores, timeoutSeconds: 0, risk: "" }
                : undefined;
        }
        default:
            return undefined;
    }
}

/** A driver that has failed so far is not expected to do better. */
function growingNow(seen: Observation, pod: string): { name: string; uid: string; from: string; to: string }[] {
    const component = components.find((one) => podOrdinal(pod, seen.cluster, one) !== undefined);
    const { claims = [] } = (component && seen.members[component]) ?? {};
    return claims.flatMap(({ name, uid, ordinal, state }) => {
        const { requested = "", capacity = "", resize } = state ?? {};
        const isIts = component !== undefined && podOrdinal(pod, seen.cluster, component) === ordinal;
        return isIts && isSmaller(capacity, requested) && resize?.trouble === undefined && !resize?.isInfeasible
            ? [{ name, uid, from: capacity, to: requested }]
            : [];
    });
}

/** Pods of the member of the pod or StatefulSet that are stopping have stopped. A StatefulSet that is being deleted goes with all of its pods. */
function withoutStopping(seen: Observation, target: string): Observation | undefined {
    const component = components.find(
        (one) => podOrdinal(target, seen.cluster, one) !== undefined || seen.members[one]?.statefulSet?.name === target,
    );
    const member = component && seen.members[component];
    if (member === undefined) {
        return undefined;
    }
    const isDeleted = member.statefulSet?.terminating === true;
    const pods = member.pods.filter((pod) => !isDeleted && (!pod.terminating || isOnSilentNode(pod)));
    const left = isDeleted ? { ...member, statefulSet: undefined, pods } : { ...member, pods };
    return isDeleted || pods.length < member.pods.length
        ? { ...seen, members: { ...seen.members, [member.component]: left } }
        : undefined;
}
