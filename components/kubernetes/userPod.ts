import { isMap } from "../plainMap";
import type { Container, KubernetesFields, Volume, VolumeMount } from "./pod";
import { canonicalQuantity } from "../../topology/quantity";

/** Boolean fields of a container that default to false. */
const falseByDefault = ["stdin", "stdinOnce", "tty"];

/** Volume types whose `readOnly: false` must be kept, because it differs from an unset `readOnly`. */
const triStates = ["csi", "azureDisk"];

/**
 * Returns a user's containers in the form that the API server stores: `1024Mi` becomes `1Gi`, and fields that are false by
 * default are left out if they are false. tidb-operator and the API server both convert them to Kubernetes' types, which
 * has this effect, so the sent object equals the stored one (Kubernetes apimachinery pkg/api/resource; API reference,
 * core/v1).
 */
export function userContainers(containers: readonly Container[] = []): Container[] {
    return containers.map((container) => ({
        ...(withoutFalse(container, falseByDefault) as Container),
        ...changed(container, "volumeMounts", (mounts) => each(mounts, (mount) => withoutFalse(mount, ["readOnly"]))),
        ...changed(container, "resources", canonicalResources),
        ...changed(container, "env", (variables) => each(variables, canonicalVariable)),
    }));
}

/** Returns a user's volume mounts in the form that the API server stores. */
export function userMounts(mounts: readonly VolumeMount[] = []): VolumeMount[] {
    return mounts.map((mount) => withoutFalse(mount, ["readOnly"]) as VolumeMount);
}

/** Returns a user's volumes in the form that the API server stores. */
export function userVolumes(volumes: readonly Volume[] = []): Volume[] {
    return volumes.map((volume) => ({
        ...volume,
        ...Object.fromEntries(
            Object.entries(volume)
                .filter(([source]) => !triStates.includes(source))
                .map(([source, value]) => [source, withoutFalse(value, ["readOnly"])]),
        ),
        ...changed(volume, "emptyDir", (source) => fieldsOf(source, "sizeLimit", canonical)),
        ...changed(volume, "downwardAPI", canonicalDownward),
        ...changed(volume, "projected", (source) =>
            fieldsOf(source, "sources", (sources) =>
                each(sources, (one) => fieldsOf(one, "downwardAPI", canonicalDownward)),
            ),
        ),
        ...changed(volume, "ephemeral", (source) =>
            fieldsOf(source, "volumeClaimTemplate", (claim) =>
                fieldsOf(claim, "spec", (spec) => fieldsOf(spec, "resources", canonicalResources)),
            ),
        ),
    }));
}

function canonicalResources(resources: unknown): unknown {
    return ["limits", "requests"].reduce(
        (result: unknown, kind) =>
            fieldsOf(result, kind, (list) =>
                isMap(list)
                    ? Object.fromEntries(Object.entries(list).map(([name, value]) => [name, canonical(value)]))
                    : list,
            ),
        resources,
    );
}

function canonicalVariable(variable: unknown): unknown {
    return fieldsOf(variable, "valueFrom", withDivisor);
}

function canonicalDownward(source: unknown): unknown {
    return fieldsOf(source, "items", (items) => each(items, withDivisor));
}

/** A resource reference without a divisor is divided by 1. The API server stores that as 0. */
function withDivisor(holder: unknown): unknown {
    return fieldsOf(holder, "resourceFieldRef", (reference) =>
        isMap(reference) ? { ...reference, divisor: canonical(reference.divisor ?? "0") } : reference,
    );
}

function canonical(value: unknown): unknown {
    return typeof value === "string" || typeof value === "number" ? canonicalQuantity(value) : value;
}

function withoutFalse(holder: unknown, fields: readonly string[]): unknown {
    return isMap(holder)
        ? Object.fromEntries(
              Object.entries(holder).filter(([name, value]) => value !== false || !fields.includes(name)),
          )
        : holder;
}

function each(items: unknown, change: (item: unknown) => unknown): unknown {
    return Array.isArray(items) ? items.map(change) : items;
}

/** @returns the value with one field changed, if the value is a map with that field. */
function fieldsOf(holder: unknown, field: string, change: (value: unknown) => unknown): unknown {
    return isMap(holder) ? { ...holder, ...changed(holder, field, change) } : holder;
}

function changed(holder: KubernetesFields, field: string, change: (value: unknown) => unknown): KubernetesFields {
    return Object.hasOwn(holder, field) ? { [field]: change(holder[field]) } : {};
}
