import { leaseAnnotations } from "../../../topology/annotations";
import type { Component } from "../../../topology/members";
import { leaseName } from "../../../topology/names";

/** Who operates a cluster: a TidbCluster of a Pulumi program. Noted in the cluster's Lease. */
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

/** The members that the program had when its update last came past the cluster's first gate. Noted in the cluster's Lease. */
export type MemberNotes = Partial<Record<Component, { replicas: number }>>;

/** Name and namespace of a TidbCluster. A part that only the update will know is undefined. */
export interface ClusterNames {
    name?: string;
    namespace?: string;
}

/** What is refused: a field of the manifest, or the object that says so, and the reason with what to do. */
export interface Refusal {
    property: string;
    reason: string;
}

/**
 * @param deployed the names under which the cluster is deployed, each as everybody says who knows it: the stack's state,
 * the Lease as the Kubernetes provider made it.
 * @returns why a cluster is not renamed; undefined where it keeps its names.
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
        "make a second TidbCluster, with another resource name in the program, and move the data: by backup and restore, or by scaling across (the new one joins this one by spec.cluster and is scaled out, then this one is scaled in)";
    return `found ${found}, expected ${expected}, under which the cluster is deployed: all objects would be deleted and made anew, and the stores on its volumes know each other by the old ${field}. Take the change back; or ${moving}`;
}

/** A Lease as far as its owner matters. */
export interface OwnedLease {
    uid: string;
    owner?: ClusterOwner;
}

/**
 * @param leaseUid of the Lease that this stack's Kubernetes provider made; undefined where it made none so far.
 * @param isDeployed whether the stack's state has the cluster already: then another URN is an alias of the earlier one.
 * @returns why the cluster is left to another stack; undefined where it is this one's, or nobody's. One that was deployed
 * before owners were noted is nobody's.
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
        return `the cluster was made by this stack as ${owner.urn}, expected ${wanted.urn}: Pulumi takes it for another one, and would delete the objects of the first. Give the TidbCluster its earlier resource name back, or an alias: { aliases: [{ name: "${resource}" }] }`;
    }
    if (owner.stack !== wanted.stack) {
        return `the cluster belongs to stack ${owner.stack} (${owner.urn}), expected ${wanted.stack} (${wanted.urn}): two programs would take each other's changes back. ${handOver(wanted)}`;
    }
    return leaseUid === uid
        ? undefined
        : `the cluster belongs to stack ${owner.stack} (${owner.urn}), and the state of this stack does not have it: the state was lost, or lies in another backend. Go on with the state that has the cluster. ${handOver(wanted)}`;
}

function handOver({ name, namespace }: ClusterOwner): string {
    return `To hand the cluster over: first make the other stack let go of it (retainOnDelete, or \`pulumi state delete\`), or rename it back if it is this one; then remove the note: kubectl -n ${namespace} annotate lease ${leaseName(name)} ${leaseAnnotations.owner}-`;
}

/** @returns whether two notes say the same. */
export function sameOwner(one: ClusterOwner | undefined, other: ClusterOwner): boolean {
    return (
        one?.stack === other.stack &&
        one.urn === other.urn &&
        one.name === other.name &&
        one.namespace === other.namespace
    );
}
