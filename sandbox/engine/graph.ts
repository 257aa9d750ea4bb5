import { type ResourceState } from "./state";
import { parseProviderReference } from "./urn";

/** The URNs that a resource depends on. It is deleted before them and created after them. */
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
 * The order of deletion. The resources of a wave may be deleted in parallel, once the previous wave is gone. A resource
 * is in a later wave than everything that depends on it.
 */
export function deletionWaves(condemned: ResourceState[]): ResourceState[][] {
    const waves: ResourceState[][] = [];
    let left = [...condemned];
    while (left.length > 0) {
        const needed = new Set(
            left.flatMap((resource) => requirementsOf(resource).filter((urn) => urn !== resource.urn)),
        );
        const free = left.filter((resource) => !needed.has(resource.urn));
        // A program cannot produce a cycle. If a state contains one, the remaining resources form one wave, so the
        // deletion still ends.
        const wave = free.length > 0 ? free : left;
        waves.push(wave);
        left = left.filter((resource) => !wave.includes(resource));
    }
    return waves;
}

/** All resources in the state that depend on `urn`, directly or indirectly, nearest first. */
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
