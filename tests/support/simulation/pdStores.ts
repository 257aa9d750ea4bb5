import type { PdStore } from "../../../provider/pd";
import { startSeconds } from "../../../sandbox/dataPlane/facts/storeState";
import { storeState } from "./pd";
import { peersOn } from "./scheduling";
import { labelsOf } from "./storeLabels";
import { addressOf } from "./truth";
import type { Leadership, Store, World } from "./world";

/** @returns the current fault of PD's list of stores */
export function listFault({ pd, now }: World) {
    return pd.list && now < pd.list.until ? pd.list : undefined;
}

/** PD's list of stores, with its current fault applied. */
export function listed(world: World, leadership: Leadership): PdStore[] {
    const all = world.stores
        .filter(({ phase }) => phase !== "Tombstone")
        .map((store) => toStore(world, leadership, store));
    const fault = listFault(world);
    switch (fault?.kind) {
        case "empty":
            return [];
        case "partial":
            return all.filter(({ id }) => id !== fault.store);
        case "stale":
            fault.seen ??= all;
            return fault.seen;
        case "doubled": {
            const one = all.find(({ id }) => id === fault.store);
            return one ? [{ ...one, id: 90_000 + one.id, state: "Down", leaderCount: 0 }, ...all] : all;
        }
        case "elsewhere":
            return all.map((one) => (one.id === fault.store ? { ...one, address: `10.0.0.${one.id}:20160` } : one));
        case "not-bootstrapped":
        case undefined:
            return all;
    }
}

export function toStore(world: World, leadership: Leadership, store: Store): PdStore {
    let leaders = 0;
    for (const { leader } of leadership.heard.values()) {
        leaders += leader === store.id ? 1 : 0;
    }
    const heartbeat = leadership.stores.get(store.id);
    return {
        id: store.id,
        address: addressOf(world, store),
        state: storeState(world, store.id),
        labels: labelsOf(store),
        leaderCount: leaders * world.weight,
        regionCount: peersOn(world, store.id) * world.weight,
        lastHeartbeat: heartbeat === undefined ? undefined : new Date(heartbeat),
        pendingPeerCount: 0,
        slowScore: 1,
        isBusy: store.busy !== undefined && world.now < store.busy.until,
        startedAt: store.startedAt === 0 ? undefined : new Date(startSeconds(store.startedAt) * 1000),
    };
}
