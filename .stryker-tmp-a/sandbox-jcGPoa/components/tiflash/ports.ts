import { hasClusterTls } from "../kubernetes/tls";
import type { TomlValue } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";

/** Ports of TiFlash, by the names that its container gives them. They are fixed in its images. */
export const tiflashPorts = {
    /** MPP and coprocessor requests of TiDB. */
    tiflash: 3930,
    /** The proxy, which is the Raft learner. */
    proxy: 20170,
    /** ClickHouse protocol, before 7.1. */
    tcp: 9000,
    /** HTTP, before 7.1. */
    http: 8123,
    internal: 9009,
    metrics: 8234,
} as const;

/** Port of the proxy's status and metrics. */
export const tiflashProxyStatusPort = 20292;

/** The two ports that TiFlash had before 7.1, as its configuration names them; with TLS they have other names. */
export function portDefaults(manifest: TidbClusterManifest): Record<string, TomlValue> {
    const [tcp, http] = hasClusterTls(manifest) ? ["tcp_port_secure", "https_port"] : ["tcp_port", "http_port"];
    return { [tcp]: BigInt(tiflashPorts.tcp), [http]: BigInt(tiflashPorts.http) };
}
