import type { ObservedStore } from "../../vocabulary/observation";
import { sideBySide } from "../../vocabulary/target";
import { openEvictionOf } from "../evictionRecord";
import { hasStore, isOnlyStore, isUp, type WithStore } from "../stores";
import { idsOf } from "./batchOnRecord";
import {
    evidenceFor,
    hasPeerOn,
    isFew,
    losesItNow,
    listOf,
    lostMajority,
    proveBatch,
    spareWithout,
} from "./batchProof";
import { growBatch, idsByPod } from "./growBatch";
import { isolatingLabel, placeOf, zoneLabelOf } from "./isolation";
import type { BatchChoice, Lacking, MemberBatch, NotProven } from "./memberBatch";

/** What a proof is made of. */
type Evidence = Exclude<ReturnType<typeof evidenceFor>, Lacking>;

/** TiKV stores that restart side by side: only where no region loses its majority without all of them. */
export const storeBatch: MemberBatch = {
    // Regions have their voters on TiKV: of other stores nothing is proven.
    isWell: ({ store }) => store?.engine === "tikv" && isUp(store),
    canJoin: (view) => !isOnlyStore(view) && openEvictionOf(view) === undefined,
    choose: (candidates) => choose(candidates.filter(hasStore)),
    prove: (observation, _target, pods) => proveBatch(observation, idsOf(pods)),
    triesOneFirst: false,
    otherwise: "stores restart one by one where it is not proven that no region loses its majority",
};

function choose(candidates: readonly WithStore[]): BatchChoice {
    const asked = sideBySide(candidates[0].target);
    const evidence = evidenceFor(candidates[0].observation);
    if (!("status" in evidence)) {
        return evidence;
    }
    const most = asked === "zone" ? Infinity : asked;
    const byGauge = ofOnePlace(evidence, candidates, asked === "zone");
    const found = "pods" in byGauge ? proven(byGauge.pods.slice(0, most)) : byGauge;
    return isFew(evidence) && (found === undefined || "why" in found)
        ? byScan(evidence, candidates, most, asked === "zone")
        : found;
}

/** The candidates in the place of the first one, where PD's gauge says that no region has two peers in one place. */
function ofOnePlace(
    evidence: Evidence,
    candidates: readonly WithStore[],
    isZone: boolean,
): { readonly pods: readonly WithStore[] } | NotProven {
    const { status, placement, stores } = evidence;
    const isolating = isolatingLabel(status.value, evidence);
    if ("why" in isolating) {
        return isolating;
    }
    const { isolates } = isolating;
    const zone = zoneLabelOf(placement);
    const label = isZone ? zone : isolates;
    if (label === undefined) {
        return { why: whyNoZone(zone, candidates[0]) };
    }
    const { locationLabels = [] } = placement;
    if (locationLabels.indexOf(isolates) > locationLabels.indexOf(label)) {
        return { why: `by pd_regions_label_level, some regions have several peers in one ${label}` };
    }
    const [{ store: first, podName }] = candidates;
    const place = placeOf(first, placement, label);
    if (place === undefined) {
        return { why: whyNoZone(label, candidates[0]) };
    }
    const isThere = (store: ObservedStore) => placeOf(store, placement, label) === place;
    return stores.some((store) => store.id !== first.id && isThere(store))
        ? { pods: candidates.filter(({ store }) => isThere(store)) }
        : {
              why: `by pd_regions_label_level, only stores with the same ${label} have no region in common, and store ${first.id} (${podName}) is the only one of its ${label}`,
          };
}

function whyNoZone(label: string | undefined, { store, podName }: WithStore): string {
    return label === undefined
        ? "PD's location-labels have no zone"
        : `store ${store.id} (${podName}) lacks one of PD's location-labels down to ${label}`;
}

/** Candidates of which the list of their regions says that no region loses its majority without all of them. */
function byScan(evidence: Evidence, candidates: readonly WithStore[], most: number, isZone: boolean): BatchChoice {
    const [first] = candidates;
    const { placement, stores } = evidence;
    const label = zoneLabelOf(placement);
    const zone = label && placeOf(first.store, placement, label);
    if (isZone && zone === undefined) {
        return { why: whyNoZone(label, first) };
    }
    const pool = isZone
        ? candidates.filter(({ store }) => placeOf(store, placement, label ?? "") === zone)
        : candidates;
    if (pool.length < 2) {
        return undefined;
    }
    const listed = listOf(
        evidence,
        pool.map(({ store }) => store.id),
    );
    if (!("regions" in listed)) {
        return listed;
    }
    let mayPass = false;
    const { batch, refused } = growBatch(pool, most, (ids) => {
        const lost = listed.regions.find((region) => hasPeerOn(region, ids) && spareWithout(region, ids, stores) < 0);
        mayPass ||= lost !== undefined && losesItNow(lost, ids, stores);
        return lost && lostMajority(lost, ids, stores);
    });
    return proven(batch) ?? { why: refused, ...(mayPass ? { mayPass } : {}) };
}

function proven(batch: readonly WithStore[]): BatchChoice {
    if (batch.length < 2) {
        return undefined;
    }
    const found = proveBatch(
        batch[0].observation,
        batch.map(({ store }) => store.id),
    );
    return "proof" in found ? { stores: idsByPod(batch), proof: found.proof } : found;
}
