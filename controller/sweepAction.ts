import type { ClusterAccess } from "../provider/cluster/access";
import type { Progress } from "../provider/cluster/gatePorts";
import { ClusterIsOperated } from "../provider/gates/removeLeftovers";
import type { ClusterStatus } from "../status/clusterStatus";
import type { StatusSources } from "../status/statusSources";
import { sweepCluster } from "../sweep/sweepCluster";
import type { ControllerAction } from "./clusterWorker";

/**
 * Removes what killed runs left behind, as `pulumi-tidb sweep --yes` does, once no run works on the cluster: an eviction that
 * nobody ends keeps a store without leaders.
 */
export function sweepAction(access: ClusterAccess, sources: StatusSources, progress: Progress): ControllerAction {
    return {
        kind: "sweep",
        act: async ({ namespace, cluster }, seen, isInterrupted) => {
            if (!mayBeLeft(seen)) {
                return [];
            }
            const order = { removes: true, progress, isInterrupted };
            const swept = await sweepCluster({ namespace, cluster, access }, sources, order).catch(unlessOperated);
            if (swept === undefined) {
                return [];
            }
            const { leftovers, notKnown, failure } = swept;
            if (notKnown.length > 0) {
                throw new Error(`nothing was removed, because not everything is known: ${notKnown.join("; ")}`);
            }
            if (failure !== null && !isInterrupted()) {
                throw new Error(failure);
            }
            return leftovers
                .filter(({ isRemoved }) => isRemoved === true)
                .map(({ target, seen: was }) => `removed what a killed run left behind: ${target}: ${was}`);
        },
    };
}

/** A run that works on the cluster looks after it by itself. */
function unlessOperated(error: unknown): undefined {
    if (!(error instanceof ClusterIsOperated)) {
        throw error;
    }
}

/** Whether a sweep may find anything. A sweep of a cluster that a run works on would be refused. */
function mayBeLeft({ operation, evictions }: ClusterStatus): boolean {
    if (operation !== null) {
        return operation.isOverdue;
    }
    // PD can bring back an eviction that a run has ended.
    return evictions.some(
        ({ record, inForce }) => record !== null && (record.endedAt === null || (inForce.known && inForce.value)),
    );
}
