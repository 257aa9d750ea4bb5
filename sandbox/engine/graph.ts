import { type ResourceState } from "./state";
import { parseProviderReference } from "./urn";

/** The URNs that a resource needs: it is deleted before them and created after them. */
export function requirementsOf(resource: ResourceState): string[] {
    return [
        ...(resource.parent === undefined ? [] : [resource.parent]),
        ...resource.dependencies,
        ...Object.values(resource.propertyDependencies).flat(),
        ...(resource.provider === undefined ? [] : [parseProviderReference(resource.provider).urn]),
        ...(resource.deletedWith === undefined ? [] : [resource.deletedWith]),
    ];
}

/**
 * The order of deletion: each wave may go at the same time, once the wave before it is gone. A resource is in a later
 * wave than everything that needs it.
 */
export function deletionWaves(condemned: ResourceState[]): ResourceState[][] {
    const waves: ResourceState[][] = [];
    let left = [...condemned];
    while (left.length > 0) {
        const needed = new Set(
            left.flatMap((resource) => requirementsOf(resource).filter((urn) => urn !== resource.urn)),
        );
        const free = left.filter((resource) => !needed.has(resource.urn));
        // A cycle cannot come from a program; should a state hold one, the rest goes at once instead of never.
        const wave = free.length > 0 ? free : left;
        waves.push(wave);
        left = left.filter((resource) => !wave.includes(resource));
    }
    return waves;
}

/** Everything in the state that needs `urn`, directly or not, nearest first. */
export function dependantsOf(urn: string, resources: ResourceState[]): ResourceState[] {
    const reached = new Set([urn]);
    const result: ResourceState[] = [];
    for (let found = true; found;) {
        found = false;
        for (const resource of resources) {
            if (
                !reached.has(resource.urn) &&
                requirementsOf(resource).some((requirement) => reached.has(requirement))
            ) {
                reached.add(resource.urn);
                result.push(resource);
                found = true;
            }
        }
    }
    return result;
}
