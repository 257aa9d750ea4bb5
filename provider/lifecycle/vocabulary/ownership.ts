import { leaseAnnotations } from "../../../topology/annotations";
import type { Component } from "../../../topology/members";
import { leaseName } from "../../../topology/names";
import type { DrainMode } from "./drain";
import type { FailoverPolicy } from "./failoverPolicy";
import type { ProblemCode } from "./problemCodes";
import type { GatePolicy } from "./target";
import type { GrowthPolicy } from "./volumeGrowth";

/** The owner of a cluster: a TidbCluster in a Pulumi program. Recorded in the cluster's Lease. */
export interface ClusterOwner {
    /** `<organization>/<project>/<stack>`. */
    stack: string;
    /** URN of the TidbCluster. */
    urn: string;
    /** The TidbCluster's `metadata.name`. */
    name: string;
    /** The TidbCluster's `metadata.namespace`. */
    namespace: string;
}

/** What the Lease says of one member. */
export interface MemberNote {
    /** Replicas that the program asks for, also while the member is suspended. */
    replicas: number;
    /** Whether the program suspends it. Default: it does not, or an earlier version of this package made the note. */
    suspended?: true;
    /**
     * Whether it has left the program: its StatefulSet is there until Pulumi deletes it at the end of the update, and this note until the
     * next change of the cluster. Default: it has not, or an earlier version of this package made the note.
     */
    hasLeft?: true;
    /** How the controller replaces its dead without the program. Default: it does not. */
    unattended?: UnattendedFailover;
}

/** What the controller knows of a member's failover, of its pods on nodes that are being emptied, and of the growth of its volumes. */
export interface UnattendedFailover {
    readonly failover: FailoverPolicy;
    readonly policy: GatePolicy;
    /** `operations.drain`. Default: `move`, also where an earlier version of this package made the note. */
    readonly drain?: DrainMode;
    /** `operations.volumes`, for a member with stores. Default: their volumes do not grow by themselves. */
    readonly growth?: GrowthPolicy;
}

/** The members whose dead the controller may replace. */
export type UnattendedFailovers = Partial<Record<Component, UnattendedFailover>>;

/** The members that the program had when an update last passed the cluster's first gate, and those that left it then. Recorded in the cluster's Lease. */
export type MemberNotes = Partial<Record<Component, MemberNote>>;

/** Name and namespace of a TidbCluster. A part that is known only during the update is undefined. */
export interface ClusterNames {
    name?: string;
    namespace?: string;
}

/** A refused change. */
export interface Refusal {
    /** The field of the manifest, or the object that caused the refusal. Empty if it is about none. */
    property: string;
    /** Why it is refused and what to do. */
    reason: string;
    /** Code of the failure with which an update would end. Default: no update gets that far. */
    code?: ProblemCode;
}

/** Returns refusals in words, one per line, each with its field in front. */
export function describeRefusals(refusals: readonly Refusal[]): string {
    return refusals.map(({ property, reason }) => (property === "" ? reason : `${property}: ${reason}`)).join("\n");
}

/**
 * @param deployed the names under which the cluster is deployed, from each source that knows them: the stack's state, and
 * the Lease as created by the Kubernetes provider.
 * @returns why the rename is refused; undefined if the cluster keeps its names.
 */
export function refuseRename(deployed: readonly ClusterNames[], wanted: ClusterNames): Refusal | undefined {
    for (const field of ["name", "namespace"] as const) {
        const found = wanted[field];
        const expected = deployed.map((names) => names[field]).find((name) => name !== undefined && name !== found);
        if (found !== undefined && expected !== undefined) {
            return { property: `metadata.${field}`, reason: renamed(field, found, expected) };
        }
    }
    return undefined;
}

function renamed(field: string, found: string, expected: string): string {
    const moving =
        "create a second TidbCluster with another resource name in the program and move the data, either by backup and restore or by scaling across (the new cluster joins this one through spec.cluster and is scaled out, then this one is scaled in)";
    return `found ${found}, expected ${expected}, the ${field} under which the cluster is deployed: a rename would delete and recreate all objects, and the stores on the volumes know each other by the old ${field}. Revert the change, or ${moving}`;
}

/** The owner recorded in a Lease. */
export interface OwnedLease {
    uid: string;
    owner?: ClusterOwner;
}

/**
 * @param leaseUid the UID of the Lease that this stack's Kubernetes provider created; undefined if it has created none yet.
 * @param isDeployed whether the stack's state already has the cluster. If so, a different URN is an alias of the earlier one.
 * @returns why this stack must not operate the cluster; undefined if the cluster belongs to this stack or has no owner.
 * A cluster that was deployed before owners were recorded has no owner.
 */
export function refuseOwner(
    { uid, owner }: OwnedLease,
    leaseUid: string | undefined,
    wanted: ClusterOwner,
    isDeployed: boolean,
): string | undefined {
    if (owner === undefined || (owner.stack === wanted.stack && isDeployed)) {
        return undefined;
    }
    if (owner.stack === wanted.stack && owner.urn !== wanted.urn) {
        const resource = owner.urn.split("::").at(-1);
        return `this stack created the cluster as ${owner.urn}, expected ${wanted.urn}: Pulumi treats it as a different resource and would delete the objects of the first one. Give the TidbCluster its earlier resource name back, or add an alias: { aliases: [{ name: "${resource}" }] }`;
    }
    if (owner.stack !== wanted.stack) {
        return `the cluster belongs to stack ${owner.stack} (${owner.urn}), expected ${wanted.stack} (${wanted.urn}): two programs would revert each other's changes. ${handOver(wanted)}`;
    }
    return leaseUid === uid
        ? undefined
        : `the cluster belongs to stack ${owner.stack} (${owner.urn}), but this stack's state does not contain it: the state was lost or is in another backend. Use the state that contains the cluster. ${handOver(wanted)}`;
}

function handOver({ name, namespace }: ClusterOwner): string {
    return `To hand the cluster over, first release it from the other stack (retainOnDelete, or \`pulumi state delete\`), or, if it is the same stack under another name, rename that back; then remove the owner record: kubectl -n ${namespace} annotate lease ${leaseName(name)} ${leaseAnnotations.owner}-`;
}

/** @returns whether both records name the same owner. */
export function sameOwner(one: ClusterOwner | undefined, other: ClusterOwner): boolean {
    return (
        one?.stack === other.stack &&
        one.urn === other.urn &&
        one.name === other.name &&
        one.namespace === other.namespace
    );
}
