import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { provisionerName } from "../clusterObjects";
import { driverName, driverOf, madeWith } from "./driver";

const zoneLabel = "topology.kubernetes.io/zone";
const selectedNode = "volume.kubernetes.io/selected-node";

/** The name of the volume created for a claim, in the form that provisioners use. */
export function volumeNameFor(claim: k8s.V1PersistentVolumeClaim): string {
    return `pvc-${claim.metadata?.uid}`;
}

/**
 * The volume that a claim waits for. Undefined if the claim is bound, names a volume itself, is being deleted, has no class that exists, or
 * if its class waits for its first consumer and the scheduler has not chosen a node for it: then the volume can be used in that node's zone only.
 * @throws if the parameters of the class are not right
 */
export function volumeFor(
    claim: k8s.V1PersistentVolumeClaim,
    storageClass: k8s.V1StorageClass | undefined,
    nodes: readonly k8s.V1Node[],
): k8s.V1PersistentVolume | undefined {
    const storage = claim.spec?.resources?.requests?.storage;
    const waits = claim.status?.phase === "Pending" && !claim.spec?.volumeName && !claim.metadata?.deletionTimestamp;
    if (!waits || storage === undefined || storageClass === undefined || driverOf(storageClass) === undefined) {
        return undefined;
    }
    const { provisioner, reclaimPolicy, volumeBindingMode } = storageClass;
    const node = nodes.find(({ metadata }) => metadata?.name === claim.metadata?.annotations?.[selectedNode]);
    if (volumeBindingMode === "WaitForFirstConsumer" && node === undefined) {
        return undefined;
    }
    const name = volumeNameFor(claim);
    const isDriven = provisioner === driverName;
    return {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: {
            name,
            // Tells the volume controller that the provisioner deletes the volume.
            annotations: { "pv.kubernetes.io/provisioned-by": isDriven ? driverName : provisionerName },
        },
        spec: {
            capacity: { storage },
            accessModes: claim.spec?.accessModes,
            volumeMode: claim.spec?.volumeMode,
            storageClassName: claim.spec?.storageClassName,
            persistentVolumeReclaimPolicy: isDriven ? reclaimPolicy : "Delete",
            // Nothing mounts it.
            ...(isDriven
                ? {
                      csi: { driver: driverName, volumeHandle: name, volumeAttributes: { [madeWith]: storage } },
                      volumeAttributesClassName: claim.spec?.volumeAttributesClassName,
                  }
                : { nfs: { server: "sandbox", path: `/volumes/${name}` } }),
            ...zoneOf(node),
            claimRef: {
                apiVersion: "v1",
                kind: "PersistentVolumeClaim",
                namespace: claim.metadata?.namespace,
                name: claim.metadata?.name,
                uid: claim.metadata?.uid,
            },
        },
    };
}

function zoneOf(node: k8s.V1Node | undefined): Pick<k8s.V1PersistentVolumeSpec, "nodeAffinity"> {
    const zone = node?.metadata?.labels?.[zoneLabel];
    const matchExpressions = [{ key: zoneLabel, operator: "In", values: [zone ?? ""] }];
    return zone === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } };
}

/** Whether a volume is deleted with its claim: the sandbox created it, and it is not set to be retained. */
export function goesWithClaim(volume: k8s.V1PersistentVolume): boolean {
    const by = volume.metadata?.annotations?.["pv.kubernetes.io/provisioned-by"];
    return (by === provisionerName || by === driverName) && volume.spec?.persistentVolumeReclaimPolicy === "Delete";
}
