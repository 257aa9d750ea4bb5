import { clusterLabels, componentLabel, instanceLabel } from "../../topology/labels";
import type { Workload } from "../../topology/names";
import type { TidbClusterManifest } from "../spec";

/** Labels or annotations. */
export type StringMap = Record<string, string>;

/** Value of the instance label: the cluster's own label of that key, else its name. */
export function instanceName(manifest: TidbClusterManifest): string {
    return manifest.metadata.labels?.[instanceLabel] ?? manifest.metadata.name;
}

/** The four labels by which all objects of a member are found. Pods are selected by them, so they never change. */
export function memberLabels(manifest: TidbClusterManifest, component: Workload | "lease"): StringMap {
    return { [componentLabel]: component, ...clusterLabels(instanceName(manifest)) };
}

/** One map of several, by sorted keys; where a key is in two of them, the first one's value holds. */
export function combine(...maps: (StringMap | undefined)[]): StringMap {
    const combined: StringMap = Object.assign({}, ...[...maps].reverse());
    return Object.fromEntries(Object.entries(combined).sort(byKey));
}

function byKey([one]: [string, unknown], [other]: [string, unknown]): number {
    return one < other ? -1 : one > other ? 1 : 0;
}
