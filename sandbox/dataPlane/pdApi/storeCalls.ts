import type { WireStore, WireStores } from "pulumi-tidb/provider/pd/wire";
import { startSeconds } from "../facts/storeState";
import { formatProblem, mergedLabels, strictProblem } from "../facts/storeLabels";
import { saidVersion } from "../faults";
import { type ClusterState, record, type Store } from "../model/cluster";
import { unreportedLeaders } from "../model/leadership";
import { locationLabels } from "../model/places";
import { pendingPeers } from "../model/regionPeers";
import { cancelDeletion, deleteStore } from "../model/stores";
import { diskBytes, freeBytes, regionMebibytes, usedBytes } from "../model/storeSpace";
import { storeState } from "../model/storeState";
import { json, type PdAnswer, type PdRequest, type PdRoute } from "./call";
import { formatBytes, formatDuration, nanoseconds } from "./format";
import { listedStores } from "./storeListFaults";

const storePath = /^\/pd\/api\/v1\/store\/([^/]+)$/;

/** Calls about stores. */
export const storeRoutes: PdRoute[] = [
    { method: "GET", pattern: /^\/pd\/api\/v1\/stores$/, handle: listByNumber, needsStores: true },
    { method: "GET", pattern: /^\/pd\/api\/v1\/stores\/check$/, handle: listByName, needsStores: true },
    { method: "GET", pattern: /^\/pd\/api\/v1\/stores\/limit$/, handle: limits, needsStores: true },
    {
        method: "DELETE",
        pattern: /^\/pd\/api\/v1\/stores\/remove-tombstone$/,
        handle: removeTombstones,
        needsStores: true,
    },
    { method: "GET", pattern: storePath, handle: withStore(describe), needsStores: true },
    { method: "DELETE", pattern: storePath, handle: withStore(remove), needsStores: true },
    {
        method: "POST",
        pattern: /^\/pd\/api\/v1\/store\/([^/]+)\/state$/,
        handle: withStore(setState),
        needsStores: true,
    },
    {
        method: "POST",
        pattern: /^\/pd\/api\/v1\/store\/([^/]+)\/label$/,
        handle: withStore(setLabels),
        needsStores: true,
    },
];

/** PD's message for an unknown store. */
export function storeNotFound(id: string | number): string {
    return `[PD:core:ErrStoreNotFound]store ${id} not found`;
}

/** PD's answer to an invalid number. */
export function notANumber(found: string): PdAnswer {
    return json({ code: "input", msg: `strconv.ParseUint: parsing "${found}": invalid syntax`, data: {} }, 400);
}

type StoreHandler = (state: ClusterState, request: PdRequest, store: Store) => PdAnswer;

function withStore(handle: StoreHandler): PdRoute["handle"] {
    return (state, request, id) => {
        if (!/^\d+$/.test(id)) {
            return notANumber(id);
        }
        const store = state.stores.find((one) => String(one.id) === id);
        return store === undefined ? json(storeNotFound(id), 404) : handle(state, request, store);
    };
}

/** The numbers in `state` are PD's store states: 0 Up, 1 Offline, 2 Tombstone. Without any: all except Tombstone. */
function listByNumber(state: ClusterState, request: PdRequest): PdAnswer {
    const asked = request.query.getAll("state");
    return list(state, (store) =>
        asked.length === 0 ? store.nodeState !== "Removed" : asked.includes(String(protocolState(store))),
    );
}

function listByName(state: ClusterState, request: PdRequest): PdAnswer {
    const asked = request.query.getAll("state");
    return list(state, (store) => asked.includes(storeState(state, store)));
}

function list(state: ClusterState, wanted: (store: Store) => boolean): PdAnswer {
    const described = state.stores.filter(wanted).map((store) => describeStore(state, store));
    const stores = listedStores(state, described);
    const answer: WireStores = { count: stores.length, stores };
    return json(answer);
}

function limits(state: ClusterState): PdAnswer {
    return json(storeLimits(state));
}

/** PD's limit of peer moves per minute, by store. */
export function storeLimits(state: ClusterState): Record<string, object> {
    return Object.fromEntries(state.stores.map((store) => [store.id, { "add-peer": 15, "remove-peer": 15 }]));
}

