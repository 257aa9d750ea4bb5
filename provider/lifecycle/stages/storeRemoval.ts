import { releasedClaimAnnotation } from "../../../topology/annotations";
import type { Engine } from "../../../topology/members";
import { claimsOf, claimsReleased } from "./claims";
import type { NotKnown } from "../vocabulary/evidence";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import type { Observation, ObservedStore } from "../vocabulary/observation";
import type { ObservedPlacement } from "../vocabulary/observedPd";
import { removedMemberVolumesReleased, removalForgotten, removalOf } from "./removalRecord";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { storesListed } from "./storeList";
import { isOfRunningProcess } from "./storeProcess";
import { wasUpRecently, isUp, leavingStores, stayingStores } from "./stores";
import type { MemberTarget } from "../vocabulary/target";

/** How a store leaves PD, and comes back. Facts from tidb-operator pkg/manager/member/tikv_scaler.go, tiflash_scaler.go. */

/** tikv_scaler.go: 5 resyncs. */
const registrationSeconds = 150;

/** Why the stores that would be left, of those that count, are too few; `undefined` when they are enough. */
export type TooFewStores = (
    observation: Observation,
    target: MemberTarget,
    counts: (store: ObservedStore) => boolean,
) => string | undefined;

/**
 * @param copies what PD's placement says, for messages: `how many copies PD keeps is`.
 * @param why why the stores that would be left are too few; `undefined` where they are not.
 * @returns why too few stores of the engine would be left, or that nobody knows whether there would be enough.
 */
export function tooFewOf(
    engine: Engine,
    copies: string,
    why: (placement: ObservedPlacement, staying: readonly ObservedStore[]) => string | undefined,
): TooFewStores {
    return (observation, target, counts) => {
        const { placement, stores } = observation.pd;
        const staying = stayingStores(observation, target, engine, counts);
        if (!placement.known) {
            return `${copies} not known: ${placement.why}`;
        }
        if (staying === undefined) {
            return `PD's stores are not known: ${stores.known ? "" : stores.why}`;
        }
        return why(placement.value, staying);
    };
}

/** Enough stores stay, once all that shall go have gone, to hold every replica. PD itself accepts a removal that leaves too few, and then never ends it. */
function enoughStoresStay(tooFew: TooFewStores, advice: string): Stage {
    return {
        name: "enough-stores-stay",
        holds: (view) => {
            if (!view.store || view.store.state === "Offline") {
                return true;
            }
            const problem = tooFew(view.observation, view.target, isUp);
            return problem === undefined ? true : { lacks: problem };
        },
        // That too few would be left is an answer; that PD does not say, or has just lost sight of one, is waited for.
        timeout: ({ observation, pd, target }) =>
            pd.stores.known && pd.placement.known && tooFew(observation, target, wasUpRecently) !== undefined
                ? { seconds: 0, then: "fail" }
                : { seconds: target.policy.podReadyTimeoutSeconds, then: "fail" },
        advice,
    };
}

/**
 * PD says what becomes of the pod's store: it lists one, or has buried it, or the process never ran. That a list lacks it
 * is no such word.
 */
const storeKnown: Stage = {
    name: "store-known",
    holds: (view) => {
        const { stores, tombstones } = view.pd;
        if (!stores.known || !tombstones.known) {
            return lacksFact(stores.known ? (tombstones as NotKnown) : stores, "PD's stores are");
        }
        if (view.stores.length > 1) {
            return {
                lacks: `PD lists stores ${view.stores.map(({ id }) => id).join(" and ")} under the address of ${view.podName}`,
            };
        }
        if (view.store !== undefined || isRemoved(view)) {
            return true;
        }
        const lacks = `PD lists no store for ${view.podName}, whose process may have one`;
        const { container } = view.pod ?? {};
        const neverRan = container?.known === true && container.value.is === "not-started";
        // A process that has never run may still start: it is given the time that tidb-operator gives it.
        return neverRan ? { lacks, steadyFor: registrationSeconds } : { lacks };
    },
    advice: `compare \`pd-ctl store\` with the pods: names, namespace and \`clusterDomain\` must be those that the stores registered. Where the process never got as far as to register a store and its volumes hold nothing, say so on them: kubectl annotate pvc <names> ${releasedClaimAnnotation}=by-hand`,
};

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
        // Without a store in PD's list `storeKnown`, which comes before, has made sure that it is gone.
        return true;
    },
    act: (view) =>
        view.store && view.store.state !== "Offline" && view.store.state !== "Tombstone"
            ? { do: "remove-store", storeId: view.store.id, pod: view.podName, regions: view.store.regionCount }
            : undefined,
    timeout: (view) => ({
        seconds: view.target.policy.storeRemovalTimeoutSeconds,
        then: "fail",
    }),
    advice: "set replicas back to bring the store Up again, or look why regions cannot leave it: space, labels and placement rules of the other stores",
};

