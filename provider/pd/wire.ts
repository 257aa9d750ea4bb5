/** PD's JSON on the wire: the fields that the client reads. The data plane simulator writes the same fields. */

/** An unsigned 64-bit number: a bigint if a JavaScript number cannot hold it. See `decodeWire`. */
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
        /** Omitted for 0, which is Up. */
        state?: number;
        labels?: { key: string; value: string }[];
        version?: string;
        /** Nanoseconds since 1970. */
        last_heartbeat?: WireUint64;
        /** When the store's process started: seconds since 1970, by the store's clock. */
        start_timestamp?: WireUint64;
        node_state?: number;
        state_name: string;
    };
    status: {
        /** Such as `967.8GiB`. */
        capacity?: string;
        available?: string;
        used_size?: string;
        leader_count?: number;
        region_count?: number;
        pending_peer_count?: number;
        /** From 1, which is well, to 100. */
        slow_score?: number;
        is_busy?: boolean;
        start_ts?: string;
        last_heartbeat_ts?: string;
        uptime?: string;
        /** Weights, scores and sizes, which the client does not read. */
        [field: string]: unknown;
    };
}

/** `GET /pd/api/v1/stores`: all stores but the Tombstone ones; with `?state=2` only those. */
export interface WireStores {
    count: number;
    stores: WireStore[];
}

/** `GET /pd/api/v1/config/replicate`. */
export interface WireReplication {
    "max-replicas": number;
    /** Names separated by commas; empty for none. */
    "location-labels": string;
    /** Empty for none. */
    "isolation-level"?: string;
    /** `"true"` or `"false"`: PD writes several booleans as text. */
    "enable-placement-rules": string | boolean;
    [field: string]: unknown;
}

/** An element of `GET /pd/api/v1/config/rules`. */
export interface WirePlacementRule {
    group_id: string;
    id: string;
    role: "voter" | "leader" | "follower" | "learner";
    /** Number of peers that the rule requires. */
    count: number;
    /** Which stores may hold them. Omitted if all may. */
    label_constraints?: { key: string; op: "in" | "notIn" | "exists" | "notExists"; values?: string[] }[];
    /** Hexadecimal digits. */
    start_key?: string;
    end_key?: string;
    location_labels?: string[] | null;
    /** Omitted if there is none. */
    isolation_level?: string;
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

/** `POST /pd/api/v1/scheduler-config/evict-leader-scheduler/config`. */
export interface WireEvictionBatch {
    batch: number;
}

/** `POST /pd/api/v1/config`: items by dotted key. */
export type WireConfigItems = Readonly<Record<string, string | number | boolean>>;

/** `GET /pd/api/v1/regions/check/<kind>` and `GET /pd/api/v1/regions/store/<id>`. */
export interface WireRegions {
    count: number;
    /** Null or an empty list if there are none. */
    regions: WireRegion[] | null;
}

/** A region. */
export interface WireRegion {
    id: WireUint64;
    peers: WirePeer[];
    leader?: Partial<WirePeer>;
    /** Omitted if there are none. */
    down_peers?: { down_seconds?: number; peer: WirePeer }[];
    /** Omitted if there are none. */
    pending_peers?: WirePeer[];
    /** First key, and the first key after it, in hexadecimal digits; empty for no bound. */
    start_key?: string;
    end_key?: string;
    /** In MiB, as its leader last reported it. */
    approximate_size?: number;
    /** Epoch and traffic, which the client does not read. */
    [field: string]: unknown;
}

/** A peer of a region. */
export interface WirePeer {
    id: WireUint64;
    store_id: WireUint64;
    /** 1: learner, 2: incoming voter, 3: demoting voter. Omitted for 0: voter. */
    role?: number;
    /** `Voter`, `Learner`, `IncomingVoter` or `DemotingVoter`. */
    role_name?: string;
    /** Omitted if false. */
    is_learner?: boolean;
    /** Omitted if false. A witness votes, and has no data: it never leads. */
    is_witness?: boolean;
}

/** `POST /pd/api/v1/admin/unsafe/remove-failed-stores`. `timeout`: in seconds. */
export interface WireRemoveFailedStores {
    stores: number[];
    timeout: number;
}

/** An element of `GET /pd/api/v1/admin/unsafe/remove-failed-stores/show`, in the order of time. */
export interface WireRecoveryStage {
    info?: string;
    time?: string;
    /** By store. */
    actions?: Record<string, string[]>;
    details?: string[];
}

/** `GET /pd/api/v1/stats/region?count`. */
export interface WireRegionStats {
    /** Number of regions. */
    count: number;
    [field: string]: unknown;
}

/** An element of `GET /pd/api/v2/ms/members/<service>`. */
export interface WireServiceMember {
    /** From 8.3.0 on. */
    name?: string;
    /** Such as `http://host:port`. */
    "service-addr": string;
    version?: string;
    [field: string]: unknown;
}

/**
 * `POST /v3/kv/range`: one key of PD's etcd, or all keys from `key` up to `range_end`, in base64. etcd's gateway writes
 * 64-bit numbers as text, and omits zeros, empty texts and false.
 */
export interface WireRange {
    key: string;
    range_end?: string;
    /** Reads the keys as they were at this revision. */
    revision?: string;
}

/** The answer to `POST /v3/kv/range`. `kvs` is omitted if there are no keys. */
export interface WireRangeAnswer {
    header?: { cluster_id?: string; member_id?: string; revision?: string; raft_term?: string };
    kvs?: WireKey[];
    count?: string;
}

/** A key of etcd. */
export interface WireKey {
    /** In base64. */
    key: string;
    /** In base64. */
    value?: string;
    create_revision?: string;
    mod_revision?: string;
    version?: string;
    lease?: string;
}

/** An error of etcd's gateway, with a status of 400 or above: gRPC's code and message. */
export interface WireGatewayError {
    error: string;
    code: number;
    message: string;
}

/** `POST /v3/lease/grant`. */
export interface WireLeaseGrant {
    TTL: string;
}

/** The answer to `POST /v3/lease/grant`. */
export interface WireLease {
    ID: string;
    TTL: string;
}

/** `POST /v3/lease/keepalive` and `POST /v3/lease/revoke`. */
export interface WireLeaseId {
    ID: string;
}

/** The answer to a keepalive: one line of a stream. Without `TTL` the lease has ended. */
export interface WireLeaseKept {
    result: { ID: string; TTL?: string };
}

/** `POST /v3/kv/txn`: puts a key if it does not exist, otherwise reads it. */
export interface WireTxn {
    compare: { key: string; target: "CREATE"; result: "EQUAL"; create_revision: string }[];
    success: { request_put: { key: string; value: string; lease: string } }[];
    failure: { request_range: { key: string } }[];
}

/** The answer to `POST /v3/kv/txn`. `succeeded` is omitted if the comparison failed. */
export interface WireTxnAnswer {
    succeeded?: boolean;
    responses?: { response_range?: WireRangeAnswer; response_put?: object }[];
}

/** A pump's entry in PD's etcd. */
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
