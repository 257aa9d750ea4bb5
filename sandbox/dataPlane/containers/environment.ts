import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** Data of a Secret or a ConfigMap, as text. */
export type Texts = Readonly<Record<string, string>>;

/** What the variables of a container are read from, by name. Undefined if there is no such object. */
export interface VariableSources {
    secrets: ReadonlyMap<string, Texts | undefined>;
    configMaps: ReadonlyMap<string, Texts | undefined>;
}

/** A container cannot start, as kubelet says it with the reason `CreateContainerConfigError`. */
export class ContainerConfigError extends Error {
    override readonly name = "ContainerConfigError";
}

/** Returns the names of the Secrets and ConfigMaps that the variables of a container need. */
export function sourcesOf({ env = [], envFrom = [] }: k8s.V1Container): { secrets: string[]; configMaps: string[] } {
    const names = (...some: (string | undefined)[]): string[] => some.filter((name) => name !== undefined);
    return {
        secrets: names(
            ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
            ...envFrom.map(({ secretRef }) => secretRef?.name),
        ),
        configMaps: names(
            ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
            ...envFrom.map(({ configMapRef }) => configMapRef?.name),
        ),
    };
}

/** Returns the variables of a container as kubelet sets them. Throws ContainerConfigError if a Secret, a ConfigMap or a key is missing. */
export function environmentOf(
    container: k8s.V1Container,
    pod: k8s.V1Pod,
    sources: VariableSources,
): Record<string, string> {
    const variables: Record<string, string> = {};
    for (const { prefix = "", secretRef, configMapRef } of container.envFrom ?? []) {
        const ref = secretRef ?? configMapRef;
        const data = secretRef
            ? objectOf("secret", sources.secrets, ref)
            : objectOf("configmap", sources.configMaps, ref);
        for (const [key, value] of Object.entries(data ?? {})) {
            variables[`${prefix}${key}`] = value;
        }
    }
    for (const { name, value, valueFrom } of container.env ?? []) {
        const found = valueFrom === undefined ? expand(value ?? "", variables) : referred(valueFrom, pod, sources);
        if (found !== undefined) {
            variables[name] = found;
        }
    }
    return variables;
}

/** Replaces `$(NAME)` by the variable, and `$$` by `$`. A variable that does not exist stays as it is written. */
export function expand(text: string, variables: Texts): string {
    return text.replace(/\$\$|\$\(([\w.-]+)\)/g, (whole, name: string | undefined) =>
        name === undefined ? "$" : Object.hasOwn(variables, name) ? variables[name] : whole,
    );
}

function referred(from: k8s.V1EnvVarSource, pod: k8s.V1Pod, sources: VariableSources): string | undefined {
    const { secretKeyRef, configMapKeyRef, fieldRef } = from;
    if (secretKeyRef) {
        return valueOf("secret", objectOf("secret", sources.secrets, secretKeyRef), secretKeyRef);
    }
    if (configMapKeyRef) {
        return valueOf("configmap", objectOf("configmap", sources.configMaps, configMapKeyRef), configMapKeyRef);
    }
    if (fieldRef) {
        return fieldOf(fieldRef.fieldPath, pod);
    }
    throw new ContainerConfigError("the sandbox does not simulate resourceFieldRef");
}

function objectOf(
    kind: string,
    objects: ReadonlyMap<string, Texts | undefined>,
    ref: { name?: string; optional?: boolean } | undefined,
): Texts | undefined {
    const { name = "", optional = false } = ref ?? {};
    const data = objects.get(name);
    if (data === undefined && !optional) {
        throw new ContainerConfigError(`${kind} "${name}" not found`);
    }
    return data;
}

function valueOf(
    kind: string,
    data: Texts | undefined,
    { name = "", key, optional = false }: { name?: string; key: string; optional?: boolean },
): string | undefined {
    if (data !== undefined && Object.hasOwn(data, key)) {
        return data[key];
    }
    if (optional) {
        return undefined;
    }
    throw new ContainerConfigError(`couldn't find key ${key} in ${kind} ${name}`);
}

/** Returns a field of a pod. Throws ContainerConfigError if the sandbox has no such field. */
export function fieldOf(path: string, { metadata, spec, status }: k8s.V1Pod): string {
    const fields: Record<string, string | undefined> = {
        "metadata.name": metadata?.name,
        "metadata.namespace": metadata?.namespace,
        "metadata.uid": metadata?.uid,
        "spec.nodeName": spec?.nodeName,
        "spec.serviceAccountName": spec?.serviceAccountName,
        "status.podIP": status?.podIP,
        "status.hostIP": status?.hostIP,
    };
    const [, map, key] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? [];
    if (map !== undefined) {
        return metadata?.[map as "labels" | "annotations"]?.[key] ?? "";
    }
    if (!Object.hasOwn(fields, path)) {
        throw new ContainerConfigError(`the sandbox does not simulate the field ${path}`);
    }
    return fields[path] ?? "";
}
