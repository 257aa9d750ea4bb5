import type { Refusal } from "../vocabulary/ownership";

/**
 * Who may create the cluster's namespace in the same program. `program`: the cluster takes its namespace's name from a
 * Namespace of the program, or depends on one. `maybe`: it depends on something else, which may contain one. `nobody`: it
 * depends on nothing.
 */
export type NamespaceMaker = "program" | "maybe" | "nobody";

/** What the API server says about the namespace. */
export type NamespaceState = "active" | "terminating" | "missing" | { notKnown: string };

/** Returns the warning before the first deployment into a namespace that the program may delete together with the volumes. */
export function namespaceOfProgram(namespace: string): string {
    return `namespace ${namespace}: the TidbCluster depends on a Namespace of this program. When the program's resources are destroyed, Kubernetes deletes everything in that Namespace, also the volume claims with the cluster's data, which otherwise stay. To keep them, set retainOnDelete: true on the Namespace, or create it outside this program. If you have done so, ignore this warning`;
}

/**
 * Judges a namespace before the first deployment. A preview cannot see whether the program creates it. The program's
 * dependencies show it: without one on the Namespace, Pulumi may create the cluster's objects first. So a missing
 * namespace is refused only if the cluster depends on nothing that could create it.
 */
export function judgeNamespace(
    namespace: string,
    state: NamespaceState,
    maker: NamespaceMaker,
): { refused?: Refusal; warning?: string } {
    if (state === "terminating") {
        const reason = `found ${namespace}, which is being deleted: Kubernetes accepts nothing new in it. Wait until it is gone (kubectl get namespace ${namespace}), then create it again`;
        return { refused: { property: "metadata.namespace", reason } };
    }
    if (state !== "missing" || maker === "program") {
        return {};
    }
    if (maker === "maybe") {
        return {
            warning: `namespace ${namespace} does not exist. The update fails unless something that the TidbCluster depends on creates it; otherwise: kubectl create namespace ${namespace}`,
        };
    }
    const reason = `found ${namespace}, expected a namespace that exists. Create it: kubectl create namespace ${namespace}. If this program creates it, set metadata.namespace to the Namespace's metadata.name, or name the Namespace in the TidbCluster's dependsOn`;
    return { refused: { property: "metadata.namespace", reason } };
}
