import { possibleGates } from "../topology/gates";
import { components } from "../topology/members";
import type { LiveGate } from "./gateState";
import type { TidbMocksOptions } from "./tidbMocksOptions";

const optionNames: readonly string[] = ["live", "newResource", "call"] satisfies (keyof TidbMocksOptions)[];
const findingNames: readonly string[] = ["replicas", "plan"] satisfies (keyof LiveGate)[];

/** The ends of the gates' resource names, after the name of their TidbCluster. */
const gateSuffixes = possibleGates(components).map(({ name }) => `-${name}`);

const gateSuffix = new RegExp(`(${gateSuffixes.join("|")})$`);

/**
 * Checks the options of `tidbMocks`, which a test in plain JavaScript could misspell.
 *
 * @throws Error that names the option, gate or finding that does not exist.
 */
export function checkOptions(options: TidbMocksOptions): void {
    refuseUnknown("", options, optionNames);
    for (const [gate, findings] of Object.entries(options.live ?? {})) {
        if (!gateSuffix.test(gate)) {
            throw new Error(
                `tidbMocks: live: found ${JSON.stringify(gate)}, expected the resource name of a gate: the TidbCluster's resource name, then one of ${gateSuffixes.join(", ")}`,
            );
        }
        refuseUnknown(`live[${JSON.stringify(gate)}].`, findings, findingNames);
    }
}

function refuseUnknown(where: string, given: object, known: readonly string[]): void {
    const unknown = Object.keys(given).find((name) => !known.includes(name));
    if (unknown !== undefined) {
        throw new Error(`tidbMocks: ${where}${unknown} is not a known field; expected ${known.join(", ")}`);
    }
}

/** What a program has registered so far: resource names of its gates and of its TidbClusters. */
export interface Registered {
    readonly gates: Set<string>;
    readonly clusters: Set<string>;
}

/**
 * Checks, when the last gate of a TidbCluster is registered, that each gate that `live` names exists. A program registers all
 * of its TidbClusters before the last gate of any of them. So once each cluster has its last gate, every name must be a gate's.
 *
 * @param lastGate The resource name of the ReadyGate, which waits for all others.
 * @throws Error that names a gate that does not exist, and those that exist.
 */
export function checkLiveGates(live: TidbMocksOptions["live"], lastGate: string, seen: Registered): void {
    const cluster = clusterOf(lastGate);
    const missing = Object.keys(live ?? {}).filter((name) => !seen.gates.has(name));
    const gatesOf = (one: string): string => [...seen.gates].filter((name) => clusterOf(name) === one).join(", ");
    const own = missing.find((name) => clusterOf(name) === cluster);
    if (own !== undefined) {
        const found = JSON.stringify(own);
        throw new Error(`tidbMocks: live: ${cluster} has no gate ${found}; it has ${gatesOf(cluster)}`);
    }
    const isComplete = [...seen.clusters].every((one) => seen.gates.has(`${one}-ready`));
    const [stray] = missing.filter((name) => !seen.clusters.has(clusterOf(name)));
    if (isComplete && stray !== undefined) {
        const clusters = [cluster, ...[...seen.clusters].filter((one) => one !== cluster)];
        throw new Error(
            `tidbMocks: live: ${JSON.stringify(stray)} is not a gate of this program; ${clusters
                .map((one) => `${one} has ${gatesOf(one)}`)
                .join("; ")}`,
        );
    }
}

function clusterOf(gate: string): string {
    return gate.replace(gateSuffix, "");
}
