import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/**
 * What a claim's status went through, recorded with external-resizer 2.2.0, whose libraries are those of Kubernetes 1.36, against an API
 * server 1.36.3 and a driver that gave the named answers. Where the kubelet writes, its own functions of 1.36.3 were called. A line has the
 * capacity, what is allocated and how far it is, and the conditions.
 */
export const recordedClaims = {
    online: [
        "10Gi",
        "10Gi, 11Gi ControllerResizeInProgress: Resizing",
        "10Gi, 11Gi NodeResizePending: FileSystemResizePending Resizing",
        "10Gi, 11Gi NodeResizeInProgress: FileSystemResizePending Resizing",
        "11Gi, 11Gi",
    ],
    /** The node's driver answers FailedPrecondition until a new pod mounts the volume. */
    restart: [
        "10Gi",
        "10Gi, 11Gi ControllerResizeInProgress: Resizing",
        "10Gi, 11Gi NodeResizePending: FileSystemResizePending Resizing",
        "10Gi, 11Gi NodeResizeInProgress: FileSystemResizePending Resizing",
        "10Gi, 11Gi NodeResizeInProgress: FileSystemResizePending NodeResizeError Resizing",
        "11Gi, 11Gi",
    ],
    /** The driver answers FailedPrecondition while a pod uses the volume. The error stays until the file system has grown. */
    offline: [
        "10Gi",
        "10Gi, 11Gi ControllerResizeInProgress: Resizing",
        "10Gi, 11Gi ControllerResizeInProgress: ControllerResizeError Resizing",
        "10Gi, 11Gi NodeResizePending: ControllerResizeError FileSystemResizePending Resizing",
        "10Gi, 11Gi NodeResizeInProgress: ControllerResizeError FileSystemResizePending Resizing",
        "11Gi, 11Gi",
    ],
    /** The driver answers OutOfRange to 20Gi; then 12Gi are requested. No pod uses the claim. */
    infeasible: [
        "10Gi",
        "10Gi, 20Gi ControllerResizeInProgress: Resizing",
        "10Gi, 20Gi ControllerResizeInfeasible: ControllerResizeError Resizing",
        "10Gi, 12Gi ControllerResizeInProgress: Resizing",
        "10Gi, 12Gi NodeResizePending: FileSystemResizePending Resizing",
    ],
    /** The driver answers ResourceExhausted to 20Gi; then 12Gi are requested, and the driver gives in: 20Gi it is. */
    exhausted: [
        "10Gi",
        "10Gi, 20Gi ControllerResizeInProgress: Resizing",
        "10Gi, 20Gi NodeResizePending: FileSystemResizePending Resizing",
    ],
} as const;

/** The same for a claim of class silver that asks for gold, and for one whose driver answers InvalidArgument until it asks for silver again. */
export const recordedModifications = {
    modified: ["silver", "silver, gold InProgress: ModifyingVolume", "gold"],
    refused: [
        "silver",
        "silver, gold InProgress: ModifyingVolume",
        "silver, gold Infeasible: ModifyVolumeError ModifyingVolume",
        "silver, silver InProgress: ModifyVolumeError ModifyingVolume",
        "silver",
    ],
    /** It asks for a class that does not exist. */
    missing: ["silver", "silver, Pending"],
} as const;

/** The Events of the same runs, each once. `VOLUME`, `CLAIM` and `DRIVER` stand for the names. */
export const recordedEvents = {
    online: [
        "Normal Resizing: External resizer is resizing volume VOLUME",
        "Normal FileSystemResizeRequired: Require file system resize of volume on node",
    ],
    offline: [
        "Normal Resizing: External resizer is resizing volume VOLUME",
        'Warning VolumeResizeFailed: resize volume "VOLUME" by resizer "DRIVER" failed: rpc error: code = FailedPrecondition desc = the volume is attached to a node',
        "Warning VolumeResizeFailed: Unable to expand CLAIM because CSI driver DRIVER only supports offline expansion and volume is currently in-use",
        "Normal FileSystemResizeRequired: Require file system resize of volume on node",
    ],
    infeasible: [
        "Normal Resizing: External resizer is resizing volume VOLUME",
        'Warning VolumeResizeFailed: resize volume "VOLUME" by resizer "DRIVER" failed: rpc error: code = OutOfRange desc = the quota of 15Gi would be exceeded',
        "Normal FileSystemResizeRequired: Require file system resize of volume on node",
    ],
    exhausted: [
        "Normal Resizing: External resizer is resizing volume VOLUME",
        'Warning VolumeResizeFailed: resize volume "VOLUME" by resizer "DRIVER" failed: rpc error: code = ResourceExhausted desc = the quota is used up',
        "Normal FileSystemResizeRequired: Require file system resize of volume on node",
    ],
} as const;

/** How far a claim's growth is, as a line of the recording. */
export function growthLine({ status }: k8s.V1PersistentVolumeClaim): string {
    const allocated = [status?.allocatedResources?.storage, status?.allocatedResourceStatuses?.storage];
    return line(status, status?.capacity?.storage, allocated);
}

/** How far a claim's change of attributes is, as a line of the recording. */
export function modificationLine({ status }: k8s.V1PersistentVolumeClaim): string {
    const { targetVolumeAttributesClassName, status: result } = status?.modifyVolumeStatus ?? {};
    return line(status, status?.currentVolumeAttributesClassName, [targetVolumeAttributesClassName, result]);
}

function line(
    status: k8s.V1PersistentVolumeClaimStatus | undefined,
    has: string | undefined,
    next: readonly (string | undefined)[],
): string {
    const types = (status?.conditions ?? []).map(({ type }) => type).sort();
    const conditions = types.length === 0 ? "" : `: ${types.join(" ")}`;
    const wanted = next.filter((one) => one !== undefined).join(" ");
    return `${has}${wanted === "" ? "" : `, ${wanted}`}${conditions}`;
}
