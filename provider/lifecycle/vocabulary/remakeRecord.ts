import type { Component } from "../../../topology/members";
import type { ObservedStatefulSet } from "./observedMember";

/** A StatefulSet as it is to be created again. Kept in the cluster's Lease from before it is deleted until it is there again. */
export interface RemakeRecord {
    readonly component: Component;
    /** Of the one that is deleted. */
    readonly uid: string;
    /** How the new one is observed. */
    readonly becomes: Omit<ObservedStatefulSet, "manifest">;
    /** The object to create. */
    readonly manifest: StatefulSetManifest;
}

/** A StatefulSet as the API server has it, as far as decisions look into it. */
export interface StatefulSetManifest {
    readonly spec: { readonly volumeClaimTemplates?: readonly ClaimTemplate[] };
}

/** A claim template of a StatefulSet. */
export interface ClaimTemplate {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly resources: { readonly requests: { readonly storage: string } } };
}
