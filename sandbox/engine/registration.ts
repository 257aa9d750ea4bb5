import { adoptAlias } from "./aliases";
import { createStep, updateStep } from "./createUpdate";
import { Cancelled, type Deployment, type Goal, putResource, runStep } from "./deployment";
import { deleteDependantsFirst, deleteStep } from "./deletion";
import { diffProperties } from "./diff";
import { applyIgnoreChanges, pathContains } from "./propertyPath";
import { type DiffAnswer, type Provider } from "./provider";
import { type ResourceState } from "./state";
import { makeUrn } from "./urn";
import { maskSecrets, type PropertyMap, restoreSecrets, stripSecrets } from "./values";

/**
 * Brings one resource of the program to its desired state, by the rules of Pulumi's step generator
 * (pkg/resource/deploy/step_generator.go): check, diff, and then no change, an update, a replacement or a creation.
 * @throws Cancelled if the step failed or the run was stopped before it started; the failure has already been reported
 */
export async function registerResource(deployment: Deployment, goal: Goal): Promise<ResourceState> {
    const urn = makeUrn(deployment.stack, deployment.project, goal.parent, goal.type, goal.name);
    if (deployment.news.has(urn)) {
        return fail(deployment, urn, `Duplicate resource URN '${urn}'; try giving it a unique name`);
    }
    const old = deployment.olds.get(urn) ?? adoptAlias(deployment, urn, goal);
    const resource = resourceOf(deployment, urn, goal);
    // Reserved at once, because a second registration may arrive while this one is being checked.
    deployment.news.set(urn, resource);
    if (!goal.custom) {
        return registerComponent(deployment, resource, old);
    }
    try {
        return await registerCustom(deployment, goal, resource, old);
    } catch (error) {
        return error instanceof Cancelled ? Promise.reject(error) : fail(deployment, urn, (error as Error).message);
    }
}

function fail(deployment: Deployment, urn: string, message: string): never {
    deployment.report.diagnostic({ severity: "error", urn, message });
    deployment.cancellation.cancel();
    throw new Cancelled();
}

function resourceOf(deployment: Deployment, urn: string, goal: Goal): ResourceState {
    const parent = goal.parent === undefined ? undefined : deployment.news.get(goal.parent);
    return {
        urn,
        type: goal.type,
        custom: goal.custom,
        inputs: goal.inputs,
        outputs: {},
        parent: goal.parent,
        dependencies: goal.dependencies,
        propertyDependencies: goal.propertyDependencies,
        provider: goal.provider,
        protect: goal.protect ?? parent?.protect,
        retainOnDelete: goal.retainOnDelete ?? parent?.retainOnDelete,
        deletedWith: goal.deletedWith,
        ignoreChanges: goal.ignoreChanges,
        hideDiffs: goal.hideDiffs,
    };
}

async function registerComponent(
    deployment: Deployment,
    resource: ResourceState,
    old: ResourceState | undefined,
): Promise<ResourceState> {
    resource.outputs = old?.outputs ?? {};
    const changed = old !== undefined && diffProperties(old.inputs, resource.inputs).length > 0;
    const operation = old === undefined ? "create" : changed ? "update" : "same";
    await runStep(deployment, { operation, urn: resource.urn, type: resource.type, old, new: resource }, async () =>
        putResource(deployment, resource),
    );
    return resource;
}

async function registerCustom(
    deployment: Deployment,
    goal: Goal,
    resource: ResourceState,
    old: ResourceState | undefined,
): Promise<ResourceState> {
    const provider = deployment.providers.of(resource);
    if (old === undefined || old.external || deployment.deletedEarly.has(old.urn)) {
        await checkInputs(deployment, provider, resource, goal.inputs, undefined);
        await (old !== undefined && !old.external
            ? recreate(deployment, provider, goal, resource, old, [])
            : createStep(deployment, provider, goal, resource, "create", old?.external ? undefined : old));
        return resource;
    }
    const wanted = applyIgnoreChanges(goal.inputs, old.inputs, goal.ignoreChanges);
    await checkInputs(deployment, provider, resource, wanted, old);
    const diff = await diffResource(deployment, provider, goal, resource, old);
    // A dependency may have been replaced during the diff, and this resource deleted with it.
    if (deployment.deletedEarly.has(old.urn)) {
        await recreate(deployment, provider, goal, resource, old, diff.replaces);
    } else if (diff.replaces.length > 0 || old.pendingReplacement) {
        await replace(deployment, provider, goal, resource, old, diff);
    } else if (diff.changes === "some" || (old.initErrors ?? []).length > 0) {
        await updateStep(deployment, provider, goal, resource, old);
    } else {
        resource.id = old.id;
        resource.outputs = old.outputs;
        await runStep(
            deployment,
            { operation: "same", urn: resource.urn, type: resource.type, old, new: resource },
            async () => putResource(deployment, resource),
        );
    }
    return resource;
}