function removeTombstones(state: ClusterState): PdAnswer {
    state.stores = state.stores.filter((store) => store.nodeState !== "Removed");
    return json("Remove tombstone successfully.");
}

function describe(state: ClusterState, _request: PdRequest, store: Store): PdAnswer {
    return json(describeStore(state, store));
}

function remove(state: ClusterState, _request: PdRequest, store: Store): PdAnswer {
    if (state.faults.deletionRefused) {
        return json("etcdserver: request timed out", 500);
    }
    if (store.nodeState === "Removed") {
        return removed(store);
    }
    deleteStore(state, store);
    return json("The store is set as Offline.");
}

function setState(state: ClusterState, request: PdRequest, store: Store): PdAnswer {
    const wanted = request.query.get("state") ?? "";
    if (wanted !== "Up" && wanted !== "Offline") {
        return json(`invalid state ${wanted}`, 400);
    }
    if (store.nodeState === "Removed") {
        return removed(store);
    }
    (wanted === "Up" ? cancelDeletion : deleteStore)(state, store);
    return json("The store's state is updated.");
}

function setLabels(state: ClusterState, request: PdRequest, store: Store): PdAnswer {
    const given = request.body as Record<string, string>;
    const malformed = formatProblem(given);
    if (malformed !== undefined) {
        return json({ code: "input", msg: malformed, data: {} }, 400);
    }
    const labels = mergedLabels(store.labels, given);
    const isStrict = String(state.replicationConfig["strictly-match-label"]) === "true";
    const refused = isStrict ? strictProblem(labels, locationLabels(state)) : undefined;
    if (refused !== undefined) {
        return json(refused, 500);
    }
    store.labels = labels;
    record(state, "store-labels-set", { storeId: store.id, pod: store.pod, detail: JSON.stringify(given) });
    return json("The store's label is updated.");
}

function removed(store: Store): PdAnswer {
    return json(`[PD:core:ErrStoreRemoved]store ${store.id} has been removed`, 410);
}

function protocolState(store: Store): number {
    return { Serving: 0, Removing: 1, Removed: 2 }[store.nodeState];
}

function describeStore(state: ClusterState, store: Store): WireStore {
    const leaders = state.faults.blindPd ? 0 : store.leaders - unreportedLeaders(state, store);
    const pending = pendingPeers(state, store);
    const { slow } = state.faults.stores[store.pod] ?? {};
    const labels = Object.entries(store.labels).map(([key, value]) => ({ key, value }));
    // PD knows of its disk, and for how long it runs, from its heartbeats.
    const isNew = store.lastHeartbeat === 0;
    return {
        store: {
            id: store.id,
            address: state.faults.stores[store.pod]?.address ?? store.address,
            ...(store.nodeState === "Serving" ? {} : { state: protocolState(store) }),
            ...(labels.length === 0 ? {} : { labels }),
            // TiKV has the version of its package, without the tag's v.
            version: saidVersion(state.faults, store.pod, store.version).replace(/^v/, ""),
            ...(isNew ? {} : { last_heartbeat: nanoseconds(store.lastHeartbeat) }),
            start_timestamp: startSeconds(store.startedAt),
            node_state: protocolState(store) + 1,
            state_name: storeState(state, store),
        },
        status: {
            capacity: formatBytes(isNew ? 0 : diskBytes(state, store)),
            available: formatBytes(isNew ? 0 : freeBytes(state, store)),
            used_size: formatBytes(isNew ? 0 : usedBytes(store)),
            leader_count: leaders,
            leader_weight: 1,
            leader_score: leaders,
            leader_size: leaders * regionMebibytes,
            region_count: store.regions,
            region_weight: 1,
            region_score: store.regions * regionMebibytes,
            region_size: store.regions * regionMebibytes,
            ...(pending === 0 ? {} : { pending_peer_count: pending }),
            ...(slow?.score === undefined ? {} : { slow_score: slow.score }),
            ...(slow?.isBusy ? { is_busy: true } : {}),
            start_ts: new Date(store.startedAt).toISOString(),
            last_heartbeat_ts: new Date(store.lastHeartbeat).toISOString(),
            ...(isNew ? {} : { uptime: formatDuration(Math.max(0, store.lastHeartbeat - store.startedAt)) }),
        },
    };
}
