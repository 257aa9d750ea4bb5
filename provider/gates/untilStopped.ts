import { type Component, topology } from "../../topology/members";
import { memberName } from "../../topology/names";
import { isRefusal } from "../cluster/apiCall";
import type { GatePorts } from "../cluster/gatePorts";
import type { Observation } from "../lifecycle/vocabulary/observation";
import { killedStores, nextStoppedMove, seenStopping, type StoppingPods } from "../lifecycle/walks/stopped";
import type { CommonInputs } from "./gateDefinition";
import { type GateWorld, liveWorld } from "./gateWorld";
import type { GateProgramInputs } from "./inputs";
import { glance } from "./looks";
import { runOperation } from "./loop";
import { noticesOf } from "../lifecycle/vocabulary/notices";

/**
 * Runs after a member's StatefulSet is deleted, in a destroy or because the member leaves the program, and before what the member needs is:
 * Pulumi waits for no pods, and a TiKV that can no longer ask PD does not end by itself.
 * @throws GateError if the run is asked to stop, or Kubernetes cannot be asked.
 */
export async function untilMemberHasStopped(
    _id: string,
    props: Record<string, unknown>,
    world: GateWorld = liveWorld,
): Promise<void> {
    const deleted = props as unknown as CommonInputs & Pick<GateProgramInputs, "component">;
    const { component } = deleted;
    if (topology[component].needs.length === 0) {
        return;
    }
    const ports = await world.open(deleted, "effect");
    const lease = await ports.lease();
    // Another cluster has its name now, whose pods stay.
    if (lease !== undefined && lease.uid !== deleted.leaseUid) {
        return;
    }
    const tellKilled = killedStoresTold(component, ports);
    try {
        await runOperation(
            {
                description: `stop ${memberName(deleted.cluster, component)}`,
                look: glance(component),
                next: (observation, memory) => {
                    tellKilled(observation);
                    return nextStoppedMove(observation, deleted, memory);
                },
            },
            ports,
        );
    } catch (error) {
        if (!isRefusal(error)) {
            throw error;
        }
        const message = `whether the pods of ${memberName(deleted.cluster, component)} have stopped is not known: ${error.message}. What they need is deleted nevertheless`;
        ports.progress.warn({ code: "pods-not-stopped", message });
    }
}

/** @returns what warns, once, of each store of the member that was killed while it led regions. It is given each observation in turn. */
export function killedStoresTold(
    component: Component,
    { progress }: Pick<GatePorts, "progress">,
): (observation: Observation) => void {
    let stopping: StoppingPods = new Map();
    return (observation) => {
        noticesOf("store-killed", ...killedStores(stopping, observation, component)).forEach((one) =>
            progress.warn(one),
        );
        stopping = seenStopping(stopping, observation, component);
    };
}
