import { type ClusterState, maxReplicas } from "../model/cluster";
import { regionChecks } from "../model/regions";
import { json, type PdAnswer, type PdRequest, type PdRoute } from "./call";
import { notANumber, storeNotFound } from "./storeCalls";

const checkPath = /^\/pd\/api\/v1\/regions\/check\/(miss|down|pending|offline|extra|learner)-peer$/;

/** Calls about regions, and those about PD's work that nothing here depends on and that are answered as if idle. */
export const regionRoutes: PdRoute[] = [
    { method: "GET", pattern: checkPath, handle: check, needsStores: true },
    {
        method: "GET",
        pattern: /^\/pd\/api\/v1\/regions\/check\/empty-region$/,
        handle: () => regions(0, []),
        needsStores: true,
    },
    { method: "GET", pattern: /^\/pd\/api\/v1\/regions\/store\/([^/]+)$/, handle: regionsOfStore, needsStores: true },
    { method: "GET", pattern: /^\/pd\/api\/v1\/stats\/region$/, handle: statistics, needsStores: true },
    { method: "GET", pattern: /^\/pd\/api\/v1\/operators$/, handle: () => json([]), needsStores: true },
    {
        method: "GET",
        pattern: /^\/pd\/api\/v1\/admin\/unsafe\/remove-failed-stores\/show$/,
        handle: () => json([{ info: "No on-going recovery." }]),
        needsStores: true,
    },
    {
        method: "GET",
        pattern: /^\/pd\/api\/v1\/min-resolved-ts$/,
        handle: () =>
            json({
                is_real_time: true,
                min_resolved_ts: 0,
                persist_interval: "1s",
                stores_min_resolved_ts: null,
            }),
        needsStores: true,
    },
];

function check(state: ClusterState, _request: PdRequest, kind: string): PdAnswer {
    const { missPeers, downPeers, pendingPeers, offlinePeers } = regionChecks(state);
    const counts: Record<string, number> = {
        miss: missPeers,
        down: downPeers,
        pending: pendingPeers,
        offline: offlinePeers,
    };
    const count = counts[kind] ?? 0;
    return regions(
        count,
        Array.from({ length: Math.min(count, 3) }, (_unused, index) => describe(state, index, peerStores(state))),
    );
}

function regionsOfStore(state: ClusterState, request: PdRequest, id: string): PdAnswer {
    if (!/^\d+$/.test(id)) {
        return notANumber(id);
    }
    const store = state.stores.find((one) => String(one.id) === id);
    if (store === undefined) {
        return json(storeNotFound(id), 404);
    }
    const length = Math.min(store.regions, Number(request.query.get("limit") ?? 16));
    const peers = [store.id, ...peerStores(state).filter((other) => other !== store.id)].slice(0, maxReplicas(state));
    return regions(
        store.regions,
        Array.from({ length }, (_unused, index) => describe(state, index, peers)),
    );
}

function regions(count: number, listed: object[]): PdAnswer {
    return json({ count, regions: listed }, 200, "application/octet-stream");
}

function peerStores(state: ClusterState): number[] {
    return state.stores.filter((store) => store.engine === "tikv" && store.regions > 0).map((store) => store.id);
}

/** The model counts regions and has no single one: this is one as it might be, for who wants to see its shape. */
function describe(state: ClusterState, index: number, storeIds: number[]): object {
    const id = 100 + index * 10;
    const peers = storeIds
        .slice(0, maxReplicas(state))
        .map((storeId, peer) => ({ role_name: "Voter", id: id + peer + 1, store_id: storeId }));
    return {
        id,
        start_key: index.toString(16).padStart(8, "0"),
        end_key: (index + 1).toString(16).padStart(8, "0"),
        epoch: { conf_ver: 1, version: 1 },
        peers,
        leader: peers[0],
        cpu_usage: 0,
        written_bytes: 0,
        read_bytes: 0,
        written_keys: 0,
        read_keys: 0,
        approximate_size: 96,
        approximate_keys: 960000,
    };
}

function statistics(state: ClusterState): PdAnswer {
    return json({
        count: state.regions,
        empty_count: 0,
        storage_size: 0,
        user_storage_size: 0,
        storage_keys: 0,
        store_leader_count: null,
        store_peer_count: null,
        store_leader_size: null,
        store_leader_keys: null,
        store_peer_size: null,
        store_peer_keys: null,
    });
}
