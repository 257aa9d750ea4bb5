import { claimTemplate, type StorageClasses } from "../../topology/claimTemplate";
import type { Component } from "../../topology/members";
import { claimTemplateName } from "../../topology/podNames";
import type { StorageVolume } from "../componentSpec";
import type { KubernetesFields, VolumeMount } from "./pod";

/** @returns the claim templates of `storageVolumes`. The storage classes default to the member's. */
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

/** @returns the mounts of the `storageVolumes` that have a `mountPath`. */
export function storageVolumeMounts(member: Component, volumes: readonly StorageVolume[] | undefined): VolumeMount[] {
    return (volumes ?? []).flatMap((volume) =>
        volume.mountPath === undefined || volume.mountPath === ""
            ? []
            : [{ name: claimTemplateName(member, volume.name), mountPath: volume.mountPath }],
    );
}
