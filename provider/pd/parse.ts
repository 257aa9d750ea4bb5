import { goDurationSeconds } from "../../topology/goDuration";
import { decodeWire } from "./json";
import type {
    PdMember,
    PdMemberHealth,
    PdMembers,
    PdPump,
    PdReplication,
    PdServiceMember,
    PdStore,
    PdStoreState,
} from "./model";
import { isolatedBy } from "./placementRules";
import {
    asArray,
    asBoolean,
    asCount,
    asObject,
    asShare,
    asText,
    asTexts,
    asUint64,
    BadAnswer,
    optional,
    type Fields,
} from "./wireFields";

/** Reads the answer to `cluster`: the cluster's id, in decimal digits. */
export function parseClusterId(body: string): string {
    return asUint64(asObject(decodeWire(body), "cluster").id, "id");
}

/** Reads the answer to `version`. */
export function parseVersion(body: string): string {
    return asText(asObject(decodeWire(body), "version").version, "version");
}

/** Reads the answer to `config`. */
export function parseConfig(body: string): Readonly<Record<string, unknown>> {
    return asObject(decodeWire(body), "config");
}

/** Reads the answer to `health`. */
export function parseHealth(body: string): PdMemberHealth[] {
    return asArray(decodeWire(body), "health").map((element, index) => {
        const member = asObject(element, `[${index}]`);
        return {
            name: asText(member.name, `[${index}].name`),
            memberId: asUint64(member.member_id, `[${index}].member_id`),
            clientUrls: asTexts(member.client_urls, `[${index}].client_urls`),
            healthy: asBoolean(member.health, `[${index}].health`),
        };
    });
}

/** Reads the answer to `members`. A leader without a name means that there is none. */
export function parseMembers(body: string): PdMembers {
    const answer = asObject(decodeWire(body), "members");
    return {
        members: asArray(answer.members, "members").map((element, index) => parseMember(element, `members[${index}]`)),
        leader: parseLeader(answer.leader, "leader"),
        etcdLeader: parseLeader(answer.etcd_leader, "etcd_leader"),
    };
}

function parseLeader(value: unknown, field: string): PdMember | undefined {
    const leader = optional(value, field, asObject);
    return leader?.name ? parseMember(leader, field) : undefined;
}

function parseMember(value: unknown, field: string): PdMember {
    const member = asObject(value, field);
    return {
        // A member that has joined but not yet started has no name.
        name: optional(member.name, `${field}.name`, asText) ?? "",
        memberId: asUint64(member.member_id, `${field}.member_id`),
        peerUrls: optional(member.peer_urls, `${field}.peer_urls`, asTexts) ?? [],
        clientUrls: optional(member.client_urls, `${field}.client_urls`, asTexts) ?? [],
        ...(member.binary_version ? { version: asText(member.binary_version, `${field}.binary_version`) } : {}),
    };
}

/** Reads the answer to `stores`. */
export function parseStores(body: string): PdStore[] {
    const answer = asObject(decodeWire(body), "stores");
    return asArray(answer.stores, "stores").map((element, index) => toStore(element, `stores[${index}].`));
}

/** Reads the answer to `store/<id>`. */
export function parseStore(body: string): PdStore {
    return toStore(decodeWire(body), "");
}

function toStore(value: unknown, prefix: string): PdStore {
    const element = asObject(value, prefix || "store");
    const store = asObject(element.store, `${prefix}store`);
    const status = asObject(element.status, `${prefix}status`);
    const lastHeartbeat = optional(status.last_heartbeat_ts, `${prefix}status.last_heartbeat_ts`, parseHeartbeat);
    return {
        id: asCount(store.id, `${prefix}store.id`),
        address: asText(store.address, `${prefix}store.address`),
        state: stateOf(asText(store.state_name, `${prefix}store.state_name`), lastHeartbeat),
        labels: optional(store.labels, `${prefix}store.labels`, parseLabels) ?? {},
        version: optional(store.version, `${prefix}store.version`, asText),
        leaderCount: optional(status.leader_count, `${prefix}status.leader_count`, asCount) ?? 0,
        regionCount: optional(status.region_count, `${prefix}status.region_count`, asCount) ?? 0,
        lastHeartbeat,
        ...disk(status, `${prefix}status`),
        pendingPeerCount: optional(status.pending_peer_count, `${prefix}status.pending_peer_count`, asCount) ?? 0,
        startedAt: optional(store.start_timestamp, `${prefix}store.start_timestamp`, parseSeconds),
        ...slowSigns(status, `${prefix}status`),
    };
}

