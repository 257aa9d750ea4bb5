import { defaultTimes } from "./facts/defaultTimes";

/** How fast the simulated data plane works, and how its stores behave. Rates are per second, times in milliseconds. */
export interface Timings {
    /** How often the leader of each region reports it to PD (TiKV's `raftstore.pd-heartbeat-tick-interval`). */
    regionHeartbeatMilliseconds: number;
    /** How often a store reports (`raftstore.pd-store-heartbeat-tick-interval`). */
    storeHeartbeatMilliseconds: number;
    /** How often a store refreshes its gauge of leaders and regions, from the start of its process. A real TiKV's 10 s by default. */
    regionGaugeMilliseconds: number;
    /**
     * Whether stores report all regions that they lead as soon as they connect to a new PD leader. Otherwise each
     * region is reported at its next heartbeat, so a restarted PD counts too few leaders for longer.
     */
    resendsAfterElection: boolean;
    /** How often PD's leader checks whether enough regions were reported to load its schedulers. */
    schedulerCheckMilliseconds: number;
    /** How often PD's leader updates its region counts for `/metrics`. */
    metricsMilliseconds: number;
    /** How far ahead PD saves its timestamp in etcd, and how often. */
    timestampSaveMilliseconds: number;
    /**
     * How many leaders PD moves per second, for evictions and balance together, at the default `leader-schedule-limit`
     * of 4.
     */
    leaderTransfersPerSecond: number;
    /** How many leaders each of the first stores has once data is loaded: the cluster gets this × stores regions. */
    leadersPerStore: number;
    /** The time without a new store after which the first data is loaded. Until then the cluster has one region. */
    dataLoadedAfterMilliseconds: number;
    /** How many region peers PD moves per second: drains, balance of a new store, missing replicas. */
    drainRegionsPerSecond: number;
    /** The time from a TiKV pod being Ready to its store being Up. */
    storeUpAfterReadyMilliseconds: number;
    /** `server.graceful-shutdown-timeout` of a TiKV whose configuration has none, since 8.5.6. A real TiKV's 20 s, scaled down. */
    gracefulShutdownMilliseconds: number;
    /** The time without heartbeats after which PD calls a store Disconnected. A real PD's 20 s, scaled down. */
    storeDisconnectedAfterMilliseconds: number;
    /**
     * The time without contact after which the leaders of its regions report a peer as down. A real TiKV's 10 min,
     * scaled down.
     */
    peerDownAfterMilliseconds: number;
    /**
     * The time without heartbeats after which PD calls a store Down, unless its configuration has another `max-store-down-time`. A
     * real PD's default of 30 min, scaled down.
     */
    storeDownAfterMilliseconds: number;
    /** The time from a PD pod running to its member being healthy. */
    memberHealthyAfterMilliseconds: number;
    /** The time from the request of a leader transfer to the change of leader. */
    leaderTransferMilliseconds: number;
    /** The time from the loss of PD's leader to the election of the next one. */
    leaderElectionMilliseconds: number;
    /** How many tables leave a TiCDC capture per second once it is draining. */
    drainedTablesPerSecond: number;
    /** The time from the request to go offline until a pump has handed over its data. */
    pumpOfflineAfterMilliseconds: number;
}

/** The timings of a sandbox. The demo and the benchmarks are measured with these rates. */
export const defaultTimings: Readonly<Timings> = {
    regionHeartbeatMilliseconds: 2000,
    storeHeartbeatMilliseconds: 250,
    regionGaugeMilliseconds: defaultTimes.regionGauge,
    resendsAfterElection: false,
    schedulerCheckMilliseconds: 100,
    metricsMilliseconds: 250,
    timestampSaveMilliseconds: 500,
    leaderTransfersPerSecond: 100,
    leadersPerStore: 300,
    dataLoadedAfterMilliseconds: 1500,
    drainRegionsPerSecond: 300,
    storeUpAfterReadyMilliseconds: 1000,
    gracefulShutdownMilliseconds: 2_000,
    storeDisconnectedAfterMilliseconds: 500,
    peerDownAfterMilliseconds: 7_000,
    storeDownAfterMilliseconds: 20_000,
    memberHealthyAfterMilliseconds: 300,
    leaderTransferMilliseconds: 150,
    leaderElectionMilliseconds: 500,
    drainedTablesPerSecond: 10,
    pumpOfflineAfterMilliseconds: 500,
};

/** The timings of PD 8.5 and TiKV with their defaults and small regions, as far as PD's behavior is concerned. */
export const faithfulTimings: Readonly<Timings> = {
    ...defaultTimings,
    regionHeartbeatMilliseconds: defaultTimes.regionHeartbeat,
    storeHeartbeatMilliseconds: defaultTimes.storeHeartbeat,
    schedulerCheckMilliseconds: 3_000,
    metricsMilliseconds: defaultTimes.regionCount,
    timestampSaveMilliseconds: 5_000,
    leaderTransfersPerSecond: 20,
    drainRegionsPerSecond: 4,
    gracefulShutdownMilliseconds: 20_000,
    storeDisconnectedAfterMilliseconds: defaultTimes.storeDisconnected,
    peerDownAfterMilliseconds: defaultTimes.peerDown,
    storeDownAfterMilliseconds: defaultTimes.storeDown,
    leaderElectionMilliseconds: 12_500,
};
