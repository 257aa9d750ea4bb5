import type { GatePorts } from "../provider/cluster/gatePorts";
import type { GateWorld } from "../provider/gates/gateWorld";

/**
 * Returns a world whose runs end only for requests to stop that came after they began. A request stays on the Lease, and a process of
 * `pulumi up` counts those that it found when it began. A controller lives on, so each of its runs counts anew.
 */
export function freshStops(world: GateWorld): GateWorld {
    return {
        ...world,
        open: async (inputs, use) => {
            const ports = await world.open(inputs, use);
            const earlier = (await ports.lease())?.stopAsked;
            return earlier === undefined ? ports : without(ports, earlier);
        },
    };
}

function without(ports: GatePorts, earlier: string): GatePorts {
    const unless = (by: string | undefined): string | undefined => (by === earlier ? undefined : by);
    return {
        ...ports,
        lease: async () => {
            const lease = await ports.lease();
            return lease && { ...lease, stopAsked: unless(lease.stopAsked) };
        },
        look: async (options, lag) => {
            const observation = await ports.look(options, lag);
            return { ...observation, stopRequest: unless(observation.stopRequest) };
        },
    };
}
