import type { WireKey, WireRange } from "../../../provider/pd/wire";
import type { Answer, Received } from "../pd/server";

/** One change of a key: at which revision, to which value; undefined for its end. */
export type Change = readonly [revision: number, value: string | Buffer | undefined];

/** What PD's etcd holds: the changes of each key, in the order of their revisions. */
export interface PlayedEtcd {
    keys: Record<string, readonly Change[]>;
    /** Older revisions are no longer kept. */
    compacted?: number;
    /** The newest revision. */
    revision: number;
}

/** Answers a call to etcd's gateway as PD 8.5.4 does; undefined for any other call. */
export function answerEtcd(etcd: PlayedEtcd, { path, body }: Received): Answer | undefined {
    if (path !== "/v3/kv/range") {
        return undefined;
    }
    const { key, revision } = JSON.parse(body) as WireRange;
    const at = revision === undefined ? etcd.revision : Number(revision);
    if (at < (etcd.compacted ?? 0)) {
        return gatewayError(400, 11, "etcdserver: mvcc: required revision has been compacted");
    }
    const found = keyAt(etcd.keys[atob(key)] ?? [], at, key);
    return json(200, {
        header: { cluster_id: "9650620939426766469", revision: String(etcd.revision), raft_term: "2" },
        ...(found ? { kvs: [found], count: "1" } : {}),
    });
}

/** An error as the gateway writes it. */
export function gatewayError(status: number, code: number, message: string): Answer {
    return json(status, { error: message, code, message });
}

export const json = (status: number, body: unknown): Answer => ({ status, body: JSON.stringify(body) });

function keyAt(changes: readonly Change[], revision: number, key: string): WireKey | undefined {
    const until = changes.filter(([changed]) => changed <= revision);
    const last = until.at(-1);
    if (last?.[1] === undefined) {
        return undefined;
    }
    const made = until.map(([, value]) => value).lastIndexOf(undefined) + 1;
    return {
        key,
        value: Buffer.from(last[1]).toString("base64"),
        create_revision: String(until[made][0]),
        mod_revision: String(last[0]),
        version: String(until.length - made),
    };
}
