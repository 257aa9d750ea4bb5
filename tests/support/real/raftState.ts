/** An answer to an HTTP request. */
export interface Answer {
    status: number;
    body: string;
}

/** Sends a request; a GET unless it has another method. @throws if nothing answers */
export type Ask = (url: string, method?: "GET" | "DELETE") => Promise<Answer>;

/** The regions that a TiKV itself leads, at the time when its pod was to be stopped. */
export interface LeadersAtStop {
    pod: string;
    uid: string;
    /** Of the regions that have a peer on it, those of which it is the leader by its raft state. */
    leaders: number;
    /** Those that have a peer on it. */
    regions: number;
}

/** A question without an answer after this time fails: a pod is stopped only after the look at it. */
export const answerMilliseconds = 30_000;
const sideBySide = 8;
const roles = ["Follower", "Candidate", "PreCandidate", "Leader"];

/** Returns the ids of all regions in PD's answer about them. @throws if it is not such an answer: no cluster is without a region */
export function regionIds({ status, body }: Answer): number[] {
    const { count, regions } = status === 200 ? (JSON.parse(body) as { count?: unknown; regions?: unknown }) : {};
    const ids = Array.isArray(regions) ? (regions as { id?: unknown }[]).map(({ id }) => id) : [];
    if (ids.length === 0 || ids.length !== count || !ids.every((id) => typeof id === "number")) {
        throw new Error(`PD does not list its regions: ${status} ${body.slice(0, 100)}`);
    }
    return ids;
}

/** A TiKV's answer about a region (tikv/tikv components/raftstore/src/store/region_meta.rs). */
interface RegionMeta {
    raft_status?: { soft_state?: { raft_state?: string } };
    region_state?: { id?: number };
}

/**
 * Returns the role of a TiKV in a region, by its answer about it. Undefined if the region has no peer on it.
 * @throws if the answer does not say so: what is not known is no other role
 */
export function roleIn(region: number, { status, body }: Answer): string | undefined {
    if (status === 404 && body.trim() === `region(${region}) not found`) {
        return undefined;
    }
    const { region_state, raft_status }: RegionMeta = status === 200 ? (JSON.parse(body) as RegionMeta) : {};
    const role = raft_status?.soft_state?.raft_state ?? "";
    if (region_state?.id !== region || !roles.includes(role)) {
        throw new Error(`TiKV does not say what it is in region ${region}: ${status} ${body.slice(0, 100)}`);
    }
    return role;
}

/**
 * Asks a TiKV for its raft state in each region that PD has. Its gauge of leaders is refreshed every 10 s only, and PD knows what heartbeats said.
 * @param pd the URL of a PD that answers. @param status the URL of the TiKV's status. @throws if one of the answers is not known
 */
export async function leadersByRaft(
    ask: Ask,
    pd: string,
    status: string,
): Promise<{ leaders: number; regions: number }> {
    const queue = regionIds(await ask(`${pd}/pd/api/v1/regions`));
    const found: string[] = [];
    const work = async (): Promise<void> => {
        for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
            const role = roleIn(id, await ask(`${status}/region/${id}`));
            if (role !== undefined) {
                found.push(role);
            }
        }
    };
    await Promise.all(Array.from({ length: sideBySide }, work));
    return { leaders: found.filter((role) => role === "Leader").length, regions: found.length };
}

/** A TiKV's pod that an operation removed, with what it led then. */
export type Stop = LeadersAtStop | { pod: string; uid: string; leaders: "not known" };

/** Returns for each pod that is gone what was seen when it was to be stopped. */
export function stopsOf(gone: readonly { pod: string; uid: string }[], seen: readonly LeadersAtStop[]): Stop[] {
    return gone.map((one) => seen.find(({ uid }) => uid === one.uid) ?? { ...one, leaders: "not known" });
}
