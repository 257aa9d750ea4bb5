import { engineLabels } from "../../../sandbox/dataPlane/facts/addresses";
import type { Store, World } from "./world";
import { zoneOf } from "./truth";

/** @returns the store's labels in PD: its engine's, and those that were set. They lag: a new store has none, whatever zone its node is in */
export function labelsOf({ engine, labels }: Store): Record<string, string> {
    return { ...engineLabels(engine), ...labels };
}

/** @returns the labels of a node, which is named after the pod that runs on it first */
export function nodeLabelsOf(world: World, node: string): Record<string, string> {
    const podName = node.replace(/[bc]$/, "");
    return world.zones > 0 ? { "topology.kubernetes.io/zone": `zone-${zoneOf(world, { podName })}` } : {};
}
