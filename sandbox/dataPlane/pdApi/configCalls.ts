import type { WirePlacementRule } from "pulumi-tidb/provider/pd/wire";
import { goDuration, goMilliseconds } from "../facts/goDuration";
import { defaultRule, type PlacementRule, tiflashRule } from "../facts/placement";
import { type ClusterState, maxReplicas, type Pod, record } from "../model/cluster";
import { leaderOf } from "../model/members";
import { tiflashReplicas } from "../model/learners";
import { json, type PdAnswer, type PdRequest, type PdRoute } from "./call";
import { storeLimits } from "./storeCalls";

/** Calls for PD's configuration. */
export const configRoutes: PdRoute[] = [
    { method: "GET", pattern: /^\/pd\/api\/v1\/config$/, handle: all },
    { method: "POST", pattern: /^\/pd\/api\/v1\/config$/, handle: set },
    { method: "POST", pattern: /^\/pd\/api\/v1\/admin\/log$/, handle: setLogLevel },
    {
        method: "GET",
        pattern: /^\/pd\/api\/v1\/config\/replicate$/,
        handle: (state) => json(state.replicationConfig),
    },
    { method: "POST", pattern: /^\/pd\/api\/v1\/config\/replicate$/, handle: set },
    { method: "GET", pattern: /^\/pd\/api\/v1\/config\/schedule$/, handle: (state) => json(schedule(state)) },
    { method: "POST", pattern: /^\/pd\/api\/v1\/config\/schedule$/, handle: set },
    { method: "GET", pattern: /^\/pd\/api\/v1\/config\/rules$/, handle: rules, needsStores: true },
    {
        method: "DELETE",
        pattern: /^\/pd\/api\/v1\/config\/rule\/tiflash\/table-100-r$/,
        handle: withoutTiflashReplicas,
        needsStores: true,
    },
    { method: "GET", pattern: /^\/pd\/api\/v1\/config\/cluster-version$/, handle: clusterVersion, needsStores: true },
];

/** The member's own process, or the leader's. */
function processOf(state: ClusterState, { pod, isForMember }: PdRequest): Pod | undefined {
    return state.pods.get(isForMember ? pod : (leaderOf(state)?.name ?? ""));
}

function logLevelOf(process: Pod | undefined): string {
    return process?.logLevel ?? String((process?.config?.log as { level?: string } | undefined)?.level ?? "info");
}

/** Only the process of the member that handles the call is changed (tikv/pd server/api/log.go). */
function setLogLevel(state: ClusterState, request: PdRequest): PdAnswer {
    const level = String(request.body);
    const process = processOf(state, request);
    if (!["fatal", "error", "warn", "warning", "debug", "info"].includes(level.toLowerCase())) {
        return json(`log level ${level} is illegal`, 400);
    }
    if (process !== undefined) {
        process.logLevel = level;
        record(state, "config-set", { pod: process.name, detail: `log.level = ${level}` });
    }
    return json("The log level is updated.");
}

function all(state: ClusterState, request: PdRequest): PdAnswer {
    return json({
        log: { level: logLevelOf(processOf(state, request)) },
        schedule: schedule(state),
        replication: state.replicationConfig,
        "pd-server": state.serverConfig,
    });
}

/** The lowest version of a store (tikv/pd server/cluster/cluster.go, OnStoreVersionChange). */
function clusterVersion(state: ClusterState): PdAnswer {
    const versions = state.stores
        .filter((store) => store.nodeState !== "Removed")
        .map((store) => store.version.replace(/^v/, ""));
    return json(versions.sort((one, other) => one.localeCompare(other, "en", { numeric: true }))[0]);
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

/** The sections of PD's configuration that can be changed, with the names of their types in PD's messages. */
function sections(state: ClusterState): { name: string; type: string; items: Record<string, unknown> }[] {
    return [
        { name: "schedule", type: "ScheduleConfig", items: state.scheduleConfig },
        { name: "replication", type: "ReplicationConfig", items: state.replicationConfig },
        { name: "pd-server", type: "PDServerConfig", items: state.serverConfig },
    ];
}

/** Sets items one after the other: those before a refused one stay changed (tikv/pd server/api/config.go, `SetConfig`). */
function set(state: ClusterState, request: PdRequest): PdAnswer {
    for (const [item, value] of Object.entries((request.body ?? {}) as Record<string, unknown>)) {
        const parts = item.split(".");
        const key = parts.at(-1) ?? item;
        const section =
            parts.length > 1
                ? sections(state).find(({ name }) => name === parts[0])
                : sections(state).find(({ items }) => key in items);
        if (section === undefined) {
            const what = parts.length > 1 ? `config prefix ${parts[0]}` : `config item ${item}`;
            return json(`${what} not found`, 400);
        }
        if (!(key in section.items)) {
            return json(`config item ${key} not found`, 400);
        }
        const current = section.items[key];
        if (typeof current === "number" && typeof value !== "number") {
            const field = `${section.type}.${key}`;
            return json(`json: cannot unmarshal ${typeof value} into Go struct field ${field} of type uint64`, 400);
        }
        if ((current === "true" || current === "false") && typeof value !== "string") {
            const why = "invalid use of ,string struct tag, trying to unmarshal unquoted value into bool";
            return json(`json: ${why}`, 400);
        }
        const isDuration = typeof current === "string" && goMilliseconds(current) !== undefined;
        const duration = isDuration ? goMilliseconds(String(value)) : undefined;
        if (isDuration && duration === undefined) {
            return json(`time: invalid duration ${JSON.stringify(String(value))}`, 400);
        }
        section.items[key] = duration === undefined ? value : goDuration(duration);
        record(state, "config-set", { detail: `${key} = ${JSON.stringify(value)}` });
    }
    return json("The config is updated.");
}

function rules(state: ClusterState): PdAnswer {
    const labels = String(state.replicationConfig["location-labels"]);
    const isolationLevel = String(state.replicationConfig["isolation-level"] ?? "");
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
            ...(isolationLevel === "" ? {} : { isolation_level: isolationLevel }),
        },
        ...(replicas === 0 ? [] : [{ ...wireRule(tiflashRule(replicas)), ...tableKeys, override: true }]),
        ...(state.faults.placementRules ?? []),
    ]);
}

/** What TiDB does for `ALTER TABLE … SET TIFLASH REPLICA 0`, which the simulated TiDB does not run. */
function withoutTiflashReplicas(state: ClusterState): PdAnswer {
    state.tiflashReplicas = 0;
    record(state, "config-set", { detail: "tiflash replicas = 0" });
    return json("Delete rule successfully.");
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
