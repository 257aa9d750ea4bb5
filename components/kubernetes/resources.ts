import type { ResourceSpec } from "../componentSpec";
import type { KubernetesFields, ResourceList } from "./pod";
import { canonicalQuantity, wholeNumber } from "../../topology/quantity";

const gibibyte = 1024n ** 3n;
const mebibyte = 1024n ** 2n;

/**
 * Returns a container's resources: those of the spec without `storage`, which is the size of the volume and not a resource
 * of the container.
 */
export function containerResources(spec: ResourceSpec | undefined): KubernetesFields {
    const resources: KubernetesFields = {};
    for (const kind of ["limits", "requests"] as const) {
        const list = withoutStorage(spec?.[kind]);
        if (Object.keys(list).length > 0) {
            resources[kind] = list;
        }
    }
    return spec?.claims === undefined ? resources : { ...resources, claims: spec.claims };
}

/**
 * Returns the capacity that a store reports: `limits.storage` in TiKV's units, where GB means gibibytes and MB means
 * mebibytes. Without a limit it is "0", which means the whole volume (tidb-operator pkg/controller/controller_utils.go).
 */
export function storeCapacity(limits: ResourceList | undefined): string {
    const bytes = wholeNumber(limits?.storage);
    if (bytes === undefined) {
        return "0";
    }
    return bytes % gibibyte === 0n ? `${bytes / gibibyte}GB` : `${bytes / mebibyte}MB`;
}

function withoutStorage(list: ResourceList | undefined): Record<string, string | number> {
    const entries = Object.entries(list ?? {}).filter(
        ([name, quantity]) => name !== "storage" && quantity !== undefined,
    );
    return Object.fromEntries(
        entries.map(([name, quantity]) => [name, canonicalQuantity(quantity as string | number)] as const).sort(byName),
    );
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
    return one < other ? -1 : 1;
}
