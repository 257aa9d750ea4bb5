import { firstStep, KubernetesApiError } from "../cluster/apiCall";
import { GateError } from "./gateError";
import type { CommonInputs, Gate, GateDefinition } from "./gateDefinition";
import { journalPlan } from "../lifecycle/journal/planDigest";
import { type GateWorld, liveWorld } from "./gateWorld";
import { type GateFindings, unknownValue } from "./inputs";
import { planGate } from "./planGate";
import { relevantInputsChanged } from "./relevantInputs";
import { assertSameCluster, onItsPd } from "./sameCluster";
import { tell } from "./tellPlan";

/**
 * Creates a gate. A gate is a Pulumi resource that checks the live cluster, plans steps, and carries them out when it is
 * safe. `check` plans, in every preview and update; `create` and `update` carry out the steps.
 * @returns the methods of the gate's dynamic provider.
 */
export function createGate<Program extends CommonInputs>(
    definition: GateDefinition<Program>,
    world: GateWorld = liveWorld,
): Gate {
    return {
        planOf: (olds, news) => planGate(definition, world, olds, news),
        check: async (olds, news, isPreview = false) => {
            const report = await planGate(definition, world, olds, news);
            const found = tell(report, world, { isPreview, isLast: definition.isLast });
            const isKnownLater = isPreview && report.replicasHeld;
            return isKnownLater ? { ...found, inputs: { ...found.inputs, replicas: unknownValue } } : found;
        },
        diff: (_id, olds, news) =>
            Promise.resolve({ changes: (news.plan as string[]).length > 0 || relevantInputsChanged(olds, news) }),
        create: async (inputs) => {
            const after = await carryOut(definition, world, inputs as unknown as Program & GateFindings, true, {});
            const id = `${inputs.namespace as string}/${inputs.cluster as string}`;
            return { id, outs: { ...inputs, ...after } };
        },
        update: async (_id, olds, news) => {
            const after = await carryOut(definition, world, news as unknown as Program & GateFindings, false, olds);
            return { outs: { ...news, ...after } };
        },
    };
}

async function carryOut<Program extends CommonInputs>(
    definition: GateDefinition<Program>,
    world: GateWorld,
    inputs: Program & GateFindings,
    first: boolean,
    olds: Record<string, unknown>,
): Promise<Partial<GateFindings>> {
    // A paused gate keeps the inputs of the last update, which may differ from its outputs.
    if (inputs.paused && definition.notePause === undefined) {
        return {};
    }
    try {
        const ports = { ...onItsPd(await world.open(inputs, "effect")), plan: journalPlan(inputs.plan) };
        assertSameCluster(inputs, await ports.lease());
        if (inputs.paused) {
            await definition.notePause?.(ports);
            return {};
        }
        await definition.effect(inputs, ports, first, olds);
        return definition.replicasAfter ? { replicas: await definition.replicasAfter(inputs, ports) } : {};
    } catch (error) {
        throw error instanceof KubernetesApiError ? withNextStep(error, inputs) : error;
    }
}

/** An error of the API server says what failed; the user must also know that a run can be repeated. */
function withNextStep(error: KubernetesApiError, { namespace, cluster }: CommonInputs): GateError {
    const again = "run `pulumi up` again: it continues from the cluster's current state";
    const first = firstStep(error, "grant the user of the kubeconfig this permission");
    return new GateError(
        {
            code: "api-call-failed",
            step: "api-server",
            target: `${namespace}/${cluster}`,
            seen: error.message,
            next: `${first}, then ${again}`,
        },
        { cause: error },
    );
}
