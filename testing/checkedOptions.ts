import { components } from "../topology/members";
import type { LiveGate } from "./gateState";
import type { TidbMocksOptions } from "./tidbMocksOptions";

const optionNames: readonly string[] = ["live", "newResource", "call"] satisfies (keyof TidbMocksOptions)[];
const findingNames: readonly string[] = ["replicas", "plan"] satisfies (keyof LiveGate)[];

/** The end of a gate's resource name, after the name of its TidbCluster. */
const gateSuffix = new RegExp(`-(cluster|ready|tidb-password|(${components.join("|")})-(scale|rollout))$`);

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
                `tidbMocks: live: found ${JSON.stringify(gate)}, expected the resource name of a gate: the TidbCluster's resource name, then ` +
                    "-cluster, -ready, -tidb-password, or a member with -scale or -rollout, such as -tikv-scale",
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

/**
 * Checks, when the last gate of a TidbCluster is registered, that the cluster has each gate that `live` names for it.
 *
 * @param lastGate The resource name of the ReadyGate, which waits for all others.
 * @param seen The resource names of all gates so far.
 * @throws Error that names a gate that the cluster does not have, and those that it has.
 */
export function checkLiveGates(live: TidbMocksOptions["live"], lastGate: string, seen: ReadonlySet<string>): void {
    const cluster = lastGate.replace(/-ready$/, "");
    const isOfCluster = (name: string): boolean => name.replace(gateSuffix, "") === cluster;
    const missing = Object.keys(live ?? {}).find((name) => isOfCluster(name) && !seen.has(name));
    if (missing !== undefined) {
        const gates = [...seen].filter(isOfCluster).join(", ");
        throw new Error(`tidbMocks: live: ${cluster} has no gate ${JSON.stringify(missing)}; it has ${gates}`);
    }
}
