import { ports } from "../../topology/ports";
import { isAtLeast } from "../imageVersion";
import { hasFlag, listenHost, startScriptOptions } from "../kubernetes/startScriptOptions";
import { configValue, type TomlTable, type TomlValue } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";
import { pdAddressInConfig, podHost, tidbStatusAddress } from "./addresses";
import { keepsPorts, readsConfigMap } from "./annotations";
import { logDefaults } from "./logs";
import { portDefaults } from "./ports";
import type { TiflashSpec } from "./spec";
import { dataFolders } from "./volumes";

/** @returns the default configuration of TiFlash 5.4 and later (tidb-operator pkg/manager/member/tiflash_util.go). */
export function currentDefaults(
    manifest: TidbClusterManifest,
    spec: TiflashSpec,
    image: string,
    given: TomlTable,
): Record<string, TomlValue> {
    const host = listenHost(startScriptOptions(manifest));
    const hasPorts = isAtLeast(image, [7, 1, 0]) === false || keepsPorts(manifest);
    const ownFiles = !readsConfigMap(spec);
    return {
        ...storageDefaults(spec, given),
        tmp_path: "/data0/tmp",
        ...(hasPorts ? portDefaults(manifest) : {}),
        "flash.tidb_status_addr": tidbStatusAddress(manifest),
        "flash.proxy.addr": `${host}:${ports.tiflash.proxy}`,
        "flash.proxy.data-dir": "/data0/proxy",
        "flash.proxy.config": ownFiles ? "/data0/proxy.toml" : "/etc/tiflash/proxy_templ.toml",
        // A pod without its own configuration files gets these as arguments.
        ...(ownFiles
            ? {
                  "flash.service_addr": `${host}:${ports.tiflash.server}`,
                  "flash.proxy.advertise-addr": `${podHost(manifest)}:${ports.tiflash.proxy}`,
              }
            : {}),
        ...logDefaults,
        // Before 7.1 TiFlash needs a key in this table, even if there is an argument for it.
        "raft.pd_addr": pdAddress(manifest),
        ...(manifest.spec.preferIPv6
            ? { listen_host: "::", "status.metrics_port": BigInt(ports.tiflash.metrics) }
            : {}),
    };
}

/** @returns the default configuration of the proxy of TiFlash 5.4 and later. */
export function currentProxyDefaults(manifest: TidbClusterManifest, spec: TiflashSpec): Record<string, TomlValue> {
    const host = listenHost(startScriptOptions(manifest));
    return {
        "log-level": "info",
        "server.status-addr": `${host}:${ports.tiflash.proxyStatus}`,
        ...(readsConfigMap(spec)
            ? {}
            : {
                  "server.engine-addr": `${podHost(manifest)}:${ports.tiflash.server}`,
                  "server.advertise-status-addr": `${podHost(manifest)}:${ports.tiflash.proxyStatus}`,
              }),
    };
}

/** The keys from before 5.4, `path` and `raft.kvstore_path`, still apply if the user sets them. */
function storageDefaults(spec: TiflashSpec, given: TomlTable): Record<string, TomlValue> {
    return {
        ...(configValue(given, "path") === undefined ? { "storage.main.dir": dataFolders(spec) } : {}),
        ...(configValue(given, "raft.kvstore_path") === undefined ? { "storage.raft.dir": ["/data0/kvstore"] } : {}),
    };
}

function pdAddress(manifest: TidbClusterManifest): string {
    const given = manifest.spec.pdAddresses ?? [];
    const prefersGiven = hasFlag(startScriptOptions(manifest), "PreferPDAddressesOverDiscovery") && given.length > 0;
    return prefersGiven ? given.join(",") : pdAddressInConfig(manifest);
}
