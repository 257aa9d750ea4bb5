import { tooFewTiflashStores } from "../members/tiflashMember";
import { tooFewTikvStores } from "../members/tikvMember";
import { lacksQuorum } from "../stages/failover/quorum";
import { mostAreSilent } from "../stages/failover/storeFailover";
import { quorumOfThoseWhoStay } from "../stages/pdQuorum";
import { hasMajorityOf, mostRegionsOfStore } from "../stages/regionVoters";
import { isRemovedFromPd, tombstonesOf } from "../stages/storeRemoval";
import { isUp } from "../stages/stores";
import { heldLeadership } from "../stages/trustedCounts";
import { nameOf, type Objection, whyNotFailed } from "../unsafeRecovery/failedStores";
import { counted } from "../vocabulary/counted";
import { notAsked } from "../vocabulary/evidence";
import type { Look } from "../vocabulary/look";
import type { Observation, ObservedStore } from "../vocabulary/observation";
import { areSameStores } from "../vocabulary/storesInWords";
import { claimsOf, type PodView } from "../vocabulary/stage";
import { type LostPod, volumesOn } from "./lostPods";
import { isInNoOther } from "../stages/pdQuorum";
import { unknownMembers } from "./removalFromPd";

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
    const recovery = whyInRecovery(observation);
    if (recovery) {
        return recovery;
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
    return view.stores.length === 0 ? judgeRemoved(view, others) : judgeStore(view, others);
}

/** PD makes stores Tombstone as it begins a recovery, which may also be a person's, and before it has found what they leave behind. */
function whyInRecovery({ records, pd: { unsafeRecovery } }: Observation): Objection | undefined {
    if (records.unsafeRecovery?.begun !== undefined) {
        return { refused: "an unsafe recovery was begun, and its end is not on record" };
    }
    if (!unsafeRecovery.known) {
        return { lacks: `whether PD runs an unsafe recovery is not known: ${unsafeRecovery.why}` };
    }
    const { stage, report } = unsafeRecovery.value;
    if (stage === "running") {
        return { lacks: `PD runs an unsafe recovery: ${report}` };
    }
    return stage === "failed"
        ? { refused: `PD has given up an unsafe recovery, which must succeed first: ${report}` }
        : undefined;
}

/** Every volume of the pod must be on the node, the node gone, and the pod nowhere else. */
function whyNotOnNode(view: PodView, node: string): Objection | undefined {
    if (view.pod?.ready) {
        return { refused: "it is Ready" };
    }
    for (const { name, place } of claimsOf(view)) {
        if (place?.known !== true) {
            return { lacks: `the place of the volume of ${name} is not known: ${place?.why ?? "nobody was asked"}` };
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
    if (volumesOn(view, [node]).length === 0) {
        // It had one when the loss was recorded. Without it, nothing shows that the node is gone.
        return { refused: `it has no volume on node ${node} any more: remove it from PD by hand` };
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
        const isSure = pd.members.known && isInNoOther(pd.members.value, podName);
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

/** A store that is Tombstone may have been buried with regions: what is left of them must have its majority elsewhere. */
function judgeRemoved(view: PodView, others: readonly LostPod[]): Judgement {
    if (!isRemovedFromPd(view)) {
        const lists = "PD lists no store for it, neither live nor Tombstone";
        return { refused: `${lists}: if it never had one, delete its claim and its pod by hand` };
    }
    return judgeRegions(view, others);
}

function judgeStore(view: PodView, others: readonly LostPod[]): Judgement {
    const { observation, store, pd } = view;
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
    return judgeRegions(view, others);
}

/** @returns why PD cannot move all regions away from a lost store; undefined if it can, or if that is not known. */
export function tooFewWithout({ observation, target, pd: { placement } }: PodView): string | undefined {
    const tooFew = target.component === "tiflash" ? tooFewTiflashStores : tooFewTikvStores;
    return placement.known ? tooFew(observation, target, isUp) : undefined;
}

/** PD repairs regions that keep a majority. It would wait for ever with the others. */
function judgeRegions({ observation, target, pd }: PodView, others: readonly LostPod[]): Judgement {
    // Replicas on TiFlash do not vote.
    if (target.component === "tiflash") {
        return undefined;
    }
    const leadership = heldLeadership(observation);
    if (!leadership.known) {
        return { lacks: `whether PD's answers can be trusted is not known: ${leadership.why}` };
    }
    const lost = others
        .flatMap(({ view }) => (view.target.component === "tikv" ? lostStoresOf(view) : []))
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
    const stores = pd.stores.known ? pd.stores.value : [];
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

/** @returns the pod's store, unless it is Up; if PD has buried it, all that were the pod's. */
function lostStoresOf(view: PodView): readonly ObservedStore[] {
    const { store, stores } = view;
    return stores.length === 0 ? tombstonesOf(view) : store && !isUp(store) ? [store] : [];
}
