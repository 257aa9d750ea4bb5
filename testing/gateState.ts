import { isUnknown, runtime } from "@pulumi/pulumi";
import { check } from "../provider/gates/gates";
import { type GateFindings, unknownValue } from "../provider/gates/inputs";

/** What a gate found in a live cluster. */
export interface LiveGate {
    /** Replicas that the gate allows. In a paused cluster these are the last update's. Default: what the program asks for. */
    replicas?: number;
    /** Steps of the plan, in words. Default: none. */
    plan?: string[];
}

type Values = Record<string, unknown>;

/**
 * Returns the state of a gate: its inputs, and what its own `check` finds when there is no cluster yet.
 * @param live the findings in a live cluster, which replace those of a first deployment.
 * @throws Error if the gate refuses its inputs.
 */
export async function gateState(
    { name, inputs }: Pick<runtime.MockResourceArgs, "name" | "inputs">,
    live: Readonly<Record<string, LiveGate>> | undefined,
): Promise<Values> {
    const found = await firstDeployment(plainInputs(inputs) as Values);
    const findings = live ? { ...found, plan: [], deferred: "", ...live[name] } : found;
    return { ...(inputs as Values), ...findings };
}

/**
 * Asks the gate without the Lease's UID and without access, so it reads no cluster, whatever the machine's kubeconfig says. A
 * paused cluster counts as running: a gate refuses to create a paused one, but the user's cluster may be there already.
 */
async function firstDeployment(program: Values): Promise<GateFindings> {
    const withoutCluster = { ...program, access: unknownValue, leaseUid: undefined, paused: undefined };
    const { inputs, failures = [] } = await check({}, withoutCluster);
    if (failures.length > 0) {
        throw new Error(failures.map(({ reason }) => reason).join("\n"));
    }
    const { replicas, plan, deferred, fixed } = inputs as unknown as GateFindings & Values;
    return { replicas, plan, deferred, ...(fixed === undefined ? {} : { fixed }) };
}

/** Returns inputs as a gate gets them: secrets without their wrapper, unknown values as the engine writes them. */
function plainInputs(value: unknown): unknown {
    if (isUnknown(value)) {
        return unknownValue;
    }
    if (runtime.isRpcSecret(value)) {
        return plainInputs(runtime.unwrapRpcSecret(value));
    }
    if (Array.isArray(value)) {
        return value.map(plainInputs);
    }
    return typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainInputs(inner)]))
        : value;
}
