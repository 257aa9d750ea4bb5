import { isAtLeast } from "../imageVersion";
import { caKey, certificateKey, clusterTlsFolder, hasClusterTls, privateKeyKey } from "../kubernetes/tls";
import {
    configValue,
    readConfig,
    type TomlTable,
    type TomlValue,
    withConfigDefaults,
    withConfigValues,
    withoutConfigKeys,
} from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";
import { currentDefaults, currentProxyDefaults } from "./currentDefaults";
import { legacyDefaults, legacyProxyDefaults } from "./legacyDefaults";
import type { TiflashSpec } from "./spec";

/** The two files of TiFlash, with placeholders for what differs between its pods. */
export interface TiflashConfig {
    /** Of TiFlash itself. */
    readonly config: TomlTable;
    /** Of its proxy. */
    readonly proxy: TomlTable;
}

/**
 * TiFlash's configuration: the user's, with the keys that the rest of the spec decides and those that TiFlash needs. It
 * has another layout from 5.4 on; an image whose tag is no version counts as older
 * (tidb-operator pkg/manager/member/tiflash_util.go).
 */
export function tiflashConfig(manifest: TidbClusterManifest, spec: TiflashSpec, image: string): TiflashConfig {
    const given = givenConfig(spec);
    const givenProxy = readConfig(spec.config?.proxy);
    const isCurrent = isAtLeast(image, [5, 4, 0]) === true;
    const config = withConfigDefaults(
        given,
        isCurrent ? currentDefaults(manifest, spec, image, given) : legacyDefaults(manifest, spec),
    );
    const proxy = withConfigDefaults(
        givenProxy,
        isCurrent ? currentProxyDefaults(manifest, spec) : legacyProxyDefaults(manifest),
    );
    if (!hasClusterTls(manifest)) {
        const plain = isCurrent ? config : withoutConfigKeys(config, ["https_port", "tcp_port_secure"]);
        return { config: plain, proxy };
    }
    const secured = withoutConfigKeys(config, ["http_port", "tcp_port"]);
    const allowed = configValue(given, "security.cert_allowed_cn");
    const allowedByProxy: Record<string, TomlValue> =
        allowed === undefined ? {} : { "security.cert-allowed-cn": allowed };
    return {
        config: withConfigValues(secured, certificates("_")),
        proxy: withConfigValues(withConfigDefaults(proxy, allowedByProxy), certificates("-")),
    };
}

/** What the user says of TiFlash itself. In a map a fraction may be written as a whole number, which TiFlash does not take. */
export function givenConfig(spec: TiflashSpec): TomlTable {
    const config = readConfig(spec.config?.config);
    const overlap = configValue(config, "flash.overlap_threshold");
    return typeof spec.config?.config === "object" && typeof overlap === "bigint"
        ? withConfigValues(config, { "flash.overlap_threshold": Number(overlap) })
        : config;
}

/** TiFlash writes its keys with `_`, its proxy with `-`. */
function certificates(separator: "_" | "-"): Record<string, string> {
    const folder = clusterTlsFolder("tiflash");
    return {
        [`security.ca${separator}path`]: `${folder}/${caKey}`,
        [`security.cert${separator}path`]: `${folder}/${certificateKey}`,
        [`security.key${separator}path`]: `${folder}/${privateKeyKey}`,
    };
}