/** PD derives these two words from the age of the last heartbeat. */
function stateOf(name: string, lastHeartbeat: Date | undefined): PdStoreState {
    return lastHeartbeat === undefined && (name === "Down" || name === "Disconnected") ? "New" : name;
}

/** A store reports its disk with its heartbeats: before the first one PD says 0B. */
function disk(status: Fields, field: string): Pick<PdStore, "capacityBytes" | "availableBytes" | "usedBytes"> {
    const capacityBytes = optional(status.capacity, `${field}.capacity`, parseByteSize);
    const availableBytes = optional(status.available, `${field}.available`, parseByteSize);
    const usedBytes = optional(status.used_size, `${field}.used_size`, parseByteSize);
    return capacityBytes === 0 ? {} : { capacityBytes, availableBytes, usedBytes };
}

/** PD leaves out a score of 0, and that a store is not busy. */
function slowSigns(status: Fields, field: string): Pick<PdStore, "slowScore" | "isBusy"> {
    const slowScore = optional(status.slow_score, `${field}.slow_score`, asCount);
    const isBusy = optional(status.is_busy, `${field}.is_busy`, asBoolean);
    return { ...(slowScore === undefined ? {} : { slowScore }), ...(isBusy === undefined ? {} : { isBusy }) };
}

function parseLabels(value: unknown, field: string): Record<string, string> {
    const labels = asArray(value, field).map((element, index) => {
        const label: Fields = asObject(element, `${field}[${index}]`);
        return [
            asText(label.key, `${field}[${index}].key`),
            optional(label.value, `${field}[${index}].value`, asText) ?? "",
        ] as const;
    });
    return Object.fromEntries(labels);
}

/** Reads `low-space-ratio` of the answer to `config/schedule`: the share of a disk that may be used until PD moves nothing more to it. */
export function parseLowSpaceRatio(body: string): number | undefined {
    const field = "low-space-ratio";
    return optional(asObject(decodeWire(body), "schedule")[field], field, asShare);
}

/** Reads `max-store-down-time` of the answer to `config/schedule`, in milliseconds. */
export function parseStoreDownTime(body: string): number {
    const field = "max-store-down-time";
    const text = asText(asObject(decodeWire(body), "schedule")[field], field);
    const seconds = goDurationSeconds(text);
    if (seconds === undefined) {
        throw new BadAnswer(field, text, "a duration such as 30m0s");
    }
    return seconds * 1000;
}

/** Go writes an unset time as one in 1970 or in year 1. */
function parseHeartbeat(value: unknown, field: string): Date | undefined {
    const text = asText(value, field);
    const moment = new Date(text);
    if (Number.isNaN(moment.getTime())) {
        throw new BadAnswer(field, text, "a time such as 2026-01-31T12:00:00Z");
    }
    return moment.getTime() > 0 ? moment : undefined;
}

/** Reads seconds since 1970; 0 means that the store did not report the time. */
function parseSeconds(value: unknown, field: string): Date | undefined {
    const seconds = asCount(value, field);
    return seconds > 0 ? new Date(seconds * 1000) : undefined;
}

