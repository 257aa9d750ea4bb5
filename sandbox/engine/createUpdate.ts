import { type Deployment, type Goal, putResource, runStep } from "./deployment";
import { PartialFailure, type Provider } from "./provider";
import { type ResourceState } from "./state";
import { makeSecret, type PropertyMap, restoreSecrets, stripSecrets } from "./values";

/** Creates a resource. `beforePut` runs after the creation and before the resource is put into the state. */
export async function createStep(
    deployment: Deployment,
    provider: Provider,
    goal: Goal,
    resource: ResourceState,
    operation: "create" | "create-replacement",
    old: ResourceState | undefined,
    beforePut: () => void = () => {},
): Promise<void> {
    const { urn, type } = resource;
    await runStep(deployment, { operation, urn, type, old, new: resource }, async () => {
        const finish = (id: string | undefined, outputs: PropertyMap): void => {
            resource.id = id;
            resource.outputs = secretOutputs(goal, resource, outputs);
            beforePut();
            putResource(deployment, resource);
        };
        try {
            const inputs = stripSecrets(resource.inputs);
            const answer = await provider.create({ urn, type, inputs, preview: deployment.preview });
            finish(answer.id, answer.outputs);
        } catch (error) {
            throw keepPartialFailure(error, resource, finish);
        }
    });
}

/** Updates a resource in place. */
export async function updateStep(
    deployment: Deployment,
    provider: Provider,
    goal: Goal,
    resource: ResourceState,
    old: ResourceState,
): Promise<void> {
    const { urn, type } = resource;
    resource.id = old.id;
    await runStep(deployment, { operation: "update", urn, type, old, new: resource }, async () => {
        const finish = (_: string | undefined, outputs: PropertyMap): void => {
            resource.outputs = secretOutputs(goal, resource, outputs);
            putResource(deployment, resource);
        };
        try {
            const answer = await provider.update({
                urn,
                type,
                id: old.id ?? "",
                oldInputs: stripSecrets(old.inputs),
                oldOutputs: stripSecrets(old.outputs),
                news: stripSecrets(resource.inputs),
                ignoreChanges: goal.ignoreChanges,
                preview: deployment.preview,
            });
            finish(undefined, answer.outputs);
        } catch (error) {
            throw keepPartialFailure(error, resource, finish);
        }
    });
}

function keepPartialFailure(
    error: unknown,
    resource: ResourceState,
    finish: (id: string, outputs: PropertyMap) => void,
): unknown {
    if (error instanceof PartialFailure) {
        resource.initErrors = error.reasons;
        finish(error.id, error.outputs);
    }
    return error;
}

function secretOutputs(goal: Goal, resource: ResourceState, outputs: PropertyMap): PropertyMap {
    const result = restoreSecrets(outputs, resource.inputs);
    for (const key of goal.additionalSecretOutputs) {
        if (result[key] !== undefined) {
            result[key] = makeSecret(result[key]);
        }
    }
    return result;
}
