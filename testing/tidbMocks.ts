import * as pulumi from "@pulumi/pulumi";
import { gateTypes } from "../topology/gates";
import { checkLiveGates, checkOptions, type Registered } from "./checkedOptions";
import { gateState } from "./gateState";
import { objectState } from "./objectState";
import type { TidbMocksOptions } from "./tidbMocksOptions";

/** Types of the gates, without that of a record, which plans nothing. */
const types = Object.values(gateTypes).filter((type) => type !== gateTypes.record);

/**
 * Returns mocks for `pulumi.runtime.setMocks`. Under them each gate of a TidbCluster says what it says in a first deployment,
 * without a cluster: `replicas` is the number in the program, `plan` is empty, and `deferred` gives the reason. The
 * StatefulSets therefore have their replicas.
 *
 * @throws Error if an option is not known; in the program, if a gate refuses its inputs, for example the Lease of another cluster, or if
 * `live` names a gate that does not exist. The outputs of the gate are then rejected, which `valueOf` shows.
 */
export function tidbMocks(options: TidbMocksOptions = {}): pulumi.runtime.Mocks {
    checkOptions(options);
    const { live } = options;
    const seen: Registered = { gates: new Set(), clusters: new Set() };
    const { newResource = objectResource, call = ({ inputs }) => inputs as Record<string, unknown> } = options;
    return {
        call,
        newResource: async (args) => {
            if (args.type === "tidb:index:TidbCluster") {
                seen.clusters.add(args.name);
            }
            if (!types.includes(args.type)) {
                return newResource(args);
            }
            seen.gates.add(args.name);
            if (args.type === gateTypes.ready) {
                checkLiveGates(live, args.name, seen);
            }
            return { id: newId(args.name), state: await gateState(args, live) };
        },
    };
}

function objectResource({ type, name, inputs }: pulumi.runtime.MockResourceArgs): pulumi.runtime.MockResourceResult {
    return { id: newId(name), state: objectState(type, name, inputs as Record<string, unknown>) };
}

/** Returns an id, which a preview does not know yet. */
function newId(name: string): string | undefined {
    return pulumi.runtime.isDryRun() ? undefined : `${name}-id`;
}
