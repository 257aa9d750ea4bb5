import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { driverName } from "../../../sandbox/controlPlane/volumes/driver";

/** How the simulated driver of a class behaves: the parameters that the sandbox's README describes. */
export interface VolumeBehaviour {
    driver?: "online" | "restart" | "offline";
    seconds?: number;
    retrySeconds?: number;
    refusesAbove?: string;
    refusesAfter?: number;
    refusesWith?: string;
    message?: string;
}

/** Fields of the class itself, and how its volumes behave. */
export interface ClassOptions extends VolumeBehaviour {
    allowVolumeExpansion?: boolean;
    volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
    reclaimPolicy?: "Delete" | "Retain";
}

/** A StorageClass of the sandbox's CSI driver. By default its volumes are made at once and grow online, at once. */
export function storageClass(name: string, options: ClassOptions = {}): k8s.V1StorageClass {
    const {
        allowVolumeExpansion = true,
        volumeBindingMode = "Immediate",
        reclaimPolicy = "Delete",
        ...behaviour
    } = options;
    return {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name },
        provisioner: driverName,
        parameters: texts({ ...behaviour }),
        ...{ allowVolumeExpansion, volumeBindingMode, reclaimPolicy },
    };
}

/** A VolumeAttributesClass of the sandbox's CSI driver. */
export function attributesClass(
    name: string,
    behaviour: Pick<VolumeBehaviour, "seconds" | "refusesWith" | "message"> = {},
): k8s.V1VolumeAttributesClass {
    return {
        apiVersion: "storage.k8s.io/v1",
        kind: "VolumeAttributesClass",
        metadata: { name },
        driverName,
        parameters: { iops: "3000", ...texts(behaviour) },
    };
}

function texts(values: object): Record<string, string> {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
