import type { ResourceSpec } from "../componentSpec";
import type { KubernetesFields, ResourceList } from "../kubernetes/pod";
import { parseQuantity } from "../../topology/quantity";
import { specError, type SpecProblem } from "../problem";
import { isDnsLabel } from "./kubernetesNames";
import { shown } from "./path";
import { nearest } from "./nearest";
import { unknownName } from "./unknownField";
import { volumeSizeProblems } from "./volumeSize";

/** Examples in the unit of a resource. Counted resources, such as `nvidia.com/gpu`, have none. */
const examples: readonly (readonly [field: RegExp, words: string])[] = [
    [/\.cpu$/, "a quantity such as 2 or 500m"],
    [/\.(memory|storage|storageSize|ephemeral-storage|hugepages-\w+)$/, "a quantity such as 100Gi or 100G"],
];

function quantityExpected(field: string): string {
    return examples.find(([fields]) => fields.test(field))?.[1] ?? "a quantity such as 1";
}

/** Checks that requests and limits are quantities, and that no request exceeds its limit. */
export function resourceProblems(field: string, spec: ResourceSpec): SpecProblem[] {
    return [
        ...listProblems(`${field}.requests`, spec.requests),
        ...listProblems(`${field}.limits`, spec.limits),
        ...Object.keys(spec.requests ?? {}).flatMap((name) => overLimit(field, name, spec)),
        ...claimProblems(`${field}.claims`, spec.claims),
    ];
}

/** Checks resource claims. Their names must be unique (CRD of v1alpha1: a list with one entry per name). */
function claimProblems(field: string, claims: readonly KubernetesFields[] = []): SpecProblem[] {
    return claims.flatMap((claim, index) => {
        const name: unknown = claim.name;
        const isDuplicate = claims.findIndex((other) => other.name === name) < index;
        if (typeof name !== "string" || !isDnsLabel(name)) {
            return [specError(`${field}[${index}].name`, shown(name), "the name of one of the pod's resource claims")];
        }
        return isDuplicate
            ? [specError(`${field}[${index}].name`, `a second ${shown(name)}`, "a name that no other claim has")]
            : [];
    });
}

/** Checks that the size of the data volume is set and can hold data. */
export function dataVolumeProblems(field: string, spec: ResourceSpec): SpecProblem[] {
    const at = `${field}.requests`;
    const size = spec.requests?.storage;
    return size === undefined
        ? noSizeProblems(at, "the size of the data volume, such as 100Gi", `${at}.storage[storage]`)
        : volumeSizeProblems(`${at}.storage`, size);
}

/** @returns that requests lack the size of a volume. @param field Path of the requests. */
export function noSizeProblems(field: string, expected: string, operatorField: string): SpecProblem[] {
    return [specError(`${field}.storage`, "nothing", expected, undefined, operatorField)];
}

/** Checks that a value is a quantity that is not negative. */
export function quantityProblems(field: string, quantity: unknown): SpecProblem[] {
    const parsed = parseQuantity(quantity);
    if (parsed === undefined) {
        return [specError(field, shown(quantity), quantityExpected(field))];
    }
    return parsed.billionths < 0n ? [specError(field, shown(quantity), `${quantityExpected(field)}, not below 0`)] : [];
}

function listProblems(field: string, list: ResourceList | undefined): SpecProblem[] {
    return Object.entries(list ?? {}).flatMap(([name, quantity]) => [
        ...nameProblems(field, name, list),
        ...quantityProblems(`${field}.${name}`, quantity),
    ]);
}

/** `storage` is the size of a volume, or a store's capacity, and in no container. */
const resourceNames = ["storage", "memory", "cpu", "ephemeral-storage"];

/** Kubernetes refuses a pod with a resource of another name without a domain (pkg/apis/core/validation, ValidateContainerResourceName). */
function nameProblems(field: string, name: string, list: ResourceList | undefined): SpecProblem[] {
    if (resourceNames.includes(name) || name.startsWith("hugepages-") || name.includes("/")) {
        return [];
    }
    const known = nearest(name, resourceNames);
    const at = `${field}.${name}`;
    return known === undefined
        ? [specError(at, "a resource of that name", `${resourceNames.join(", ")}, or a name such as nvidia.com/gpu`)]
        : [unknownName("error", at, known, list?.[known] !== undefined)];
}

function overLimit(field: string, name: string, { requests, limits }: ResourceSpec): SpecProblem[] {
    const request = parseQuantity(requests?.[name]);
    const limit = parseQuantity(limits?.[name]);
    // The storage request is the size of a volume, the storage limit is a store's capacity. They are not compared.
    return name !== "storage" && request !== undefined && limit !== undefined && request.billionths > limit.billionths
        ? [
              specError(
                  `${field}.requests.${name}`,
                  shown(requests?.[name]),
                  `at most its limit, ${shown(limits?.[name])}`,
              ),
          ]
        : [];
}
