import type { Component } from "../../../topology/members";

/** A dead store, member or server whose replacement was decided. Kept in the cluster's Lease until the replacement is removed again. */
export interface FailureRecord {
    /** UID of its pod. */
    podUid: string;
    /** Its claims, which are deleted only by these UIDs. */
    claims: readonly { readonly name: string; readonly uid: string }[];
    storeId?: number;
    /** Of a PD member: its name, and its id in decimal digits. */
    member?: { readonly name: string; readonly id: string };
    /** The pod that comes in addition. */
    replacedBy: string;
    /** When it was decided, by the clock of the machine that decided it. For people only; no decision uses it. */
    at: number;
    /** Whether the StatefulSet has one more replica for it. Of a PD member: only once it is out of PD, and its pod and claims are deleted. */
    counts?: true;
}

/** The failures of one member, by pod. `uid` names them for `failover.recoverByUID`. */
export interface FailoverRecord {
    uid: string;
    failures: Readonly<Record<string, FailureRecord>>;
}

/** A pod whose volumes were given up, because the node with their disks is gone. Kept in the cluster's Lease until the pod may start empty. */
export interface LostVolumes extends Omit<FailureRecord, "replacedBy" | "counts" | "claims"> {
    readonly component: Component;
    /** Its claims, which are deleted only by these UIDs. `isUnbound`: it had no volume. Default: it had one, or an earlier version recorded it. */
    readonly claims: readonly { readonly name: string; readonly uid: string; readonly isUnbound?: true }[];
    readonly node: string;
}
