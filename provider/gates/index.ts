import { clusterGate } from "./clusterGate";
import { passwordGate } from "./passwordGate";
import { readyGate } from "./readyGate";
import { rolloutGate } from "./rolloutGate";
import { scaleGate } from "./scaleGate";
import { suspendGate } from "./suspendGate";
import type { CheckResult, Gate, GateReport } from "./gateDefinition";

/** The gates, by the input `gate` that each resource carries. See `createGate` for what a gate is. */
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
            `unknown gate ${JSON.stringify(values.gate)}: expected one of ${Object.keys(gates).join(", ")}. Another version of pulumi-tidb than the installed one wrote this stack's state`,
        );
    }
    return gate;
}

/** Plans as `check` does, and returns the plan as data. Nothing is reported to Pulumi, so it also works outside of it. */
export function planOf(olds: Values, news: Values): Promise<GateReport> {
    return gateOf(news).planOf(olds, news);
}

/**
 * Reads the live cluster and adds the plan to the inputs. Called by the shim in `components/gates.ts`. It takes the input
 * `isPreview` out: that is only for this call, and would differ between each preview and its update.
 */
export function check(olds: Values, { isPreview, ...news }: Values): Promise<CheckResult> {
    return gateOf(news).check(olds, news, isPreview === true);
}

/** Reports a change if the plan has a step or the relevant inputs differ. */
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

/** Runs before a gate's cluster is deleted. Gates of single members do nothing: the cluster's gates do the work. */
export async function delete_(id: string, props: Values): Promise<void> {
    await gateOf(props).delete?.(id, props);
}
