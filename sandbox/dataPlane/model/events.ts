/** The kinds of events in a simulated cluster. */
export type DataPlaneEventKind =
    | "member-joined"
    | "member-refused"
    | "member-deleted"
    | "leader-elected"
    | "leader-transfer-submitted"
    | "leader-transferred"
    | "store-joined"
    | "store-up"
    | "store-labels-set"
    | "store-refused"
    | "store-deleted"
    | "store-deletion-cancelled"
    | "store-tombstone"
    | "recovery-begun"
    | "recovery-finished"
    | "recovery-failed"
    | "data-loaded"
    | "eviction-begun"
    | "eviction-ended"
    | "eviction-loaded"
    | "primary-elected"
    | "primary-transferred"
    | "config-set"
    | "capture-owner-elected"
    | "pump-offline"
    | "upgrade-started"
    | "upgrade-finished"
    | "table-written"
    | "pod-stopped";

/** One event in the log. Tests and the demo read it to see what happened to PD and the stores. */
export interface DataPlaneEvent {
    /** In milliseconds, approximately since the Unix epoch. The value never decreases. */
    at: number;
    kind: DataPlaneEventKind;
    namespace: string;
    cluster: string;
    pod?: string;
    component?: Component;
    member?: string;
    storeId?: number;
    /** The store's leaders at that time. For a pod that stopped: the leaders that it still had. */
    leaders?: number;
    /** When a pod of a store stopped: whether by SIGKILL, because its process had not ended by itself. */
    killed?: true;
    /**
     * When a TiKV pod stopped: the ids of the other stores that were really not up, whatever PD reported. When a
     * TiFlash pod stopped: those of the other TiFlash stores.
     */
    otherStoresNotUp?: number[];
    /** When a PD pod stopped: whether it was the leader. */
    ledPd?: boolean;
    /** When a PD pod stopped: whether the remaining members are a quorum. */
    quorumLeft?: boolean;
    /** When a pod of a microservice stopped: whether it was the primary. */
    wasPrimary?: boolean;
    /** When a TiCDC pod stopped: the tables that its capture still had, and whether it was the owner. */
    tables?: number;
    ownedTicdc?: boolean;
    /** When a Pump pod stopped: the previous state of its pump. */
    pumpState?: string;
    /** For a refusal: the reason. For a configuration change: its content. */
    detail?: string;
}

/** The members that the sandbox simulates. */
export const components = ["tso", "scheduling", "pd", "tiflash", "tikv", "tidb", "tiproxy", "pump", "ticdc"] as const;

/** The kinds of pods that the data plane simulates. */
export type Component = (typeof components)[number];

/** The kinds of pods that are PD microservices. */
export type Microservice = Extract<Component, "tso" | "scheduling">;

/** One call to PD. */
export interface PdCall {
    at: number;
    /** The pod that received the call. */
    pod: string;
    method: string;
    /** The path and query. */
    path: string;
    /** Undefined if a fault left the call unanswered. */
    status: number | undefined;
}
