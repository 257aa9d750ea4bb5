import type { PdCall } from "./call";
import type { PdMaintenanceTask, PdOwnScheduler, PdRegionCheck } from "./model";
import { etcdCalls, prefixOf } from "./etcdCalls";
import type {
    WireBeginEviction,
    WireConfigItems,
    WireEvictionBatch,
    WireRemoveFailedStores,
    WireTransferPrimary,
} from "./wire";

const api = "/pd/api/v1";
const unsafeRecovery = "/admin/unsafe/remove-failed-stores";
const maintenance = "/pd/api/v2/maintenance";
const checkMemberName = "Check the name against PD's members.";
const checkStoreId = "Check the id against PD's stores.";

/**
 * Every call, and when it may be sent again. Questions always may, and so may calls that name the state they lead to:
 * PD answers the second one with 200, 404 or 409. Calls that move leadership may not: by the second call another member
 * may lead, and the leadership moves again.
 *
 * | call | retry | effect of a second call |
 * |---|---|---|
 * | questions | always | the same answer |
 * | delete a member | always | 404 (by id: 500): already gone |
 * | delete a store, set it Up | always | 200: already Offline, already Up |
 * | set labels of a store | always | the same labels |
 * | begin an eviction | always | 200: applied |
 * | end an eviction | always | 404: already gone |
 * | set items of the configuration, the batch of evictions | always | the same values |
 * | begin a maintenance task | always | 409 that names the same task: already begun |
 * | end a maintenance task | always | 404: already gone |
 * | transfer or resign the leadership | ifNotApplied | leadership moves again |
 * | begin an unsafe recovery | ifNotApplied | 500 while it runs; afterwards another one begins |
 */
export const pdCalls = {
    clusterId: question("read the cluster's id", "/cluster"),
    // PD asks its members one at a time and waits up to 3 s for each (tikv/pd server/api/health.go).
    health: { ...question("read the members' health", "/health"), timeoutMilliseconds: 9000 },
    members: question("list the members", "/members"),
    stores: question("list the stores", "/stores"),
    tombstoneStores: question("list the Tombstone stores", "/stores?state=2"),
    placementRules: question("list the placement rules", "/config/rules"),
    replication: question("read the replication settings", "/config/replicate"),
    evictedStores: question("list the stores under leader eviction", "/scheduler-config/evict-leader-scheduler/list"),
    schedulerList: (name: PdOwnScheduler) => question(`list the stores of ${name}`, `/scheduler-config/${name}/list`),
    version: question("read PD's version", "/version"),
    schedulers: question("list PD's schedulers", "/schedulers"),
    scheduleConfig: question("read PD's configuration of schedulers", "/config/schedule"),
    // Without `count` PD also counts keys and sizes, and may never finish.
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
        retry: "ifNotApplied",
        advice: "Check the name against PD's list of the microservice's servers.",
    }),

    config: question("read PD's configuration", "/config"),
    setConfig: (items: WireConfigItems): PdCall => ({
        ...change("POST", `set ${Object.keys(items).join(", ")} in PD's configuration`, "/config"),
        body: items,
        advice: "Correct the value.",
    }),

    pumps: etcdCalls.range("list the pumps", prefixOf("/tidb-binlog/v1/pumps/")),

    transferLeader: (name: string) => ({
        ...change("POST", `transfer PD's leadership to ${name}`, `/leader/transfer/${encodeURIComponent(name)}`),
        retry: "ifNotApplied",
        advice: checkMemberName,
    }),
    resignLeader: { ...change("POST", "resign PD's leadership", "/leader/resign"), retry: "ifNotApplied" },
    deleteMember: (name: string) =>
        change("DELETE", `delete PD member ${name}`, `/members/name/${encodeURIComponent(name)}`),
    deleteMemberById: (id: string) => change("DELETE", `delete PD member ${id}`, `/members/id/${id}`),
    deleteStore: (id: number) => ({ ...change("DELETE", `delete store ${id}`, `/store/${id}`), advice: checkStoreId }),
    setStoreUp: (id: number) => ({
        ...change("POST", `set store ${id} up`, `/store/${id}/state?state=Up`),
        advice: `Only an Offline store can be set Up again. ${checkStoreId}`,
    }),
    setStoreLabels: (id: number, labels: Readonly<Record<string, string>>): PdCall => ({
        ...change("POST", `set labels of store ${id}`, `/store/${id}/label`),
        body: labels,
        advice: "With `replication.strictly-match-label` PD takes the labels in `location-labels` alone, and needs all of them.",
    }),
    beginLeaderEviction: (id: number) => ({
        ...change("POST", `begin to evict leaders from store ${id}`, "/schedulers"),
        body: { name: "evict-leader-scheduler", store_id: id } satisfies WireBeginEviction,
        advice: checkStoreId,
    }),
    // Without `store_id`: with one, PD would begin to evict that store if it does not yet.
    setEvictionBatch: (batch: number): PdCall => ({
        ...change(
            "POST",
            `set the batch of leader evictions to ${batch}`,
            "/scheduler-config/evict-leader-scheduler/config",
        ),
        body: { batch } satisfies WireEvictionBatch,
    }),
    endLeaderEviction: (id: number) =>
        change("DELETE", `end the eviction of leaders from store ${id}`, `/schedulers/evict-leader-scheduler-${id}`),

    unsafeRecovery: question("read PD's unsafe recovery", unsafeRecovery + "/show"),
    snapshotRecovering: question("read PD's mark snapshot-recovering", "/admin/cluster/markers/snapshot-recovering"),
    removeFailedStores: (stores: readonly number[], timeout: number) => ({
        ...change("POST", `begin the unsafe recovery from the loss of stores ${stores.join(", ")}`, unsafeRecovery),
        body: { stores: [...stores], timeout } satisfies WireRemoveFailedStores,
        // PD refuses a second one while it runs. After it has ended, the same request would begin another.
        retry: "ifNotApplied",
        advice: "See what PD runs: pd-ctl unsafe remove-failed-stores show.",
    }),

    maintenanceTasks: { ...question("list the maintenance tasks", ""), path: maintenance },
    beginMaintenance: ({ type, id, description }: PdMaintenanceTask): PdCall => ({
        purpose: `begin the maintenance task ${type}/${id}`,
        method: "PUT",
        path: `${maintenance}/${encodeURIComponent(type)}/${encodeURIComponent(id)}`,
        text: description,
        retry: "always",
        changes: true,
    }),
    endMaintenance: ({ type, id }: Pick<PdMaintenanceTask, "type" | "id">): PdCall => ({
        ...change("DELETE", `end the maintenance task ${type}/${id}`, ""),
        path: `${maintenance}/${encodeURIComponent(type)}/${encodeURIComponent(id)}`,
    }),
} satisfies Record<string, PdCall | ((...given: never[]) => PdCall)>;

function question(purpose: string, path: string): PdCall {
    return { purpose, method: "GET", path: api + path, retry: "always" };
}

/** PD sends each region in full, so the answer may be long. */
function regions(purpose: string, path: string): PdCall {
    return { ...question(purpose, path), timeoutMilliseconds: 20_000 };
}

function change(method: "POST" | "DELETE", purpose: string, path: string): PdCall {
    return { purpose, method, path: api + path, retry: "always", changes: true };
}
