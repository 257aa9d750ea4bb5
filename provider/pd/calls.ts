import type { PdCall } from "./call";
import type { PdMaintenanceTask, PdRegionCheck } from "./model";
import { etcdCalls, prefixOf } from "./etcdCalls";
import type { WireBeginEviction, WireTransferPrimary } from "./wire";

const api = "/pd/api/v1";
const maintenance = "/pd/api/v2/maintenance";
const seeMembers = "Compare the name with PD's members.";
const seeStores = "Compare the id with PD's stores.";

/**
 * Every call, and whether it may be repeated. Questions may. So may what names the state it leads to; PD answers 200 or
 * 404 to the second. The two that move leadership may not: by the second one the leader may be another, and moves again.
 *
 * | call | repeat | the second time |
 * |---|---|---|
 * | questions | always | the same answer |
 * | delete a member | always | 404, by its id 500: gone |
 * | delete a store, set it up | always | 200: Offline, Up, already |
 * | begin an eviction | always | 200: applied |
 * | end an eviction | always | 404: gone |
 * | begin a maintenance task | always | 409 that names the same task: begun |
 * | end a maintenance task | always | 404: gone |
 * | transfer or resign the leadership | unhandled | leadership moves again |
 */
export const pdCalls = {
    clusterId: question("read the cluster's id", "/cluster"),
    // PD asks one member after the other, and waits 3 s for each (tikv/pd server/api/health.go).
    health: { ...question("read the members' health", "/health"), timeoutMilliseconds: 9000 },
    members: question("list the members", "/members"),
    stores: question("list the stores", "/stores"),
    tombstoneStores: question("list the Tombstone stores", "/stores?state=2"),
    placementRules: question("list the placement rules", "/config/rules"),
    replication: question("read the replication settings", "/config/replicate"),
    evictedStores: question("list the stores under leader eviction", "/scheduler-config/evict-leader-scheduler/list"),
    version: question("read PD's version", "/version"),
    schedulers: question("list PD's schedulers", "/schedulers"),
    scheduleConfig: question("read PD's configuration of schedulers", "/config/schedule"),
    // Never without `count`: PD then counts keys and sizes too, and may not end.
    regionCount: question("count the regions", "/stats/region?count"),

    store: (id: number) => question(`read store ${id}`, `/store/${id}`),
    regionsInCheck: (kind: PdRegionCheck) => regions(`list the regions with a ${kind}`, `/regions/check/${kind}`),
    regionsOfStore: (id: number) => regions(`list the regions of store ${id}`, `/regions/store/${id}`),
    metrics: (name: string | undefined): PdCall => ({
        ...question("read the metrics of PD's leader", ""),
        path: "/metrics",
        only: name,
    }),
    memberReady: (name: string): PdCall => ({
        ...question(`ask PD member ${name} whether it is ready`, ""),
        path: "/pd/api/v2/ready",
        only: name,
    }),

    serviceMembers: (service: string): PdCall => ({
        ...question(`list the servers of the microservice ${service}`, ""),
        path: `/pd/api/v2/ms/members/${encodeURIComponent(service)}`,
    }),
    servicePrimary: (service: string): PdCall => ({
        ...question(`read the primary of the microservice ${service}`, ""),
        path: `/pd/api/v2/ms/primary/${encodeURIComponent(service)}`,
    }),
    transferPrimary: (service: string, name: string): PdCall => ({
        ...change("POST", `make ${name} the primary of the microservice ${service}`, ""),
        path: `/${service}/api/v1/primary/transfer`,
        body: { new_primary: name } satisfies WireTransferPrimary,
        repeat: "unhandled",
        advice: "Compare the name with the microservice's servers, as PD lists them.",
    }),

    pumps: etcdCalls.range("list the pumps", prefixOf("/tidb-binlog/v1/pumps/")),

    transferLeader: (name: string) => ({
        ...change("POST", `transfer PD's leadership to ${name}`, `/leader/transfer/${encodeURIComponent(name)}`),
        repeat: "unhandled",
        advice: seeMembers,
    }),
    resignLeader: { ...change("POST", "resign PD's leadership", "/leader/resign"), repeat: "unhandled" },
    deleteMember: (name: string) =>
        change("DELETE", `delete PD member ${name}`, `/members/name/${encodeURIComponent(name)}`),
    deleteMemberById: (id: string) => change("DELETE", `delete PD member ${id}`, `/members/id/${id}`),
    deleteStore: (id: number) => ({ ...change("DELETE", `delete store ${id}`, `/store/${id}`), advice: seeStores }),
    setStoreUp: (id: number) => ({
        ...change("POST", `set store ${id} up`, `/store/${id}/state?state=Up`),
        advice: `Only a store that is Offline can be set up again. ${seeStores}`,
    }),
    beginLeaderEviction: (id: number) => ({
        ...change("POST", `begin to evict leaders from store ${id}`, "/schedulers"),
        body: { name: "evict-leader-scheduler", store_id: id } satisfies WireBeginEviction,
        advice: seeStores,
    }),
    endLeaderEviction: (id: number) =>
        change("DELETE", `end the eviction of leaders from store ${id}`, `/schedulers/evict-leader-scheduler-${id}`),

    maintenanceTasks: { ...question("list the maintenance tasks", ""), path: maintenance },
    beginMaintenance: ({ type, id, description }: PdMaintenanceTask): PdCall => ({
        purpose: `begin the maintenance task ${type}/${id}`,
        method: "PUT",
        path: `${maintenance}/${encodeURIComponent(type)}/${encodeURIComponent(id)}`,
        text: description,
        repeat: "always",
    }),
    endMaintenance: ({ type, id }: Pick<PdMaintenanceTask, "type" | "id">): PdCall => ({
        ...change("DELETE", `end the maintenance task ${type}/${id}`, ""),
        path: `${maintenance}/${encodeURIComponent(type)}/${encodeURIComponent(id)}`,
    }),
} satisfies Record<string, PdCall | ((...given: never[]) => PdCall)>;

function question(purpose: string, path: string): PdCall {
    return { purpose, method: "GET", path: api + path, repeat: "always" };
}

/** PD sends all of them whole. */
function regions(purpose: string, path: string): PdCall {
    return { ...question(purpose, path), timeoutMilliseconds: 20_000 };
}

function change(method: "POST" | "DELETE", purpose: string, path: string): PdCall {
    return { purpose, method, path: api + path, repeat: "always", changes: true };
}
