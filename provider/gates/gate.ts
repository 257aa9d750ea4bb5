import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import { type CheckResult, type CommonInputs, type Gate, type GateDefinition, Unreadable } from "./gateDefinition";
import { type GateWorld, liveWorld } from "./gateWorld";
import { type GateFindings, unknownPath } from "./inputs";
import { relevantInputsChanged } from "./relevantInputs";
import { withhold } from "./paused";
import { ReportedUnreachable } from "./unreachable";
import { assertSameCluster, onItsPd } from "./sameCluster";

const firstDeployment = "this is the first deployment: there is no cluster to ask yet";

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
        check: async (olds, news) => {
            const program = news as unknown as Program;
            const found = await check(definition, world, olds, program);
            if (!program.paused) {
                return found;
            }
            const { withheld, ...paused } = withhold(olds, found);
            if (withheld.length > 0) {
                world.progress(program).warn(`spec.paused is true; withheld: ${withheld.join("; ")}`);
            }
            return paused;
        },
        diff: (_id, olds, news) =>
            Promise.resolve({ changes: (news.plan as string[]).length > 0 || relevantInputsChanged(olds, news) }),
        create: async (inputs) => {
            await carryOut(definition, world, inputs as unknown as Program & GateFindings, true);
            return { id: `${inputs.namespace as string}/${inputs.cluster as string}`, outs: inputs };
        },
        update: async (_id, _olds, news) => {
            await carryOut(definition, world, news as unknown as Program & GateFindings, false);
            return { outs: news };
        },
    };
}

async function check<Program extends CommonInputs>(
    definition: GateDefinition<Program>,
    world: GateWorld,
    olds: Record<string, unknown>,
    program: Program,
): Promise<CheckResult> {
    const news = program as unknown as Record<string, unknown>;
    const found = (findings: Omit<GateFindings, "replicas">): CheckResult => ({
        inputs: { ...news, replicas: definition.replicasOf(program), ...findings },
    });
    if (news.access && unknownPath(news.access) === undefined) {
        const failure = await accessFailure(program, world);
        if (failure) {
            return { ...found({ plan: [], deferred: failure.reason }), failures: [failure] };
        }
    }
    // In a preview, a Kubernetes provider that has not created the Lease yet returns its metadata without a UID.
    const unknown = program.leaseUid ? unknownPath(news) : "leaseUid";
    if (unknown !== undefined) {
        const why = unknown === "leaseUid" ? firstDeployment : `${unknown} is known only during the update`;
        return found({ plan: [], deferred: `deferred: ${why}` });
    }
    const ports = onItsPd(await world.open(program, "check"));
    const notes = definition.notes?.(olds, program) ?? [];
    const noted = (steps: string[]): string[] => [...notes.map(({ words }) => words), ...steps];
    notes.filter(({ isWarning }) => isWarning).forEach(({ words }) => ports.progress.warn(words));
    try {
        const lease = await ports.lease();
        if (!lease && olds.leaseUid !== program.leaseUid) {
            // In a preview, the Kubernetes provider may return the Lease it would create, with a UID that no update keeps.
            return found({ plan: [], deferred: `deferred: ${firstDeployment}` });
        }
        assertSameCluster(program, lease);
        const { plan, refused } = await definition.plan(program, ports);
        // The property stays empty and the reason names the field: Pulumi would look the property up in the gate's inputs
        // and show `<nil>`.
        const failure = refused && { property: "", reason: `${refused.property}: ${refused.reason}` };
        return { ...found({ plan: noted(plan), deferred: "" }), failures: failure ? [failure] : undefined };
    } catch (error) {
        if (!(error instanceof KubernetesApiError || error instanceof Unreadable)) {
            throw error;
        }
        const steps =
            error instanceof Unreadable ? error.steps : (definition.stepsWhenUnreachable?.(error.message) ?? []);
        const isUnchanged = !relevantInputsChanged(olds, { ...news, replicas: definition.replicasOf(program) });
        const notLive = `${error.message}; the plan below is NOT based on the live cluster`;
        if (error instanceof KubernetesApiError && error.status === undefined) {
            // Once for the cluster, whether this gate has changes or not.
            if (!(error instanceof ReportedUnreachable)) {
                ports.progress.warn(`${notLive}. Make it reachable before \`pulumi up\``);
            }
        } else if (isUnchanged && (steps.length === 0 || error instanceof KubernetesApiError)) {
            ports.progress.warn(`${notLive} (this gate's inputs are unchanged)`);
        }
        if (isUnchanged && steps.length === 0) {
            return found({ plan: [], deferred: "" });
        }
        return found({ plan: noted(steps), deferred: `deferred: ${error.message}` });
    }
}

async function accessFailure(
    program: CommonInputs,
    world: GateWorld,
): Promise<{ property: string; reason: string } | undefined> {
    try {
        await world.tryAccess(program.access);
        return undefined;
    } catch (error) {
        if (error instanceof ClusterAccessError) {
            return { property: "access", reason: error.message };
        }
        throw error;
    }
}

async function carryOut<Program extends CommonInputs>(
    definition: GateDefinition<Program>,
    world: GateWorld,
    inputs: Program & GateFindings,
    first: boolean,
): Promise<void> {
    const ports = onItsPd(await world.open(inputs, "effect"));
    assertSameCluster(inputs, await ports.lease());
    await definition.effect(inputs, ports, first);
}
