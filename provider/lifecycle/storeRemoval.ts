import { claimsReleased } from "./claims";
import { buriedVolumesReleased, removalForgotten, removalOf } from "./removalRecord";
import type { PodView, Stage } from "./stage";
import { leavingStores } from "./stores";
import type { Observation } from "./observation";
import type { MemberTarget } from "./target";

/** How a store leaves PD, and comes back. Facts from tidb-operator pkg/manager/member/tikv_scaler.go, tiflash_scaler.go. */

const REGISTRATION_MILLISECONDS = 150_000;

const patience = (view: PodView) => ({ seconds: view.target.policy.podReadyTimeoutSeconds, then: "fail" }) as const;

/** Why the stores that would be left are too few; `undefined` when they are enough. */
export type TooFewStores = (observation: Observation, target: MemberTarget) => string | undefined;

/** Enough stores stay, once all that shall go have gone, to hold every replica. PD itself accepts a removal that leaves too few, and then never ends it. */
function enoughStoresStay(tooFew: TooFewStores, advice: string): Stage {
    return {
        name: "enough-stores-stay",
        holds: (view) => {
            if (!view.store || view.store.state === "Offline") {
                return true;
            }
            const problem = tooFew(view.observation, view.target);
            return problem === undefined ? true : { lacks: problem };
        },
        patience: () => ({ seconds: 0, then: "fail" }),
        advice,
    };
}

/** PD has moved everything off the store and calls it Tombstone; `replicas` may fall only after this. */
const storeTombstone: Stage = {
    name: "store-tombstone",
    holds: (view) => {
        const { store } = view;
        if (store) {
            return {
                lacks: `store ${store.id} (${view.podName}) is ${store.state} with ${store.regionCount} regions left`,
            };
        }
        return isRemoved(view)
            ? true
            : { lacks: `PD lists no store for ${view.podName}, which may still register one` };
    },
    act: (view) =>
        view.store && view.store.state !== "Offline"
            ? { do: "remove-store", storeId: view.store.id, pod: view.podName, regions: view.store.regionCount }
            : undefined,
    patience: (view) => ({
        seconds: view.target.policy.storeRemovalTimeoutSeconds,
        then: "fail",
    }),
    advice: "set replicas back to bring the store Up again, or look why regions cannot leave it: space, labels and placement rules of the other stores",
};

/**
 * Without a store in PD's list: it is Tombstone, or PD has forgotten it. A pod that has just started may still
 * register one, so that it is given `REGISTRATION_MILLISECONDS` (tikv_scaler.go: 5 resyncs).
 */
function isRemoved(view: PodView): boolean {
    const { pod, pd, observation } = view;
    if (!pd.stores || !pod) {
        return pd.stores !== undefined;
    }
    const buried = pd.tombstones?.some(
        (store) => store.own && store.podName === view.podName && (store.lastHeartbeat ?? Infinity) >= pod.createdAt,
    );
    return buried || observation.now - pod.createdAt >= REGISTRATION_MILLISECONDS;
}

/** A store that we took out and that shall stay after all is Up again; nothing is forgotten before PD has said what it is. */
const removalTakenBack: Stage = {
    name: "removal-taken-back",
    holds: (view) => {
        if (removalOf(view) !== undefined && !view.pd.stores) {
            return { lacks: view.observation.pdTrouble ?? "PD did not list its stores" };
        }
        return view.store?.state === "Offline" && view.observation.records.removals[view.store.id]
            ? { lacks: `store ${view.store.id} (${view.podName}) is Offline from a scale-in that was taken back` }
            : true;
    },
    act: (view) => view.store && { do: "bring-store-back", storeId: view.store.id, pod: view.podName },
    patience,
    advice: "bring it back by hand: pd-ctl store <id> --state=Up (POST /pd/api/v1/store/<id>/state?state=Up)",
};

/** @returns whether PD has let go of the store for good: what is on its volume must never run again. */
export function isBuried(view: PodView): boolean {
    const { stores, tombstones } = view.pd;
    const buried = tombstones?.some((store) => store.own && store.podName === view.podName) ?? false;
    return stores !== undefined && view.store === undefined && buried;
}

/**
 * What must hold before `replicas` may leave the pod of a store out.
 * @param advice what the user can do where too few would be left.
 */
export function beforeStoreRemoval(tooFew: TooFewStores, advice: string): readonly Stage[] {
    return [enoughStoresStay(tooFew, advice), storeTombstone, claimsReleased, removalForgotten];
}

/** What must hold of the pod of a store that shall stay after its removal was begun. */
export const afterStoreRemovalTakenBack: readonly Stage[] = [
    removalTakenBack,
    buriedVolumesReleased(isBuried),
    removalForgotten,
];

/** @returns why a smaller number of replicas is refused: what PD has on the stores that go has no other place. */
export function refuseStoreRemoval(tooFew: TooFewStores): TooFewStores {
    return (observation, target) =>
        leavingStores(observation, target).length === 0 ? undefined : tooFew(observation, target);
}

/** What happens before the pod of a store is scaled away, in words. */
export function storeRemovalDoes({ store }: PodView): string {
    return store
        ? `take store ${store.id} out, move its ${store.regionCount} regions, wait for Tombstone`
        : "its store is gone already";
}

/** Regions a second that leave an Offline store with PD's default limits, measured on a real PD 8.5.4. */
const DRAINED_A_SECOND = 1.3;

/** How long a store takes to become Tombstone. */
export function storeRemovalSeconds({ store }: PodView): number {
    return (store?.regionCount ?? 0) / DRAINED_A_SECOND;
}
