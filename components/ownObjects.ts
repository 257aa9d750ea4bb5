import { components } from "../topology/members";
import { headlessServiceName, memberName, peerServiceName } from "../topology/names";
import { documentName } from "./manifestObjects";
import { isMap } from "./plainMap";
import { specError, type SpecProblem } from "./problem";

/** Kinds of objects that this package makes under fixed names, and charts and the operator do too. */
const kinds = ["ConfigMap", "Deployment", "Role", "RoleBinding", "Service", "ServiceAccount", "StatefulSet"];

/** @returns whether this package makes an object of the name of this one for one of the clusters. */
export function isOwnName(object: unknown, clusters: readonly Record<string, unknown>[]): boolean {
    return (
        isMap(object) &&
        kinds.includes(String(object.kind)) &&
        clusters.some((cluster) => {
            const { name } = identityOf(cluster);
            const names = [...components, "discovery" as const].flatMap((part) => [
                memberName(name, part),
                peerServiceName(name, part),
                ...(part === "discovery" ? [] : [headlessServiceName(name, part)]),
            ]);
            return inNamespaceOf(object, cluster) && names.includes(identityOf(object).name);
        })
    );
}

/**
 * Refuses a ConfigMap with the settings of a member that has none in the spec, as the chart of tidb-operator before 1.1 made it: the operator
 * mounts the ConfigMap of that name then, and here the settings would be lost.
 */
export function settingsOfChart(object: unknown, clusters: readonly Record<string, unknown>[]): SpecProblem[] {
    if (!isMap(object) || object.kind !== "ConfigMap") {
        return [];
    }
    return clusters
        .filter((cluster) => inNamespaceOf(object, cluster))
        .flatMap(({ metadata, spec }) =>
            components
                .filter((member) => memberName(identityOf({ metadata }).name, member) === identityOf(object).name)
                .map((member) => [member, isMap(spec) ? spec[member] : undefined] as const)
                .filter(([, own]) => isMap(own) && (own.config ?? undefined) === undefined)
                .map(([member]) =>
                    specError(
                        `spec.${member}.config`,
                        "nothing",
                        `the settings of ${documentName(object)}`,
                        "the operator mounts that ConfigMap, and this package makes its own: move the settings, and remove it from the file",
                    ),
                ),
        );
}

function identityOf({ metadata }: Readonly<Record<string, unknown>>): { name: string; namespace: string } {
    const { name = "", namespace = "default" } = isMap(metadata) ? metadata : {};
    return { name: String(name), namespace: String(namespace) };
}

function inNamespaceOf(object: Readonly<Record<string, unknown>>, cluster: Readonly<Record<string, unknown>>): boolean {
    return identityOf(object).namespace === identityOf(cluster).namespace;
}
