import { PdError, type PdClient } from "../../../provider/pd";
import { hasLoadedSchedulers } from "../../../provider/pd/persistedEvictions";

/** A PD of which somebody knows the truth: a real one with played stores, or one that is played as a whole. */
export interface PdAfterElection {
    readonly client: PdClient;
    /** How many regions each store leads in truth, by its id. */
    leaders(): Record<number, number>;
}

/** What the client reads of leaders, regions and evictions at one moment after an election, and the truth then. */
export interface ElectionSample {
    /** Seconds since the change of leader was asked for, or the leader was killed. */
    readonly at: number;
    /** By store id, right after PD said how many leaders they have. */
    readonly truth: Record<number, number>;
    /** Code of the error, where PD did not answer everything. */
    readonly error?: string;
    readonly seen?: Seen;
}

/** What PD answered, all of it. */
export interface Seen {
    readonly leader: string;
    readonly term: string;
    /** Whether it was the same term after everything else was read. */
    readonly isSteady: boolean;
    /** Null where PD cannot tell. */
    readonly heldForMilliseconds: number | null;
    /** Whether every store's heartbeat is later than the leadership began. */
    readonly allReported: boolean;
    readonly hasSchedulers: boolean;
    readonly regionCount: number;
    /** By store id. */
    readonly leaders: Record<number, number>;
    readonly states: readonly string[];
    /** Regions with a pending peer: by `regions/check`, and by the gauge. */
    readonly pendingInCheck: number;
    readonly pendingInGauge: number | null;
    /** Null where PD has no list. */
    readonly evicted: readonly number[] | null;
    readonly persisted: readonly number[];
}

/** Reads everything once. */
export async function takeSample({ client, leaders }: PdAfterElection, at: number): Promise<ElectionSample> {
    try {
        const before = await client.leadership();
        const schedulers = await client.schedulers();
        const stores = await client.stores();
        const truth = leaders();
        const seen = {
            leader: before.leader ?? "",
            term: before.term,
            heldForMilliseconds: before.heldForMilliseconds ?? null,
            allReported: stores.every(({ lastHeartbeat: last }) => before.since && last && last > before.since),
            hasSchedulers: hasLoadedSchedulers(schedulers),
            regionCount: await client.regionCount(),
            leaders: Object.fromEntries(stores.map(({ id, leaderCount }) => [id, leaderCount])),
            states: [...new Set(stores.map(({ state }) => state))],
            pendingInCheck: await client.countRegionsInCheck("pending-peer"),
            pendingInGauge: (await client.regionStatus())?.pendingPeer ?? null,
            evicted: (await client.evictedStores()) ?? null,
            persisted: await client.persistedEvictions(),
        };
        return { at, truth, seen: { ...seen, isSteady: (await client.leadership()).term === before.term } };
    } catch (error) {
        if (error instanceof PdError) {
            return { at, truth: leaders(), error: error.code };
        }
        throw error;
    }
}
