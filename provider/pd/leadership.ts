import { askEtcd, isCompacted, parseRange, type EtcdKey, type EtcdRange } from "./etcd";
import { etcdCalls, keyOf } from "./etcdCalls";
import type { PdLeadership, PdMembers } from "./model";
import type { PdClient } from "./pdClient";
import { PdError } from "./pdError";
import type { PdTransport } from "./transport";
import { BadAnswer } from "./wireFields";

/**
 * The longest time that one saved timestamp covers. PD's leader saves a timestamp one interval ahead of its clock, and
 * the next one when its clock has reached it (tikv/pd pkg/tso/tso.go; `tso-save-interval`, by default PD's `lease`: 5 s
 * from 8.5.4 on, 3 s before).
 */
const intervalMilliseconds = 5000;

/** How many revisions to look back if the leadership began before the oldest revision that etcd keeps. */
const lookBack = [4096n, 1024n, 256n, 64n, 16n];

/**
 * Reads the leadership from PD's etcd. The leader's key disappears with its lease, so each leadership has a new key
 * with a new `create_revision`. Two timestamps that the leader saved, one of its first and its last, tell how long it
 * has led. Both are ahead of PD's clock by the same amount, so their difference is never more than the time between
 * them. A clock that is set forward makes one timestamp jump but does not add timestamps, so each counts for at most
 * one interval. `since` is the first timestamp itself: PD makes it later than any timestamp that an earlier leader
 * saved, and so later than any heartbeat that an earlier leader noted by its own clock.
 * @param members used if etcd cannot be asked
 */
export function createLeadershipReader(
    transport: PdTransport,
    members: () => Promise<PdMembers>,
): PdClient["leadership"] {
    let root: string | undefined;
    let begun: { readonly term: string; readonly saved: EtcdKey } | undefined;

    /** Undefined if etcd no longer keeps the revision. */
    const read = (what: string, key: string, revision?: bigint) =>
        askEtcd(transport, etcdCalls.range(`read ${what} from PD's etcd`, keyOf(key, revision)), parseRange, {
            when: isCompacted,
            result: undefined,
        });
    const savedAt = (revision: bigint) => read("PD's timestamp", `${root}/timestamp`, revision);

    const findLeader = async () => {
        const known = root && (await read("PD's leader", `${root}/leader`));
        if (known && known.keys.length > 0) {
            return known;
        }
        // The PD behind this address may have been recreated, with another id.
        root = rootOf(await read("PD's cluster id", "/pd/cluster_id"));
        return root === undefined ? undefined : read("PD's leader", `${root}/leader`);
    };

    /** `key`: undefined if etcd cannot be asked, or nobody leads. */
    const readLeader = async (): Promise<{ who: PdLeadership; key?: EtcdKey; revision?: bigint }> => {
        const found = await findLeader().catch((error: unknown) => {
            if (error instanceof PdError && error.code === "PD_NO_GATEWAY") {
                return "no gateway" as const;
            }
            throw error;
        });
        if (found === "no gateway") {
            return { who: await leadershipByName(members) };
        }
        const [key] = found?.keys ?? [];
        return found && key
            ? {
                  who: { leader: parseLeaderName(key.value), term: String(key.createRevision) },
                  key,
                  revision: found.revision,
              }
            : { who: { leader: undefined, term: "none" } };
    };

    return async (part = "all") => {
        const { who, key, revision } = await readLeader();
        if (part === "leader" || key === undefined || revision === undefined) {
            return who;
        }
        const { leader, term } = who;
        const last = (await savedAt(revision))?.keys[0];
        if (!last || last.modRevision <= key.createRevision) {
            return { leader, term }; // This PD saves no timestamps, or this leader has not saved one yet.
        }
        const first = begun?.term === term ? begun.saved : await findEarly(savedAt, key.createRevision, revision);
        if (!first) {
            return { leader, term };
        }
        begun = { term, saved: first };
        return { leader, term, heldForMilliseconds: heldFor(first, last), since: new Date(milliseconds(first)) };
    };
}

/** @returns one of the first timestamps saved after a revision; if those are compacted, one of the last hour's */
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
    for (const back of lookBack.filter((revisions) => now - revisions > since)) {
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

/** Reads a timestamp as PD saves it: nanoseconds since 1970, in 8 bytes. */
function milliseconds({ value }: EtcdKey): number {
    if (value.length !== 8) {
        throw new BadAnswer("PD's timestamp in etcd", value.toString("hex"), "8 bytes");
    }
    return Number(value.readBigUInt64BE() / 1_000_000n);
}

/** Returns the prefix of PD's own keys. */
function rootOf(range: EtcdRange | undefined): string | undefined {
    const [key] = range?.keys ?? [];
    if (key && key.value.length !== 8) {
        throw new BadAnswer("/pd/cluster_id in etcd", key.value.toString("hex"), "8 bytes");
    }
    return key && `/pd/${key.value.readBigUInt64BE()}`;
}

/** Reads the name from the leader's key: a member in protobuf, whose first field is the name. */
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
