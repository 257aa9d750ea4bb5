import { existsSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { type PropertyMap } from "../values";
import { isContent, kubeconfigPath } from "./kubeconfig";

/**
 * Identifies the cluster that the inputs of an explicit provider point to, by the address of its API server. Undefined
 * if the inputs do not say. Providers of different clusters cannot share a resource, but one cluster may be reachable in
 * several ways.
 */
export function kubernetesCluster(inputs: PropertyMap, folder: string): string | undefined {
    const { kubeconfig, context, cluster } = inputs;
    if (typeof kubeconfig !== "string" || kubeconfig === "") {
        return undefined;
    }
    const file = kubeconfigPath(kubeconfig, folder);
    if (!isContent(kubeconfig) && !existsSync(file)) {
        return undefined;
    }
    const content = parse(isContent(kubeconfig) ? kubeconfig : readFileSync(file, "utf8")) as {
        "current-context"?: string;
        contexts?: { name: string; context: { cluster: string } }[];
        clusters?: { name: string; cluster: { server: string } }[];
    };
    const contextName = typeof context === "string" && context !== "" ? context : content["current-context"];
    const named = content.contexts?.find(({ name }) => name === contextName)?.context.cluster;
    const clusterName = typeof cluster === "string" && cluster !== "" ? cluster : named;
    return content.clusters?.find(({ name }) => name === clusterName)?.cluster.server;
}
