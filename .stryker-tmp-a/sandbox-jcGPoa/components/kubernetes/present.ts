import type { KubernetesFields } from "./pod";

/**
 * The fields that say something: those that are neither undefined, nor empty text, nor an empty list or map. What is
 * inside a field is left alone, because `emptyDir: {}` says something.
 */
export function present(fields: KubernetesFields): KubernetesFields {
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
    if (value === undefined || value === null || value === "") {
        return true;
    }
    return typeof value === "object" && Object.keys(value).length === 0;
}
