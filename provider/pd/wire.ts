/** PD's JSON, as it is on the wire: the fields that we read. The data plane simulator writes the same. */

/** An unsigned number of 64 bits: a bigint where a number cannot hold it. See `decodeWire`. */
export type WireUint64 = number | bigint;

/** `GET /pd/api/v1/cluster`. */
export interface WireCluster {
    id: WireUint64;
    max_peer_count?: number;
}

/** `GET /pd/api/v1/version`. */
export interface WireVersion {
    version: string;
}

/** An element of `GET /pd/api/v1/health`. */
export interface WireMemberHealth {
    name: string;
    member_id: WireUint64;
    client_urls: string[];
    health: boolean;
}

/** A member, as in `GET /pd/api/v1/members` and `GET /pd/api/v1/leader`. */
export interface WireMember {
    name: string;
    member_id: WireUint64;
    peer_urls: string[];
    client_urls: string[];
    deploy_path?: string;
    binary_version?: string;
    git_hash?: string;
}

/** `GET /pd/api/v1/members`. */
export interface WireMembers {
    header?: { cluster_id: WireUint64 };
    members: WireMember[];
    leader?: WireMember | null;
    etcd_leader?: WireMember | null;
}

/** A store: `GET /pd/api/v1/store/<id>`, and an element of `stores`. */
export interface WireStore {
    store: {
        id: WireUint64;
        address: string;
        /** Left out for 0, which is Up. */
        state?: number;
        labels?: { key: string; value: string }[];
        version?: string;
        /** Nanoseconds since 1970. */
        last_heartbeat?: WireUint64;
        node_state?: number;
        state_name: string;
    };
    status: {
        /** As `967.8GiB`. */
        capacity?: string;
        available?: string;
        used_size?: string;
        leader_count?: number;
        region_count?: number;
        pending_peer_count?: number;
        start_ts?: string;
        last_heartbeat_ts?: string;
        uptime?: string;
        /** Weights, scores and sizes, which nothing here reads. */
        [field: string]: unknown;
    };
}

/** `GET /pd/api/v1/stores`, without the Tombstone ones; with `?state=2` those only. */
export interface WireStores {
    count: number;
    stores: WireStore[];
}

/** `GET /pd/api/v1/config/replicate`. */
export interface WireReplication {
    "max-replicas": number;
    /** Names with commas between them; empty for none. */
    "location-labels": string;
    /** `"true"` or `"false"`: PD writes several booleans as text. */
    "enable-placement-rules": string | boolean;
    [field: string]: unknown;
}

/** An element of `GET /pd/api/v1/config/rules`. */
export interface WirePlacementRule {
    group_id: string;
    id: string;
    role: "voter" | "leader" | "follower" | "learner";
    /** Peers that the rule asks for. */
    count: number;
    /** The stores that may have them. Left out where all may. */
    label_constraints?: { key: string; op: "in" | "notIn" | "exists" | "notExists"; values?: string[] }[];
    [field: string]: unknown;
}

/** `GET /pd/api/v1/scheduler-config/evict-leader-scheduler/list`. */
export interface WireEvictedStores {
    /** By store id. */
    "store-id-ranges": Record<string, unknown>;
    batch?: number;
}

/** `POST /pd/api/v1/schedulers`, to begin an eviction. */
export interface WireBeginEviction {
    name: "evict-leader-scheduler";
    store_id: number;
}

/** `GET /pd/api/v1/regions/check/<kind>`. */
export interface WireRegions {
    count: number;
    regions: unknown[] | null;
}

/** An element of `GET /pd/api/v2/ms/members/<service>`. */
export interface WireServiceMember {
    /** From 8.3.0 on. */
    name?: string;
    /** As `http://host:port`. */
    "service-addr": string;
    version?: string;
    [field: string]: unknown;
}

/** `POST /v3/kv/range`: a range of keys of PD's etcd, in base64. */
export interface WireRange {
    key: string;
    range_end: string;
}

/** What it answers; without keys, none. */
export interface WireRangeAnswer {
    kvs?: { key: string; value: string }[];
}

/** A pump as it writes itself into PD's etcd. */
export interface WirePump {
    nodeId: string;
    host: string;
    state: string;
    [field: string]: unknown;
}

/** `POST /<service>/api/v1/primary/transfer`, sent to a server of the microservice. */
export interface WireTransferPrimary {
    new_primary: string;
}
