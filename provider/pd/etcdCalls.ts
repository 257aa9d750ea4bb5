import type { PdCall } from "./call";
import type { WireLeaseGrant, WireLeaseId, WireRange, WireTxn } from "./wire";

/**
 * Calls to the etcd inside PD, through its gateway (https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway). Any member
 * can answer, with the agreement of the quorum. Every call may be retried: a lease granted by mistake expires, and a
 * retry of `putIfAbsent` finds the key under the same lease.
 */
export const etcdCalls = {
    range: (purpose: string, range: WireRange) => post(purpose, "/v3/kv/range", range),
    putIfAbsent: (key: string, value: string, lease: string) => ({
        ...post(`put ${key} into PD's etcd under lease ${lease}`, "/v3/kv/txn", {
            compare: [{ key: btoa(key), target: "CREATE", result: "EQUAL", create_revision: "0" }],
            success: [{ request_put: { key: btoa(key), value: base64(value), lease } }],
            failure: [{ request_range: { key: btoa(key) } }],
        } satisfies WireTxn),
        advice: "If the lease has ended, create another one.",
    }),
    grantLease: (ttlSeconds: number) =>
        post("create a lease in PD's etcd", "/v3/lease/grant", { TTL: String(ttlSeconds) } satisfies WireLeaseGrant),
    keepLeaseAlive: (id: string) =>
        post(`keep lease ${id} of PD's etcd alive`, "/v3/lease/keepalive", { ID: id } satisfies WireLeaseId),
    revokeLease: (id: string) =>
        post(`end lease ${id} of PD's etcd`, "/v3/lease/revoke", { ID: id } satisfies WireLeaseId),
};

/** The range that holds one key. */
export function keyOf(key: string, revision?: bigint): WireRange {
    return { key: btoa(key), ...(revision === undefined ? {} : { revision: String(revision) }) };
}

/** The range of all keys with a prefix. */
export function prefixOf(prefix: string): WireRange {
    const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
    return { key: btoa(prefix), range_end: btoa(end) };
}

function post(purpose: string, path: string, body: object): PdCall {
    return { purpose, method: "POST", path, body, retry: "always" };
}

function base64(text: string): string {
    return Buffer.from(text, "utf8").toString("base64");
}
