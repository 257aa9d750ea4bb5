import { isMap } from "../plainMap";
import type { Container, KubernetesFields, Volume, VolumeMount } from "./pod";
import { canonicalQuantity } from "./quantity";

/** Switches of a container that are off where they are not there. */
const switches = ["stdin", "stdinOnce", "tty"];

/** Volumes whose `readOnly` says something also when it is false: nothing of the two is its default. */
const triStates = ["csi", "azureDisk"];

/**
 * What a user adds to a pod, as the API server stores it: `1024Mi` is `1Gi` there, and a switch that is off is left out.
 * tidb-operator reads it into Kubernetes' types and writes it so, and so does the API server: what is sent is what is
 * stored (Kubernetes apimachinery pkg/api/resource; API reference, core/v1).
 */
export function userContainers(containers: readonly Container[] = []): Container[] {
    return containers.map((container) => ({
        ...(withoutFalse(container, switches) as Container),
        ...changed(container, "volumeMounts", (mounts) => each(mounts, (mount) => withoutFalse(mount, ["readOnly"]))),
        ...changed(container, "resources", canonicalResources),
        ...changed(container, "env", (variables) => each(variables, canonicalVariable)),
    }));
}

/** Likewise where a container sees a volume. */
export function userMounts(mounts: readonly VolumeMount[] = []): VolumeMount[] {
    return mounts.map((mount) => withoutFalse(mount, ["readOnly"]) as VolumeMount);
}

/** Likewise the volumes that a user adds. */
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

/** A reference to a resource is divided by 1 where it does not say by what; that is stored as 0. */
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

/** A map with one of its fields changed, where it is a map that has it. */
function fieldsOf(holder: unknown, field: string, change: (value: unknown) => unknown): unknown {
    return isMap(holder) ? { ...holder, ...changed(holder, field, change) } : holder;
}

function changed(holder: KubernetesFields, field: string, change: (value: unknown) => unknown): KubernetesFields {
    return Object.hasOwn(holder, field) ? { [field]: change(holder[field]) } : {};
}
