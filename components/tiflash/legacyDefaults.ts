import { ports } from "../../topology/ports";
import { listenHost, startScriptOptions } from "../kubernetes/startScriptOptions";
import type { TomlValue } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";
import { pdAddressInConfig, podHost, tidbStatusAddress } from "./addresses";
import { logDefaults } from "./logs";
import { portDefaults } from "./ports";
import type { TiflashSpec } from "./spec";
import { dataFolders } from "./volumes";

/** Five gibibytes: the size of each of the two caches before 5.4. */
const cacheBytes = 5_368_709_120n;

/** @returns the configuration that TiFlash before 5.4 needs, because its built-in defaults were those of ClickHouse. */
export function legacyDefaults(manifest: TidbClusterManifest, spec: TiflashSpec): Record<string, TomlValue> {
    const host = listenHost(startScriptOptions(manifest));
    return {
        tmp_path: "/data0/tmp",
        display_name: "TiFlash",
        default_profile: "default",
        path: dataFolders(spec).join(","),
        path_realtime_mode: false,
        mark_cache_size: cacheBytes,
        minmax_index_cache_size: cacheBytes,
        ...portDefaults(manifest),
        interserver_http_port: BigInt(ports.tiflash.internal),
        listen_host: manifest.spec.preferIPv6 ? "::" : host,
        "status.metrics_port": BigInt(ports.tiflash.metrics),
        "flash.tidb_status_addr": tidbStatusAddress(manifest),
        "flash.service_addr": `${host}:${ports.tiflash.server}`,
        "flash.overlap_threshold": 0.6,
        "flash.compact_log_min_period": 200n,
        "flash.flash_cluster.cluster_manager_path": "/tiflash/flash_cluster_manager",
        "flash.flash_cluster.refresh_interval": 20n,
        "flash.flash_cluster.update_rule_interval": 10n,
        "flash.flash_cluster.master_ttl": 60n,
        "flash.proxy.addr": `${host}:${ports.tiflash.proxy}`,
        "flash.proxy.advertise-addr": `${podHost(manifest)}:${ports.tiflash.proxy}`,
        "flash.proxy.data-dir": "/data0/proxy",
        "flash.proxy.config": "/data0/proxy.toml",
        ...logDefaults,
        "logger.size": "100M",
        "logger.level": "information",
        "logger.count": 10n,
        "application.runAsDaemon": true,
        "raft.kvstore_path": "/data0/kvstore",
        "raft.storage_engine": "dt",
        "raft.pd_addr": pdAddressInConfig(manifest),
        ...quotaDefaults,
        ...userDefaults("readonly"),
        ...userDefaults("default"),
        "profiles.readonly.readonly": 1n,
        "profiles.default.max_memory_usage": 10_000_000_000n,
        "profiles.default.load_balancing": "random",
        "profiles.default.use_uncompressed_cache": 0n,
    };
}

/** @returns the default configuration of the proxy of TiFlash before 5.4. */
export function legacyProxyDefaults(manifest: TidbClusterManifest): Record<string, TomlValue> {
    const host = listenHost(startScriptOptions(manifest));
    return {
        "log-level": "info",
        "server.engine-addr": `${podHost(manifest)}:${ports.tiflash.server}`,
        "server.status-addr": `${host}:${ports.tiflash.proxyStatus}`,
        "server.advertise-status-addr": `${podHost(manifest)}:${ports.tiflash.proxyStatus}`,
    };
}

const interval = "quotas.default.interval";
const quotaDefaults: Record<string, TomlValue> = {
    [`${interval}.duration`]: 3600n,
    [`${interval}.queries`]: 0n,
    [`${interval}.errors`]: 0n,
    [`${interval}.result_rows`]: 0n,
    [`${interval}.read_rows`]: 0n,
    [`${interval}.execution_time`]: 0n,
};

function userDefaults(user: "default" | "readonly"): Record<string, TomlValue> {
    return {
        [`users.${user}.profile`]: user,
        [`users.${user}.quota`]: "default",
        [`users.${user}.networks.ip`]: "::/0",
        [`users.${user}.password`]: "",
    };
}
