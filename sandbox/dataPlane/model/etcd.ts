import { clusterIdKey, grantedSeconds, leaseEnd } from "../facts/etcd";
import type { ClusterState } from "./cluster";
import type { Etcd, KeyVersion, Lease } from "./pdState";

/** How long PD's etcd keeps the old versions of a key. */
const compactionMilliseconds = 3_600_000;

/** PD's etcd before the first leader. It contains the cluster's id. */
export function firstEtcd(clusterId: bigint, now: number): Etcd {
    const value = uint64(clusterId);
    return {
        revision: 2,
        keys: new Map([[clusterIdKey, [{ value, created: 2, revision: 2, version: 1, at: now }]]]),
        leases: new Map(),
        nextLeaseId: 2_621_273_107_916_000_013n,
    };
}

/** A number in the form that PD writes to etcd: 8 bytes, big-endian. */
export function uint64(value: bigint): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(value);
    return bytes;
}

/** Puts a key, with a lease if one is given. */
export function putKey(state: ClusterState, name: string, value: Buffer, lease?: string): KeyVersion {
    const last = keyAt(state, name);
    const revision = ++state.etcd.revision;
    return append(state, name, {
        value,
        created: last?.created ?? revision,
        revision,
        version: (last?.version ?? 0) + 1,
        lease,
        at: state.now,
    });
}

/** Deletes a key. Does nothing if it does not exist. */
export function deleteKey(state: ClusterState, name: string): void {
    if (keyAt(state, name) !== undefined) {
        const revision = ++state.etcd.revision;
        append(state, name, { value: undefined, created: 0, revision, version: 0, at: state.now });
    }
}

/** Returns a key at a revision, by default the current one. Undefined if it did not exist. */
export function keyAt(state: ClusterState, name: string, revision = Infinity): KeyVersion | undefined {
    const version = state.etcd.keys
        .get(name)
        ?.filter((one) => one.revision <= revision)
        .at(-1);
    return version?.value === undefined ? undefined : version;
}

/** The first revision that can still be read. */
export function compactedRevision(state: ClusterState): number {
    const versions = [...state.etcd.keys.values()].flat();
    const old = versions.filter(({ at }) => at < state.now - compactionMilliseconds);
    return Math.max(0, ...old.map(({ revision }) => revision));
}

/** Grants a lease. */
export function grantLease(state: ClusterState, ttlSeconds: number): { id: string; lease: Lease } {
    const id = String(state.etcd.nextLeaseId++);
    const granted = grantedSeconds(ttlSeconds);
    const lease = { ttlSeconds: granted, endsAt: leaseEnd(state.now, granted) };
    state.etcd.leases.set(id, lease);
    return { id, lease };
}

/** Restarts a lease's time. Undefined if it has ended. */
export function keepLease(state: ClusterState, id: string): Lease | undefined {
    const lease = state.etcd.leases.get(id);
    if (lease !== undefined) {
        lease.endsAt = leaseEnd(state.now, lease.ttlSeconds);
    }
    return lease;
}

/** Ends a lease and deletes its keys. False if it has already ended. */
export function revokeLease(state: ClusterState, id: string): boolean {
    for (const name of state.etcd.keys.keys()) {
        if (keyAt(state, name)?.lease === id) {
            deleteKey(state, name);
        }
    }
    return state.etcd.leases.delete(id);
}

/** Ends the leases whose time is up. */
export function endLeases(state: ClusterState): void {
    for (const [id, { endsAt }] of state.etcd.leases) {
        if (state.now >= endsAt) {
            revokeLease(state, id);
        }
    }
}

/** A new etcd leader restarts the full time of each lease. */
export function extendLeases(state: ClusterState): void {
    [...state.etcd.leases.keys()].forEach((id) => keepLease(state, id));
}

function append(state: ClusterState, name: string, version: KeyVersion): KeyVersion {
    const versions = state.etcd.keys.get(name) ?? [];
    const compactedAt = state.now - compactionMilliseconds;
    const kept = versions.findIndex((_one, index) => !(versions[index + 1]?.at < compactedAt));
    versions.splice(0, Math.max(0, kept));
    versions.push(version);
    state.etcd.keys.set(name, versions);
    return version;
}
