import type { PdCall } from "./call";
import { refused } from "./failure";
import { decodeWire } from "./json";
import type { PdTransport } from "./transport";
import type { Refusal } from "./verdict";
import { asArray, asObject, asText, BadAnswer, optional } from "./wireFields";

/** A key of etcd, as a range has it. */
export interface EtcdKey {
    readonly value: Buffer;
    /** The revision of etcd at which it was made. A key that was deleted and is there again has another one. */
    readonly createRevision: bigint;
    /** The revision of its last change. */
    readonly modRevision: bigint;
    /** How often it was put since it was made. */
    readonly version: bigint;
    readonly leaseId?: string;
}

/** What was read at one revision. */
export interface EtcdRange {
    readonly revision: bigint;
    readonly keys: readonly EtcdKey[];
}

/**
 * Asks PD's etcd. A 404 that is not etcd's own says that the gateway is off, and rejects with `PD_NO_GATEWAY`.
 * @param instead what a refusal of etcd's stands for, where it is as good as an answer
 */
export async function askEtcd<T, E = never>(
    transport: PdTransport,
    call: PdCall,
    read: (body: string) => T,
    instead?: { readonly when: (refusal: Refusal) => boolean; readonly give: E },
): Promise<T | E> {
    const { verdict, endpoint, before } = await transport.ask(call, read);
    if (verdict.kind === "done") {
        return verdict.value;
    }
    if (instead?.when(verdict)) {
        return instead.give;
    }
    throw refused(call, isGatewayOff(verdict) ? { ...verdict, code: "PD_NO_GATEWAY" } : verdict, endpoint, before);
}

/** etcd's own words for a lease that has ended are a 404, too. */
function isGatewayOff({ status, reason }: Refusal): boolean {
    return status === 404 && !reason.includes("etcdserver:");
}

/** The revision asked for is older than what etcd keeps. PD keeps an hour (`auto-compaction-retention`). */
export function isCompacted({ reason }: Refusal): boolean {
    return reason.includes("required revision has been compacted");
}

/** The lease has ended. */
export function isNoLease({ reason }: Refusal): boolean {
    return reason.includes("requested lease not found");
}

/** Reads the answer to a range. */
export function parseRange(body: string): EtcdRange {
    return toRange(asObject(decodeWire(body), "range"), "");
}

/** Reads a range within an answer. `kvs` is left out where there is no key. */
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

/** The gateway writes numbers of 64 bits as text. */
function asWhole(value: unknown, field: string): bigint {
    if (typeof value !== "string" || !/^\d+$/.test(value)) {
        throw new BadAnswer(field, value, "a whole number as text");
    }
    return BigInt(value);
}
