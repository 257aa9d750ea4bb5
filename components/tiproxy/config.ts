import { configValue, readConfig, withConfigDefaults, withConfigValues, writeConfig } from "../kubernetes/toml";
import type { TidbClusterManifest } from "../spec";
import { tiproxyCertificates, type TiproxyCertificates } from "./certificates";
import type { TiproxySpec } from "./spec";

/** TiProxy's certificates: where they are mounted, and what its configuration says of them. */
export function certificatesOf(manifest: TidbClusterManifest, spec: TiproxySpec): TiproxyCertificates {
    const isSaid = configValue(readConfig(spec.config), "security.sql-tls.skip-ca") !== undefined;
    return tiproxyCertificates(manifest, spec, isSaid);
}

/** TiProxy's configuration: the user's, with the keys that the rest of the spec decides. */
export function tiproxyConfig(manifest: TidbClusterManifest, spec: TiproxySpec): string {
    const certificates = certificatesOf(manifest, spec);
    const config = withConfigDefaults(readConfig(spec.config), {
        "proxy.require-backend-tls": false,
        ...certificates.defaults,
    });
    return writeConfig(
        withConfigValues(config, {
            workdir: "/var/lib/tiproxy/work",
            "proxy.pd-addrs": `${pdCluster(manifest)}-pd:2379`,
            ...certificates.config,
        }),
    );
}

/** The cluster whose PD it asks: its own, or the one that it joins. */
function pdCluster({ metadata, spec }: TidbClusterManifest): string {
    return spec.pd === undefined && spec.cluster !== undefined ? spec.cluster.name : metadata.name;
}
