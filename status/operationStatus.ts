import type { LeaseView } from "../provider/cluster/leaseNotes";
import { batchInWords } from "../provider/lifecycle/walks/leftBatch";
import { raisedInWords } from "../provider/lifecycle/walks/leftRaisedLimits";
import { recordInWords } from "../provider/lifecycle/walks/leftSettings";
import { type Component, topology } from "../topology/members";
import { isOverdue } from "../provider/lifecycle/vocabulary/lock";
import type { OperationRecords } from "../provider/lifecycle/vocabulary/observation";
import type { ClusterStatus, MemberStatus, OperationStatus } from "./clusterStatus";
import { counted } from "../provider/lifecycle/vocabulary/counted";

/** What is known of the cluster when its operation is described. */
export type OperatedCluster = Pick<ClusterStatus, "members" | "stores">;

/**
 * Returns the run that holds the cluster's lock; null if none does.
 * @param now in milliseconds since 1970, by the clock of the machine that read the Lease.
 */
export function operationStatus(lease: LeaseView, seen: OperatedCluster, now: number): OperationStatus | null {
    const { holder, operation, acquiredAt, renewedAt } = lease.lock;
    if (holder === undefined) {
        return null;
    }
    return {
        holder,
        step: operation ?? "an operation",
        since: acquiredAt === undefined ? null : new Date(acquiredAt).toISOString(),
        renewedAt: renewedAt === undefined ? null : new Date(renewedAt).toISOString(),
        isOverdue: isOverdue(lease.lock, now),
        // A request that was given to another run, or to one that has ended, does not stop this one.
        stopRequestedBy: lease.stopRequest?.of === holder ? lease.stopRequest.by : null,
        pending: pendingOf(seen, lease.records),
    };
}

/** What is under way or not yet as wanted: stores and members that leave, pods that start. Evictions are listed apart. */
function pendingOf(
    seen: OperatedCluster,
    { removals, raisedLimits, smoothUpgrade, batch, settings = {} }: OperationRecords,
): string[] {
    return [
        ...Object.entries(settings).map(
            ([component, record]) =>
                `settings of ${topology[component as Component].title} are set: ${recordInWords(record)}`,
        ),
        ...(raisedLimits === undefined
            ? []
            : [`raised while leaders of ${raisedLimits.pod} move: ${raisedInWords(raisedLimits)}`]),
        ...(smoothUpgrade === undefined
            ? []
            : [
                  `TiDB is upgraded smoothly from ${smoothUpgrade.from} to ${smoothUpgrade.to}: the DDL statements of users are paused`,
              ]),
        ...(batch === undefined ? [] : [`a batch is ${batchInWords(batch)}`]),
        ...Object.entries(removals).map(([of, { pod }]) => leaving(of, pod, seen)),
        ...seen.members.flatMap(notYetUp),
    ];
}

function leaving(of: string, pod: string, { stores }: OperatedCluster): string {
    const store = stores.known ? stores.value.find(({ id }) => String(id) === of) : undefined;
    if (/^\d+$/.test(of)) {
        const state = store
            ? `${store.state}, ${counted(store.regions, "region")} left`
            : stores.known
              ? "PD no longer lists it"
              : `not known: ${stores.why}`;
        return `store ${of} (${pod}) is being removed: ${state}`;
    }
    return `${of} (${pod}) is being removed from PD`;
}

function notYetUp({ pods, wanted, isSuspended }: MemberStatus): string[] {
    return pods.flatMap(({ name, phase, notReady, trouble }, ordinal) => {
        switch (phase) {
            case "missing":
                return ordinal < wanted && !isSuspended ? [`${name} does not exist`] : [];
            case "stopping":
                return [`${name} is stopping`];
            case "not ready":
                return [`${name} is not Ready${notReady === null ? "" : `: ${notReady}`}`];
            case "ready":
                return trouble.known && trouble.value !== null ? [`${name}: ${trouble.value}`] : [];
        }
    });
}
