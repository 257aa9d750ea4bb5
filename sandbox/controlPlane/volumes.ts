import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { provisionerName } from "./clusterObjects";

/** The name of the volume created for a claim, in the form that provisioners use. */
export function volumeNameFor(claim: k8s.V1PersistentVolumeClaim): string {
    return `pvc-${claim.metadata?.uid}`;
}

/**
 * The volume that a claim waits for. Undefined if the claim is bound, names a volume itself, is being deleted, or has no class
 * that exists.
 */
export function volumeFor(
    claim: k8s.V1PersistentVolumeClaim,
    isClass: (name: string) => boolean,
): k8s.V1PersistentVolume | undefined {
    if (!isClass(claim.spec?.storageClassName ?? "")) {
        return undefined;
    }
    const waits = claim.status?.phase === "Pending" && !claim.spec?.volumeName && !claim.metadata?.deletionTimestamp;
    const storage = requestedStorage(claim);
    if (!waits || storage === undefined) {
        return undefined;
    }
    const name = volumeNameFor(claim);
    return {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: {
            name,
            // Tells the volume controller that the provisioner deletes the volume.
            annotations: { "pv.kubernetes.io/provisioned-by": provisionerName },
        },
        spec: {
            capacity: { storage },
            accessModes: claim.spec?.accessModes,
            volumeMode: claim.spec?.volumeMode,
            storageClassName: claim.spec?.storageClassName,
            persistentVolumeReclaimPolicy: "Delete",
            // A volume that every node reaches. Nothing mounts it.
            nfs: { server: "sandbox", path: `/volumes/${name}` },
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

/** The size that a bound claim requests and does not have yet. Undefined if it has it. */
export function pendingExpansion(claim: k8s.V1PersistentVolumeClaim): string | undefined {
    const wanted = requestedStorage(claim);
    const bound = claim.status?.phase === "Bound" && !claim.metadata?.deletionTimestamp;
    // The API server lets a bound claim's request only grow, so a difference means growth.
    return bound && wanted !== undefined && wanted !== claim.status?.capacity?.storage ? wanted : undefined;
}

/** Whether a volume is deleted with its claim: the sandbox created it, and it is not set to be retained. */
export function goesWithClaim(volume: k8s.V1PersistentVolume): boolean {
    return (
        volume.metadata?.annotations?.["pv.kubernetes.io/provisioned-by"] === provisionerName &&
        volume.spec?.persistentVolumeReclaimPolicy === "Delete"
    );
}

function requestedStorage(claim: k8s.V1PersistentVolumeClaim): string | undefined {
    return claim.spec?.resources?.requests?.storage;
}
