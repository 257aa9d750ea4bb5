import type { ConfigInput } from "../componentSpec";
import { isTable, readConfig, type TomlTable } from "../kubernetes/toml";
import type { TicdcSpec } from "./spec";

/** How tidb-operator's older types name these keys in a map (pkg/apis/pingcap/v1alpha1 TiCDCConfig). */
const olderNames: Readonly<Record<string, string>> = {
    timezone: "tz",
    gcTTL: "gc-ttl",
    logLevel: "log-level",
    logFile: "log-file",
};

/** Keys that are arguments of TiCDC's server; where there are no others, no configuration file is made. */
const argumentKeys = Object.values(olderNames);

/** What of TiCDC's configuration becomes arguments and variables. */
export interface TicdcArguments {
    /** `tz`, if it is there. */
    readonly timezone?: string;
    /** `gc-ttl`: seconds for which changes are kept for a changefeed that does not run. */
    readonly gcTtl: string;
    readonly logLevel: string;
    /** Empty: standard error. */
    readonly logFile: string;
}

/** TiCDC's configuration with the keys of its TOML. */
export function readTicdcConfig(config: ConfigInput | undefined): TomlTable {
    const read = readConfig(config);
    if (typeof config === "string" || !isTable(read)) {
        return read;
    }
    return Object.fromEntries(
        Object.entries(read).map(([key, value]) => [Object.hasOwn(olderNames, key) ? olderNames[key] : key, value]),
    );
}

/** What TiCDC's configuration file holds; undefined where none is needed. */
export function ticdcConfigFile(spec: TicdcSpec): TomlTable | undefined {
    const config = readTicdcConfig(spec.config);
    return Object.keys(config).every((key) => argumentKeys.includes(key)) ? undefined : config;
}

/** The arguments that the configuration asks for. A value of another type counts as none, as in tidb-operator. */
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
