import { leaseName } from "../../topology/names";
import { memberLabels } from "../kubernetes/labels";
import { objectMetadata } from "../kubernetes/metadata";
import type { KubernetesObject } from "../kubernetes/object";
import type { TidbClusterManifest } from "../spec";

/**
 * Renders the cluster's Lease. The gates record in it who operates the cluster and which operations they have started. It is
 * rendered without content, because only the gates write to it.
 */
export function leaseManifest(manifest: TidbClusterManifest): KubernetesObject {
    return {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: objectMetadata(manifest, leaseName(manifest.metadata.name), memberLabels(manifest, "lease")),
    };
}
