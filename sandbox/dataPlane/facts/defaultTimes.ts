/** Times of PD 8.5.4 and TiKV with their defaults, in milliseconds. */
export const defaultTimes = {
    /** How often the leader of a region reports it (TiKV's `raftstore.pd-heartbeat-tick-interval`). */
    regionHeartbeat: 60_000,
    /** How often a store reports (`raftstore.pd-store-heartbeat-tick-interval`). */
    storeHeartbeat: 10_000,
    /**
     * How often a TiKV refreshes its gauge of leaders and regions, from the start of its process. No setting changes it (tikv
     * components/raftstore/src/coprocessor/region_info_accessor.rs, `METRICS_FLUSH_INTERVAL`).
     */
    regionGauge: 10_000,
    /**
     * Time without contact after which the leader of a region calls a peer down (`raftstore.max-peer-down-duration`).
     */
    peerDown: 600_000,
    /**
     * Time without heartbeats after which PD calls a store Disconnected (pd pkg/core/store.go,
     * `storeDisconnectDuration`).
     */
    storeDisconnected: 20_000,
    /** Time without heartbeats after which PD calls a store Down (`schedule.max-store-down-time`). */
    storeDown: 1_800_000,
    /** How often PD's leader counts its regions for its gauges. */
    regionCount: 10_000,
} as const;
