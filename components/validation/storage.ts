import type { Component } from "../../topology/members";
import { claimTemplateName } from "../../topology/podNames";
import type { ComponentSpec, StorageVolume } from "../componentSpec";
import { logVolumeMount } from "../kubernetes/logVolume";
import { specError, type SpecProblem } from "../problem";
import { isDnsLabel, longestLabel } from "./kubernetesNames";
import { shown } from "./path";
import { quantityProblems } from "./resources";
import { volumeSizeProblems } from "./volumeSize";

/** Checks a member's `storageVolumes`. */
export function storageVolumeProblems(
    field: string,
    member: Component,
    volumes: readonly StorageVolume[] = [],
): SpecProblem[] {
    return volumes.flatMap((volume, index) => {
        const at = `${field}.storageVolumes[${index}]`;
        const isDuplicate = volumes.findIndex(({ name }) => name === volume.name) < index;
        return [
            ...volumeNameProblems(`${at}.name`, member, volume.name, isDuplicate),
            ...sizeProblems(`${at}.storageSize`, volume.storageSize),
            ...mountPathProblems(`${at}.mountPath`, volume.mountPath),
        ];
    });
}

function volumeNameProblems(
    field: string,
    member: Component,
    name: string | undefined,
    isDuplicate: boolean,
): SpecProblem[] {
    if (name === undefined || name === "") {
        return [specError(field, "nothing", "the name of the volume")];
    }
    if (!isDnsLabel(claimTemplateName(member, name))) {
        const maxLength = longestLabel - `${member}-`.length;
        return [
            specError(field, shown(name), `a DNS label of at most ${maxLength} lower-case letters, digits and dashes`),
        ];
    }
    return isDuplicate ? [specError(field, `a second ${shown(name)}`, "a name that no other volume has")] : [];
}

function sizeProblems(field: string, size: string): SpecProblem[] {
    return [...quantityProblems(field, size), ...volumeSizeProblems(field, size)];
}

function mountPathProblems(field: string, path: string | undefined): SpecProblem[] {
    return path === undefined || path === "" || (path.startsWith("/") && !path.includes(":"))
        ? []
        : [specError(field, shown(path), "an absolute path without a colon")];
}

/** Checks that a subfolder is inside the data volume. */
export function subfolderProblems(field: string, folder: string | undefined): SpecProblem[] {
    return folder === undefined || !(folder.startsWith("/") || folder.split("/").includes(".."))
        ? []
        : [specError(field, shown(folder), "a relative path without '..'")];
}

/** Checks that the volume for a log exists and is mounted. */
export function logVolumeProblems(
    field: string,
    nameField: string,
    member: Component,
    spec: ComponentSpec & { storageVolumes?: StorageVolume[] },
    name: string | undefined,
): SpecProblem[] {
    if (name === undefined || name === "") {
        return [];
    }
    const isStorageVolume = spec.storageVolumes?.some((volume) => volume.name === name) === true;
    const isAdditional = spec.additionalVolumes?.some((volume) => volume.name === name) === true;
    const isMounted = logVolumeMount(member, spec, name) !== undefined;
    return (isStorageVolume || isAdditional) && isMounted
        ? []
        : [
              specError(
                  `${field}.${nameField}`,
                  shown(name),
                  "the name of a volume in storageVolumes with a mountPath, or of one in both additionalVolumes and additionalVolumeMounts",
                  undefined,
                  `${field}.volumeName`,
              ),
          ];
}