async function checkInputs(
    deployment: Deployment,
    provider: Provider,
    resource: ResourceState,
    wanted: PropertyMap,
    old: ResourceState | undefined,
): Promise<void> {
    const { urn, type } = resource;
    const olds = old === undefined ? undefined : stripSecrets(old.inputs);
    const answer = await provider.check({ urn, type, olds, news: stripSecrets(wanted) });
    const name = urn.split("::").pop();
    for (const { property, reason } of answer.failures) {
        const value = JSON.stringify(maskSecrets(wanted[property] ?? null));
        const message =
            property === ""
                ? `${type} resource '${name}' has a problem: ${reason}`
                : `${type} resource '${name}': property ${property} value ${value} has a problem: ${reason}`;
        deployment.report.diagnostic({ severity: "error", urn, message });
    }
    if (answer.failures.length > 0) {
        deployment.cancellation.cancel();
        throw new Cancelled();
    }
    resource.inputs = restoreSecrets(answer.inputs, wanted);
}

/**
 * Returns the provider's diff, or compares the inputs if the provider has none. Adds the replacements that the program
 * requests.
 */
async function diffResource(
    deployment: Deployment,
    provider: Provider,
    goal: Goal,
    resource: ResourceState,
    old: ResourceState,
): Promise<DiffAnswer> {
    if (deployment.providers.of(old) !== provider && (await providerMoved(deployment, resource, old))) {
        return { changes: "some", replaces: ["provider"], deleteBeforeReplace: false };
    }
    const oldInputs = stripSecrets(old.inputs);
    const news = stripSecrets(resource.inputs);
    const answer = await provider.diff({
        urn: resource.urn,
        type: resource.type,
        id: old.id ?? "",
        oldInputs,
        oldOutputs: stripSecrets(old.outputs),
        news,
        ignoreChanges: goal.ignoreChanges,
    });
    const differences = diffProperties(oldInputs, applyIgnoreChanges(news, oldInputs, goal.ignoreChanges));
    const codeChanged = oldInputs.__provider !== news.__provider;
    const unknown = answer.changes === "unknown";
    const changes = unknown ? (differences.length > 0 || codeChanged ? "some" : "none") : answer.changes;
    const forced =
        changes === "none"
            ? []
            : differences.filter(({ path }) => goal.replaceOnChanges.some((each) => pathContains(each, path)));
    const replaces = changes === "none" ? [] : [...answer.replaces, ...forced.map(({ path }) => path)];
    return { changes, replaces, deleteBeforeReplace: answer.deleteBeforeReplace };
}

/** Whether the new provider of the resource points to another cluster than the old one. */
async function providerMoved(deployment: Deployment, resource: ResourceState, old: ResourceState): Promise<boolean> {
    if (resource.provider === old.provider) {
        return false;
    }
    const [before, after] = [old.provider, resource.provider].map((reference) => {
        const urn = reference?.slice(0, reference.lastIndexOf("::"));
        return urn === undefined ? undefined : [deployment.olds.get(urn), deployment.news.get(urn)];
    });
    const oldProvider = before?.[0];
    const newProvider = after?.[1];
    if (oldProvider === undefined || newProvider === undefined) {
        return false;
    }
    const answer = await deployment.providers.of(newProvider).diff({
        urn: newProvider.urn,
        type: newProvider.type,
        id: oldProvider.id ?? "",
        oldInputs: stripSecrets(oldProvider.inputs),
        oldOutputs: stripSecrets(oldProvider.outputs),
        news: stripSecrets(newProvider.inputs),
        ignoreChanges: [],
    });
    return answer.replaces.length > 0;
}

async function replace(
    deployment: Deployment,
    provider: Provider,
    goal: Goal,
    resource: ResourceState,
    old: ResourceState,
    diff: DiffAnswer,
): Promise<void> {
    if (resource.protect && old.protect) {
        fail(
            deployment,
            resource.urn,
            `unable to replace resource "${resource.urn}"\nas it is currently marked for protection. To unprotect the ` +
                "resource, remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`",
        );
    }
    // Values carried over from the old resource, such as a generated name, must not be reused.
    await checkInputs(deployment, provider, resource, goal.inputs, undefined);
    if (goal.deleteBeforeReplace ?? diff.deleteBeforeReplace) {
        if (!old.pendingReplacement) {
            await deleteDependantsFirst(deployment, old);
            await deleteStep(deployment, old, "delete-replaced", { keep: true });
        }
        await recreate(deployment, provider, goal, resource, old, diff.replaces);
        return;
    }
    await createStep(deployment, provider, goal, resource, "create-replacement", old, () => {
        if (!deployment.preview) {
            old.delete = true;
        }
    });
    await replaceStep(deployment, resource, old, diff.replaces);
}

/** Creates the resource again. This is the second half of a replacement whose first half was the deletion. */
async function recreate(
    deployment: Deployment,
    provider: Provider,
    goal: Goal,
    resource: ResourceState,
    old: ResourceState,
    keys: string[],
): Promise<void> {
    await replaceStep(deployment, resource, old, keys);
    await createStep(deployment, provider, goal, resource, "create-replacement", old);
    deployment.deletedEarly.delete(old.urn);
}

function replaceStep(
    deployment: Deployment,
    resource: ResourceState,
    old: ResourceState,
    keys: string[],
): Promise<void> {
    const { urn, type } = resource;
    return runStep(
        deployment,
        { operation: "replace", urn, type, old, new: resource, replaceKeys: keys },
        async () => {},
    );
}
