import { headlessServiceName, memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { namespaceOf } from "../kubernetes/metadata";
import type { TidbClusterManifest } from "../spec";

/** Addresses in TiFlash's configuration (tidb-operator pkg/manager/member/tiflash_util.go). */

/** Stands for the ordinal in the configuration: each pod puts its own there. */
export const ordinalPlaceholder = "POD_NUM";

/** Stands for PD's addresses across Kubernetes clusters: each pod asks discovery for them. */
export const pdPlaceholder = "PD_ADDR";

/** Host name of a TiFlash pod, with the placeholder for its ordinal. */
export function podHost(manifest: TidbClusterManifest): string {
    const { name } = manifest.metadata;
    const pod = `${memberName(name, "tiflash")}-${ordinalPlaceholder}`;
    return `${pod}.${headlessServiceName(name, "tiflash")}.${namespaceOf(manifest)}.svc${suffix(manifest.spec.clusterDomain)}`;
}

/** Where TiFlash asks TiDB for schemas: the cluster's own, else that of the cluster that it joins. */
export function tidbStatusAddress(manifest: TidbClusterManifest): string {
    const { tidb, cluster: joined, acrossK8s } = manifest.spec;
    if (tidb !== undefined || !joined?.name) {
        return `${memberName(manifest.metadata.name, "tidb")}.${namespaceOf(manifest)}.svc:${ports.tidb.status}`;
    }
    const service = acrossK8s ? headlessServiceName(joined.name, "tidb") : memberName(joined.name, "tidb");
    return `${service}.${joined.namespace ?? namespaceOf(manifest)}.svc${suffix(joined.clusterDomain)}:${ports.tidb.status}`;
}

/** PD's addresses: of the cluster's own PD, else of the cluster that it joins; a placeholder across Kubernetes clusters. */
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
