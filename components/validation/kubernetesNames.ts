/** Kubernetes' rules for names (https://kubernetes.io/docs/concepts/overview/working-with-objects/names). */

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const serviceName = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualified = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const dataKey = /^[-._a-zA-Z0-9]+$/;
const variable = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/** Longest DNS label, and longest value of a label. */
export const longestLabel = 63;

/** Longest DNS name. */
const longestSubdomain = 253;

/** Whether it is a DNS label: names of volumes, containers and namespaces are. */
export function isDnsLabel(name: string): boolean {
    return name.length <= longestLabel && label.test(name);
}

/** Whether it can be the name of a Service, but for its length: a DNS label that begins with a letter. */
export function isServiceName(name: string): boolean {
    return serviceName.test(name);
}

/** Whether it is a DNS name: names of ConfigMaps and Secrets are. */
export function isDnsSubdomain(name: string): boolean {
    return name.length <= longestSubdomain && subdomain.test(name);
}

/** Whether it can be the key of a label or an annotation: `[domain/]name`. */
export function isQualifiedName(key: string): boolean {
    const parts = key.split("/");
    const name = parts[parts.length - 1];
    const isNameValid = name.length <= longestLabel && qualified.test(name);
    return parts.length === 1 ? isNameValid : parts.length === 2 && isDnsSubdomain(parts[0]) && isNameValid;
}

/** Whether it can be the value of a label. */
export function isLabelValue(value: string): boolean {
    return value.length <= longestLabel && labelValue.test(value);
}

/** Whether it can be a key in the data of a ConfigMap or Secret. */
export function isDataKey(key: string): boolean {
    return key.length <= longestSubdomain && dataKey.test(key) && key !== "." && !key.startsWith("..");
}

/** Whether it can be the name of an environment variable. */
export function isVariableName(name: string): boolean {
    return variable.test(name) && name !== "." && !name.startsWith("..");
}
