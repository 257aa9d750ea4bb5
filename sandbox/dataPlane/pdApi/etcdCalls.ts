import type {
    WireGatewayError,
    WireKey,
    WireLease,
    WireLeaseGrant,
    WireLeaseId,
    WireLeaseKept,
    WirePump,
    WireRange,
    WireRangeAnswer,
    WireTxn,
    WireTxnAnswer,
} from "pulumi-tidb/provider/pd/wire";
import { clusterIdKey, clusterRoot } from "../facts/etcd";
import { type ClusterState, reportedClusterId } from "../model/cluster";
import { identifier } from "../model/identifier";
import { compactedRevision, deleteKey, grantLease, keepLease, keyAt, putKey, revokeLease, uint64 } from "../model/etcd";
import type { KeyVersion, Lease } from "../model/pdState";
import { hasQuorum } from "../model/members";
import { pumpNodeId } from "../model/pumps";
import { json, pageNotFound, type PdAnswer, type PdRequest, type PdRoute } from "./call";

type Call = (state: ClusterState, body: object) => PdAnswer;

/** Calls to PD's etcd through its gateway. Each member serves them itself. */
export const etcdRoutes: PdRoute[] = [
    route(/^\/v3\/kv\/range$/, range),
    route(/^\/v3\/kv\/txn$/, txn),
    route(/^\/v3\/lease\/grant$/, grant),
    route(/^\/v3\/lease\/keepalive$/, keepAlive),
    route(/^\/v3\/(kv\/)?lease\/revoke$/, revoke),
];

function route(pattern: RegExp, call: Call): PdRoute {
    const handle = (state: ClusterState, { body }: PdRequest): PdAnswer => {
        if (state.faults.etcdGatewayOff) {
            return pageNotFound;
        }
        return hasQuorum(state)
            ? call(state, (body ?? {}) as object)
            : refusal(503, 14, "etcdserver: request timed out");
    };
    return { method: "POST", pattern, handle, byMember: true };
}

function range(state: ClusterState, body: Partial<WireRange>): PdAnswer {
    const revision = body.revision === undefined ? undefined : Number(body.revision);
    if (revision !== undefined && revision > state.etcd.revision) {
        return refusal(400, 11, "etcdserver: mvcc: required revision is a future revision");
    }
    if (revision !== undefined && revision < compactedRevision(state)) {
        return refusal(400, 11, "etcdserver: mvcc: required revision has been compacted");
    }
    return answer({ header: header(state), ...found(state, body, revision) });
}

/** A transaction of the recorder of `br`: BR puts and deletes the keys of a task in one. */
type Changes = { request_put?: { key: string; value: string; lease?: string }; request_delete_range?: WireRange }[];

/** Supports comparisons of when keys were created, and puts and deletions if they hold; otherwise it reads. */
function txn(state: ClusterState, body: Partial<WireTxn>): PdAnswer {
    const succeeded = (body.compare ?? []).every(
        ({ key, create_revision: created }) =>
            (keyAt(state, nameOf(state, key))?.created ?? 0) === Number(created ?? 0),
    );
    const changes: Changes = succeeded ? (body.success ?? []) : [];
    if (changes.some(({ request_put: put }) => put?.lease !== undefined && !state.etcd.leases.has(String(put.lease)))) {
        return refusal(404, 5, "etcdserver: requested lease not found");
    }
    for (const { request_put: put, request_delete_range: deleted } of changes) {
        if (put) {
            putKey(state, nameOf(state, put.key), Buffer.from(put.value, "base64"), put.lease && String(put.lease));
        }
        if (deleted) {
            namesIn(state, deleted).forEach((name) => deleteKey(state, name));
        }
    }
    const revision = { header: { revision: String(state.etcd.revision) } };
    const responses: object[] = succeeded
        ? changes.map(({ request_put: put }) =>
              put ? { response_put: revision } : { response_delete_range: revision },
          )
        : (body.failure ?? []).map(({ request_range: asked }) => ({
              response_range: { ...revision, ...found(state, asked) },
          }));
    return answer({ header: header(state), ...(succeeded ? { succeeded } : {}), responses });
}

function grant(state: ClusterState, body: Partial<WireLeaseGrant>): PdAnswer {
    const { id, lease } = grantLease(state, Number(body.TTL ?? 0));
    return answer({ header: header(state), ...wireLease(id, lease) });
}

