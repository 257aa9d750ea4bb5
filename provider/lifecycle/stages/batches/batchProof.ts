import { counted } from "../../vocabulary/counted";
import { type Known, notAsked, type NotKnown } from "../../vocabulary/evidence";
import type { Look } from "../../vocabulary/look";
import type {
    Observation,
    ObservedPeer,
    ObservedPlacement,
    ObservedRegion,
    ObservedStore,
    RegionStatus,
    ShortRegions,
} from "../../vocabulary/observation";
import { fewestVoters, missingPeers } from "../placement";
import { describeStatus, mostShortRegions, shortRegionsIn, spareVoters } from "../regionVoters";
import { isUp, stateInWords, storesOf } from "../stores";
import { settledLeadership } from "../trustedCounts";
import { isolatingLabel, placeOf } from "./isolation";
import type { BatchProof, Lacking, ProofFinding } from "./memberBatch";

/**
 * The proof from live placement that no region loses its majority while all stores of a batch are down: of each region, the peers in
 * the batch and the voters that are missing already are at most ⌊(R−1)/2⌋ of its R. PD's gauge proves it where no region has two peers
 * in one place and what regions lack is known region by region; a list of the regions proves it where there are few. Without a proof
 * there is no batch.
 */

/** Up to so many regions, in all, those of the batch's stores are listed and judged one by one. Each is about a kilobyte. */
export const mostScannedRegions = 2_000;

/** What the proof is made of. */
interface Evidence {
    readonly regionCount: number;
    readonly placement: ObservedPlacement;
    readonly status: Known<RegionStatus>;
    readonly stores: readonly ObservedStore[];
    readonly shortRegions: Observation["pd"]["shortRegions"];
}

/** An observation never changes, and each pod of a batch is compared with the proof. */
const findings = new WeakMap<Observation, Map<string, ProofFinding>>();

/** @param ids of the stores that are down at the same time. */
export function proveBatch(observation: Observation, ids: readonly number[]): ProofFinding {
    const byIds = findings.get(observation) ?? new Map<string, ProofFinding>();
    findings.set(observation, byIds);
    const key = ids.join(" ");
    const found = byIds.get(key) ?? prove(observation, ids);
    byIds.set(key, found);
    return found;
}

function prove(observation: Observation, ids: readonly number[]): ProofFinding {
    const evidence = evidenceFor(observation);
    if (!("status" in evidence)) {
        return evidence;
    }
    // What PD lists nowhere is down anyhow: voters on it never count.
    const listed = ids.filter((id) => evidence.stores.some((store) => store.id === id));
    if (listed.length === 0) {
        return { why: `PD lists none of the stores ${ids.join(", ")}`, mayPass: true };
    }
    const down = evidence.stores.find((store) => !ids.includes(store.id) && !isUp(store));
    if (down) {
        return { why: `store ${down.id} (${down.podName}) is ${stateInWords(down)}` };
    }
    const byGauge = proveByGauge(evidence, listed);
    return "why" in byGauge && isFew(evidence) ? proveByScan(evidence, listed) : byGauge;
}

/** @returns what a proof is made of, or what it lacks. */
export function evidenceFor(observation: Observation): Evidence | Lacking {
    const { placement, regionStatus, shortRegions } = observation.pd;
    const leadership = settledLeadership(observation);
    const stores = storesOf(observation, "tikv");
    if (!leadership.known) {
        return { why: leadership.why, mayPass: true };
    }
    if (!placement.known) {
        return lacks(placement, { parts: ["placement"] });
    }
    if (!regionStatus.known) {
        return lacks(regionStatus, { parts: ["region-status"] });
    }
    // Where only some voters may lead, the batch may have all of them: leaders could not leave it.
    const rule = placement.value.rules?.find(({ role }) => role === "leader" || role === "follower");
    if (rule !== undefined) {
        return {
            why: `the placement rule ${rule.group}/${rule.id} says which stores may lead (its role is ${rule.role})`,
        };
    }
    const { regionCount } = leadership.value;
    return stores === undefined
        ? { why: "PD does not list its stores", mayPass: true }
        : { regionCount, placement: placement.value, status: regionStatus, stores, shortRegions };
}

/** @returns whether there are so few regions that those of some stores are listed. */
export function isFew({ regionCount }: Pick<Evidence, "regionCount">): boolean {
    return regionCount <= mostScannedRegions;
}

