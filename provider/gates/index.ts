import { clusterGate } from "./clusterGate";
import { passwordGate } from "./passwordGate";
import { readyGate } from "./readyGate";
import { rolloutGate } from "./rolloutGate";
import { scaleGate } from "./scaleGate";
import { suspendGate } from "./suspendGate";
import type { CheckResult, Gate } from "./gateDefinition";

/** The gates, by the input `gate` that each resource carries. */
const gates: Record<string, Gate> = {
    cluster: clusterGate,
    scale: scaleGate,
    rollout: rolloutGate,
    suspend: suspendGate,
    password: passwordGate,
    ready: readyGate,
};

type Values = Record<string, unknown>;

function gateOf(values: Values): Gate {
    const gate = gates[String(values.gate)];
    if (!gate) {
        throw new Error(
            `unknown gate ${JSON.stringify(values.gate)}: expected one of ${Object.keys(gates).join(", ")}. The stack was written by another version of pulumi-tidb than the one installed`,
        );
    }
    return gate;
}

/** Reads the live cluster and puts the plan into the inputs. Called by the shim in `components/gates.ts`. */
export function check(olds: Values, news: Values): Promise<CheckResult> {
    return gateOf(news).check(olds, news);
}

/** Tells whether there is a step to take or another aim than before. */
export function diff(id: string, olds: Values, news: Values): Promise<{ changes: boolean }> {
    return gateOf(news).diff(id, olds, news);
}

/** Carries out the steps of a first deployment. */
export function create(inputs: Values): Promise<{ id: string; outs: Values }> {
    return gateOf(inputs).create(inputs);
}

/** Carries out the steps of an update. */
export function update(id: string, olds: Values, news: Values): Promise<{ outs: Values }> {
    return gateOf(news).update(id, olds, news);
}

/** What comes before a gate's cluster is deleted. Gates of single members have nothing to do: the cluster's gate did it. */
export async function delete_(id: string, props: Values): Promise<void> {
    await gateOf(props).delete?.(id, props);
}
