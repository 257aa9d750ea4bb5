import { releasedByHand, releasedClaimAnnotation } from "../../../topology/annotations";
import type { Engine } from "../../../topology/members";
import { claimsReleasedFrom, removedVolumesReleased } from "./claims";
import type { NotKnown } from "../vocabulary/evidence";
import { type DroppedByHand, type InPd, type MemberLifecycle, silentPd } from "../vocabulary/memberLifecycle";
import type { Observation, ObservedStore } from "../vocabulary/observation";
import { mayLackLeaders, type ObservedPlacement } from "../vocabulary/observedPd";
import { knownInPd } from "./outOfPd";
import { claimUids, removalForgotten, removalOf } from "./removalRecord";
import { endedByStore, lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { noRoomFor, spaceRisk, takesNone } from "./storeSpace";
import { storesListed } from "./storeList";
import { isOfRunningProcess } from "./storeProcess";
import {
    atOneAddress,
    isOnlyStore,
    wasUpRecently,
    isStopped,
    isUp,
    leavingStores,
    neverRan,
    stayingStores,
} from "./stores";
import type { MemberTarget } from "../vocabulary/target";
import { counted } from "../vocabulary/counted";

/** How a store is removed from PD and brought back. Facts from tidb-operator pkg/manager/member/tikv_scaler.go, tiflash_scaler.go. */

/** Returns why too few of the counted stores would be left; `undefined` if there are enough. */
export type TooFewStores = (
    observation: Observation,
    target: MemberTarget,
    counts: (store: ObservedStore) => boolean,
) => string | undefined;

/**
 * @param copies names the placement information in messages: `the number of replicas that PD keeps is`.
 * @param why returns why the stores that would be left are too few; `undefined` if they are enough.
 * @returns a check whether enough stores of the engine would be left. It also returns a reason if that is not known.
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

/** Enough stores stay after all removals to hold every replica. PD itself accepts a removal that leaves too few and never finishes it. */
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
        // Too few stores is an answer and fails at once. A missing answer, or a store that was Up a moment ago, is waited for.
        timeout: ({ observation, pd, target }) =>
            pd.stores.known && pd.placement.known && tooFew(observation, target, wasUpRecently) !== undefined
                ? { seconds: 0, then: "fail" }
                : { seconds: target.policy.podReadyTimeoutSeconds, then: "fail" },
        advice,
    };
}

/** Some store that stays takes regions. PD accepts a removal where all are low on space, too, and waits without an end. */
function othersTakeRegions(engine: Engine): Stage {
    return {
        name: "others-take-regions",
        holds: (view) => {
            const { observation, target, store } = view;
            const problem = store && noRoomFor(observation, target, engine, [store]);
            return problem === undefined ? true : { lacks: problem };
        },
        timeout: () => ({ seconds: 0, then: "fail" }),
        advice: adviceIfFull,
    };
}

const adviceIfFull = "free space on the other stores, grow their disks, or add stores first";

/** What PD has of a store's pod. */
export const storeInPd: InPd = {
    listed: storesListed,
    entry: ({ pd: { stores, tombstones }, stores: own, podName }, id) => {
        if (!stores.known || !tombstones.known) {
            return `PD's stores are not known: ${stores.known ? (tombstones as NotKnown).why : stores.why}`;
        }
        if (own.length > 1) {
            return atOneAddress(own, podName);
        }
        // Without an id, one of the pod's name under another domain may be the pod's.
        const isIt = ({ id: other, otherDomain }: ObservedStore) =>
            id === undefined ? otherDomain?.podName === podName : String(other) === id;
        const store = own[0] ?? stores.value.find(isIt);
        return store && `PD lists store ${store.id} for ${podName} (${store.state})`;
    },
    hasDropped: ({ pd: { stores, tombstones }, stores: own }, id) =>
        stores.known && tombstones.known && own.length === 0 && tombstones.value.some((one) => String(one.id) === id),
    tombstoneOf: (view) => {
        const { pod } = view;
        const tombstones = tombstonesOf(view);
        if (pod === undefined) {
            return undefined;
        }
        const { container } = pod;
        if (!container.known || container.value.is === "running") {
            return idOf(tombstones.find((store) => isOfRunningProcess(store, pod)));
        }
        // A Tombstone says nothing of a process that is about to register a store: it may be that of an earlier pod and volume.
        return container.value.is === "not-started" ? undefined : idOf(tombstones.at(-1));
    },
};

