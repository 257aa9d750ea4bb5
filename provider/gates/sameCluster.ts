import { leaseName } from "../../topology/names";
import type { LeaseView } from "../cluster/lease";
import type { GatePorts } from "../cluster/ports";
import { wrongPd } from "../lifecycle/stages/pdIdentity";
import type { CommonInputs } from "./gateDefinition";
import { GateError } from "./gateError";

/** A gate acts on no other cluster than the Kubernetes provider, and on no other PD than the cluster's. */

/** The Kubernetes provider and the gate must see the same cluster: it made the Lease, the gate finds it. */
export function assertSameCluster(inputs: CommonInputs, lease: LeaseView | undefined): void {
    const name = `Lease ${inputs.namespace}/${leaseName(inputs.cluster)}`;
    const how = "pass the same `kubeconfig` and `context` to the Kubernetes provider and to TidbCluster";
    if (!lease) {
        throw new Error(
            `${name} is not in the cluster that \`access\` leads to, though the Kubernetes provider made it (uid ${inputs.leaseUid}). Either the two reach different clusters: ${how}; or it was deleted: run \`pulumi refresh\``,
        );
    }
    if (lease.uid !== inputs.leaseUid) {
        throw new Error(
            `${name} has uid ${lease.uid} in the cluster that \`access\` leads to, but the Kubernetes provider made one with uid ${inputs.leaseUid}: these are two clusters. Nothing is done; ${how}. If somebody made the Lease anew, run \`pulumi refresh\``,
        );
    }
}

/** @returns ports that show nothing of another PD than the cluster's: no plan and no step may be made from that. */
export function onItsPd(ports: GatePorts): GatePorts {
    return {
        ...ports,
        look: async (options) => {
            const observation = await ports.look(options);
            const problem = wrongPd(observation);
            if (problem) {
                throw new GateError(problem);
            }
            return observation;
        },
    };
}
