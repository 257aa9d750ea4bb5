import type { Component } from "../../topology/members";
import { claimTemplateName } from "../../topology/podNames";
import type { ComponentSpec, StorageVolume } from "../componentSpec";
import { logVolumeMount } from "../kubernetes/logVolume";
import { parseQuantity } from "../kubernetes/quantity";
import { specError, type SpecProblem } from "../problem";
import { isDnsLabel, longestLabel } from "./kubernetesNames";
import { shown } from "./path";
import { quantityProblems } from "./resources";

/** Checks `storageVolumes` of a member. */
export function storageVolumeProblems(
    field: string,
    member: Component,
    volumes: readonly StorageVolume[] = [],
): SpecProblem[] {
    return volumes.flatMap((volume, index) => {
        const at = `${field}.storageVolumes[${index}]`;
        const isRepeated = volumes.findIndex(({ name }) => name === volume.name) < index;
        return [
            ...volumeNameProblems(`${at}.name`, member, volume.name, isRepeated),
            ...sizeProblems(`${at}.storageSize`, volume.storageSize),
            ...mountPathProblems(`${at}.mountPath`, volume.mountPath),
        ];
    });
}

function volumeNameProblems(
    field: string,
    member: Component,
    name: string | undefined,
    isRepeated: boolean,
): SpecProblem[] {
    if (name === undefined || name === "") {
        return [specError(field, "nothing", "the name of the volume")];
    }
    if (!isDnsLabel(claimTemplateName(member, name))) {
        const most = longestLabel - `${member}-`.length;
        return [specError(field, shown(name), `a DNS label of at most ${most} lower-case letters, digits and dashes`)];
    }
    return isRepeated ? [specError(field, `${shown(name)} once more`, "a name that no other volume has")] : [];
}

function sizeProblems(field: string, size: string): SpecProblem[] {
    const isZero = parseQuantity(size)?.billionths === 0n;
    return isZero ? [specError(field, shown(size), "a size above 0")] : quantityProblems(field, size);
}

function mountPathProblems(field: string, path: string | undefined): SpecProblem[] {
    return path === undefined || path === "" || (path.startsWith("/") && !path.includes(":"))
        ? []
        : [specError(field, shown(path), "an absolute path without a colon")];
}

/** Checks that a folder in the data volume stays in it. */
export function subfolderProblems(field: string, folder: string | undefined): SpecProblem[] {
    return folder === undefined || !(folder.startsWith("/") || folder.split("/").includes(".."))
        ? []
        : [specError(field, shown(folder), "a relative path without '..'")];
}

/** Checks that the volume that a spec names for a log is there and mounted. */
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
                  "the name of one of storageVolumes with a mountPath, or of a volume that is both in additionalVolumes and in additionalVolumeMounts",
                  undefined,
                  `${field}.volumeName`,
              ),
          ];
}
