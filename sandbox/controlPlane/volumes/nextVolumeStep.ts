import { nextGrowth } from "./growth";
import { nextModification } from "./modification";
import type { VolumeMemory, VolumeStep, VolumeWorld } from "./step";

/** What is kept of a claim that is seen for the first time: no pod has used it. */
export const newMemory: VolumeMemory = { freeSince: 0 };

/**
 * What the controllers of a CSI driver's volumes and the kubelets write next for a bound claim. They work on growth and on attributes at the same
 * time. The step writes nothing if nothing is due.
 */
export function nextVolumeStep(world: VolumeWorld, before: VolumeMemory): VolumeStep {
    const isUsed = world.pods.some(({ spec }) => spec?.nodeName !== undefined);
    const memory = { ...before, freeSince: isUsed ? undefined : (before.freeSince ?? world.now) };
    const growth = nextGrowth(world, memory) ?? { memory };
    if (writes(growth)) {
        return growth;
    }
    const modification = nextModification(world, growth.memory) ?? { memory: growth.memory };
    const times = [growth.againAt, modification.againAt].filter((time) => time !== undefined);
    return { ...modification, ...(times.length > 0 ? { againAt: Math.min(...times) } : {}) };
}

/** Whether a step changes something: the next one follows at once. */
export function writes({ volume, status, events }: VolumeStep): boolean {
    return volume !== undefined || status !== undefined || events !== undefined;
}