function idOf(store: ObservedStore | undefined): string | undefined {
    return store && String(store.id);
}

/** The state of the pod's store is known. Absence from PD's list alone does not count. */
const storeKnown = knownInPd(
    "store",
    storeInPd,
    ({ store }) => store !== undefined,
    `compare \`pd-ctl store\` with the pods: names, namespace and \`clusterDomain\` must match what the stores registered. If the process never registered a store and its volumes hold no data, mark them as released: kubectl annotate pvc <names> ${releasedClaimAnnotation}=${releasedByHand}`,
);

/** PD has moved all regions off the store and made it Tombstone. Only then may `replicas` be lowered. */
const storeTombstone: Stage = {
    name: "store-tombstone",
    holds: (view) => {
        const { store } = view;
        if (store) {
            const { id, state, engine, regionCount } = store;
            const full = takesNone(view, engine);
            return {
                lacks: `store ${id} (${view.podName}) is ${state} with ${counted(regionCount, "region")} left${full}`,
                left: regionCount,
            };
        }
        // If PD lists no store, the earlier stage `storeKnown` has verified that it is gone.
        return true;
    },
    act: (view) =>
        view.store && view.store.state !== "Offline" && view.store.state !== "Tombstone"
            ? {
                  do: "remove-store",
                  storeId: view.store.id,
                  pod: view.podName,
                  regions: view.store.regionCount,
                  onClaims: claimUids(view),
              }
            : undefined,
    timeout: (view) => ({
        seconds: view.target.policy.storeRemovalTimeoutSeconds,
        then: "fail",
    }),
    endedBy: endedByStore,
    // Which regions have no leader is not known. Those of other stores move.
    heals: ({ pd: { stores }, store }) => stores.known && mayLackLeaders(stores.value, store?.id),
    stalled: ({ podName }) =>
        `\`pd-ctl operator show\` and the log of ${podName} say why; schedule.replica-schedule-limit must not be 0`,
    advice: "set replicas back to bring the store Up again, or check why regions cannot leave it: free space, labels and placement rules of the other stores",
};

/** @returns the stores of the pod that PD has as Tombstone. */
export function tombstonesOf({ pd, podName }: PodView): ObservedStore[] {
    return pd.tombstones.known ? pd.tombstones.value.filter((store) => store.own && store.podName === podName) : [];
}

/** A store whose removal was reverted is Up again. The record is kept until PD reports the store's state. */
const removalTakenBack: Stage = {
    name: "removal-taken-back",
    holds: (view) => {
        if (removalOf(view) !== undefined && !view.pd.stores.known) {
            return lacksFact(view.pd.stores, "PD's stores are");
        }
        return view.store?.state === "Offline" && view.observation.records.removals[view.store.id]
            ? { lacks: `store ${view.store.id} (${view.podName}) is Offline from a scale-in that was reverted` }
            : true;
    },
    act: (view) => view.store && { do: "bring-store-back", storeId: view.store.id, pod: view.podName },
    advice: "set it Up by hand: pd-ctl store cancel-delete <id> (POST /pd/api/v1/store/<id>/state?state=Up)",
};

/** @returns whether PD has removed the store for good, so its volume must never be used again. */
export function isRemovedFromPd(view: PodView): boolean {
    return view.pd.stores.known && view.stores.length === 0 && tombstonesOf(view).length > 0;
}

