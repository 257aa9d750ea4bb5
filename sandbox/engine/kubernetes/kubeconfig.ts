import { existsSync } from "node:fs";
import * as path from "node:path";
import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { type PropertyMap } from "../values";

/** Selects a cluster, with the settings of `kubernetes.Provider` and of the stack's configuration. All are optional. */
export interface ClusterSettings {
    /** A path or the content of a kubeconfig. Default: the files of KUBECONFIG, then ~/.kube/config. */
    kubeconfig?: string;
    /** The files that the run's KUBECONFIG names, as one text. Default: none. */
    kubeconfigVariable?: string;
    /** Default: the current context of the kubeconfig. */
    context?: string;
    /** Default: the cluster of the context. */
    cluster?: string;
    /** Default: the namespace of the context, then `default`. */
    namespace?: string;
    /** Whether to take over an existing object instead of failing. Default: false. */
    upsertExistingObjects: boolean;
    /** Whether the data of a ConfigMap is changed in place instead of by replacing the object. Default: false. */
    enableConfigMapMutable: boolean;
}

/**
 * The settings of a provider: its own inputs if it has any, otherwise the stack's configuration and the environment.
 */
export function clusterSettings(
    inputs: PropertyMap,
    config: Record<string, string>,
    environment: NodeJS.ProcessEnv,
): ClusterSettings {
    const isExplicit = Object.keys(inputs).length > 0;
    const text = (key: string): string | undefined => {
        const value = isExplicit ? inputs[key] : config[`kubernetes:${key}`];
        return typeof value === "string" && value !== "" ? value : undefined;
    };
    const flag = (key: string, variable: string): boolean => {
        const value = isExplicit ? inputs[key] : config[`kubernetes:${key}`];
        return String(value ?? environment[variable] ?? "false") === "true";
    };
    return {
        kubeconfig: text("kubeconfig"),
        kubeconfigVariable: environment.KUBECONFIG || undefined,
        context: text("context"),
        cluster: text("cluster"),
        namespace: text("namespace"),
        upsertExistingObjects: flag("upsertExistingObjects", "PULUMI_K8S_UPSERT_EXISTING_OBJECTS"),
        enableConfigMapMutable: flag("enableConfigMapMutable", "PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE"),
    };
}

/** The cluster could not be queried: there is no kubeconfig, it is invalid, or the server does not answer. */
export class ClusterUnreachable extends Error {}

/** Loads the kubeconfig and selects the context. @throws ClusterUnreachable if it cannot be read */
export async function loadKubeconfig(settings: ClusterSettings, folder: string): Promise<KubeConfig> {
    const { KubeConfig } = await import("@kubernetes/client-node");
    const kubeconfig = new KubeConfig();
    try {
        if (settings.kubeconfig === undefined) {
            const files = filesOf(settings.kubeconfigVariable);
            files.slice(0, 1).forEach((file) => kubeconfig.loadFromFile(file));
            for (const file of files.slice(1)) {
                const other = new KubeConfig();
                other.loadFromFile(file);
                kubeconfig.mergeConfig(other);
            }
            if (files.length === 0) {
                kubeconfig.loadFromDefault();
            }
        } else if (isContent(settings.kubeconfig)) {
            kubeconfig.loadFromString(settings.kubeconfig);
        } else {
            kubeconfig.loadFromFile(kubeconfigPath(settings.kubeconfig, folder));
        }
    } catch (error) {
        throw new ClusterUnreachable(
            `cannot read the kubeconfig (${describeSource(settings)}): ${(error as Error).message}`,
        );
    }
    if (settings.context !== undefined) {
        if (kubeconfig.getContextObject(settings.context) === null) {
            const names = kubeconfig.getContexts().map(({ name }) => name);
            throw new ClusterUnreachable(
                `the kubeconfig (${describeSource(settings)}) has no context "${settings.context}"; found: ${names.join(", ")}`,
            );
        }
        kubeconfig.setCurrentContext(settings.context);
    }
    if (settings.cluster !== undefined) {
        const context = kubeconfig.getContextObject(kubeconfig.getCurrentContext());
        const other = { name: "overridden", cluster: settings.cluster, user: context?.user ?? "" };
        kubeconfig.addContext({ ...context, ...other });
        kubeconfig.setCurrentContext("overridden");
    }
    return kubeconfig;
}

/** The files that KUBECONFIG names. */
function filesOf(variable = ""): string[] {
    return variable.split(path.delimiter).filter((file) => file !== "");
}

/** Whether a kubeconfig is given by its content rather than its path: only the content has several lines or is JSON. */
export function isContent(kubeconfig: string): boolean {
    return kubeconfig.includes("\n") || kubeconfig.trimStart().startsWith("{");
}

/** Resolves the path of a kubeconfig. `~` is the home folder, and the program's folder is tried first. */
export function kubeconfigPath(kubeconfig: string, folder: string): string {
    const expanded = kubeconfig.replace(/^~(?=\/|$)/, process.env.HOME ?? "~");
    const inFolder = path.resolve(folder, expanded);
    return existsSync(inFolder) ? inFolder : path.resolve(expanded);
}

/** Where the kubeconfig comes from, for messages. */
export function describeSource({ kubeconfig, kubeconfigVariable }: ClusterSettings): string {
    if (kubeconfig !== undefined) {
        return isContent(kubeconfig) ? "given by its content" : kubeconfig;
    }
    return kubeconfigVariable === undefined ? "~/.kube/config" : `KUBECONFIG=${kubeconfigVariable}`;
}
