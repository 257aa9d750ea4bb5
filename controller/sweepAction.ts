import type { ClusterAccess } from "../provider/cluster/access";
import { isClusterBusy } from "../provider/gates/removeLeftovers";
import type { ClusterStatus } from "../status/clusterStatus";
import type { StatusSources } from "../status/statusSources";
import { sweepCluster } from "../sweep/sweepCluster";
import type { ControllerAction } from "./clusterWorker";
import type { UnattendedTelling } from "./unattendedAction";

/**
 * Removes what killed runs left behind, as `pulumi-tidb sweep --yes` does, once no run works on the cluster: an eviction that
 * nobody ends keeps a store without leaders.
 */
export function sweepAction(
    access: ClusterAccess,
    sources: StatusSources,
    { progressOf }: Pick<UnattendedTelling, "progressOf">,
): ControllerAction {
    return {
        kind: "sweep",
        act: async (name, seen, isInterrupted) => {
            if (!mayBeLeft(seen)) {
                return [];
            }
            const told = progressOf(name, "sweep");
            // What was removed is told once it is seen to be gone.
            const progress = { ...told, info: told.status };
            const order = { removes: true, progress, isInterrupted };
            const swept = await sweepCluster({ ...name, access }, sources, order).catch(unlessOperated);
            if (swept === undefined) {
                return [];
            }
            const { leftovers, notKnown, failure } = swept;
            const removed = leftovers
                .filter(({ isRemoved }) => isRemoved === true)
                .map(({ target, seen: was }) => `removed what a killed run left behind: ${target}: ${was}`);
            removed.forEach((line) => told.info(line));
            if (notKnown.length > 0) {
                throw new Error(`nothing was removed, because not everything is known: ${notKnown.join("; ")}`);
            }
            if (failure !== null && !isInterrupted()) {
                throw new Error(failure);
            }
            return removed;
        },
    };
}

/** A run that works on the cluster looks after it by itself. */
function unlessOperated(error: unknown): undefined {
    if (!isClusterBusy(error)) {
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
