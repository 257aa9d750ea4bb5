import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { LostVolumes } from "../../../provider/lifecycle/vocabulary/failureRecord";
import type { VolumePlace } from "../../../provider/lifecycle/vocabulary/volumePlace";
import {
    noRecords,
    type Observation,
    type ObservedClaim,
    type OperationRecords,
} from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import type { LostNodesTarget } from "../../../provider/lifecycle/lostNodes/lostPods";
import type { Component } from "../../../topology/members";
import { downFor, minutes, unscheduled } from "./deaths";
import { claimOf, type Deviation, now, observed } from "./observations";

/** Clusters of which pod 1 has lost its volumes with node-1: four TiKV stores (10 to 13), three PD members (100 to 102). */

export const lostTarget: LostNodesTarget = { nodes: ["node-1"], policy: defaultPolicy };

/** A claim whose volume is there. */
export function claimAt(
    component: Component,
    ordinal: number,
    place: VolumePlace | string,
    more: Partial<ObservedClaim> = {},
): ObservedClaim {
    const fact = typeof place === "string" ? notKnown(place) : known(place, "the API server", now);
    return claimOf(component, ordinal, { place: fact, ...more });
}

export const onGoneNode = { is: "on-node", volume: "pv-1", node: "node-1", isGone: true } satisfies VolumePlace;
export const onNode: VolumePlace = { ...onGoneNode, isGone: false };

export const lostTikv: Deviation = {
    pods: { 1: unscheduled() },
    claims: [claimAt("tikv", 1, onGoneNode), claimOf("tikv", 2)],
    stores: { 1: downFor(minutes) },
    regionsOf: { stores: [11], regions: [] },
};
export const lostPd: Deviation = { pods: { 1: unscheduled() }, claims: [claimAt("pd", 1, onGoneNode)], unhealthy: [1] };

export const lostTiflash: Deviation = {
    pods: { 1: unscheduled() },
    claims: [claimAt("tiflash", 1, onGoneNode)],
    tiflash: { 1: downFor(minutes) },
};

/** The record of pod 1 as `note` writes it. */
export function lostFrom(
    component: Component,
    ordinal: number,
    more: Partial<LostVolumes> = {},
): NonNullable<OperationRecords["lostVolumes"]> {
    const pod = `basic-${component}-${ordinal}`;
    const claims = [{ name: `${component}-${pod}`, uid: `claim-${ordinal}` }];
    const identity =
        component === "pd" ? { member: { name: pod, id: String(100 + ordinal) } } : { storeId: 10 + ordinal };
    return { [pod]: { component, node: "node-1", podUid: `uid-${ordinal}`, claims, ...identity, at: now, ...more } };
}

export function recordedLoss(component: Component, more: Partial<LostVolumes> = {}): OperationRecords {
    return { ...noRecords(), lostVolumes: lostFrom(component, 1, more) };
}

/** @returns the observation of a cluster that was healthy before. */
export function seenLoss(component: Component, row: Deviation): Observation {
    return { ...observed(component, row).observation, pdClusterId: "7" };
}