/**
 * Without a store in PD's list: PD has buried the one that we told it to remove, or the one that runs there; or
 * there is no pod, and no volume that is in use.
 */
function isRemoved(view: PodView): boolean {
    const { pod } = view;
    const buried = tombstonesOf(view);
    const removal = removalOf(view);
    if (removal !== undefined && buried.some(({ id }) => String(id) === removal)) {
        return true;
    }
    if (pod === undefined) {
        // Volumes that are not given up may be those of a store that PD's list lacks.
        return claimsOf(view).every(({ released }) => released);
    }
    const { container } = pod;
    // Somebody has said, on the volumes themselves, that they are given up.
    const isGivenUp = claimsOf(view).length > 0 && claimsOf(view).every(({ released }) => released);
    if (container.known && container.value.is !== "running" && isGivenUp) {
        return true;
    }
    if (!container.known || container.value.is === "running") {
        return buried.some((store) => isOfRunningProcess(store, pod));
    }
    return buried.length > 0;
}

function tombstonesOf({ pd, podName }: PodView): ObservedStore[] {
    return pd.tombstones.known ? pd.tombstones.value.filter((store) => store.own && store.podName === podName) : [];
}

/** A store that we took out and that shall stay after all is Up again; nothing is forgotten before PD has said what it is. */
const removalTakenBack: Stage = {
    name: "removal-taken-back",
    holds: (view) => {
        if (removalOf(view) !== undefined && !view.pd.stores.known) {
            return lacksFact(view.pd.stores, "PD's stores are");
        }
        return view.store?.state === "Offline" && view.observation.records.removals[view.store.id]
            ? { lacks: `store ${view.store.id} (${view.podName}) is Offline from a scale-in that was taken back` }
            : true;
    },
    act: (view) => view.store && { do: "bring-store-back", storeId: view.store.id, pod: view.podName },
    advice: "bring it back by hand: pd-ctl store <id> --state=Up (POST /pd/api/v1/store/<id>/state?state=Up)",
};

/** @returns whether PD has let go of the store for good: what is on its volume must never run again. */
export function isRemovedFromPd(view: PodView): boolean {
    return view.pd.stores.known && view.stores.length === 0 && tombstonesOf(view).length > 0;
}

/**
 * What must hold before `replicas` may leave the pod of a store out.
 * @param advice what the user can do where too few would be left.
 */
export function beforeStoreRemoval(tooFew: TooFewStores, advice: string): readonly Stage[] {
    return [
        storesListed,
        storeKnown,
        enoughStoresStay(tooFew, advice),
        storeTombstone,
        claimsReleased,
        removalForgotten,
    ];
}

/** What must hold of the pod of a store that shall stay after its removal was begun. */
export const afterStoreRemovalTakenBack: readonly Stage[] = [
    removalTakenBack,
    removedMemberVolumesReleased(isRemovedFromPd),
    removalForgotten,
];

/** @returns why a smaller number of replicas is refused: what PD has on the stores that go has no other place. */
export function refuseStoreRemoval(tooFew: TooFewStores, advice: string): MemberLifecycle["refuseReplicas"] {
    return (observation, target) => {
        const problem =
            leavingStores(observation, target).length === 0 ? undefined : tooFew(observation, target, wasUpRecently);
        const isAnswer = observation.pd.stores.known && observation.pd.placement.known;
        return problem && isAnswer ? `${problem}. Next: ${advice}` : problem;
    };
}

/** What happens before the pod of a store is scaled away, in words. */
export function storeRemovalDoes({ store }: PodView): string {
    return store
        ? `take store ${store.id} out, move its ${store.regionCount} regions, wait for Tombstone`
        : "make sure that PD has no store of it";
}

/** Regions a second that leave an Offline store with PD's default limits, measured on a real PD 8.5.4. */
const drainedASecond = 1.3;

/** How long a store takes to become Tombstone. */
export function storeRemovalSeconds({ store }: PodView): number {
    return (store?.regionCount ?? 0) / drainedASecond;
}
