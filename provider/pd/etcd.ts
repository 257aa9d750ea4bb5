import { askPd, type OnRefusal } from "./askPd";
import type { PdCall } from "./call";
import { decodeWire } from "./json";
import type { PdTransport } from "./transport";
import type { Refusal } from "./verdict";
import { asArray, asObject, asText, BadAnswer, optional } from "./wireFields";

/** A key in etcd, as a range request returns it. */
export interface EtcdKey {
    readonly value: Buffer;
    /** The etcd revision at which the key was created. A key that was deleted and created again has a new one. */
    readonly createRevision: bigint;
    /** The revision of the key's last change. */
    readonly modRevision: bigint;
    /** How often the key was put since it was created. */
    readonly version: bigint;
    readonly leaseId?: string;
}

/** Keys that were read at one revision. */
export interface EtcdRange {
    readonly revision: bigint;
    readonly keys: readonly EtcdKey[];
}

/**
 * Sends a call to PD's etcd. Rejects with `PD_NO_GATEWAY` on a 404 that does not come from etcd: the gateway is off.
 * @param onRefusal the result where etcd refuses for an expected reason
 */
export function askEtcd<T, E = never>(
    transport: PdTransport,
    call: PdCall,
    read: (body: string) => T,
    onRefusal?: OnRefusal<E>,
): Promise<T | E> {
    return askPd(transport, call, read, onRefusal, (refusal) =>
        isGatewayOff(refusal) ? { ...refusal, code: "PD_NO_GATEWAY" } : refusal,
    );
}

/** etcd itself also answers 404, for a lease that has ended. */
function isGatewayOff({ status, reason }: Refusal): boolean {
    return status === 404 && !reason.includes("etcdserver:");
}

/** The requested revision is older than what etcd keeps. PD keeps an hour (`auto-compaction-retention`). */
export function isCompacted({ reason }: Refusal): boolean {
    return reason.includes("required revision has been compacted");
}

/** The lease has ended. */
export function isUnknownLease({ reason }: Refusal): boolean {
    return reason.includes("requested lease not found");
}

/** Reads the answer to a range request. */
export function parseRange(body: string): EtcdRange {
    return toRange(asObject(decodeWire(body), "range"), "");
}

/** Reads a range within an answer. etcd omits `kvs` if there is no key. */
export function toRange(range: Record<string, unknown>, prefix: string): EtcdRange {
    const { revision } = asObject(range.header, `${prefix}header`);
    const keys = asArray(range.kvs ?? [], `${prefix}kvs`).map((element, index) => {
        const field = `${prefix}kvs[${index}]`;
        const key = asObject(element, field);
        return {
            value: Buffer.from(optional(key.value, `${field}.value`, asText) ?? "", "base64"),
            createRevision: asWhole(key.create_revision, `${field}.create_revision`),
            modRevision: asWhole(key.mod_revision, `${field}.mod_revision`),
            version: asWhole(key.version, `${field}.version`),
            leaseId: optional(key.lease, `${field}.lease`, asText),
        };
    });
    return { revision: asWhole(revision, `${prefix}header.revision`), keys };
}

/** Reads a 64-bit number, which the gateway writes as text. */
function asWhole(value: unknown, field: string): bigint {
    if (typeof value !== "string" || !/^\d+$/.test(value)) {
        throw new BadAnswer(field, value, "a whole number as text");
    }
    return BigInt(value);
}
