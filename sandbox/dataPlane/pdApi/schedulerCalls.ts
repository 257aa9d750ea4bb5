import {
    defaultSchedulers,
    evictLeaderScheduler as evictLeader,
    ownEvictionFields,
    type OwnScheduler,
} from "../facts/schedulers";
import type { ClusterState } from "../model/cluster";
import { beginEviction, endAllEvictions, endEviction, evictionConfig, ownEviction } from "../model/evictions";
import { json, type PdAnswer, type PdRequest, type PdRoute, text } from "./call";
import { storeNotFound } from "./storeCalls";

/** While the scheduler does not run, PD has no list of evictions and no way to change it. */
const noScheduler = text("404 page not found\n", 404);

/** Calls about schedulers. */
export const schedulerRoutes: PdRoute[] = [
    { method: "GET", pattern: /^\/pd\/api\/v1\/schedulers$/, handle: list, needsStores: true },
    { method: "POST", pattern: /^\/pd\/api\/v1\/schedulers$/, handle: add, needsStores: true },
    { method: "DELETE", pattern: /^\/pd\/api\/v1\/schedulers\/([^/]+)$/, handle: remove, needsStores: true },
    {
        method: "GET",
        pattern: /^\/pd\/api\/v1\/scheduler-config\/evict-leader-scheduler\/list$/,
        handle: listEvictions,
        needsStores: true,
    },
    {
        method: "POST",
        pattern: /^\/pd\/api\/v1\/scheduler-config\/evict-leader-scheduler\/config$/,
        handle: configureEvictions,
        needsStores: true,
    },
    {
        method: "GET",
        pattern: /^\/pd\/api\/v1\/scheduler-config\/(evict-(?:slow-store|slow-trend|stopping-store)-scheduler)\/list$/,
        handle: listOwnEvictions,
        needsStores: true,
    },
];

function list(state: ClusterState, request: PdRequest): PdAnswer {
    if (request.query.has("status")) {
        return json([]);
    }
    const names = state.leadership?.hasSchedulers ? defaultSchedulers : [];
    return json(state.evictions.size > 0 ? [...names, evictLeader] : names);
}

function add(state: ClusterState, request: PdRequest): PdAnswer {
    const { name, store_id: storeId } = (request.body ?? {}) as { name?: unknown; store_id?: unknown };
    if (typeof name !== "string") {
        return json("missing scheduler name", 400);
    }
    if (name !== evictLeader) {
        return json("The scheduler is created.");
    }
    if (state.faults.evictionRefused) {
        return json("[PD:schedule:ErrCreateSchedulerHandler]create scheduler handler error", 500);
    }
    const store = state.stores.find((one) => one.id === storeId && one.nodeState !== "Removed");
    if (store === undefined) {
        // PD forwards the text of an inner answer, which was already JSON.
        return json(`${JSON.stringify(storeNotFound(String(storeId)))}\n`, 500);
    }
    const first = state.evictions.size === 0;
    beginEviction(state, store);
    return json(first ? "The scheduler is created." : "The scheduler has been applied to the store.");
}

function remove(state: ClusterState, _request: PdRequest, name: string): PdAnswer {
    if (name === evictLeader && endAllEvictions(state)) {
        return json(null);
    }
    const storeId = new RegExp(`^${evictLeader}-(\\d+)$`).exec(name)?.[1];
    return json(null, storeId !== undefined && endEviction(state, Number(storeId)) ? 200 : 404);
}

function listEvictions(state: ClusterState): PdAnswer {
    return state.evictions.size === 0 ? noScheduler : json(evictionConfig(state));
}

/** The slow store's scheduler always runs; the others here only while they evict a store. */
function listOwnEvictions(state: ClusterState, _request: PdRequest, name: string): PdAnswer {
    const scheduler = name as OwnScheduler;
    const stores = state.stores.filter((store) => ownEviction(state, store) === scheduler).map(({ id }) => id);
    const runs = state.leadership?.hasSchedulers && (stores.length > 0 || defaultSchedulers.includes(scheduler));
    return runs ? json({ "recovery-duration": 1800, [ownEvictionFields[scheduler]]: stores }) : noScheduler;
}

function configureEvictions(state: ClusterState, request: PdRequest): PdAnswer {
    if (state.evictions.size === 0) {
        return noScheduler;
    }
    const { store_id: storeId, batch } = (request.body ?? {}) as { store_id?: number; batch?: number };
    if (batch !== undefined && !(batch >= 1 && batch <= 10)) {
        return json("batch is invalid, it should be in [1, 10]", 400);
    }
    state.evictionBatch = batch ?? state.evictionBatch;
    const store = state.stores.find((one) => one.id === storeId);
    if (store !== undefined) {
        beginEviction(state, store);
    }
    return json("The scheduler has been applied to the store.");
}
