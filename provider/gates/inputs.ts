import type { Component } from "../../topology/members";
import type { ClusterAccess } from "../cluster/access";
import type { PdAccess } from "../cluster/pdAccess";
import type { ConfigDigests } from "../lifecycle/configEffects/configChange";
import type { FixedFields } from "../lifecycle/vocabulary/fixedFields";
import type { Unused } from "../lifecycle/walks/mayLeave";
import type { ClusterNames, ClusterOwner } from "../lifecycle/vocabulary/ownership";
import type { GatePolicy } from "../lifecycle/vocabulary/target";

/** What a gate is told by the program. Plain data: it becomes the resource's inputs. */
export interface GateProgramInputs {
    namespace: string;
    cluster: string;
    /** Value of `app.kubernetes.io/instance` on the cluster's objects: its name, unless its own label says otherwise. */
    instance: string;
    access: ClusterAccess;
    /** UID of the cluster's Lease, which the Kubernetes provider made: proof that both see the same cluster. */
    leaseUid: string;
    pd: PdAccess;
    /**
     * Domain behind the host names of this cluster's pods (`spec.clusterDomain`). With namespace and name it tells its
     * stores and members from those of another Kubernetes cluster. Default: none.
     */
    domain?: string;
    component: Component;
    /** Replicas that the spec asks for. */
    desiredReplicas: number;
    /** Digest of the rendered pod template. Only a RolloutGate is told: a ScaleGate does not care. */
    templateRevision?: string;
    /**
     * `templateRevision` of PD, where it is of the same cluster: whether PD is restarted in the same update. Only the
     * RolloutGate of a member is told for which that matters, and what it says in its plan.
     */
    pdTemplateRevision?: string;
    /** Version that the pods shall run. Only the RolloutGate of a member is told for which that matters. */
    version?: string;
    /** The configuration, each value as a digest. Only a RolloutGate is told, which says when a changed key takes effect. */
    config?: ConfigDigests;
    policy: GatePolicy;
    /** What of the StatefulSet Kubernetes lets nobody change. A difference from the live one is refused. */
    fixed: FixedFields;
    /** Whether the cluster is paused (`spec.paused`): nothing is done. Default: false. */
    paused?: boolean;
    /** Which gate it is. */
    gate: string;
    /** The gate's own URN, for status on its line in Pulumi's display. */
    statusUrn: string;
}

/** What `check` adds: it is shown in the preview, and known to what comes after the gate. */
export interface GateFindings {
    /** Replicas that the StatefulSet is given. */
    replicas: number;
    /** The steps, in words, in order. Empty when nothing is to be done. */
    plan: string[];
    /** Why there is no exact plan, where there is none; empty where there is. */
    deferred: string;
}

/** What is waited for at the end: the members of a cluster and how many of each there shall be. */
export interface ReadyProgramInputs extends Omit<
    GateProgramInputs,
    "component" | "desiredReplicas" | "templateRevision" | "version" | "config" | "policy" | "fixed"
> {
    members: { component: Component; replicas: number; policy: GatePolicy }[];
    /** Who the cluster belongs to: nobody else's is destroyed. */
    owner: ClusterOwner;
}

/** What the first gate of a cluster is told: whose it is, and which members it has. */
export interface ClusterProgramInputs extends Omit<
    GateProgramInputs,
    "component" | "desiredReplicas" | "templateRevision" | "version" | "config" | "fixed"
> {
    owner: ClusterOwner;
    /** Name and namespace of the Lease, as the Kubernetes provider made it: those of the first deployment. */
    deployed: ClusterNames;
    /** The members that the program has, suspended ones too. Known in every preview. */
    components: Component[];
    /** Replicas of each. */
    memberReplicas: Partial<Record<Component, number>>;
    /** Members that the program has and another one is told not to use. */
    unused: Partial<Record<Component, Unused>>;
}

/** What a gate is told that suspends a member. */
export type SuspendProgramInputs = Omit<
    GateProgramInputs,
    "desiredReplicas" | "templateRevision" | "version" | "config" | "fixed"
>;

/** What a gate is told that gives root a password. */
export interface PasswordProgramInputs extends Omit<
    GateProgramInputs,
    "component" | "desiredReplicas" | "templateRevision" | "version" | "config" | "fixed"
> {
    /** Whether TiDB shall have a server. Without one there is nothing to do yet. */
    hasServers: boolean;
}

/** Stands for a value that is not known yet, in what a provider is given in a preview. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** @returns the first path of `value` that holds an unknown. */
export function unknownPath(value: unknown, path = ""): string | undefined {
    if (value === unknownValue) {
        return path || "value";
    }
    if (typeof value !== "object" || value === null) {
        return undefined;
    }
    for (const [key, inner] of Object.entries(value)) {
        const found = unknownPath(inner, path ? `${path}.${key}` : key);
        if (found !== undefined) {
            return found;
        }
    }
    return undefined;
}
