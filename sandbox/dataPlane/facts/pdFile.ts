import { goDuration, goMilliseconds } from "./goDuration";

/** PD's configuration by section, in the form in which PD reports it: lists and booleans as texts. */
export interface PdSections {
    readonly schedule: Readonly<Record<string, unknown>>;
    readonly replication: Readonly<Record<string, unknown>>;
    readonly "pd-server": Readonly<Record<string, unknown>>;
}

/** A configuration file with which PD does not start; the message is PD's own, as far as it was asked of a PD 8.5.4. */
export class RefusedPdFile extends Error {
    override readonly name = "RefusedPdFile";
}

/**
 * Returns what a PD takes from its file at the first start of its cluster. Later it reads these sections from its etcd. Keys that
 * are not among the defaults are ignored, as PD does after a warning.
 * @param file the file's tables
 * @param defaults what holds for keys that the file does not have
 * @throws RefusedPdFile for a value with which PD ends. PD reads the whole file at each start, so it ends at a later one too.
 */
export function readPdFile(file: Readonly<Record<string, unknown>>, defaults: PdSections): PdSections {
    const read = {
        schedule: withMergedKeys(readSection(file.schedule, "ScheduleConfig", defaults.schedule), file.schedule),
        replication: readSection(file.replication, "ReplicationConfig", defaults.replication),
        "pd-server": readSection(file["pd-server"], "PDServerConfig", defaults["pd-server"]),
    };
    const { "location-labels": labels = [] } = (file.replication ?? {}) as { "location-labels"?: string[] };
    checkReplication(labels, read.replication);
    checkSchedule(read.schedule);
    return read;
}

function readSection(
    table: unknown,
    type: string,
    defaults: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
    if (table === undefined) {
        return defaults;
    }
    if (typeof table !== "object" || table === null || Array.isArray(table)) {
        throw new RefusedPdFile(`toml: type mismatch for config.${type}: expected table but found ${goType(table)}`);
    }
    const taken = Object.entries(table).filter(([key]) => Object.hasOwn(defaults, key) && key !== "schedulers-v2");
    return {
        ...defaults,
        ...Object.fromEntries(taken.map(([key, value]) => [key, readValue(key, value, defaults[key])])),
    };
}

/** Numbers with a fraction; PD's other numbers are unsigned integers. */
const fractions = [
    "tolerant-size-ratio",
    "low-space-ratio",
    "high-space-ratio",
    "slow-store-evicting-affected-store-ratio-threshold",
];

/** Integers for which PD takes 0 as not set. */
const neverZero = ["max-replicas"];

function readValue(key: string, value: unknown, byDefault: unknown): unknown {
    if (key === "location-labels") {
        return readLabels(value);
    }
    if (typeof byDefault === "number") {
        const isFraction = fractions.includes(key);
        if (typeof value !== "number" || (!isFraction && !Number.isInteger(value))) {
            throw wrongType(value, isFraction ? "float" : "integer");
        }
        const number = isFraction ? value : Number(BigInt.asUintN(64, BigInt(value)));
        return number === 0 && neverZero.includes(key) ? byDefault : number;
    }
    if (byDefault === "true" || byDefault === "false") {
        if (typeof value !== "boolean") {
            throw wrongType(value, "boolean");
        }
        return String(value);
    }
    if (typeof byDefault === "string" && goMilliseconds(byDefault) !== undefined) {
        return readDuration(value, byDefault);
    }
    if (typeof value !== "string") {
        throw wrongType(value, "string");
    }
    return value;
}

function readLabels(value: unknown): string {
    if (!Array.isArray(value)) {
        throw wrongType(value, "slice");
    }
    const odd = value.find((label) => typeof label !== "string") as unknown;
    if (odd !== undefined) {
        throw wrongType(odd, "string");
    }
    return value.join(",");
}

function readDuration(value: unknown, byDefault: string): string {
    if (typeof value === "number") {
        const text = Number.isInteger(value) ? String(value) : value.toFixed(6);
        throw new RefusedPdFile(`time: missing unit in duration ${JSON.stringify(text)}`);
    }
    const duration = goMilliseconds(String(value));
    if (duration === undefined) {
        throw new RefusedPdFile(`time: invalid duration ${JSON.stringify(String(value))}`);
    }
    return duration === 0 ? byDefault : goDuration(duration);
}

function wrongType(value: unknown, expected: string): RefusedPdFile {
    return new RefusedPdFile(`toml: cannot load TOML value of type ${goType(value)} into a Go ${expected}`);
}

function goType(value: unknown): string {
    if (typeof value === "number") {
        return Number.isInteger(value) ? "int64" : "float64";
    }
    if (typeof value === "object") {
        return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
    }
    return typeof value === "boolean" ? "bool" : typeof value;
}

/** PD derives one limit of merges from the other if the file has only the size. */
function withMergedKeys(
    schedule: Readonly<Record<string, unknown>>,
    table: unknown,
): Readonly<Record<string, unknown>> {
    const { "max-merge-region-size": size, "max-merge-region-keys": keys } = (table ?? {}) as Record<string, unknown>;
    return size !== undefined && keys === undefined
        ? { ...schedule, "max-merge-region-keys": Number(size) * keysOfMebibyte }
        : schedule;
}

const keysOfMebibyte = 10_000;

/** tikv/pd pkg/schedule/config/config.go, `ReplicationConfig.Validate`. */
function checkReplication(labels: readonly string[], replication: Readonly<Record<string, unknown>>): void {
    const isolation = String(replication["isolation-level"]);
    const odd = labels.find((label) => !/^[$]?[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$/.test(label));
    if (odd !== undefined) {
        throw new RefusedPdFile(`${odd} does not match format "^[$]?[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$"`);
    }
    if (isolation !== "" && !labels.includes(isolation)) {
        throw new RefusedPdFile("isolation-level must be one of location-labels or empty");
    }
}

/** tikv/pd pkg/schedule/config/config.go, `ScheduleConfig.Validate`. */
function checkSchedule(schedule: Readonly<Record<string, unknown>>): void {
    const [low, high] = [Number(schedule["low-space-ratio"]), Number(schedule["high-space-ratio"])];
    const policy = String(schedule["leader-schedule-policy"]);
    const problem = [
        [Number(schedule["tolerant-size-ratio"]) < 0, "tolerant-size-ratio should be non-negative"],
        [low < 0 || low > 1, "low-space-ratio should between 0 and 1"],
        [high < 0 || high > 1, "high-space-ratio should between 0 and 1"],
        [low <= high, "low-space-ratio should be larger than high-space-ratio"],
        [!["count", "size"].includes(policy), `leader-schedule-policy ${policy} is invalid`],
    ].find(([isWrong]) => isWrong);
    if (problem !== undefined) {
        throw new RefusedPdFile(String(problem[1]));
    }
}
