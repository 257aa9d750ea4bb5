import { goDuration } from "../facts/goDuration";
import type { Faults } from "../faults";
import type { Timings } from "../timings";
import { noCaptures } from "./captures";
import type { ClusterState } from "./cluster";
import { firstEtcd } from "./etcd";
import type { DataPlaneEvent } from "./events";
import { identifier } from "./identifier";

/** The options of a simulated cluster. */
export interface ClusterOptions {
    namespace: string;
    name: string;
    now: number;
    timings: Timings;
    faults: Faults;
    scheduleConfig: Record<string, unknown>;
    replicationConfig: Record<string, unknown>;
    serverConfig: Record<string, unknown>;
    /** Called for each event, in addition to the cluster's own log. */
    onEvent?: (event: DataPlaneEvent) => void;
}

/** Creates a cluster without pods, members and stores. It is not bootstrapped. */
export function createCluster(options: ClusterOptions): ClusterState {
    const { namespace, name, now, timings, faults, scheduleConfig, replicationConfig, serverConfig } = options;
    const clusterId = identifier(`${namespace}/${name}@${now}`);
    const defaultConfig = {
        // What PD says of its times must be what it does.
        schedule: { ...scheduleConfig, "max-store-down-time": goDuration(timings.storeDownAfterMilliseconds) },
        replication: replicationConfig,
        "pd-server": serverConfig,
    };
    return {
        namespace,
        name,
        clusterId,
        timings,
        faults,
        createdAt: now,
        now,
        pods: new Map(),
        members: [],
        deletedMemberClaims: new Set(),
        leader: undefined,
        leadership: undefined,
        leaderLostAt: now,
        nextLeader: undefined,
        primaries: new Map(),
        captures: noCaptures(),
        pumps: new Map(),
        stores: [],
        nextStoreId: 1,
        isUpgrading: false,
        lastStoreJoinedAt: now,
        tikvPods: [],
        loaded: false,
        regions: 0,
        regionOrder: [],
        movedForOrder: 0,
        evictions: new Set(),
        persistedEvictions: new Set(),
        evictionEntries: [],
        paused: new Set(),
        evictionBatch: 3,
        defaultConfig,
        scheduleConfig: { ...defaultConfig.schedule },
        replicationConfig: { ...replicationConfig },
        serverConfig: { ...serverConfig },
        leaderCredit: 0,
        regionCredit: 0,
        learnerCredit: 0,
        tiflashReplicas: undefined,
        etcd: firstEtcd(clusterId, now),
        timestamp: 0,
        staleStores: undefined,
        snapshotRecovering: false,
        recovery: undefined,
        tables: [],
        rootPassword: "",
        events: [],
        onEvent: options.onEvent,
        pdCalls: [],
    };
}
