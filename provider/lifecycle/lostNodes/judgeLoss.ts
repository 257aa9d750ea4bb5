import { tooFewTiflashStores } from "../members/tiflashMember";
import { tooFewTikvStores } from "../members/tikvMember";
import { claimsOf } from "../stages/claims";
import { lacksQuorum } from "../stages/failover/quorum";
import { mostAreSilent } from "../stages/failover/storeFailover";
import { quorumOfThoseWhoStay } from "../stages/pdQuorum";
import { hasMajorityOf, mostRegionsOfStore } from "../stages/regionVoters";
import { isRemovedFromPd } from "../stages/storeRemoval";
import { isUp } from "../stages/stores";
import { heldLeadership } from "../stages/trustedCounts";
import { nameOf, type Objection, whyNotFailed } from "../unsafeRecovery/failedStores";
import { counted } from "../vocabulary/counted";
import { notAsked } from "../vocabulary/evidence";
import type { Look } from "../vocabulary/look";
import type { ObservedStore } from "../vocabulary/observation";
import { areSameStores } from "../vocabulary/records";
import type { PodView } from "../vocabulary/stage";
import type { LostPod } from "./lostPods";
import { everyPodIsKnown, unknownMembers } from "./removalFromPd";

/** What keeps the volumes of a pod from being given up; undefined if nothing does. */
export type Judgement = Objection | { readonly look: Look } | undefined;

/**
 * @param others all pods that the nodes take with them: their regions are listed together.
 * @returns why the volumes of a pod of which nothing was removed from PD must not be given up, or not yet.
 */
export function judgeLoss({ view, node }: LostPod, others: readonly LostPod[]): Judgement {
    const { target, pd, observation } = view;
    const against = whyNotOnNode(view, node);
    if (against) {
        return against;
    }
    if (observation.records.unsafeRecovery?.begun !== undefined) {
        return { refused: "an unsafe recovery was begun, and its end is not on record" };
    }
    if (!pd.members.known || !pd.stores.known || !pd.tombstones.known) {
        const lacking = [pd.members, pd.stores, pd.tombstones].find((fact) => !fact.known) as { why: string };
        return { lacks: `PD's members and stores are not known: ${lacking.why}` };
    }
    const noQuorum = lacksQuorum(observation);
    if (noQuorum !== undefined) {
        return { refused: noQuorum };
    }
    if (target.component === "pd") {
        return judgeMember(view);
    }
    return view.stores.length === 0 ? judgeRemoved(view) : judgeStore(view, others);
}

/** Every volume of the pod must be on the node, the node gone, and the pod nowhere else. */
function whyNotOnNode(view: PodView, node: string): Objection | undefined {
    if (view.pod?.ready) {
        return { refused: "it is Ready" };
    }
    for (const { name, place } of claimsOf(view)) {
        if (place?.known !== true) {
            return { lacks: `where the volume of ${name} is, is not known: ${place?.why ?? "it was not asked"}` };
        }
        const { value } = place;
        if (value.is === "elsewhere") {
            return { refused: `${name} is not on node ${node}: ${value.why}` };
        }
        if (value.is === "on-node" && value.node !== node) {
            return { refused: `${name} is on another node, ${value.node}` };
        }
        if (value.is === "on-node" && !value.isGone) {
            return { refused: `node ${node} exists: one that is only not Ready is not gone` };
        }
    }
    const { pod, podName } = view;
    if (pod === undefined) {
        return { lacks: `the StatefulSet has not made ${podName} again` };
    }
    return pod.node === undefined || pod.node === node ? undefined : { refused: `it is on node ${pod.node}` };
}

