import type { Component } from "../../../topology/members";
import type { ObservedStatefulSet } from "./observedMember";
import type { StatefulSetManifest } from "./statefulSetManifest";

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
