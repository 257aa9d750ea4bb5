/** What happened in a simulated cluster. */
export type DataPlaneEventKind =
    | "member-joined"
    | "member-deleted"
    | "leader-elected"
    | "leader-transfer-submitted"
    | "leader-transferred"
    | "store-joined"
    | "store-up"
    | "store-refused"
    | "store-deleted"
    | "store-deletion-cancelled"
    | "store-tombstone"
    | "data-loaded"
    | "eviction-begun"
    | "eviction-ended"
    | "eviction-loaded"
    | "primary-elected"
    | "primary-transferred"
    | "config-set"
    | "capture-owner-elected"
    | "pump-offline"
    | "pod-stopped";

/** One line of the log that tests and the demo read to see what PD and the stores went through. */
export interface DataPlaneEvent {
    /** Milliseconds on a clock that never goes back; its zero is the Unix epoch, about. */
    at: number;
    kind: DataPlaneEventKind;
    namespace: string;
    cluster: string;
    pod?: string;
    component?: Component;
    member?: string;
    storeId?: number;
    /** Leaders of the store at that moment; of a pod that stopped: those that it still held. */
    leaders?: number;
    /** When a TiKV pod stopped: ids of the other stores that were in truth not up then, whatever PD believed. Of a TiFlash pod: of the other TiFlash stores. */
    otherStoresNotUp?: number[];
    /** When a PD pod stopped: whether it led. */
    ledPd?: boolean;
    /** When a PD pod stopped: whether the members that are left are a quorum. */
    quorumLeft?: boolean;
    /** When a pod of a microservice stopped: whether it was the primary. */
    wasPrimary?: boolean;
    /** When a TiCDC pod stopped: tables that its capture still had, and whether it owned TiCDC. */
    tables?: number;
    ownedTicdc?: boolean;
    /** When a Pump pod stopped: the state of its pump before. */
    pumpState?: string;
    /** Why, for what was refused; what, for a configuration. */
    detail?: string;
}

/** The kinds of pod that the data plane plays. */
export type Component = "tso" | "scheduling" | "pd" | "tiflash" | "tikv" | "tidb" | "tiproxy" | "pump" | "ticdc";

/** The kinds of pod that are parts of PD. */
export type Microservice = Extract<Component, "tso" | "scheduling">;

/** One call that PD was sent. */
export interface PdCall {
    at: number;
    /** The pod that was asked. */
    pod: string;
    method: string;
    /** Path and query. */
    path: string;
    /** Undefined when a fault left the call without an answer. */
    status: number | undefined;
}
