import type { Component } from "../../topology/members";
import { claimTemplateName } from "../../topology/podNames";
import type { ComponentSpec, StorageVolume } from "../componentSpec";
import type { VolumeMount } from "./pod";
import { storageVolumeMounts } from "./storage";

/**
 * Returns the mount of the volume that a spec names for a log: from `storageVolumes`, else from `additionalVolumeMounts`.
 * Undefined if neither has it; validation refuses that.
 */
export function logVolumeMount(
    member: Component,
    spec: ComponentSpec & { storageVolumes?: StorageVolume[] },
    name: string,
): VolumeMount | undefined {
    return (
        storageVolumeMounts(member, spec.storageVolumes).find(
            (mount) => mount.name === claimTemplateName(member, name),
        ) ?? spec.additionalVolumeMounts?.find((mount) => mount.name === name)
    );
}
