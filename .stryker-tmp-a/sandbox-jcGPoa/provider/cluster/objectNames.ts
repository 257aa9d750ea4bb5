import type { Component } from "../lifecycle/observation";

/** The names that Kubernetes gives the pods and claims of a StatefulSet. They decide whose these are; labels do not. */

/** @returns the ordinal of the pod `<cluster>-<component>-<ordinal>`; `undefined` for any other name. */
export function podOrdinal(name: string | undefined, cluster: string, component: Component): number | undefined {
    return ordinalBehind(name, `${cluster}-${component}-`);
}

/**
 * @param templates names of claim templates, of the live StatefulSet and of the wanted one.
 * @returns the ordinal of the claim `<template>-<cluster>-<component>-<ordinal>`; `undefined` for any other name.
 */
export function claimOrdinal(
    name: string | undefined,
    templates: Iterable<string>,
    cluster: string,
    component: Component,
): number | undefined {
    for (const template of templates) {
        const ordinal = ordinalBehind(name, `${template}-${cluster}-${component}-`);
        if (ordinal !== undefined) {
            return ordinal;
        }
    }
    return undefined;
}

/** @returns the ordinal of a claim of whatever template; what has the cluster's labels is told from others by them. */
export function labelledClaimOrdinal(name: string | undefined, cluster: string, component: Component) {
    const start = `-${cluster}-${component}-`;
    const at = name?.lastIndexOf(start) ?? -1;
    return at > 0 ? ordinalBehind(name?.slice(at), start) : undefined;
}

/** Kubernetes writes no leading zeros: `basic-tikv-01` is nobody's. */
function ordinalBehind(name: string | undefined, start: string): number | undefined {
    const digits = name?.startsWith(start) ? name.slice(start.length) : "";
    return /^(0|[1-9]\d*)$/.test(digits) ? Number(digits) : undefined;
}
