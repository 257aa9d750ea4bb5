import { isMap } from "../plainMap";
import type { Container, KubernetesFields } from "./pod";

/** The field that identifies an item in each list of a container: Kubernetes' patch merge keys of Container. */
const mergeKeys: Record<string, string> = {
    env: "name",
    ports: "containerPort",
    volumeMounts: "mountPath",
    volumeDevices: "devicePath",
};

/**
 * Merges a user's containers into the rendered containers. A container with the name of a rendered container is merged into
 * it by Kubernetes' strategic merge: maps field by field, the lists above item by item; everything else is replaced. The
 * other containers are appended (tidb-operator pkg/manager/member/utils.go).
 */
export function mergeContainers(rendered: readonly Container[], additional: readonly Container[] = []): Container[] {
    // If two additional containers have the same name, the later one is used.
    const byName = new Map(additional.map((container) => [container.name, container]));
    const merged = rendered.map((container) => {
        const patch = byName.get(container.name);
        return patch === undefined ? container : (mergeFields(container, patch) as Container);
    });
    const names = new Set(rendered.map((container) => container.name));
    return [...merged, ...[...byName.values()].filter((container) => !names.has(container.name))];
}

function mergeFields(base: KubernetesFields, patch: KubernetesFields): KubernetesFields {
    const merged = { ...base };
    for (const [field, value] of Object.entries(patch)) {
        const mergeKey = Object.hasOwn(mergeKeys, field) ? mergeKeys[field] : undefined;
        if (isUnset(value)) {
            continue;
        }
        if (Array.isArray(value) && Array.isArray(base[field]) && mergeKey !== undefined) {
            merged[field] = mergeItems(base[field], value, mergeKey);
        } else if (isMap(value) && isMap(base[field])) {
            merged[field] = mergeFields(base[field], value);
        } else {
            merged[field] = value;
        }
    }
    return merged;
}

/** Items that exist only in the patch come first, as in Kubernetes' merge. */
function mergeItems(base: KubernetesFields[], patch: KubernetesFields[], key: string): KubernetesFields[] {
    const merged = base.map((item) => {
        const change = patch.find((candidate) => candidate[key] === item[key]);
        return change === undefined ? item : mergeFields(item, change);
    });
    return [...patch.filter((item) => !base.some((existing) => existing[key] === item[key])), ...merged];
}

/** tidb-operator's patch does not contain empty strings or empty lists, because Go omits them. */
function isUnset(value: unknown): boolean {
    return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
