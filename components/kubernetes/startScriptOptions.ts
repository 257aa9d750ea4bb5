import type { StartScriptFeatureFlag, TidbClusterManifest, TidbClusterReference, TidbClusterSpec } from "../spec";
import { hasDiscoveryTls, scheme } from "./tls";

/** What the start script of every member needs to know about its cluster. */
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
    /** Whether discovery asks for a client certificate (`spec.tlsCluster.enableDiscoveryMTLS`). Default: false. */
    discoveryMtls?: boolean;
    /** Which of the operator's scripts to be like, where they differ for users (`spec.startScriptVersion`). Default: v1. */
    version?: TidbClusterSpec["startScriptVersion"];
    /** Details (`spec.startScriptV2FeatureFlags`); used with version `v2` only, as the operator does. Default: none. */
    featureFlags?: readonly StartScriptFeatureFlag[];
}

/** How the script of a member that talks to PD finds it. */
export interface PdClientScriptOptions extends StartScriptOptions {
    /** Whether the cluster has PD of its own (`spec.pd`). Default: true. */
    hasPd?: boolean;
    /** The cluster that this one joins (`spec.cluster`). Default: none. */
    referenceCluster?: TidbClusterReference;
    /** Addresses of a PD elsewhere (`spec.pdAddresses`). Default: none. */
    pdAddresses?: readonly string[];
}

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

/** Whether a detail of the operator's second scripts is asked for. */
export function hasFlag(options: StartScriptOptions, flag: StartScriptFeatureFlag): boolean {
    return options.version === "v2" && (options.featureFlags ?? []).includes(flag);
}

/** The address on which every interface of the pod is listened on; with `preferIPv6` the one of both protocols. */
export function listenHost(options: StartScriptOptions): string {
    return options.preferIPv6 ? "[::]" : "0.0.0.0";
}
