import type { GatePorts } from "../../../provider/cluster/gatePorts";
import type { GateWorld } from "../../../provider/gates/gateWorld";

/** What the gate of every test gets besides its own inputs: which cluster it is for, and how it is reached. */
export const ofCluster = {
    namespace: "tidb",
    cluster: "basic",
    instance: "basic",
    access: {},
    leaseUid: "lease-1",
    pd: { namespace: "tidb", cluster: "basic", instance: "basic", tls: false },
};

/** @returns a world in which each gate gets these ports. */
export function worldOf(ports: GatePorts): GateWorld {
    return {
        plans: new Map(),
        progress: () => ports.progress,
        tryAccess: () => Promise.resolve(),
        open: () => Promise.resolve(ports),
    };
}
