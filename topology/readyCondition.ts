import type { Component } from "./members";

/** Why a cluster is Ready, or why not, as TiDB Operator names it. */
export type ReadyReason =
    | "Ready"
    | "StatefulSetNotUpToDate"
    | "PDUnhealthy"
    | "TiKVStoreNotUp"
    | "TiDBUnhealthy"
    | "TiFlashStoreNotUp"
    | "TiCDCCaptureNotReady"
    | "TiProxyUnhealthy";

/** A condition, in the form that Kubernetes uses. */
export interface Condition {
    readonly type: "Ready";
    /** `Unknown` if nothing is known to be wrong, but not everything is known. */
    readonly status: "True" | "False" | "Unknown";
    readonly reason: ReadyReason;
    readonly message: string;
}

/**
 * The members that each reason is about, in the order of TiDB Operator's checks
 * (pkg/controller/tidbcluster/tidb_cluster_condition_updater.go). As there, only four members count for
 * `StatefulSetNotUpToDate`, and Pump and PD's microservices for no check.
 */
export const readyReasons = {
    StatefulSetNotUpToDate: ["pd", "tikv", "tidb", "tiflash"],
    PDUnhealthy: ["pd"],
    TiKVStoreNotUp: ["tikv"],
    TiDBUnhealthy: ["tidb"],
    TiFlashStoreNotUp: ["tiflash"],
    TiCDCCaptureNotReady: ["ticdc"],
    TiProxyUnhealthy: ["tiproxy"],
} as const satisfies Record<Exclude<ReadyReason, "Ready">, readonly Component[]>;

/** The condition of a cluster that is as wanted. */
export const readyAsWanted: Condition = {
    type: "Ready",
    status: "True",
    reason: "Ready",
    message: "every pod, member and store is as wanted",
};

/** @returns what is wrong with a suspended member. @param isWhole whether all members are suspended. */
export function suspendedFinding(title: string, isWhole: boolean): string {
    return isWhole ? "every member is suspended" : `${title} is suspended`;
}
