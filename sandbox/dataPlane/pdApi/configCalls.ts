import type { WirePlacementRule } from "pulumi-tidb/provider/pd";
import { defaultRule, type PlacementRule, tiflashRule } from "../facts/placement";
import { type ClusterState, maxReplicas, record } from "../model/cluster";
import { tiflashReplicas } from "../model/learners";
import { json, type PdAnswer, type PdRequest, type PdRoute } from "./call";
import { storeLimits } from "./storeCalls";

/** Calls for PD's configuration. */
export const configRoutes: PdRoute[] = [
    { method: "GET", pattern: /^\/pd\/api\/v1\/config$/, handle: all },
    { method: "POST", pattern: /^\/pd\/api\/v1\/config$/, handle: set },
    {
        method: "GET",
        pattern: /^\/pd\/api\/v1\/config\/replicate$/,
        handle: (state) => json(state.replicationConfig),
    },
    { method: "POST", pattern: /^\/pd\/api\/v1\/config\/replicate$/, handle: set },
    { method: "GET", pattern: /^\/pd\/api\/v1\/config\/schedule$/, handle: (state) => json(schedule(state)) },
    { method: "POST", pattern: /^\/pd\/api\/v1\/config\/schedule$/, handle: set },
    { method: "GET", pattern: /^\/pd\/api\/v1\/config\/rules$/, handle: rules, needsStores: true },
];

function all(state: ClusterState): PdAnswer {
    return json({ schedule: schedule(state), replication: state.replicationConfig });
}

function schedule(state: ClusterState): object {
    const schedulers = state.scheduleConfig["schedulers-v2"] as object[];
    const evictions = state.evictionEntries.map((storeId) => ({
        type: "evict-leader",
        args: [String(storeId)],
        disable: false,
        "args-payload": "",
    }));
    return {
        ...state.scheduleConfig,
        "schedulers-v2": [...schedulers, ...evictions],
        "store-limit": storeLimits(state),
    };
}

function set(state: ClusterState, request: PdRequest): PdAnswer {
    for (const [item, value] of Object.entries((request.body ?? {}) as Record<string, unknown>)) {
        const key = item.replace(/^(schedule|replication)\./, "");
        const section = [state.scheduleConfig, state.replicationConfig].find((one) => key in one);
        if (section === undefined) {
            return json(`config item ${item} not found`, 400);
        }
        const current = section[key];
        if (typeof current === "number" && typeof value !== "number") {
            const field = `${section === state.scheduleConfig ? "ScheduleConfig" : "ReplicationConfig"}.${key}`;
            return json(`json: cannot unmarshal ${typeof value} into Go struct field ${field} of type uint64`, 400);
        }
        section[key] = typeof value === "boolean" ? String(value) : value;
        record(state, "config-set", { detail: `${key} = ${JSON.stringify(value)}` });
    }
    return json("The config is updated.");
}

function rules(state: ClusterState): PdAnswer {
    const labels = String(state.replicationConfig["location-labels"]);
    const replicas = tiflashReplicas(state);
    if (String(state.replicationConfig["enable-placement-rules"]) !== "true") {
        return json("placement rules feature is disabled", 412);
    }
    return json([
        {
            ...wireRule(defaultRule(maxReplicas(state))),
            start_key: "",
            end_key: "",
            location_labels: labels === "" ? null : labels.split(","),
        },
        ...(replicas === 0 ? [] : [{ ...wireRule(tiflashRule(replicas)), ...tableKeys, override: true }]),
        ...(state.faults.placementRules ?? []),
    ]);
}

/** The key range of the table with TiFlash replicas. */
const tableKeys = {
    start_key: "7480000000000000ff645f720000000000fa",
    end_key: "7480000000000000ff6500000000000000f8",
};

function wireRule({ group, id, role, count, constraints }: PlacementRule): WirePlacementRule {
    return {
        group_id: group,
        id,
        role,
        is_witness: false,
        count,
        ...(constraints.length === 0 ? {} : { label_constraints: constraints }),
    };
}
