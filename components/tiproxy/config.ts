import { memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { configValue, readConfig, type TomlTable, withConfigDefaults, withConfigValues } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";
import { tiproxyCertificates, type TiproxyCertificates } from "./certificates";
import type { TiproxySpec } from "./spec";

/** @returns TiProxy's certificates: their volumes and the configuration values for them. */
export function certificatesOf(manifest: TidbClusterManifest, spec: TiproxySpec): TiproxyCertificates {
    const setsSkipCa = configValue(readConfig(spec.config), "security.sql-tls.skip-ca") !== undefined;
    return tiproxyCertificates(manifest, spec, setsSkipCa);
}

const keepAlives = ["frontend-keepalive", "backend-healthy-keepalive", "backend-unhealthy-keepalive"];

/**
 * Keys that tidb-operator writes as 0 if `spec.tiproxy.config` is a map that does not set them: its type for the map always
 * contains these numbers (pkg/apis/pingcap/v1alpha1/tiproxy_config_wrapper.go; github.com/pingcap/tiproxy/lib/config). For
 * TOML text, only the keys in the text are written.
 */
export const zeroInMaps: readonly string[] = [
    ...["max-backups", "max-days", "max-size"].map((key) => `log.log-file.${key}`),
    "metrics.metrics-interval",
    "proxy.graceful-wait-before-shutdown",
    "proxy.max-connections",
    ...keepAlives.flatMap((table) => ["cnt", "idle", "intvl", "timeout"].map((key) => `proxy.${table}.${key}`)),
    ...["cluster-tls", "peer-tls", "server-tls", "sql-tls"].map((table) => `security.${table}.rsa-key-size`),
];

/** @returns TiProxy's configuration: the user's, with the keys that other fields of the spec determine. */
export function tiproxyConfig(manifest: TidbClusterManifest, spec: TiproxySpec): TomlTable {
    const certificates = certificatesOf(manifest, spec);
    const isMap = spec.config !== undefined && typeof spec.config !== "string";
    const config = withConfigDefaults(readConfig(spec.config), {
        ...(isMap ? Object.fromEntries(zeroInMaps.map((path) => [path, 0n])) : {}),
        "proxy.require-backend-tls": false,
        ...certificates.defaults,
    });
    return withConfigValues(config, {
        workdir: "/var/lib/tiproxy/work",
        "proxy.pd-addrs": `${memberName(pdCluster(manifest), "pd")}:${ports.pd.client}`,
        ...certificates.config,
    });
}

/** @returns the cluster whose PD TiProxy uses: its own cluster, or the cluster that it joins. */
function pdCluster({ metadata, spec }: TidbClusterManifest): string {
    return spec.pd === undefined && spec.cluster !== undefined ? spec.cluster.name : metadata.name;
}
