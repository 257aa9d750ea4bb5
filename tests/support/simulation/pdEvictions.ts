import type { PdClient } from "../../../provider/pd";
import { type AskPd, pdError } from "./pdCall";
import type { SimulatedProcess } from "./process";
import { judgeEviction, judgeEvictionEnd } from "./rules";
import { storeById } from "./truth";
import type { World } from "./world";

type Evictions = Pick<PdClient, "evictedStores" | "persistedEvictions" | "beginLeaderEviction" | "endLeaderEviction">;

/**
 * PD's evictions: those loaded by its leader, and those that its etcd keeps for the next leader. Like the real client,
 * the calls that change them fail before they are loaded.
 */
export function evictionCalls(world: World, process: SimulatedProcess, ask: AskPd): Evictions {
    const { pd } = world;
    return {
        evictedStores: () =>
            ask("evictions", ({ evicted }) => (evicted.size === 0 ? undefined : [...evicted].sort((a, b) => a - b))),
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
                if (!pd.evictions.has(id)) {
                    pd.evictions.set(id, { owner: process.cluster, since: world.now });
                }
                leadership.evicted.add(id);
            }),
        endLeaderEviction: (id) =>
            ask(`end the eviction of store ${id}`, (leadership) => {
                if (!leadership.isLoaded) {
                    throw pdError("PD_NOT_READY", "end eviction");
                }
                judgeEvictionEnd(world, process, id);
                pd.evictions.delete(id);
                leadership.evicted.delete(id);
                if (pd.keepsPaused) {
                    leadership.paused.add(id);
                }
            }),
    };
}
