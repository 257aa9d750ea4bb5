import { leaseName } from "../../topology/names";
import { memberLabels } from "../kubernetes/labels";
import { objectMetadata } from "../kubernetes/metadata";
import type { KubernetesObject } from "../kubernetes/object";
import type { TidbClusterManifest } from "../spec";

/**
 * The Lease in which the gates say who operates the cluster, and keep the records of what they have begun. It is
 * stated here without content: what the gates write into it is theirs.
 */
export function leaseManifest(manifest: TidbClusterManifest): KubernetesObject {
    return {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: objectMetadata(manifest, leaseName(manifest.metadata.name), memberLabels(manifest, "lease")),
    };
}
