import { ports } from "../../topology/ports";
import { hasClusterTls } from "../kubernetes/tls";
import type { TomlValue } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";

/** @returns the two ports that TiFlash had before 7.1, by configuration key. The keys differ with TLS. */
export function portDefaults(manifest: TidbClusterManifest): Record<string, TomlValue> {
    const [tcp, http] = hasClusterTls(manifest) ? ["tcp_port_secure", "https_port"] : ["tcp_port", "http_port"];
    return { [tcp]: BigInt(ports.tiflash.tcp), [http]: BigInt(ports.tiflash.http) };
}
