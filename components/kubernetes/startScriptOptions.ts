import type { StartScriptFeatureFlag, TidbClusterManifest, TidbClusterReference, TidbClusterSpec } from "../spec";
import { hasDiscoveryTls, scheme } from "./tls";

/** Options of every member's start script. */
export interface StartScriptOptions {
    /** Name of the cluster (`metadata.name`). */
    clusterName: string;
    /** `https` with TLS between members (`spec.tlsCluster.enabled`), else `http`. */
    scheme: "http" | "https";
    /** Domain appended to host names (`spec.clusterDomain`). Default: none. */
    clusterDomain?: string;
    /** Whether the cluster spans several Kubernetes clusters (`spec.acrossK8s`). Default: false. */
    acrossK8s?: boolean;
    /** Whether members listen on IPv6 (`spec.preferIPv6`). Default: false. */
    preferIPv6?: boolean;
    /** Whether discovery requests a client certificate (`spec.tlsCluster.enableDiscoveryMTLS`). Default: false. */
    discoveryMtls?: boolean;
    /** Which of tidb-operator's script versions to follow, where they differ for users (`spec.startScriptVersion`). Default: v1. */
    version?: TidbClusterSpec["startScriptVersion"];
    /** Feature flags (`spec.startScriptV2FeatureFlags`). Used only with version `v2`, as in tidb-operator. Default: none. */
    featureFlags?: readonly StartScriptFeatureFlag[];
}

/** Options of the start script of a member that connects to PD. */
export interface PdClientScriptOptions extends StartScriptOptions {
    /** Whether the cluster has its own PD (`spec.pd`). Default: true. */
    hasPd?: boolean;
    /** The cluster that this one joins (`spec.cluster`). Default: none. */
    referenceCluster?: TidbClusterReference;
    /** Addresses of an existing PD (`spec.pdAddresses`). Default: none. */
    pdAddresses?: readonly string[];
}

/** @returns the options of every member's start script. */
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

/** @returns the options of the start script of a member that connects to PD. */
export function pdClientScriptOptions(manifest: TidbClusterManifest): PdClientScriptOptions {
    const { spec } = manifest;
    return {
        ...startScriptOptions(manifest),
        hasPd: spec.pd !== undefined,
        referenceCluster: spec.cluster,
        pdAddresses: spec.pdAddresses,
    };
}

/** Whether a feature flag of tidb-operator's v2 scripts is set. */
export function hasFlag(options: StartScriptOptions, flag: StartScriptFeatureFlag): boolean {
    return options.version === "v2" && (options.featureFlags ?? []).includes(flag);
}

/** @returns the address that means all interfaces of the pod: for IPv4, or for both protocols with `preferIPv6`. */
export function listenHost(options: StartScriptOptions): string {
    return options.preferIPv6 ? "[::]" : "0.0.0.0";
}
