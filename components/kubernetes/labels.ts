import { clusterLabels, componentLabel, instanceLabel } from "../../topology/labels";
import type { Workload } from "../../topology/names";
import type { TidbClusterManifest } from "../spec";

/** Labels or annotations. */
export type StringMap = Record<string, string>;

/** @returns the value of the instance label: the cluster's label with that key, else the cluster's name. */
export function instanceName(manifest: TidbClusterManifest): string {
    return manifest.metadata.labels?.[instanceLabel] ?? manifest.metadata.name;
}

/** @returns the four labels that select all objects of a member. They select its pods too, so they must never change. */
export function memberLabels(manifest: TidbClusterManifest, component: Workload | "lease"): StringMap {
    return { [componentLabel]: component, ...clusterLabels(instanceName(manifest)) };
}

/** Merges maps, with sorted keys. If a key is in several of them, the first map takes precedence. */
export function combine(...maps: (StringMap | undefined)[]): StringMap {
    const combined: StringMap = Object.assign({}, ...[...maps].reverse());
    return Object.fromEntries(Object.entries(combined).sort(byKey));
}

function byKey([one]: [string, unknown], [other]: [string, unknown]): number {
    return one < other ? -1 : one > other ? 1 : 0;
}
