import type { PdClient } from "../../../provider/pd";
import { type AskPd, pdError } from "./pdCall";
import type { SimulatedProcess } from "./process";
import { judgeEviction, judgeEvictionEnd, judgeLimit } from "./rules";
import { storeById } from "./truth";
import type { World } from "./world";

type Evictions = Pick<
    PdClient,
    | "evictedStores"
    | "ownEvictions"
    | "persistedEvictions"
    | "beginLeaderEviction"
    | "endLeaderEviction"
    | "leaderLimits"
    | "setConfig"
    | "setEvictionBatch"
>;

/** PD's default. */
export const batch = 3;

/**
 * PD's evictions: those loaded by its leader, and those that its etcd keeps for the next leader. Like the real client,
 * the calls that change them fail before they are loaded.
 */
export function evictionCalls(world: World, process: SimulatedProcess, ask: AskPd): Evictions {
    const { pd } = world;
    return {
        evictedStores: () =>
            ask("evictions", ({ evicted }) => (evicted.size === 0 ? undefined : [...evicted].sort((a, b) => a - b))),
        ownEvictions: () => ask("PD's own evictions", () => ({ evictions: [], unreported: [] })),
        persistedEvictions: () => ask("persisted evictions", () => [...pd.evictions.keys()].sort((a, b) => a - b)),
        beginLeaderEviction: (id) =>
            ask(`evict leaders of store ${id}`, (leadership) => {
                if (!leadership.isLoaded) {
                    throw pdError("PD_NOT_READY", "begin eviction");
                }
                if (!storeById(world, id)) {
                    throw pdError("PD_NOT_FOUND", "begin eviction");
                }
                judgeEviction(world, process, id);
                // A scheduler that does not run is created again.
                pd.limits.batch = leadership.evicted.size === 0 ? batch : pd.limits.batch;
                if (!pd.evictions.has(id)) {
                    pd.evictions.set(id, { owner: process.cluster, since: world.now });
                }
                leadership.evicted.add(id);
            }),
        leaderLimits: () =>
            ask("limits", ({ evicted }) => ({
                "leader-schedule-limit": pd.limits.schedule,
                ...(evicted.size === 0 ? {} : { batch: pd.limits.batch }),
            })),
        setConfig: (items) =>
            ask("set limits", () => {
                const to = Number(items["schedule.leader-schedule-limit"]);
                judgeLimit(world, process, to);
                pd.schedule.by = to === pd.schedule.bySomebody ? "somebody" : process.cluster;
                pd.schedule.since = world.now;
                pd.limits.schedule = to;
            }),
        setEvictionBatch: (to) =>
            ask("set the batch", ({ evicted }) => {
                pd.limits.batch = evicted.size === 0 ? batch : to;
            }),
        endLeaderEviction: (id) =>
            ask(`end the eviction of store ${id}`, (leadership) => {
                if (!leadership.isLoaded) {
                    throw pdError("PD_NOT_READY", "end eviction");
                }
                judgeEvictionEnd(world, process, id);
                pd.evictions.delete(id);
                leadership.evicted.delete(id);
                // The scheduler goes with its last store.
                pd.limits.batch = leadership.evicted.size === 0 ? batch : pd.limits.batch;
                if (pd.keepsPaused) {
                    leadership.paused.add(id);
                }
            }),
    };
}