function proveByGauge(evidence: Evidence, ids: readonly number[]): ProofFinding {
    const { placement, status, stores, regionCount } = evidence;
    const short = shortRegionsIn(status.value);
    if (short > 0 && isFew(evidence)) {
        return { why: describeStatus(status.value) }; // The list of all regions says that too.
    }
    if (short > mostShortRegions) {
        return { why: `${describeStatus(status.value)}: too many to check individually` };
    }
    const label = isolatingLabel(status.value, evidence);
    if ("why" in label) {
        return label;
    }
    const batch = stores.filter(({ id }) => ids.includes(id));
    const places = new Set(batch.map((store) => placeOf(store, placement, label.isolates)));
    if (places.size !== 1 || places.has(undefined)) {
        return { why: `stores ${ids.join(", ")} are not in one place of the label ${label.isolates}` };
    }
    // One voter of each region at most. Those of regions that lack something are judged one by one.
    const voters = fewestVoters(placement);
    const margin = Math.floor((voters - 1) / 2) - 1;
    const listed = short === 0 ? { regions: [] } : listOf(evidence, undefined);
    if (!("regions" in listed)) {
        return listed;
    }
    const missing = missingPeers(placement, regionCount, stores);
    const own = ({ peers }: ObservedRegion) => peers.filter((peer) => stores.some(({ id }) => id === peer.storeId));
    const known = listed.regions.reduce((sum, region) => sum + Math.max(0, voters - own(region).length), 0);
    return missing > known
        ? {
              why: `of ${voters} peers of each region, ${missing - known} are missing that PD does not count as missing yet`,
              mayPass: true,
          }
        : judge(listed.regions, evidence, ids, "gauge", margin);
}

function proveByScan(evidence: Evidence, ids: readonly number[]): ProofFinding {
    const listed = listOf(evidence, ids);
    return "regions" in listed ? judge(listed.regions, evidence, ids, "scan", Infinity) : listed;
}

/**
 * @param ids of the stores whose regions are listed; undefined for the regions that lack something.
 * @returns the list, or what must be read first.
 */
export function listOf(
    { shortRegions, stores }: Pick<Evidence, "shortRegions" | "stores">,
    ids: readonly number[] | undefined,
): Pick<ShortRegions, "regions"> | Lacking {
    const look: Look = { regions: ids === undefined ? "short" : { ofStores: ids } };
    if (!shortRegions.known) {
        return lacks(shortRegions, look);
    }
    const { ofStore, ofStores, regions } = shortRegions.value;
    if (ids === undefined) {
        return ofStore === undefined && ofStores === undefined ? { regions } : { look };
    }
    if (ofStores === undefined || !ids.every((id) => ofStores.includes(id))) {
        return { look };
    }
    // A list that lacks regions of a store says nothing of them.
    const short = stores.find(({ id, regionCount }) => ids.includes(id) && peersOn(regions, id) < regionCount);
    return short === undefined
        ? { regions }
        : {
              why: `PD lists ${peersOn(regions, short.id)} of ${counted(short.regionCount, "region")} of store ${short.id}`,
              mayPass: true,
          };
}

function peersOn(regions: readonly ObservedRegion[], id: number): number {
    return regions.filter((region) => hasPeerOn(region, [id])).length;
}

/**
 * A learner on one of the stores counts as lost, too: PD may be about to make it a voter instead of one that stays.
 * @returns how many more voters the region can lose while these stores are down; below 0 if it has lost its majority.
 */
export function spareWithout(region: ObservedRegion, ids: readonly number[], stores: readonly ObservedStore[]): number {
    const counts = ({ storeId, isBehind }: ObservedPeer) =>
        !isBehind && !ids.includes(storeId) && stores.some((store) => store.id === storeId && isUp(store));
    return spareVoters(region, counts) - learnersOn(region, ids);
}

/** @returns how many learners the region has on the stores. */
function learnersOn({ peers }: ObservedRegion, ids: readonly number[]): number {
    return peers.filter(({ role, storeId }) => role === "learner" && ids.includes(storeId)).length;
}

/** @returns whether the region has a peer on one of the stores. */
export function hasPeerOn({ peers }: ObservedRegion, ids: readonly number[]): boolean {
    return peers.some(({ storeId }) => ids.includes(storeId));
}

/** @returns what the region loses without these stores, which the steps of a plan name by their pods. */
export function lostMajority({ id }: ObservedRegion, ids: readonly number[], stores: readonly ObservedStore[]): string {
    const pods = ids.map((one) => stores.find((store) => store.id === one)?.podName ?? `store ${one}`);
    return `region ${id} would lose its majority without ${pods.join(" and ")}`;
}

/** @returns whether it is for now only: voters that are behind, as after the batch before, catch up, and learners come and go. */
export function losesItNow(region: ObservedRegion, ids: readonly number[], stores: readonly ObservedStore[]): boolean {
    const stays = ({ storeId }: ObservedPeer) => !ids.includes(storeId) && stores.some(({ id }) => id === storeId);
    return spareVoters(region, stays) >= 0;
}

function judge(
    regions: readonly ObservedRegion[],
    { stores }: Evidence,
    ids: readonly number[],
    by: BatchProof["by"],
    most: number,
): ProofFinding {
    let margin = most;
    for (const region of regions.filter((one) => hasPeerOn(one, ids))) {
        const spare = spareWithout(region, ids, stores);
        if (region.peers.some(({ isWitness }) => isWitness)) {
            return { why: `region ${region.id} has a witness, which never leads` };
        }
        if (spare < 0) {
            const why = lostMajority(region, ids, stores);
            return losesItNow(region, ids, stores) ? { why, mayPass: true } : { why };
        }
        margin = Math.min(margin, spare);
    }
    return { proof: { by, margin } };
}

export function lacks(fact: NotKnown, look: Look): Lacking {
    return fact === notAsked ? { look } : { why: fact.why, mayPass: true };
}
