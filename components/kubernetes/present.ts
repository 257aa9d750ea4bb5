import type { KubernetesFields } from "./pod";

/**
 * Returns the fields that are set: not undefined, null, an empty string, an empty list or an empty map. Values inside a field
 * are kept, because `emptyDir: {}` is meaningful.
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
