import { defaultTimes } from "./facts/defaultTimes";

/** How fast the simulated data plane works, and how its stores behave. Rates per second, times in milliseconds. */
export interface Timings {
    /** How often the leader of each region reports it to PD (TiKV's `raftstore.pd-heartbeat-tick-interval`). */
    regionHeartbeatMilliseconds: number;
    /** How often a store reports, and refreshes its gauges (`raftstore.pd-store-heartbeat-tick-interval`). */
    storeHeartbeatMilliseconds: number;
    /**
     * Whether stores, connected to a new leader of PD, report all regions that they lead at once. Otherwise each region
     * speaks when its next heartbeat is due, so that a PD that was restarted counts too few leaders for longer.
     */
    resendsAfterElection: boolean;
    /** How often PD's leader looks whether it has heard of enough regions to load its schedulers. */
    schedulerCheckMilliseconds: number;
    /** How often PD's leader counts its regions anew for `/metrics`. */
    metricsMilliseconds: number;
    /** How far ahead PD saves its timestamp in etcd, and how often. */
    timestampSaveMilliseconds: number;
    /** Leaders that PD moves in a second, evictions and balance together, at the default `leader-schedule-limit` of 4. */
    leaderTransfersPerSecond: number;
    /** Leaders that each of the first stores leads once data are loaded: the cluster gets this × stores regions. */
    leadersPerStore: number;
    /** Time without a new store after which the first data are loaded. Until then the cluster has one region. */
    dataLoadedAfterMilliseconds: number;
    /** Region peers that PD moves in a second: drains, balance of a new store, missing replicas. */
    drainRegionsPerSecond: number;
    /** From a TiKV pod's Ready to its store being Up. */
    storeUpAfterReadyMilliseconds: number;
    /** Silence after which PD calls a store Disconnected. A real PD's 20 s, scaled down. */
    storeDisconnectedAfterMilliseconds: number;
    /** Silence after which the leaders of its regions report a peer as down. A real TiKV's 10 min, scaled down. */
    peerDownAfterMilliseconds: number;
    /** Silence after which PD calls a store Down. A real PD's `max-store-down-time` of 30 min, scaled down. */
    storeDownAfterMilliseconds: number;
    /** From a PD pod's running to its member being healthy. */
    memberHealthyAfterMilliseconds: number;
    /** From the submission of a leader transfer to the leader being elsewhere. */
    leaderTransferMilliseconds: number;
    /** From the loss of PD's leader to the next one. */
    leaderElectionMilliseconds: number;
    /** Tables that leave a capture of TiCDC in a second once it was told to give them away. */
    drainedTablesPerSecond: number;
    /** From being told to go offline to a pump having handed over what it holds. */
    pumpOfflineAfterMilliseconds: number;
}

/** The timings of a sandbox: the rates that the demo and the benchmarks are measured at. */
export const defaultTimings: Readonly<Timings> = {
    regionHeartbeatMilliseconds: 2000,
    storeHeartbeatMilliseconds: 250,
    resendsAfterElection: false,
    schedulerCheckMilliseconds: 100,
    metricsMilliseconds: 250,
    timestampSaveMilliseconds: 500,
    leaderTransfersPerSecond: 100,
    leadersPerStore: 300,
    dataLoadedAfterMilliseconds: 1500,
    drainRegionsPerSecond: 300,
    storeUpAfterReadyMilliseconds: 1000,
    storeDisconnectedAfterMilliseconds: 500,
    peerDownAfterMilliseconds: 7_000,
    storeDownAfterMilliseconds: 20_000,
    memberHealthyAfterMilliseconds: 300,
    leaderTransferMilliseconds: 150,
    leaderElectionMilliseconds: 500,
    drainedTablesPerSecond: 10,
    pumpOfflineAfterMilliseconds: 500,
};

/** The timings of a PD 8.5.4 and TiKV with their defaults, as far as PD's part is concerned. */
export const faithfulTimings: Readonly<Timings> = {
    ...defaultTimings,
    regionHeartbeatMilliseconds: defaultTimes.regionHeartbeat,
    storeHeartbeatMilliseconds: defaultTimes.storeHeartbeat,
    schedulerCheckMilliseconds: 3_000,
    metricsMilliseconds: defaultTimes.regionCount,
    timestampSaveMilliseconds: 5_000,
    leaderTransfersPerSecond: 20,
    drainRegionsPerSecond: 1.3,
    storeDisconnectedAfterMilliseconds: defaultTimes.storeDisconnected,
    peerDownAfterMilliseconds: defaultTimes.peerDown,
    storeDownAfterMilliseconds: defaultTimes.storeDown,
    leaderElectionMilliseconds: 12_500,
};
