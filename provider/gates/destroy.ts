import { type Component, components } from "../../topology/members";
import { leaseName } from "../../topology/names";
import { ClusterAccessError } from "../cluster/access";
import { isRefusal, KubernetesApiError, logInAgain } from "../cluster/apiCall";
import { describeKeptClaims, describePausedDdl, lookForDestroy, nextDestroyMove } from "../lifecycle/walks/destroy";
import { type ClusterOwner, sameOwner } from "../lifecycle/vocabulary/ownership";
import type { Problem } from "../lifecycle/vocabulary/move";
import { GateError } from "./gateError";
import { runOperation } from "./loop";
import { takeLastBackup } from "./lastBackup";
import { type LastBackupWorld, liveLastBackups } from "./lastBackupJobs";
import type { GatePorts } from "../cluster/gatePorts";
import type { LeaseView } from "../cluster/leaseNotes";
import { noLook } from "../lifecycle/vocabulary/look";
import { withLock } from "./withLock";
import { assertSameCluster, onItsPd } from "./sameCluster";
import type { CommonInputs } from "./gateDefinition";
import { type GateWorld, liveWorld } from "./gateWorld";

/** What a gate knows when it is deleted: the inputs of its last update. */
type Deleted = CommonInputs & { owner: ClusterOwner };

/**
 * Runs before anything of a cluster is deleted, by `pulumi destroy` or because the program no longer has the cluster.
 * Pulumi deletes the cluster's last gate first, because it depends on everything else. It waits for other runs, ends
 * this package's leader evictions, and records on the claims which version used them: a run that was killed or stopped may
 * have left that to the next one. Before all that, it takes the backup that the program asks for.
 * @throws GateError if the cluster belongs to another stack, cannot be reached, was not backed up, or an eviction cannot be ended.
 */
export async function beforeClusterIsDeleted(
    _id: string,
    props: Record<string, unknown>,
    world: GateWorld = liveWorld,
    backups: LastBackupWorld = liveLastBackups,
): Promise<void> {
    const deleted = props as unknown as Deleted;
    const work = (ports: GatePorts) =>
        withLock(`destroy ${deleted.cluster}`, ports, async (lock) => {
            await takeLastBackup(deleted, ports, lock, backups);
            const lease = await ports.lease();
            if (lease) {
                const { members, kept } = await readMembers(deleted, lease, ports);
                let paused: string | undefined;
                await runOperation(
                    {
                        description: `destroy ${deleted.cluster}`,
                        look: lookForDestroy(lease.records, members),
                        next: (observation, memory) => {
                            paused ??= describePausedDdl(observation);
                            return nextDestroyMove(observation, memory);
                        },
                    },
                    ports,
                );
                if (paused !== undefined) {
                    ports.progress.warn({ code: "ddl-paused", message: paused });
                }
                if (kept !== undefined) {
                    ports.progress.info(kept);
                }
            }
        });
    await onOwnCluster(deleted, world, work, (ports) => takeLastBackup(deleted, ports, undefined, backups));
}

/**
 * Runs before TiKV's StatefulSet is deleted. An earlier destroy may have deleted the last gate and then stopped: its backup is out of date by now, and
 * another one is taken. If the StatefulSet is gone already, because the member is suspended, nothing depends on it.
 */
export async function beforeStoresAreDeleted(
    _id: string,
    props: Record<string, unknown>,
    world: GateWorld = liveWorld,
    backups: LastBackupWorld = liveLastBackups,
): Promise<void> {
    const deleted = props as unknown as CommonInputs;
    if (deleted.onDestroy === undefined) {
        return;
    }
    const ports = await world.open(deleted, "effect");
    const lease = await ports.lease();
    if (lease === undefined) {
        return takeLastBackup(deleted, ports, undefined, backups, true);
    }
    assertSameCluster(deleted, lease);
    await withLock(`destroy ${deleted.cluster}`, ports, (lock) => takeLastBackup(deleted, ports, lock, backups, true));
}

/**
 * @returns the cluster's members, and which volumes stay, those of earlier members too: `kubectl` finds them all by one label. Without
 * the right to read pods and claims, the versions are not recorded.
 */
async function readMembers(
    deleted: Deleted,
    { members }: LeaseView,
    ports: GatePorts,
): Promise<{ members: readonly Component[]; kept?: string }> {
    try {
        const kept = describeKeptClaims(await ports.look({ ...noLook, components }), deleted);
        return { members: components.filter((component) => members === undefined || component in members), kept };
    } catch (error) {
        if (!isRefusal(error)) {
            throw error;
        }
        const message = `the volume claims do not record which version used them last: ${error.message}. A later cluster on them may not notice that it goes back to an earlier version`;
        ports.progress.warn({ code: "record-refused", message });
        return { members: [] };
    }
}

/** Runs last, before the Lease is deleted: removes the owner and the members from the Lease. */
export async function releaseCluster(
    _id: string,
    props: Record<string, unknown>,
    world: GateWorld = liveWorld,
): Promise<void> {
    const deleted = props as unknown as Deleted;
    await onOwnCluster(deleted, world, (ports) =>
        withLock(`release ${deleted.cluster}`, ports, async (lock) => {
            await lock.confirmHeld({ usesPd: false, isAlone: false });
            await lock.noteOwner(undefined);
            await lock.noteMembers(undefined);
        }),
    );
}

/** Runs `work` if the cluster's Lease still exists. Without a Lease no run can be active, and nothing is on record: then it runs `otherwise`. */
async function onOwnCluster(
    deleted: Deleted,
    world: GateWorld,
    work: (ports: GatePorts) => Promise<void>,
    otherwise?: (ports: GatePorts) => Promise<void>,
): Promise<void> {
    let ports: GatePorts;
    let lease;
    try {
        ports = onItsPd(await world.open(deleted, "effect"));
        lease = await ports.lease();
    } catch (error) {
        throw error instanceof ClusterAccessError || error instanceof KubernetesApiError
            ? unreachable(deleted, error)
            : error;
    }
    if (!lease) {
        await otherwise?.(ports);
        return;
    }
    if (lease.owner === undefined) {
        assertSameCluster(deleted, lease);
    } else if (!sameOwner(lease.owner, deleted.owner)) {
        throw foreign(deleted, lease.owner);
    }
    await work(ports);
}

function foreign({ owner, cluster, namespace }: Deleted, other: ClusterOwner): GateError {
    return new GateError({
        code: "owned-elsewhere",
        step: "destroy",
        target: `Lease ${namespace}/${leaseName(cluster)}`,
        seen: `the cluster belongs to stack ${other.stack} (${other.urn}), expected ${owner.stack} (${owner.urn})`,
        next: "nothing is deleted. Remove the TidbCluster from this stack's state with `pulumi state delete --target-dependents`, which leaves the cluster as it is",
    });
}

function unreachable({ owner, cluster, namespace }: Deleted, error: Error): GateError {
    const isLogin = error instanceof KubernetesApiError && error.status === 401;
    const problem: Problem = {
        code: "api-call-failed",
        step: "destroy",
        target: `${namespace}/${cluster}`,
        seen: error.message,
        next: isLogin
            ? `${logInAgain}, and run the command again: it goes on`
            : `make the Kubernetes cluster reachable and run the command again. If the Kubernetes cluster is gone for good, remove the TidbCluster from the state: pulumi state delete --target-dependents '${owner.urn}'`,
    };
    return new GateError(problem, { cause: error });
}
