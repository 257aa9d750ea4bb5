import { Deployment, putResource, removeResource, runStep } from "./deployment";
import { ResourceState } from "./state";
import { deepEqual, restoreSecrets, stripSecrets } from "./values";

/** Asks every provider what has become of its resources, and takes it into the state. */
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
    const step = { operation: "refresh" as const, urn, type, old, new: old as ResourceState | undefined };
    await runStep(deployment, step, async () => {
        if (!old.custom || type.startsWith("pulumi:")) {
            return;
        }
        const answer = await deployment.providers.of(old).read({
            urn,
            type,
            id: old.id ?? "",
            inputs: stripSecrets(old.inputs),
            outputs: stripSecrets(old.outputs),
        });
        if (answer === undefined) {
            step.new = undefined;
            removeResource(deployment, old);
        } else {
            step.new = {
                ...old,
                id: answer.id,
                inputs: restoreSecrets(answer.inputs, old.inputs),
                outputs: restoreSecrets(answer.outputs, old.outputs),
            };
            putResource(deployment, step.new);
        }
    });
    const result = step.new === undefined ? "delete" : deepEqual(old.outputs, step.new.outputs) ? "same" : "update";
    deployment.changes[result] = (deployment.changes[result] ?? 0) + 1;
    delete deployment.changes.refresh;
}
