/** Kubernetes' rules for names (https://kubernetes.io/docs/concepts/overview/working-with-objects/names). */

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const serviceName = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualified = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const sysctl = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9]$/;
const dataKey = /^[-._a-zA-Z0-9]+$/;
const variable = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/** The longest DNS label and the longest label value. */
export const longestLabel = 63;

/** The longest DNS name. */
const longestSubdomain = 253;

/** Whether text is a DNS label, like the names of volumes, containers and namespaces. */
export function isDnsLabel(name: string): boolean {
    return name.length <= longestLabel && label.test(name);
}

/** Whether text can be the name of a Service: a DNS label that begins with a letter. The length is not checked. */
export function isServiceName(name: string): boolean {
    return serviceName.test(name);
}

/** Whether text is a DNS name, like the names of ConfigMaps and Secrets. */
export function isDnsSubdomain(name: string): boolean {
    return name.length <= longestSubdomain && subdomain.test(name);
}

/** Whether text can follow host names: a DNS name, which may end with the dot of the root. */
export function isDomain(text: string): boolean {
    const name = text.replace(/\.$/, "");
    return name.length <= longestSubdomain && name.split(".").every(isDnsLabel);
}

/** Whether text can be the name of a kernel parameter (kubernetes pkg/apis/core/validation, IsValidSysctlName). */
export function isSysctlName(name: string): boolean {
    return name.length <= longestSubdomain && sysctl.test(name);
}

/** Whether text can be the key of a label or an annotation: `[domain/]name`. */
export function isQualifiedName(key: string): boolean {
    const parts = key.split("/");
    const name = parts[parts.length - 1];
    const isNameValid = name.length <= longestLabel && qualified.test(name);
    return parts.length === 1 ? isNameValid : parts.length === 2 && isDnsSubdomain(parts[0]) && isNameValid;
}

/** Whether text can be the value of a label. */
export function isLabelValue(value: string): boolean {
    return value.length <= longestLabel && labelValue.test(value);
}

/** Whether text can be a key in the data of a ConfigMap or Secret. */
export function isDataKey(key: string): boolean {
    return key.length <= longestSubdomain && dataKey.test(key) && key !== "." && !key.startsWith("..");
}

/** Whether text can be the name of an environment variable. */
export function isVariableName(name: string): boolean {
    return variable.test(name) && name !== "." && !name.startsWith("..");
}
