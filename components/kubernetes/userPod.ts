import type { Container, KubernetesFields, Volume } from "./pod";
import { canonicalQuantity } from "./quantity";

/**
 * What a user adds to a pod, with its quantities as the API server stores them: `1024Mi` is `1Gi` there. tidb-operator
 * reads them into Kubernetes' types and writes them so, and so does the API server: what is sent is what is stored
 * (Kubernetes apimachinery pkg/api/resource).
 */
export function userContainers(containers: readonly Container[] = []): Container[] {
    return containers.map((container) => ({
        ...container,
        ...changed(container, "resources", canonicalResources),
        ...changed(container, "env", (variables) => each(variables, canonicalVariable)),
    }));
}

/** Likewise the volumes that a user adds. */
export function userVolumes(volumes: readonly Volume[] = []): Volume[] {
    return volumes.map((volume) => ({
        ...volume,
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

function isMap(value: unknown): value is KubernetesFields {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}
