import type { PdAccess } from "../provider/cluster/pdAccess";
import type { GateProgramInputs } from "../provider/gates/inputs";
import { instanceName } from "./kubernetes/labels";
import { namespaceOf } from "./kubernetes/metadata";
import type { TidbClusterManifest } from "./spec";

/** @returns where a cluster is: what every gate gets of its manifest. */
export function locationOf(
    manifest: TidbClusterManifest,
): Pick<GateProgramInputs, "namespace" | "cluster" | "instance" | "domain"> {
    return {
        namespace: namespaceOf(manifest),
        cluster: manifest.metadata.name,
        instance: instanceName(manifest),
        domain: manifest.spec.clusterDomain,
    };
}

/** @returns how the gates of a cluster reach its PD. @param address `pd.address` of the program; default: a port-forward. */
export function pdAccessOf(manifest: TidbClusterManifest, address: string | undefined): PdAccess {
    const elsewhere = manifest.spec.pd ? undefined : manifest.spec.cluster;
    const tls = manifest.spec.tlsCluster?.enabled ?? false;
    const domain = elsewhere ? elsewhere.clusterDomain : manifest.spec.clusterDomain;
    return {
        namespace: elsewhere?.namespace ?? namespaceOf(manifest),
        cluster: elsewhere?.name ?? manifest.metadata.name,
        instance: elsewhere?.name ?? instanceName(manifest),
        tls,
        ...(tls && domain ? { domain } : {}),
        ...(address === undefined ? {} : { address }),
    };
}
