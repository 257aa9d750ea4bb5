import type { Component } from "../../topology/members";
import { claimTemplateName } from "../../topology/podNames";
import type { StorageVolume } from "../componentSpec";
import type { KubernetesFields, Quantity, VolumeMount } from "./pod";
import { canonicalQuantity } from "./quantity";

/** What a member says about storage classes. */
export interface StorageClasses {
    storageClassName?: string;
    volumeAttributesClassName?: string;
}

/** A claim that every pod of a StatefulSet gets. */
export function claimTemplate(name: string, size: Quantity, classes: StorageClasses): KubernetesFields {
    const { storageClassName, volumeAttributesClassName } = classes;
    return {
        metadata: { name },
        spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: canonicalQuantity(size) } },
            ...(storageClassName === undefined ? {} : { storageClassName }),
            ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
        },
    };
}

/** The claims of `storageVolumes`; a volume without classes of its own has the member's. */
export function storageVolumeClaims(
    member: Component,
    volumes: readonly StorageVolume[] | undefined,
    classes: StorageClasses,
): KubernetesFields[] {
    return (volumes ?? []).map((volume) =>
        claimTemplate(claimTemplateName(member, volume.name), volume.storageSize, {
            storageClassName: volume.storageClassName || classes.storageClassName,
            volumeAttributesClassName: volume.volumeAttributesClassName || classes.volumeAttributesClassName,
        }),
    );
}

/** The mounts of those `storageVolumes` that say where. */
export function storageVolumeMounts(member: Component, volumes: readonly StorageVolume[] | undefined): VolumeMount[] {
    return (volumes ?? []).flatMap((volume) =>
        volume.mountPath === undefined || volume.mountPath === ""
            ? []
            : [{ name: claimTemplateName(member, volume.name), mountPath: volume.mountPath }],
    );
}