const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** Reads a size as PD writes it (`967.8GiB`), in bytes. */
export function parseByteSize(value: unknown, field: string): number {
    const text = asText(value, field);
    const [, amount, unit] = /^(\d+(?:\.\d+)?)([KMGTPE]?i?B)$/.exec(text) ?? [];
    const power = byteUnits.indexOf(unit ?? "");
    if (amount === undefined || power < 0) {
        throw new BadAnswer(field, text, "a size such as 967.8GiB");
    }
    return Math.round(Number(amount) * 1024 ** power);
}

/** Reads the answer to `config/replicate`. */
export function parseReplication(body: string): PdReplication {
    const answer = asObject(decodeWire(body), "replication");
    const locationLabels = (optional(answer["location-labels"], "location-labels", asText) ?? "")
        .split(",")
        .map((label) => label.trim())
        .filter((label) => label !== "");
    return {
        maxReplicas: asCount(answer["max-replicas"], "max-replicas"),
        locationLabels,
        ...isolatedBy(optional(answer["isolation-level"], "isolation-level", asText), locationLabels),
        enablePlacementRules: asBoolean(answer["enable-placement-rules"], "enable-placement-rules"),
    };
}

/** Reads the list of the evict-leader scheduler: store ids, ascending. */
export function parseEvictedStores(body: string): number[] {
    const ranges = asObject(asObject(decodeWire(body), "evict-leader list")["store-id-ranges"], "store-id-ranges");
    return Object.keys(ranges)
        .map((id) => asCount(/^\d+$/.test(id) ? Number(id) : id, "store-id-ranges"))
        .sort((one, other) => one - other);
}

/** Reads the batch from the list of the evict-leader scheduler; undefined before version 8.3. */
export function parseEvictionBatch(body: string): number | undefined {
    return optional(asObject(decodeWire(body), "evict-leader list").batch, "batch", asCount);
}

/** Reads `leader-schedule-limit` of the answer to `config/schedule`. */
export function parseLeaderScheduleLimit(body: string): number {
    const field = "leader-schedule-limit";
    return asCount(asObject(decodeWire(body), "schedule")[field], field);
}

/** Reads the list of a microservice's servers. */
export function parseServiceMembers(body: string): PdServiceMember[] {
    return asArray(decodeWire(body), "servers").map((element, index) => {
        const member = asObject(element, `[${index}]`);
        return {
            name: optional(member.name, `[${index}].name`, asText) ?? "",
            address: asText(member["service-addr"], `[${index}].service-addr`),
        };
    });
}

/** Reads the pumps from a range of PD's etcd. */
export function parsePumps(body: string): PdPump[] {
    const { kvs } = asObject(decodeWire(body), "range");
    return asArray(kvs ?? [], "kvs").map((element, index) => {
        const text = Buffer.from(asText(asObject(element, `kvs[${index}]`).value, `kvs[${index}].value`), "base64");
        const pump = asObject(JSON.parse(text.toString("utf8")), `pump ${index}`);
        return {
            nodeId: asText(pump.nodeId, `pump ${index}.nodeId`),
            host: asText(pump.host, `pump ${index}.host`),
            state: asText(pump.state, `pump ${index}.state`),
        };
    });
}

/** Reads the address of a microservice's primary. Empty text means that there is none. */
export function parseServicePrimary(body: string): string | undefined {
    return asText(decodeWire(body), "primary") || undefined;
}

/** Reads the answer to `schedulers`: their names. */
export function parseSchedulers(body: string): string[] {
    return asTexts(decodeWire(body), "schedulers");
}

/** Reads the answer to `admin/cluster/markers/…`. */
export function parseMark(body: string): boolean {
    return asBoolean(asObject(decodeWire(body), "marker").marked, "marked");
}

/** Reads the number of regions from the answer to `stats/region`. */
export function parseRegionStats(body: string): number {
    return asCount(asObject(decodeWire(body), "stats").count, "count");
}

/** Checks that a change was acknowledged as PD does it: with JSON, either a sentence or null. */
export function parseAcknowledgement(body: string): void {
    decodeWire(body);
}
