import { ports } from "../../topology/ports";
import { hasClusterTls } from "../kubernetes/tls";
import type { TomlValue } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";

/** The two ports that TiFlash had before 7.1, as its configuration names them; with TLS they have other names. */
export function portDefaults(manifest: TidbClusterManifest): Record<string, TomlValue> {
    const [tcp, http] = hasClusterTls(manifest) ? ["tcp_port_secure", "https_port"] : ["tcp_port", "http_port"];
    return { [tcp]: BigInt(ports.tiflash.tcp), [http]: BigInt(ports.tiflash.http) };
}