function judgeMember(view: PodView): Judgement {
    const { pdMembers, podName, pd } = view;
    if (pdMembers.length === 0) {
        // PD has a quorum, and has dropped what is on the volume, unless a member whose pod is not known is this one.
        const isSure = pd.members.known && everyPodIsKnown(pd.members.value);
        return isSure ? undefined : { refused: unknownMembers.why };
    }
    const [{ name, healthy, lacksHealth }] = pdMembers;
    if (pdMembers.length > 1 || name === "") {
        return { refused: `PD lists ${pdMembers.length} members for ${podName}, one of which may never have started` };
    }
    if (lacksHealth) {
        return { lacks: "PD does not say whether its member is healthy" };
    }
    if (healthy) {
        return { refused: `PD hears from member ${name}` };
    }
    const quorum = quorumOfThoseWhoStay.holds(view);
    return quorum === true ? undefined : "lacks" in quorum ? { refused: quorum.lacks } : quorum;
}

function judgeRemoved(view: PodView): Objection | undefined {
    const lists = "PD lists no store for it, neither live nor Tombstone";
    return isRemovedFromPd(view)
        ? undefined
        : { refused: `${lists}: if it never had one, delete its claim and its pod by hand` };
}

function judgeStore(view: PodView, others: readonly LostPod[]): Judgement {
    const { observation, target, store, pd } = view;
    const stores = pd.stores.known ? pd.stores.value : [];
    if (store === undefined) {
        return { refused: `PD lists ${view.stores.length} stores under its address` };
    }
    if (store.state === "Offline") {
        return {
            refused: `PD says Offline of ${nameOf(store)}, which a person or a scale-in began: wait for Tombstone`,
        };
    }
    const alive = whyNotFailed(
        store,
        stores.filter((one) => one !== store),
        observation,
        { neverComeBack: true },
    );
    const silent = mostAreSilent(observation);
    if (alive !== undefined || silent !== undefined) {
        return alive ?? { refused: silent as string };
    }
    if (!pd.placement.known) {
        return { lacks: `PD's placement rules are not known: ${pd.placement.why}` };
    }
    const few = tooFewWithout(view);
    if (few !== undefined) {
        return { refused: `${few}: add a store first, as failover does` };
    }
    // Replicas on TiFlash do not vote.
    return target.component === "tiflash" ? undefined : judgeRegions(view, stores, others);
}

/** @returns why PD cannot move all regions away from a lost store; undefined if it can, or if that is not known. */
export function tooFewWithout({ observation, target, pd: { placement } }: PodView): string | undefined {
    const tooFew = target.component === "tiflash" ? tooFewTiflashStores : tooFewTikvStores;
    return placement.known ? tooFew(observation, target, isUp) : undefined;
}

/** PD repairs regions that keep a majority. It would wait for ever with the others. */
function judgeRegions(
    { observation, pd }: PodView,
    stores: readonly ObservedStore[],
    others: readonly LostPod[],
): Judgement {
    const leadership = heldLeadership(observation);
    if (!leadership.known) {
        return { lacks: `whether PD's answers can be trusted is not known: ${leadership.why}` };
    }
    const lost = others
        .flatMap(({ view: { target, store } }) => (target.component === "tikv" && store && !isUp(store) ? [store] : []))
        .sort((one, other) => one.id - other.id);
    const most = lost.reduce((sum, { regionCount }) => sum + regionCount, 0);
    if (most > mostRegionsOfStore) {
        return {
            refused: `PD has ${most} replicas of regions to move first, and judges ${mostRegionsOfStore} at most`,
        };
    }
    const ofStores = lost.map(({ id }) => id);
    const { shortRegions } = pd;
    if (!shortRegions.known || !areSameStores(shortRegions.value.ofStores, ofStores)) {
        return shortRegions.known || shortRegions === notAsked
            ? { look: { regions: { ofStores } } }
            : { lacks: `the regions of lost stores are not known: ${shortRegions.why}` };
    }
    const up = new Set(stores.filter(isUp).map(({ id }) => id));
    const without = shortRegions.value.regions.filter(
        (region) => !hasMajorityOf(region, ({ storeId, isBehind }) => up.has(storeId) && !isBehind),
    );
    const words = `${counted(without.length, "region")} ${without.length === 1 ? "has" : "have"} no majority on stores that are Up`;
    return without.length === 0
        ? undefined
        : {
              refused: `${words}, such as ${without[0].id}: wait for PD to repair them, or see operations.unsafeRecovery`,
          };
}
