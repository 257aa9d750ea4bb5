import type { Observation, ObservedPeer, ObservedRegion, ObservedStore } from "../../vocabulary/observation";
import { sideBySide } from "../../vocabulary/target";
import { hasStore, isUp, stateInWords, storesOf, type WithStore } from "../stores";
import { settledLeadership, settleTime } from "../trustedCounts";
import { idsOf } from "./batchOnRecord";
import { hasPeerOn, isFew, lacks, listOf, mostScannedRegions } from "./batchProof";
import { growBatch, idsByPod } from "./growBatch";
import type { BatchChoice, Lacking, MemberBatch, ProofFinding } from "./memberBatch";

/**
 * TiFlash stores that restart side by side: only where each region keeps a replica on another TiFlash store that is Up, so each table
 * can still be read there. PD's list of the regions proves it. How many replicas the tables ask for proves nothing: some may not be
 * complete, or on their way to another store.
 */
export const tiflashBatch: MemberBatch = {
    isWell: ({ store }) => store?.engine === "tiflash" && isUp(store),
    choose: (candidates) => choose(candidates.filter(hasStore)),
    prove: (observation, _target, pods) => prove(observation, idsOf(pods)),
    triesOneFirst: true,
    otherwise:
        "TiFlash restarts one by one where it is not proven that each region keeps a replica on another TiFlash store",
};

function choose(candidates: readonly WithStore[]): BatchChoice {
    const [{ observation, target }] = candidates;
    const evidence = evidenceFor(observation);
    if (!("stores" in evidence)) {
        return evidence;
    }
    const listed = listOf(
        evidence,
        candidates.map(({ store }) => store.id),
    );
    if (!("regions" in listed)) {
        return listed;
    }
    const asked = sideBySide(target);
    const { batch, refused } = growBatch(candidates, asked === "zone" ? Infinity : asked, (ids) => {
        const lost = lostWithout(listed.regions, ids, evidence.stores);
        return lost && whyLost(lost, ids);
    });
    if (batch.length < 2) {
        return { why: refused };
    }
    const ids = idsByPod(batch);
    const found = prove(observation, idsOf(ids));
    return "proof" in found ? { stores: ids, proof: found.proof } : found;
}

type Evidence = Parameters<typeof listOf>[0];

function evidenceFor(observation: Observation): Evidence | Lacking {
    const leadership = settledLeadership(observation);
    if (!leadership.known) {
        const lacking = lacks(leadership, { parts: ["leadership"] });
        return "why" in lacking ? { ...lacking, seconds: settleTime(observation) / 1000 } : lacking;
    }
    const stores = storesOf(observation, "tiflash");
    if (stores === undefined) {
        return { why: "PD does not list its stores", mayPass: true };
    }
    return isFew(leadership.value)
        ? { stores, shortRegions: observation.pd.shortRegions }
        : {
              why: `PD has ${leadership.value.regionCount} regions, and lists ${mostScannedRegions} at most for such a proof`,
          };
}

/** @param ids of the stores that are down at the same time. */
function prove(observation: Observation, ids: readonly number[]): ProofFinding {
    const evidence = evidenceFor(observation);
    if (!("stores" in evidence)) {
        return evidence;
    }
    const { stores } = evidence;
    const down = stores.find((store) => !ids.includes(store.id) && !isUp(store));
    if (down !== undefined) {
        return { why: `store ${down.id} (${down.podName}) is ${stateInWords(down)}` };
    }
    const listed = listOf(evidence, ids);
    if (!("regions" in listed)) {
        return listed;
    }
    const lost = lostWithout(listed.regions, ids, stores);
    if (lost !== undefined) {
        const why = whyLost(lost, ids);
        // A replica that is behind, as after the batch before, catches up.
        const mayPass = replicasWithout(lost, ids, stores, () => true) > 0;
        return mayPass ? { why, mayPass } : { why };
    }
    const kept = withReplicaOn(listed.regions, ids).map((region) => replicasWithout(region, ids, stores));
    return { proof: { by: "replicas", margin: Math.min(Infinity, ...kept) - 1 } };
}

/** @returns a region that would keep no replica on TiFlash. */
function lostWithout(
    regions: readonly ObservedRegion[],
    ids: readonly number[],
    stores: readonly ObservedStore[],
): ObservedRegion | undefined {
    return withReplicaOn(regions, ids).find((region) => replicasWithout(region, ids, stores) === 0);
}

function withReplicaOn(regions: readonly ObservedRegion[], ids: readonly number[]): ObservedRegion[] {
    return regions.filter((region) => hasPeerOn(region, ids));
}

/** @returns how many replicas of the region on TiFlash can be read while these stores are down. */
function replicasWithout(
    { peers }: ObservedRegion,
    ids: readonly number[],
    stores: readonly ObservedStore[],
    counts: (peer: ObservedPeer) => boolean = ({ isBehind }) => !isBehind,
): number {
    const isThere = ({ storeId }: ObservedPeer): boolean =>
        !ids.includes(storeId) && stores.some((store) => store.id === storeId);
    return peers.filter((peer) => isThere(peer) && counts(peer)).length;
}

function whyLost({ id }: ObservedRegion, ids: readonly number[]): string {
    return `region ${id} would have no replica on TiFlash without stores ${ids.join(", ")}`;
}
