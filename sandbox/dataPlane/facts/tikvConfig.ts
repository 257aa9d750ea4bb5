/**
 * The part of TiKV's configuration that can be changed while it runs, with the defaults of version 8.5
 * (docs.pingcap.com/tidb/stable/tikv-configuration-file), in the form in which TiKV reports it.
 */
const defaultTikvConfig: TikvConfig = {
    log: { level: "info" },
    raftstore: {
        "raft-max-inflight-msgs": 256,
        "raft-log-gc-tick-interval": "3s",
        "raft-log-gc-threshold": 50,
        "raft-log-gc-count-limit": 73728,
        "raft-log-gc-size-limit": "72MiB",
        "raft-max-size-per-msg": "1MiB",
        "raft-entry-max-size": "8MiB",
        "raft-entry-cache-life-time": "30s",
        "split-region-check-tick-interval": "10s",
        "region-compact-check-interval": "5m",
        "region-compact-check-step": 100,
        "region-compact-min-tombstones": 10000,
        "region-compact-tombstones-percent": 30,
        "snap-mgr-gc-tick-interval": "1m",
        "snap-gc-timeout": "4h",
        "lock-cf-compact-interval": "10m",
        "lock-cf-compact-bytes-threshold": "256MiB",
        "messages-per-tick": 4096,
        "max-peer-down-duration": "10m",
        "max-leader-missing-duration": "2h",
        "abnormal-leader-missing-duration": "10m",
        "peer-stale-state-check-interval": "5m",
        "raft-store-max-leader-lease": "9s",
        "merge-check-tick-interval": "2s",
        "cleanup-import-sst-interval": "10m",
        "local-read-batch-size": 1024,
        "apply-yield-write-size": "32KiB",
        "hibernate-timeout": "10m",
        "apply-pool-size": 2,
        "store-pool-size": 2,
        "apply-max-batch-size": 256,
        "store-max-batch-size": 256,
    },
    readpool: { unified: { "max-thread-count": 4, "max-tasks-per-worker": 2000, "auto-adjust-pool-size": false } },
    coprocessor: { "split-region-on-table": false, "batch-split-limit": 10, "region-split-size": "256MiB" },
    "pessimistic-txn": { "wait-for-lock-timeout": "1s", "wake-up-delay-duration": "20ms", pipelined: true },
    gc: { "ratio-threshold": 1.1, "batch-keys": 512, "enable-compaction-filter": true },
    rocksdb: {
        "max-total-wal-size": "4GiB",
        "max-background-flushes": 3,
        "max-open-files": 40960,
        "rate-bytes-per-sec": "10GiB",
        defaultcf: { "write-buffer-size": "128MiB", "max-write-buffer-number": 5, "disable-auto-compactions": false },
        writecf: { "write-buffer-size": "128MiB", "max-write-buffer-number": 5, "disable-auto-compactions": false },
    },
    storage: { "block-cache": { capacity: "4GiB" } },
    split: { "split-balance-score": 0.25, "split-contained-score": 0.5 },
};

/** TiKV's configuration: tables, and values in the form in which TiKV reports them. */
export interface TikvConfig {
    [key: string]: string | number | boolean | TikvConfig;
}

/** A change that TiKV refuses; the message is its own. */
export class RefusedSetting extends Error {
    override readonly name = "RefusedSetting";
}

/**
 * Returns the configuration with other values, each by its dotted key.
 * @throws RefusedSetting for an unknown key or a value of another type, as TiKV's `to_config_change` (src/config/mod.rs)
 */
export function withTikvSettings(config: TikvConfig, changes: Readonly<Record<string, unknown>>): TikvConfig {
    return Object.entries(changes).reduce(
        (changed, [key, value]) => withSetting(changed, key.split("."), value),
        config,
    );
}

/** Returns the configuration of a process that reads this file. Keys that the simulator does not know are left out. */
export function tikvConfigOf(file: Readonly<Record<string, unknown>>): TikvConfig {
    return withTikvSettings(defaultTikvConfig, Object.fromEntries(knownLeaves(defaultTikvConfig, file, "")));
}

function knownLeaves(known: TikvConfig, file: Readonly<Record<string, unknown>>, path: string): [string, unknown][] {
    return Object.entries(file).flatMap(([key, value]): [string, unknown][] => {
        const own = Object.hasOwn(known, key) ? known[key] : undefined;
        if (typeof own === "object") {
            return knownLeaves(own, (value ?? {}) as Readonly<Record<string, unknown>>, `${path}${key}.`);
        }
        return own === undefined ? [] : [[`${path}${key}`, value]];
    });
}

function withSetting(config: TikvConfig, [key, ...rest]: string[], value: unknown): TikvConfig {
    const own = Object.hasOwn(config, key) ? config[key] : undefined;
    if (own === undefined || (typeof own === "object") !== rest.length > 0) {
        throw new RefusedSetting(`"unexpect fields: ${key.replaceAll("-", "_")}"`);
    }
    return { ...config, [key]: typeof own === "object" ? withSetting(own, rest, value) : inFormOf(own, String(value)) };
}

/** TiKV reads every value as text, and reports sizes with the largest unit that fits. */
function inFormOf(own: string | number | boolean, text: string): string | number | boolean {
    if (typeof own === "number") {
        if (!/^-?\d+(\.\d+)?$/.test(text)) {
            throw new RefusedSetting("ParseIntError { kind: InvalidDigit }");
        }
        return Number(text);
    }
    if (typeof own === "boolean") {
        if (text !== "true" && text !== "false") {
            throw new RefusedSetting("ParseBoolError");
        }
        return text === "true";
    }
    const [, count, unit] = /^(\d+(?:\.\d+)?)\s*([KMGTP]?)(?:i?B)?$/.exec(text) ?? [];
    return /i?B$/.test(own) && count !== undefined ? readableSize(Number(count) * 1024 ** powers.indexOf(unit)) : text;
}

const powers = ["", "K", "M", "G", "T", "P"];

function readableSize(bytes: number): string {
    const power = [5, 4, 3, 2, 1].find((one) => bytes !== 0 && bytes % 1024 ** one === 0) ?? 0;
    return power === 0 ? `${bytes}B` : `${bytes / 1024 ** power}${powers[power]}iB`;
}
