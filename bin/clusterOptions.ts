import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { Command } from "commander";
import type { ClusterAccess } from "../provider/cluster/access";

/** The options that lead to a Kubernetes cluster. */
export interface ClusterOptions {
    readonly kubeconfig?: string;
    readonly context?: string;
}

/** Returns the way to a Kubernetes cluster that the options describe. */
export function accessOf({ kubeconfig, context }: ClusterOptions): ClusterAccess {
    return {
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
        ...(context === undefined ? {} : { context }),
    };
}

/** Adds the options that lead to a Kubernetes cluster. */
export function addClusterOptions(command: Command): Command {
    return command
        .option("--kubeconfig <path>", "path of the kubeconfig (default: KUBECONFIG, then ~/.kube/config)")
        .option("--context <name>", "context in the kubeconfig (default: its current context)");
}

/**
 * Loads the kubeconfig that the options lead to.
 * @throws ClusterAccessError that names the options.
 */
export function optionsKubeConfig({ kubeconfig, context }: ClusterOptions): Promise<KubeConfig> {
    // Loaded here so other commands start faster.
    /* eslint-disable @typescript-eslint/no-require-imports */
    const { loadKubeConfig } =
        require("../provider/cluster/kubeConfig") as typeof import("../provider/cluster/kubeConfig");
    /* eslint-enable @typescript-eslint/no-require-imports */
    const words = { kubeconfig: "--kubeconfig", context: "--context", forms: "a path" };
    return loadKubeConfig({ kubeconfig, context }, words);
}
