import type { WirePeer, WireRegion, WireRegions } from "pulumi-tidb/provider/pd/wire";
import type { ClusterState } from "../model/cluster";
import { reportedChecks } from "../model/leadership";
import { firstKeyOf } from "../model/regionKeys";
import { type Peer, type Region, regionOf, regionsOn } from "../model/regionPeers";
import { json, type PdAnswer, type PdRequest, type PdRoute } from "./call";
import { notANumber, storeNotFound } from "./storeCalls";

const checkPath = /^\/pd\/api\/v1\/regions\/check\/(miss|down|pending|offline|extra|learner)-peer$/;

/**
 * Calls about regions, and calls about PD's other work, which nothing here depends on and which are answered as if PD
 * were idle.
 */
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
    const checks = reportedChecks(state);
    const found = kind in checks ? checks[kind as keyof typeof checks] : [];
    return regions(
        found.length,
        found.map((index) => describe(regionOf(state, index), state.regions)),
    );
}

/** All regions with a peer on a store. A real PD does not support a limit; the recording that has one was shortened. */
function regionsOfStore(state: ClusterState, request: PdRequest, id: string): PdAnswer {
    if (!/^\d+$/.test(id)) {
        return notANumber(id);
    }
    const store = state.stores.find((one) => String(one.id) === id);
    if (store === undefined) {
        return json(storeNotFound(id), 404);
    }
    const found = regionsOn(state, [store]);
    const listed = found.slice(0, Number(request.query.get("limit") ?? Infinity));
    return regions(
        found.length,
        listed.map((index) => describe(regionOf(state, index), state.regions)),
    );
}

function regions(count: number, listed: WireRegion[]): PdAnswer {
    const answer: WireRegions = { count, regions: listed };
    return json(answer, 200, "application/octet-stream");
}

const roles: Readonly<Record<Peer["role"], number>> = { Voter: 0, Learner: 1, IncomingVoter: 2, DemotingVoter: 3 };
const downSeconds = 700;

function describe({ index, peers, leader }: Region, regionCount: number): WireRegion {
    const id = 100 + index * 10;
    const wire = (peer: Peer): WirePeer => ({
        ...(peer.role === "Voter" ? {} : { role: roles[peer.role] }),
        role_name: peer.role,
        ...(peer.role === "Learner" ? { is_learner: true } : {}),
        id: id + peers.indexOf(peer) + 1,
        store_id: peer.store.id,
    });
    const down = peers.filter(({ isDown }) => isDown).map((peer) => ({ down_seconds: downSeconds, peer: wire(peer) }));
    const pending = peers.filter(({ isPending }) => isPending).map(wire);
    return {
        id,
        start_key: firstKeyOf(index),
        end_key: index + 1 === regionCount ? "" : firstKeyOf(index + 1),
        epoch: { conf_ver: 1, version: 1 },
        peers: peers.map(wire),
        leader: leader && wire(leader),
        ...(down.length === 0 ? {} : { down_peers: down }),
        ...(pending.length === 0 ? {} : { pending_peers: pending }),
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