/**
 * @returns whether PD has made the store on the pod's volume Tombstone: that of the process that runs, or, where none runs that could
 * register another one, the last one that PD has had of the pod, under any domain.
 */
export function isStoreOfPodRemoved(view: PodView): boolean {
    const { pod, podName, pd } = view;
    if (pod === undefined || !isRemovedFromPd(view)) {
        return false;
    }
    const isListed = !pd.stores.known || pd.stores.value.some((store) => store.podName === podName);
    return isStopped(view) ? !isListed : tombstonesOf(view).some((store) => isOfRunningProcess(store, pod));
}

/** @returns how a person removes the pod's store from PD. */
export function storeDroppedByHand(view: PodView): DroppedByHand | undefined {
    const { store, stores, pd, podName } = view;
    if (!pd.stores.known) {
        return silentPd;
    }
    if (stores.length > 1) {
        return {
            is: "not-known",
            why: atOneAddress(stores, podName),
            first: "find out which of them runs there before the pod stops",
        };
    }
    if (store !== undefined) {
        const words = `\`pd-ctl store delete ${store.id}\`, until \`pd-ctl store ${store.id}\` says Tombstone; with no other store to take its regions, raise the replicas first`;
        return isOnlyStore(view) ? { is: "only-copy" } : { is: "by-commands", words };
    }
    const elsewhere = pd.stores.value.find((one) => one.podName === podName);
    if (elsewhere !== undefined) {
        return {
            is: "not-known",
            why: `PD lists store ${elsewhere.id} under another address of ${podName} (${elsewhere.address})`,
            first: "find out whether it is the one on the volume before the pod stops",
        };
    }
    if (!pd.tombstones.known) {
        return silentPd;
    }
    if (neverRan(view)) {
        return undefined;
    }
    return tombstonesOf(view).length > 0
        ? {
              is: "not-known",
              why: `PD lists only a Tombstone store of ${podName}, which may be that of an earlier process`,
              first: "make sure by its log that the process has no other store",
              mayStop: true,
          }
        : {
              is: "not-known",
              why: `PD lists no store of ${podName}, whose process may have one`,
              first: "look for the store's id in the log of the process, and at `pd-ctl store <id>`: PD must not have it, or call it Tombstone",
              mayStop: true,
          };
}

/**
 * The stages before `replicas` may exclude a store's pod.
 * @param advice what the user can do if too few stores would be left.
 */
export function beforeStoreRemoval(engine: Engine, tooFew: TooFewStores, advice: string): readonly Stage[] {
    return [
        storesListed,
        storeKnown,
        enoughStoresStay(tooFew, advice),
        othersTakeRegions(engine),
        storeTombstone,
        claimsReleasedFrom(storeInPd),
        removalForgotten,
    ];
}

/** The stages for a store's pod that stays after its removal had begun. */
export const afterStoreRemovalTakenBack: readonly Stage[] = [
    removalTakenBack,
    removedVolumesReleased(storeInPd),
    removalForgotten,
];

/** @returns why a smaller number of replicas is refused: the replicas on the leaving stores would have no other place. */
export function refuseStoreRemoval(
    engine: Engine,
    tooFew: TooFewStores,
    advice: string,
): MemberLifecycle["refuseReplicas"] {
    return (observation, target) => {
        const leaving = leavingStores(observation, target);
        const problem = leaving.length === 0 ? undefined : tooFew(observation, target, wasUpRecently);
        if (problem !== undefined) {
            const isAnswer = observation.pd.stores.known && observation.pd.placement.known;
            return isAnswer ? `${problem}. Next: ${advice}` : problem;
        }
        const full = noRoomFor(observation, target, engine, leaving);
        return full && `${full}. Next: ${adviceIfFull}`;
    };
}

/** @returns what the removal of a store's pod puts at risk. */
export function storeRemovalRisk(view: PodView): string | undefined {
    return view.store && spaceRisk(view, view.store.engine);
}
