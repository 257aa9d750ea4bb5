import type { Component } from "../../topology/members";
import { leaseName } from "../../topology/names";
import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import type { LeaseView } from "../cluster/lease";
import { memberLifecycles } from "../lifecycle/members/members";
import { type Refusal, refuseOwner, refuseRename } from "../lifecycle/vocabulary/ownership";
import { type ClusterProgramInputs, unknownPath } from "./inputs";
import type { GateWorld } from "./gateWorld";

type Values = Record<string, unknown>;

/**
 * @returns what is refused of a cluster whatever its members are: a new name or namespace, and another stack's cluster.
 * The Lease is read also where its UID is not known yet: in the first preview of a stack it may be somebody else's.
 */
export async function refuseBeforeObserving(
    olds: Values,
    program: ClusterProgramInputs,
    world: GateWorld,
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
    const lease = await readLeaseOf(program, world, isDeployed);
    const reason = lease && refuseOwner(lease, known(program.leaseUid), program.owner, isDeployed);
    return reason === undefined
        ? undefined
        : { property: `Lease ${wanted.namespace}/${leaseName(wanted.name)}`, reason };
}

/**
 * A cluster that cannot be reached is told by the check that follows, and the update fails; where the stack's state does
 * not have the cluster, that check asks nobody, and it is told here.
 */
async function readLeaseOf(
    program: ClusterProgramInputs,
    world: GateWorld,
    isDeployed: boolean,
): Promise<LeaseView | undefined> {
    try {
        return await (await world.open(program, "check")).lease();
    } catch (error) {
        if (!(error instanceof ClusterAccessError || error instanceof KubernetesApiError)) {
            throw error;
        }
        if (!isDeployed) {
            const lease = `${program.namespace}/${leaseName(program.cluster)}`;
            world
                .progress(program)
                .warn(`whether another stack has the cluster (Lease ${lease}) was not seen: ${error.message}`);
        }
        return undefined;
    }
}

/** @returns why members may not leave that the stack's state still has, where the cluster could not be looked at. */
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
              reason: `found none, expected the member to stay: what is left of it was not seen (${deferred}), and Pulumi would delete it. Put it back, or make the cluster reachable`,
          };
}

/** @returns why no member leaves a cluster that is paused. */
export function refuseWhilePaused(leaving: readonly Component[]): Refusal[] {
    return leaving.map((component) => ({
        property: fieldOf(component),
        reason: "found none, expected the member to stay while spec.paused is true: Pulumi would delete it all the same. Put it back, or set spec.paused to false",
    }));
}

function fieldOf(component: Component): string {
    return `spec.${memberLifecycles[component].field ?? component}`;
}

function known(value: unknown): string | undefined {
    return typeof value === "string" && unknownPath(value) === undefined ? value : undefined;
}
