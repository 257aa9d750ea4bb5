import type { WireStore } from "pulumi-tidb/provider/pd/wire";
import { startSeconds } from "../facts/storeState";
import type { ExtraStore } from "../faults";
import type { ClusterState } from "../model/cluster";
import { nanoseconds } from "./format";

/** Returns the list of stores with the faults applied. */
export function listedStores(state: ClusterState, stores: WireStore[]): WireStore[] {
    const { storeList, extraStores = [] } = state.faults;
    state.staleStores = storeList === "stale" ? (state.staleStores ?? stores) : undefined;
    const listed = (state.staleStores as WireStore[] | undefined) ?? stores;
    const extra = extraStores.map((one) => describe(state, one));
    if (storeList === "empty") {
        return [];
    }
    if (typeof storeList === "object") {
        const ids = state.stores.filter(({ pod }) => storeList.only.includes(pod)).map(({ id }) => id);
        return [...listed.filter(({ store }) => ids.includes(Number(store.id))), ...extra];
    }
    return [...listed, ...extra];
}

function describe(state: ClusterState, { id, address, ...rest }: ExtraStore): WireStore {
    const { state: name = "Up", leaders = 0, regions = 0, heartbeatAgeMilliseconds = 0 } = rest;
    const lastHeartbeat = state.now - heartbeatAgeMilliseconds;
    return {
        store: {
            id,
            address,
            ...(name === "Offline" ? { state: 1 } : {}),
            version: "v8.5.3",
            last_heartbeat: nanoseconds(lastHeartbeat),
            start_timestamp: startSeconds(state.createdAt),
            node_state: name === "Offline" ? 2 : 1,
            state_name: name,
        },
        status: {
            leader_count: leaders,
            region_count: regions,
            start_ts: new Date(state.createdAt).toISOString(),
            last_heartbeat_ts: new Date(lastHeartbeat).toISOString(),
        },
    };
}
