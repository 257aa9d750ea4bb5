import { type Deployment, removeResource, runStep } from "./deployment";
import { deletionWaves, dependantsOf } from "./graph";
import { type ResourceState } from "./state";
import { parseProviderReference } from "./urn";
import { type PropertyMap, stripSecrets, unknownValue } from "./values";

/**
 * Deletes one resource. Fails if it is protected. The provider is not called if the resource is retained, is not owned,
 * or is deleted together with another one.
 */
export async function deleteStep(
    deployment: Deployment,
    resource: ResourceState,
    operation: "delete" | "delete-replaced",
    options: { keep?: boolean; condemned?: Set<string> } = {},
): Promise<void> {
    const { urn, type } = resource;
    await runStep(deployment, { operation, urn, type, old: resource }, async () => {
        if (operation === "delete" && resource.protect) {
            throw new Error(
                `resource "${urn}" cannot be deleted\nbecause it is protected. To unprotect the resource, remove the ` +
                    "`protect` flag from the resource in your Pulumi program and run `pulumi up`",
            );
        }
        if (deployment.preview) {
            return;
        }
        const goesWithAnother = resource.deletedWith !== undefined && options.condemned?.has(resource.deletedWith);
        if (resource.custom && !resource.external && !resource.retainOnDelete && !goesWithAnother) {
            await deployment.providers.of(resource).delete({
                urn,
                type,
                id: resource.id ?? "",
                inputs: stripSecrets(resource.inputs),
                outputs: stripSecrets(resource.outputs),
            });
        }
        if (options.keep) {
            resource.pendingReplacement = true;
        } else {
            removeResource(deployment, resource);
        }
    });
}

/**
 * Deletes resources that the program no longer has or that were replaced, in reverse order of dependency, with as much
 * in parallel as that order allows.
 */
export async function deleteUnregistered(deployment: Deployment): Promise<void> {
    const condemned = deployment.state.resources.filter(
        (resource) => resource.delete || !deployment.news.has(deployment.aliased.get(resource.urn) ?? resource.urn),
    );
    await deleteAll(deployment, condemned);
}

/**
 * Deletes these resources in waves. Dependents are deleted before what they depend on, and the resources of a wave in
 * parallel.
 * @throws Cancelled when a wave has a failure; the later waves are not deleted
 */
export async function deleteAll(deployment: Deployment, condemned: ResourceState[]): Promise<void> {
    const urns = new Set(condemned.map(({ urn }) => urn));
    for (const wave of deletionWaves(condemned)) {
        const steps = wave.map((resource) => {
            if (resource.pendingReplacement) {
                // The old resource is already deleted, but its replacement was never created.
                removeResource(deployment, resource);
                return Promise.resolve();
            }
            const operation = resource.delete ? "delete-replaced" : "delete";
            return deleteStep(deployment, resource, operation, { condemned: urns });
        });
        const results = await Promise.allSettled(steps);
        const failure = results.find((result) => result.status === "rejected");
        if (failure !== undefined) {
            throw failure.reason;
        }
    }
}

/**
 * Before a resource is replaced by deleting it first, deletes the resources that would have to be replaced as a result:
 * those whose inputs come from it and whose provider says that such a change is a replacement.
 */
export async function deleteDependantsFirst(deployment: Deployment, root: ResourceState): Promise<void> {
    const replaced = new Set([root.urn]);
    const condemned: ResourceState[] = [];
    const candidates = dependantsOf(root.urn, [...deployment.olds.values()]);
    for (const resource of candidates) {
        if (resource.custom && !resource.external && !deployment.news.has(resource.urn)) {
            if (await mustBeReplaced(deployment, resource, replaced)) {
                replaced.add(resource.urn);
                condemned.unshift(resource);
            }
        }
    }
    for (const resource of condemned) {
        await deleteStep(deployment, resource, "delete-replaced", { keep: true });
        deployment.deletedEarly.add(resource.urn);
    }
}

async function mustBeReplaced(
    deployment: Deployment,
    resource: ResourceState,
    replaced: Set<string>,
): Promise<boolean> {
    if (resource.provider !== undefined && replaced.has(parseProviderReference(resource.provider).urn)) {
        return true;
    }
    if (resource.deletedWith !== undefined && replaced.has(resource.deletedWith)) {
        return true;
    }
    const uncertain = Object.entries(resource.propertyDependencies)
        .filter(([, urns]) => urns.some((urn) => replaced.has(urn)))
        .map(([property]) => property);
    if (uncertain.length === 0) {
        return false;
    }
    const oldInputs = stripSecrets(resource.inputs);
    const news: PropertyMap = { ...oldInputs };
    uncertain.forEach((property) => (news[property] = unknownValue));
    const answer = await deployment.providers.of(resource).diff({
        urn: resource.urn,
        type: resource.type,
        id: resource.id ?? "",
        oldInputs,
        oldOutputs: stripSecrets(resource.outputs),
        news,
        ignoreChanges: resource.ignoreChanges ?? [],
    });
    return answer.changes !== "none" && answer.replaces.length > 0;
}
