import { engineLabels } from "../../../sandbox/dataPlane/facts/addresses";
import { zoneOf } from "./truth";
import type { Store, World } from "./world";

/** @returns the store's labels: its engine's, and its zone where PD tells zones apart */
export function labelsOf(world: World, store: Store): Record<string, string> {
    const zone: Record<string, string> =
        world.zones > 0 && store.engine === "tikv" ? { zone: `zone-${zoneOf(world, store)}` } : {};
    return { ...engineLabels(store.engine), ...zone };
}
