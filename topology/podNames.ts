import { type Component, components } from "./members";
import { memberName } from "./names";

/** The names of a StatefulSet's pods and claims. Names, not labels, decide which StatefulSet they belong to. */

/** Name of a member's pod: `<cluster>-<member>-<ordinal>`. */
export function podName(cluster: string, component: Component, ordinal: number): string {
    return `${memberName(cluster, component)}-${ordinal}`;
}

/** Name of the claim of a pod's volume: `<template>-<cluster>-<member>-<ordinal>`. */
export function claimName(template: string, cluster: string, component: Component, ordinal: number): string {
    return `${template}-${podName(cluster, component, ordinal)}`;
}

/**
 * Name of the claim template of one of `storageVolumes`, and so of the volume in the pod: `<member>-<name>`. The empty
 * name stands for the member's data volume, which has the member's name.
 */
export function claimTemplateName(component: Component, name: string): string {
    return name === "" ? component : `${component}-${name}`;
}

/** @returns the ordinal of the pod `<cluster>-<component>-<ordinal>`; `undefined` for any other name. */
export function podOrdinal(name: string | undefined, cluster: string, component: Component): number | undefined {
    return ordinalAfter(name, `${memberName(cluster, component)}-`);
}

/** @returns whether a name belongs to one of the member's pods. */
export function isPodOf(name: string | undefined, cluster: string, component: Component): boolean {
    return podOrdinal(name, cluster, component) !== undefined;
}

/**
 * @param templates names of the claim templates of the live StatefulSet and of the wanted one.
 * @returns the ordinal of the claim `<template>-<cluster>-<component>-<ordinal>`; `undefined` for any other name.
 */
export function claimOrdinal(
    name: string | undefined,
    templates: Iterable<string>,
    cluster: string,
    component: Component,
): number | undefined {
    for (const template of templates) {
        const ordinal = ordinalAfter(name, `${template}-${memberName(cluster, component)}-`);
        if (ordinal !== undefined) {
            return ordinal;
        }
    }
    return undefined;
}

/**
 * @returns the ordinal of a claim of any template. Such a claim belongs to the cluster only if it has the cluster's labels.
 */
export function labelledClaimOrdinal(
    name: string | undefined,
    cluster: string,
    component: Component,
): number | undefined {
    const start = `-${memberName(cluster, component)}-`;
    const at = name?.lastIndexOf(start) ?? -1;
    return at > 0 ? ordinalAfter(name?.slice(at), start) : undefined;
}

/**
 * @returns whether a claim may belong to one of the cluster's pods: its name is `<template>-<pod name>`, of any template. The
 * name of a claim of the cluster `my-basic` can be one of the cluster `basic`, too.
 */
export function mayBeClaimOf(name: string | undefined, cluster: string): boolean {
    return components.some((component) => labelledClaimOrdinal(name, cluster, component) !== undefined);
}

/** Kubernetes writes no leading zeros, so `basic-tikv-01` does not match. */
function ordinalAfter(name: string | undefined, start: string): number | undefined {
    const digits = name?.startsWith(start) ? name.slice(start.length) : "";
    return /^(0|[1-9]\d*)$/.test(digits) ? Number(digits) : undefined;
}
