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

/** The two configurations of TiFlash, with placeholders for values that differ between pods. */
export interface TiflashConfig {
    /** Configuration of TiFlash. */
    readonly config: TomlTable;
    /** Configuration of its proxy. */
    readonly proxy: TomlTable;
}

/**
 * Returns TiFlash's configuration: the user's, with the keys that other fields of the spec determine and those that TiFlash
 * needs. The layout changed in 5.4; an image whose tag is not a version counts as older
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

/** @returns the user's configuration of TiFlash. A map may contain a whole number where TiFlash needs a fraction; it is converted. */
export function givenConfig(spec: TiflashSpec): TomlTable {
    const config = readConfig(spec.config?.config);
    const overlap = configValue(config, "flash.overlap_threshold");
    return typeof spec.config?.config === "object" && typeof overlap === "bigint"
        ? withConfigValues(config, { "flash.overlap_threshold": Number(overlap) })
        : config;
}

/** TiFlash's keys contain `_`, its proxy's keys contain `-`. */
function certificates(separator: "_" | "-"): Record<string, string> {
    const folder = clusterTlsFolder("tiflash");
    return {
        [`security.ca${separator}path`]: `${folder}/${caKey}`,
        [`security.cert${separator}path`]: `${folder}/${certificateKey}`,
        [`security.key${separator}path`]: `${folder}/${privateKeyKey}`,
    };
}
