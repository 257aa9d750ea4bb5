import { type Deployment, putResource, removeResource, runStep } from "./deployment";
import { type Operation, type Step } from "./events";
import { type ResourceState } from "./state";
import { deepEqual, restoreSecrets, stripSecrets } from "./values";

/** Reads all resources from their providers and writes the result to the state. */
export async function refreshAll(deployment: Deployment): Promise<void> {
    const resources = deployment.state.resources.filter((resource) => !resource.delete);
    const results = await Promise.allSettled(resources.map((resource) => refreshStep(deployment, resource)));
    const failure = results.find((result) => result.status === "rejected");
    if (failure !== undefined) {
        throw failure.reason;
    }
}

async function refreshStep(deployment: Deployment, old: ResourceState): Promise<void> {
    const { urn, type } = old;
    const step: Step = { operation: "refresh", urn, type, old, new: old };
    let result: Operation = "same";
    await runStep(deployment, step, async () => {
        if (!old.custom || type.startsWith("pulumi:")) {
            return;
        }
        const provider = deployment.providers.of(old);
        const [inputs, outputs] = [stripSecrets(old.inputs), stripSecrets(old.outputs)];
        const answer = await provider.read({ urn, type, id: old.id ?? "", inputs, outputs });
        if (answer === undefined) {
            step.new = undefined;
            result = "delete";
            removeResource(deployment, old);
            return;
        }
        const { id } = answer;
        // As in Pulumi, the changes are what the next `up` would do to the resource.
        const { changes } = await provider.diff({
            urn,
            type,
            id,
            oldInputs: stripSecrets(answer.inputs),
            oldOutputs: stripSecrets(answer.outputs),
            news: inputs,
            ignoreChanges: old.ignoreChanges ?? [],
        });
        const changed = changes === "unknown" ? !deepEqual(answer.inputs, inputs) : changes === "some";
        result = changed ? "update" : "same";
        step.new = {
            ...old,
            id,
            inputs: restoreSecrets(answer.inputs, old.inputs),
            outputs: restoreSecrets(answer.outputs, old.outputs),
        };
        putResource(deployment, step.new);
    });
    deployment.changes[result] = (deployment.changes[result] ?? 0) + 1;
    delete deployment.changes.refresh;
}
