import type { Component } from "../../../topology/members";
import { noRecords, type Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { now } from "./observations";

/** The batch of these ordinals on record, of a member whose pods are not stores. */
export function podBatch(component: Component, ...ordinals: number[]): Observation["records"] {
    const stores = Object.fromEntries(ordinals.map((one) => [`basic-${component}-${one}`, null]));
    return { ...noRecords(), batch: { component, stores, begunAt: now - 60_000 } };
}
