import type { ConfigInput } from "../componentSpec";
import { isTable, readConfig, type TomlTable } from "../kubernetes/toml";
import type { TicdcSpec } from "./spec";

/** Names of these keys in a map of tidb-operator's older types (pkg/apis/pingcap/v1alpha1 TiCDCConfig). */
const olderNames: Readonly<Record<string, string>> = {
    timezone: "tz",
    gcTTL: "gc-ttl",
    logLevel: "log-level",
    logFile: "log-file",
};

/** Keys that become arguments of TiCDC's server. A configuration file is created only if there are other keys. */
const argumentKeys = Object.values(olderNames);

/** Values of TiCDC's configuration that become arguments and environment variables. */
export interface TicdcArguments {
    /** `tz`, if it is set. */
    readonly timezone?: string;
    /** `gc-ttl`: how long changes are kept for a stopped changefeed, in seconds. */
    readonly gcTtl: string;
    readonly logLevel: string;
    /** Path of the log file. Empty means standard error. */
    readonly logFile: string;
}

/** @returns TiCDC's configuration with the key names of its TOML. */
export function readTicdcConfig(config: ConfigInput | undefined): TomlTable {
    const read = readConfig(config);
    if (typeof config === "string" || !isTable(read)) {
        return read;
    }
    return Object.fromEntries(
        Object.entries(read).map(([key, value]) => [Object.hasOwn(olderNames, key) ? olderNames[key] : key, value]),
    );
}

/** @returns the content of TiCDC's configuration file; undefined if it does not need one. */
export function ticdcConfigFile(spec: TicdcSpec): TomlTable | undefined {
    const config = readTicdcConfig(spec.config);
    return Object.keys(config).every((key) => argumentKeys.includes(key)) ? undefined : config;
}

/** @returns the arguments from the configuration. A value of the wrong type counts as not set, as in tidb-operator. */
export function ticdcArguments(spec: TicdcSpec): TicdcArguments {
    const config = readTicdcConfig(spec.config);
    const text = (key: string) => (typeof config[key] === "string" ? config[key] : undefined);
    const seconds = config["gc-ttl"];
    return {
        timezone: text("tz"),
        gcTtl: typeof seconds === "bigint" ? String(seconds) : "86400",
        logLevel: text("log-level") ?? "info",
        logFile: text("log-file") ?? "",
    };
}
