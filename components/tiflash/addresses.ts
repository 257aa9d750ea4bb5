import { headlessServiceName, memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { namespaceOf } from "../kubernetes/metadata";
import type { TidbClusterManifest } from "../spec";

/** Addresses in TiFlash's configuration (tidb-operator pkg/manager/member/tiflash_util.go). */

/** Placeholder for the ordinal in the configuration. Each pod replaces it with its own. */
export const ordinalPlaceholder = "POD_NUM";

/** Placeholder for PD's addresses in a cluster that spans Kubernetes clusters. Each pod asks discovery for them. */
export const pdPlaceholder = "PD_ADDR";

/** @returns the host name of a TiFlash pod, with the placeholder for its ordinal. */
export function podHost(manifest: TidbClusterManifest): string {
    const { name } = manifest.metadata;
    const pod = `${memberName(name, "tiflash")}-${ordinalPlaceholder}`;
    return `${pod}.${headlessServiceName(name, "tiflash")}.${namespaceOf(manifest)}.svc${suffix(manifest.spec.clusterDomain)}`;
}

/** @returns the TiDB address from which TiFlash reads schemas: in its own cluster, else in the cluster that it joins. */
export function tidbStatusAddress(manifest: TidbClusterManifest): string {
    const { tidb, cluster: joined, acrossK8s } = manifest.spec;
    if (tidb !== undefined || !joined?.name) {
        return `${memberName(manifest.metadata.name, "tidb")}.${namespaceOf(manifest)}.svc:${ports.tidb.status}`;
    }
    const service = acrossK8s ? headlessServiceName(joined.name, "tidb") : memberName(joined.name, "tidb");
    return `${service}.${joined.namespace ?? namespaceOf(manifest)}.svc${suffix(joined.clusterDomain)}:${ports.tidb.status}`;
}

/** @returns PD's address in its own cluster, else in the cluster that it joins. Across Kubernetes clusters it is a placeholder. */
export function pdAddressInConfig(manifest: TidbClusterManifest): string {
    const { pd, cluster: joined, acrossK8s } = manifest.spec;
    if (acrossK8s) {
        return pdPlaceholder;
    }
    if (pd !== undefined || !joined?.name) {
        return `${memberName(manifest.metadata.name, "pd")}.${namespaceOf(manifest)}.svc:${ports.pd.client}`;
    }
    const namespace = joined.namespace ?? namespaceOf(manifest);
    return `${memberName(joined.name, "pd")}.${namespace}.svc${suffix(joined.clusterDomain)}:${ports.pd.client}`;
}

function suffix(domain: string | undefined): string {
    return domain ? `.${domain}` : "";
}
