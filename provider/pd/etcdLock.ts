import { askEtcd, isUnknownLease, parseRange, toRange, type EtcdKey } from "./etcd";
import { etcdCalls, keyOf } from "./etcdCalls";
import { decodeWire } from "./json";
import type { PdHeld, PdKey } from "./model";
import type { PdTransport } from "./transport";
import { asArray, asBoolean, asObject, asText, BadAnswer, optional } from "./wireFields";

/** Creates a lease. @returns its id */
export function grantLease(transport: PdTransport, ttlSeconds: number): Promise<string> {
    return askEtcd(transport, etcdCalls.grantLease(ttlSeconds), (body) =>
        asText(asObject(decodeWire(body), "lease").ID, "ID"),
    );
}

/** Renews a lease. @returns false if it has ended: etcd then omits the TTL */
export function keepLeaseAlive(transport: PdTransport, leaseId: string): Promise<boolean> {
    return askEtcd(transport, etcdCalls.keepLeaseAlive(leaseId), (body) => {
        // The answer is a stream, with one line for our one request.
        const result = asObject(asObject(decodeWire(body), "keepalive").result, "result");
        if (result.ID !== leaseId) {
            throw new BadAnswer("result.ID", result.ID, leaseId);
        }
        return Number(optional(result.TTL, "result.TTL", asText) ?? 0) > 0;
    });
}

/** Ends a lease. */
export async function revokeLease(transport: PdTransport, leaseId: string): Promise<void> {
    await askEtcd(transport, etcdCalls.revokeLease(leaseId), decodeWire, { when: isUnknownLease, result: undefined });
}

/** Puts a key unless it exists. */
export async function putIfAbsent(
    transport: PdTransport,
    key: string,
    value: string,
    leaseId: string,
): Promise<PdHeld> {
    const existing = await askEtcd(transport, etcdCalls.putIfAbsent(key, value, leaseId), parseTransaction);
    // If the first answer was lost, a retry finds the key under our own lease.
    return existing === undefined || existing.leaseId === leaseId
        ? { held: true }
        : { held: false, ...toKey(existing) };
}

/** Reads a key; undefined if it does not exist. */
export async function readKey(transport: PdTransport, key: string): Promise<PdKey | undefined> {
    const { keys } = await askEtcd(transport, etcdCalls.range(`read ${key} from PD's etcd`, keyOf(key)), parseRange);
    return keys[0] && toKey(keys[0]);
}

/** Reads the answer to `putIfAbsent`: undefined if the key was put, otherwise the existing key. */
function parseTransaction(body: string): EtcdKey | undefined {
    const answer = asObject(decodeWire(body), "txn");
    if (optional(answer.succeeded, "succeeded", asBoolean)) {
        return undefined;
    }
    const [response] = asArray(answer.responses ?? [], "responses");
    const range = asObject(asObject(response, "responses[0]").response_range, "responses[0].response_range");
    const [key] = toRange({ ...range, header: answer.header }, "responses[0].response_range.").keys;
    if (!key) {
        throw new BadAnswer("responses[0].response_range.kvs", [], "the key that exists already");
    }
    return key;
}

function toKey({ value, leaseId }: EtcdKey): PdKey {
    return { value: value.toString("utf8"), leaseId };
}
