import { caKey, certificateKey, clusterTlsFolder, hasClusterTls, privateKeyKey } from "../kubernetes/tls";
import { readConfig, type TomlTable, type TomlValue, withConfigValues } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";
import type { PdSpec } from "./spec";
import { dashboardUsesSqlTls, sqlClientTlsFolder } from "./sqlTls";

/** @returns PD's configuration: the user's, with the keys that other fields of the spec determine. */
export function pdConfig(manifest: TidbClusterManifest, spec: PdSpec, image: string): TomlTable {
    return withConfigValues(readConfig(spec.config), forced(manifest, spec, image));
}

function forced(manifest: TidbClusterManifest, spec: PdSpec, image: string): Record<string, TomlValue> {
    const values: Record<string, TomlValue> = {};
    if (hasClusterTls(manifest)) {
        const folder = clusterTlsFolder("pd");
        values["security.cacert-path"] = `${folder}/${caKey}`;
        values["security.cert-path"] = `${folder}/${certificateKey}`;
        values["security.key-path"] = `${folder}/${privateKeyKey}`;
    }
    if (dashboardUsesSqlTls(manifest, image)) {
        if (manifest.spec.tidb?.tlsClient?.skipInternalClientCA !== true) {
            values["dashboard.tidb-cacert-path"] = `${sqlClientTlsFolder}/${caKey}`;
        }
        values["dashboard.tidb-cert-path"] = `${sqlClientTlsFolder}/${certificateKey}`;
        values["dashboard.tidb-key-path"] = `${sqlClientTlsFolder}/${privateKeyKey}`;
    }
    if (spec.enableDashboardInternalProxy !== undefined) {
        values["dashboard.internal-proxy"] = spec.enableDashboardInternalProxy;
    }
    return values;
}
