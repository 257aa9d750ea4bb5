import type { Component } from "../../topology/members";
import { leaseName } from "../../topology/names";
import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import type { LeaseView } from "../cluster/leaseNotes";
import { memberLifecycles } from "../lifecycle/members/memberLifecycles";
import { type Refusal, refuseOwner, refuseRename } from "../lifecycle/vocabulary/ownership";
import { type ClusterProgramInputs, unknownPath } from "./inputs";
import type { GateWorld } from "./gateWorld";
import type { Notice } from "../lifecycle/vocabulary/notices";

type Values = Record<string, unknown>;

/**
 * @returns a refusal that does not depend on the members: a new name or namespace, or a cluster of another stack.
 * The Lease is read even when its UID is not known yet: in a stack's first preview it may belong to another stack.
 * @param warn is told why the Lease could not be read on a first deployment.
 */
export async function refuseBeforeObserving(
    olds: Values,
    program: ClusterProgramInputs,
    world: GateWorld,
    warn: (notice: Notice) => void,
): Promise<Refusal | undefined> {
    const wanted = { name: known(program.cluster), namespace: known(program.namespace) };
    const before = { name: known(olds.cluster), namespace: known(olds.namespace) };
    const made = { name: known(program.deployed?.name), namespace: known(program.deployed?.namespace) };
    const renamed = refuseRename([before, made], wanted);
    if (renamed) {
        return renamed;
    }
    if (!wanted.name || !wanted.namespace || unknownPath([program.access, program.owner]) !== undefined) {
        return undefined;
    }
    const isDeployed = Object.keys(olds).length > 0;
    const lease = await readLeaseOf(program, world, isDeployed, warn);
    const reason = lease && refuseOwner(lease, known(program.leaseUid), program.owner, isDeployed);
    return reason === undefined
        ? undefined
        : { property: `Lease ${wanted.namespace}/${leaseName(wanted.name)}`, reason };
}

/**
 * Reads the Lease. If the cluster cannot be reached, the check that follows reports it and the update fails. That check
 * reads nothing on a first deployment, so in this case the warning is given here.
 */
async function readLeaseOf(
    program: ClusterProgramInputs,
    world: GateWorld,
    isDeployed: boolean,
    warn: (notice: Notice) => void,
): Promise<LeaseView | undefined> {
    try {
        return await (await world.open(program, "check")).lease();
    } catch (error) {
        if (!(error instanceof ClusterAccessError || error instanceof KubernetesApiError)) {
            throw error;
        }
        if (!isDeployed) {
            const lease = `${program.namespace}/${leaseName(program.cluster)}`;
            const unchecked =
                error instanceof KubernetesApiError && error.isOfEveryCall
                    ? "nothing was checked: no namespace, permission, Secret or claim of an earlier cluster, nor"
                    : "could not check";
            const message = `${unchecked} whether another stack owns the cluster (Lease ${lease}): ${error.message}`;
            warn({ code: "owner-not-checked", message });
        }
        return undefined;
    }
}

/** @returns why members that are still in the stack's state may not leave, when the cluster could not be read. */
export function refuseUnverified(olds: Values, program: ClusterProgramInputs, deferred: string): Refusal | undefined {
    const had = (olds.components ?? []) as Component[];
    const left = had.find(
        (component) =>
            !program.components.includes(component) &&
            (program.paused || memberLifecycles[component].leavesProgram === "refused"),
    );
    return deferred === "" || left === undefined
        ? undefined
        : {
              property: fieldOf(left),
              reason: `found none, expected the member to stay: could not check what it still holds (${deferred}), and Pulumi would delete it. Put it back, or make the cluster reachable`,
          };
}

/** @returns why no member may leave a paused cluster. */
export function refuseWhilePaused(leaving: readonly Component[]): Refusal[] {
    return leaving.map((component) => ({
        property: fieldOf(component),
        reason: "found none, expected the member to stay while spec.paused is true: Pulumi would delete it anyway. Put it back, or set spec.paused to false",
    }));
}

function fieldOf(component: Component): string {
    return `spec.${memberLifecycles[component].field ?? component}`;
}

function known(value: unknown): string | undefined {
    return typeof value === "string" && unknownPath(value) === undefined ? value : undefined;
}