/** One line of the stream. The answer for a lease that has ended has no TTL. */
function keepAlive(state: ClusterState, { ID = "0" }: Partial<WireLeaseId>): PdAnswer {
    const lease = keepLease(state, String(ID));
    const kept: WireLeaseKept = { result: lease ? wireLease(String(ID), lease) : { ID: String(ID) } };
    const line = answer({ result: { header: header(state), ...kept.result } });
    return { ...line, body: `${line.body}\n` };
}

function revoke(state: ClusterState, { ID = "0" }: Partial<WireLeaseId>): PdAnswer {
    return revokeLease(state, String(ID))
        ? answer({ header: header(state) })
        : refusal(404, 5, "etcdserver: requested lease not found");
}

function found(
    state: ClusterState,
    body: Partial<WireRange>,
    revision?: number,
): Pick<WireRangeAnswer, "kvs" | "count"> {
    const from = nameOf(state, body.key ?? "");
    const to = body.range_end === undefined ? undefined : nameOf(state, body.range_end);
    const kept = namesIn(state, body)
        .sort()
        .flatMap((name): WireKey[] => {
            const version = keyAt(state, name, revision);
            const value = name === clusterIdKey ? uint64(reportedClusterId(state)) : version?.value;
            return version ? [wireKey(saidName(state, name), { ...version, value })] : [];
        });
    const kvs = [
        ...kept,
        ...pumps(state)
            .filter(([name]) => to !== undefined && name >= from && name < to)
            .map(([, key]) => key),
    ];
    return kvs.length === 0 ? {} : { kvs, count: String(kvs.length) };
}

function namesIn(state: ClusterState, { key = "", range_end: end }: Partial<WireRange>): string[] {
    const from = nameOf(state, key);
    const to = end === undefined ? undefined : nameOf(state, end);
    return [...state.etcd.keys.keys()].filter((name) => (to === undefined ? name === from : name >= from && name < to));
}

function wireKey(name: string, { value, created, revision, version, lease }: KeyVersion): WireKey {
    return {
        key: btoa(name),
        create_revision: String(created),
        mod_revision: String(revision),
        version: String(version),
        value: value?.toString("base64"),
        ...(lease === undefined ? {} : { lease }),
    };
}

/** The pumps as they register themselves, by key. */
function pumps(state: ClusterState): [string, WireKey][] {
    return [...state.pumps.values()].map(({ pod, state: pumpState }) => {
        const name = `/tidb-binlog/v1/pumps/${pumpNodeId(pod)}`;
        const pump: WirePump = {
            nodeId: pumpNodeId(pod),
            host: `${pod}.${state.name}-pump:8250`,
            state: pumpState,
            isAlive: pumpState === "online",
        };
        const value = Buffer.from(JSON.stringify(pump));
        return [name, wireKey(name, { value, created: 1, revision: 1, version: 1, at: state.createdAt })];
    });
}

function wireLease(id: string, { ttlSeconds }: Lease): WireLease {
    return { ID: id, TTL: String(ttlSeconds) };
}

/** Translates a key of a call to the model's key. They differ if a fault makes PD report another cluster id. */
function nameOf(state: ClusterState, key: string): string {
    const name = Buffer.from(key, "base64").toString("utf8");
    return name.replace(clusterRoot(reportedClusterId(state)), clusterRoot(state.clusterId));
}

function saidName(state: ClusterState, name: string): string {
    return name.replace(clusterRoot(state.clusterId), clusterRoot(reportedClusterId(state)));
}

/** etcd's own ids, which differ from PD's. */
function header(state: ClusterState): WireRangeAnswer["header"] {
    return {
        cluster_id: String(identifier(`etcd of ${state.clusterId}`)),
        member_id: String(state.members[0]?.id ?? 0),
        revision: String(state.etcd.revision),
        raft_term: "2",
    };
}

function answer(value: WireRangeAnswer | WireTxnAnswer | WireLease | object): PdAnswer {
    return json(value, 200, "application/json");
}

function refusal(status: number, code: number, message: string): PdAnswer {
    const body: WireGatewayError = { error: message, code, message };
    return json(body, status, "application/json");
}
