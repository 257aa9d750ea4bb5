import { helper } from "../cluster";
import { logTailer } from "../kubernetes/logTailer";
import type { Container } from "../kubernetes/pod";
import { configValue, type TomlTable } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";
import type { TiflashSpec } from "./spec";

/** Default paths of the three logs, by their keys in the configuration. */
export const logDefaults = {
    "flash.flash_cluster.log": "/data0/logs/flash_cluster_manager.log",
    "logger.errorlog": "/data0/logs/error.log",
    "logger.log": "/data0/logs/server.log",
} as const;

const sidecars = [
    { container: "serverlog", key: "logger.log" },
    { container: "errorlog", key: "logger.errorlog" },
    { container: "clusterlog", key: "flash.flash_cluster.log" },
] as const;

/** Renders the sidecars that print TiFlash's logs. The first folder of a log's path is the name of its volume and its mount path. */
export function logTailers(manifest: TidbClusterManifest, spec: TiflashSpec, given: TomlTable): Container[] {
    return sidecars.map(({ container, key }) => {
        const { volume, file } = logFile(given, key);
        const mount = { name: volume, mountPath: `/${volume}` };
        return logTailer({ container, mount, file }, helper(manifest), spec.logTailer);
    });
}

/** @returns the volume of a log, and its path in the volume. */
export function logFile(given: TomlTable, key: keyof typeof logDefaults): { volume: string; file: string } {
    const path = configValue(given, key) ?? logDefaults[key];
    const [volume, ...file] = String(path)
        .split("/")
        .filter((part) => part !== "");
    return { volume: volume ?? "", file: file.join("/") };
}
