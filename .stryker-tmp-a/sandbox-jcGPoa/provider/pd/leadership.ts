import { askEtcd, isCompacted, parseRange, type EtcdKey, type EtcdRange } from "./etcd";
import { etcdCalls, keyOf } from "./etcdCalls";
import type { PdLeadership, PdMembers } from "./model";
import { PdError } from "./pdError";
import type { PdTransport } from "./transport";
import { BadAnswer } from "./wireFields";

/**
 * The longest that one saved timestamp stands for. PD's leader saves one whenever its clock has reached the last one, each
 * an interval ahead (tikv/pd pkg/tso/tso.go; `tso-save-interval`, by default PD's `lease`: 5 s from 8.5.4 on, 3 s before).
 */
const intervalMilliseconds = 5000;

/** How far to look back, in revisions, where the leadership began before what etcd keeps. */
const looksBack = [4096n, 1024n, 256n, 64n, 16n];

/**
 * Reads the leadership from PD's etcd. The leader's key goes with its lease, so that each leadership has a key of its own,
 * with a `create_revision` of its own. Two timestamps that the same leader saved tell how long it has been held: one of
 * its first, and its last. Each is ahead of PD's clock by the same, so that their difference is never more than the time
 * between. A clock that is set forward makes one timestamp jump but not their number, so each counts for one interval.
 * `since` is the first timestamp as it is: PD makes it later than any that an earlier leader saved, and with that later
 * than any heartbeat that an earlier leader noted by a clock of its own.
 * @param members asked where etcd cannot be
 */
export function createLeadershipReader(
    transport: PdTransport,
    members: () => Promise<PdMembers>,
): () => Promise<PdLeadership> {
    let root: string | undefined;
    let begun: { readonly term: string; readonly saved: EtcdKey } | undefined;

    /** Undefined where etcd no longer keeps that revision. */
    const read = (what: string, key: string, revision?: bigint) =>
        askEtcd(transport, etcdCalls.range(`read ${what} from PD's etcd`, keyOf(key, revision)), parseRange, {
            when: isCompacted,
            give: undefined,
        });
    const savedAt = (revision: bigint) => read("PD's timestamp", `${root}/timestamp`, revision);

    const findLeader = async () => {
        const known = root && (await read("PD's leader", `${root}/leader`));
        if (known && known.keys.length > 0) {
            return known;
        }
        // PD behind this address may have been made anew, under another id.
        root = rootOf(await read("PD's cluster id", "/pd/cluster_id"));
        return root === undefined ? undefined : read("PD's leader", `${root}/leader`);
    };

    return async () => {
        const found = await findLeader().catch((error: unknown) => {
            if (error instanceof PdError && error.code === "PD_NO_GATEWAY") {
                return "no gateway" as const;
            }
            throw error;
        });
        if (found === "no gateway") {
            return leadershipByName(members);
        }
        const [key] = found?.keys ?? [];
        if (!found || !key) {
            return { leader: undefined, term: "none" };
        }
        const [leader, term] = [parseLeaderName(key.value), String(key.createRevision)];
        const last = (await savedAt(found.revision))?.keys[0];
        if (!last || last.modRevision <= key.createRevision) {
            return { leader, term }; // Nobody saves timestamps here, or not yet under this leadership.
        }
        const first = begun?.term === term ? begun.saved : await findEarly(savedAt, key.createRevision, found.revision);
        if (!first) {
            return { leader, term };
        }
        begun = { term, saved: first };
        return { leader, term, heldForMilliseconds: heldFor(first, last), since: new Date(milliseconds(first)) };
    };
}

/** @returns one of the first timestamps saved after a revision; one of the last hour's where those are compacted */
async function findEarly(
    savedAt: (revision: bigint) => Promise<EtcdRange | undefined>,
    since: bigint,
    now: bigint,
): Promise<EtcdKey | undefined> {
    const isLater = (key: EtcdKey | undefined) => key !== undefined && key.modRevision > since;
    for (let ahead = 1n; ; ahead *= 2n) {
        const range = await savedAt(since + ahead < now ? since + ahead : now);
        if (!range) {
            break;
        }
        if (isLater(range.keys[0])) {
            return range.keys[0];
        }
        if (since + ahead >= now) {
            return undefined;
        }
    }
    for (const back of looksBack.filter((revisions) => now - revisions > since)) {
        const range = await savedAt(now - back);
        if (range && isLater(range.keys[0])) {
            return range.keys[0];
        }
    }
    return undefined;
}

function heldFor(first: EtcdKey, last: EtcdKey): number {
    const byClock = milliseconds(last) - milliseconds(first);
    const byCount = Number(last.version - first.version) * intervalMilliseconds;
    return Math.max(0, Math.min(byClock, byCount));
}

/** A timestamp as PD saves it: nanoseconds since 1970, in 8 bytes. */
function milliseconds({ value }: EtcdKey): number {
    if (value.length !== 8) {
        throw new BadAnswer("PD's timestamp in etcd", value.toString("hex"), "8 bytes");
    }
    return Number(value.readBigUInt64BE() / 1_000_000n);
}

/** Where PD keeps all that is its own. */
function rootOf(range: EtcdRange | undefined): string | undefined {
    const [key] = range?.keys ?? [];
    if (key && key.value.length !== 8) {
        throw new BadAnswer("/pd/cluster_id in etcd", key.value.toString("hex"), "8 bytes");
    }
    return key && `/pd/${key.value.readBigUInt64BE()}`;
}

/** The leader's key holds a member in protobuf, whose first field is the name. */
function parseLeaderName(value: Buffer): string {
    const length = value[1] ?? 0;
    if (value[0] !== 0x0a || length === 0 || length > 0x7f || value.length < 2 + length) {
        throw new BadAnswer("PD's leader in etcd", value.toString("hex"), "a member that begins with its name");
    }
    return value.toString("utf8", 2, 2 + length);
}

async function leadershipByName(members: () => Promise<PdMembers>): Promise<PdLeadership> {
    try {
        const { leader } = await members();
        return leader ? { leader: leader.name, term: `name:${leader.name}` } : { leader: undefined, term: "none" };
    } catch (error) {
        if (error instanceof PdError && error.code === "PD_NO_LEADER") {
            return { leader: undefined, term: "none" };
        }
        throw error;
    }
}
