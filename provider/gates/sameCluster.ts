import { leaseName } from "../../topology/names";
import type { LeaseView } from "../cluster/leaseNotes";
import type { GatePorts } from "../cluster/gatePorts";
import { wrongPd } from "../lifecycle/stages/pdIdentity";
import type { CommonInputs } from "./gateDefinition";
import { GateError } from "./gateError";

/** The gates and the Kubernetes provider reach two clusters, or the cluster's Lease is gone. */
export class OtherClusterError extends Error {
    override readonly name = "OtherClusterError";
}

/** Checks that the gate finds the Lease that the Kubernetes provider created: both then reach the same cluster. */
export function assertSameCluster(inputs: CommonInputs, lease: LeaseView | undefined): void {
    const name = `Lease ${inputs.namespace}/${leaseName(inputs.cluster)}`;
    const how = "pass the same `kubeconfig` and `context` to the Kubernetes provider and to TidbCluster";
    if (!lease) {
        throw new OtherClusterError(
            `${name} is not in the Kubernetes cluster that the gates reach, though the Kubernetes provider created it (uid ${inputs.leaseUid}). Either the two reach different clusters: ${how}; or the Lease was deleted: run \`pulumi refresh\``,
        );
    }
    if (lease.uid !== inputs.leaseUid) {
        throw new OtherClusterError(
            `${name} has uid ${lease.uid} in the Kubernetes cluster that the gates reach, but the Kubernetes provider created it with uid ${inputs.leaseUid}: these are two clusters. Nothing is done; ${how}. If someone recreated the Lease, run \`pulumi refresh\``,
        );
    }
}

/** @returns ports that fail if an observation is of another PD than the cluster's: no plan or step may rely on it. */
export function onItsPd(ports: GatePorts): GatePorts {
    return {
        ...ports,
        look: async (options, ...rest) => {
            const observation = await ports.look(options, ...rest);
            const problem = wrongPd(observation);
            if (problem) {
                throw new GateError(problem);
            }
            return observation;
        },
    };
}
