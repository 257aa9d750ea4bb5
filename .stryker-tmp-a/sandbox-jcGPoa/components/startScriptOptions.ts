import type { PdClientScriptOptions, StartScriptOptions } from "./kubernetes/startScript";
import { hasDiscoveryTls, scheme } from "./kubernetes/tls";
import type { TidbClusterManifest } from "./spec";

/** What the start script of every member is told about its cluster. */
export function startScriptOptions(manifest: TidbClusterManifest): StartScriptOptions {
    const { spec } = manifest;
    return {
        clusterName: manifest.metadata.name,
        scheme: scheme(manifest),
        clusterDomain: spec.clusterDomain,
        acrossK8s: spec.acrossK8s,
        preferIPv6: spec.preferIPv6,
        discoveryMtls: hasDiscoveryTls(manifest),
        version: spec.startScriptVersion,
        featureFlags: spec.startScriptV2FeatureFlags,
    };
}

/** What the start script of a member that talks to PD is told. */
export function pdClientScriptOptions(manifest: TidbClusterManifest): PdClientScriptOptions {
    const { spec } = manifest;
    return {
        ...startScriptOptions(manifest),
        hasPd: spec.pd !== undefined,
        referenceCluster: spec.cluster,
        pdAddresses: spec.pdAddresses,
    };
}
