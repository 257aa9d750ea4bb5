import { askEtcd, isNoLease, parseRange, toRange, type EtcdKey } from "./etcd";
import { etcdCalls, keyOf } from "./etcdCalls";
import { decodeWire } from "./json";
import type { PdHeld, PdKey } from "./model";
import type { PdTransport } from "./transport";
import { asArray, asBoolean, asObject, asText, BadAnswer, optional } from "./wireFields";

/** Makes a lease. @returns its id */
export function grantLease(transport: PdTransport, ttlSeconds: number): Promise<string> {
    return askEtcd(transport, etcdCalls.grantLease(ttlSeconds), (body) =>
        asText(asObject(decodeWire(body), "lease").ID, "ID"),
    );
}

/** Starts a lease's time anew. @returns false where it has ended: etcd then leaves the time out */
export function keepLeaseAlive(transport: PdTransport, leaseId: string): Promise<boolean> {
    return askEtcd(transport, etcdCalls.keepLeaseAlive(leaseId), (body) => {
        // A stream of one line for the one that was asked for.
        const result = asObject(asObject(decodeWire(body), "keepalive").result, "result");
        if (result.ID !== leaseId) {
            throw new BadAnswer("result.ID", result.ID, leaseId);
        }
        return Number(optional(result.TTL, "result.TTL", asText) ?? 0) > 0;
    });
}

/** Ends a lease. */
export async function revokeLease(transport: PdTransport, leaseId: string): Promise<void> {
    await askEtcd(transport, etcdCalls.revokeLease(leaseId), decodeWire, { when: isNoLease, give: undefined });
}

/** Puts a key where there is none of the name. */
export async function putIfAbsent(
    transport: PdTransport,
    key: string,
    value: string,
    leaseId: string,
): Promise<PdHeld> {
    const there = await askEtcd(transport, etcdCalls.putIfAbsent(key, value, leaseId), parseTransaction);
    // An answer may have got lost on the way: what the repeat finds is then our own.
    return there === undefined || there.leaseId === leaseId ? { held: true } : { held: false, ...toKey(there) };
}

/** A key; undefined where there is none. */
export async function readKey(transport: PdTransport, key: string): Promise<PdKey | undefined> {
    const { keys } = await askEtcd(transport, etcdCalls.range(`read ${key} from PD's etcd`, keyOf(key)), parseRange);
    return keys[0] && toKey(keys[0]);
}

/** Reads the answer to `putIfAbsent`: undefined where the key was put, else the one that is there. */
function parseTransaction(body: string): EtcdKey | undefined {
    const answer = asObject(decodeWire(body), "txn");
    if (optional(answer.succeeded, "succeeded", asBoolean)) {
        return undefined;
    }
    const [response] = asArray(answer.responses ?? [], "responses");
    const range = asObject(asObject(response, "responses[0]").response_range, "responses[0].response_range");
    const [key] = toRange({ ...range, header: answer.header }, "responses[0].response_range.").keys;
    if (!key) {
        throw new BadAnswer("responses[0].response_range.kvs", [], "the key that is there already");
    }
    return key;
}

function toKey({ value, leaseId }: EtcdKey): PdKey {
    return { value: value.toString("utf8"), leaseId };
}
