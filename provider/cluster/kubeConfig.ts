import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { type ClusterAccess, ClusterAccessError, isKubeconfigContent } from "./access";
import { limitCredentials } from "./credentials";
import { fileProblem } from "./fileProblem";

/** How the user gives a kubeconfig and a context, for messages. */
export interface AccessWords {
    readonly kubeconfig: string;
    readonly context: string;
    /** What `kubeconfig` may be. */
    readonly forms: string;
}

/** The most characters that Linux allows in a path. */
const longestPath = 4_096;

/** A program gives them as arguments. */
const inProgram: AccessWords = { kubeconfig: "`kubeconfig`", context: "`context`", forms: "a path or the content" };

/**
 * Loads the kubeconfig and selects the context.
 * @param words how messages name what the user can give. Default: the arguments of a program.
 * @throws ClusterAccessError that names each place searched.
 */
export async function loadKubeConfig(
    access: ClusterAccess,
    words: AccessWords = inProgram,
    environment: NodeJS.ProcessEnv = process.env,
): Promise<KubeConfig> {
    const client = await import("@kubernetes/client-node");
    const config = new client.KubeConfig();
    const given = access.kubeconfig;
    const source =
        given !== undefined && isKubeconfigContent(given) ? `its content, given as ${words.kubeconfig}` : undefined;
    const paths = source ? [] : kubeconfigPaths(given, environment);
    const found = paths.filter((path) => existsSync(path));
    if (!source && found.length === 0 && isInPod(given, environment)) {
        config.loadFromCluster();
        useContext(config, access.context, "the service account of this pod", words);
        limitCredentials(config);
        return config;
    }
    if (!source && found.length === 0) {
        throw new ClusterAccessError(`found no kubeconfig: ${missing(given, paths, words, environment)}`);
    }
    try {
        if (source) {
            config.loadFromString(given as string);
        } else {
            config.loadFromFile(found[0]);
            for (const path of found.slice(1)) {
                const more = new client.KubeConfig();
                more.loadFromFile(path);
                config.mergeConfig(more, true);
            }
        }
    } catch (error) {
        throw new ClusterAccessError(
            `the kubeconfig (${source ?? found.join(", ")}) cannot be read: ${unreadable(error)}`,
            // The parser's own error repeats the text.
            "mark" in (error as Error) ? {} : { cause: error },
        );
    }
    useContext(config, access.context, source ?? found.join(", "), words);
    limitCredentials(config);
    return config;
}

/** Whether this process runs in a pod, where the Kubernetes provider uses the service account if there is no kubeconfig. */
function isInPod(given: string | undefined, environment: NodeJS.ProcessEnv): boolean {
    return !given && !environment.KUBECONFIG?.replaceAll(delimiter, "") && !!environment.KUBERNETES_SERVICE_HOST;
}

/** Says where a kubeconfig was searched, and what to do. */
function missing(
    given: string | undefined,
    paths: readonly string[],
    { kubeconfig, forms }: AccessWords,
    environment: NodeJS.ProcessEnv,
): string {
    if (given && isEncoded(given)) {
        // The text itself is not shown: it has credentials.
        return `the text given as ${kubeconfig} is neither a path nor a kubeconfig; it looks like a kubeconfig in base64. Decode it first`;
    }
    if (given) {
        return `${paths[0]}, given as ${kubeconfig}, does not exist; pass another one (${forms})`;
    }
    const next = `or pass ${kubeconfig} (${forms})`;
    return environment.KUBECONFIG?.replaceAll(delimiter, "")
        ? `KUBECONFIG names ${paths.join(" and ")}, which ${paths.length === 1 ? "does" : "do"} not exist; correct it, ${next}`
        : `KUBECONFIG is not set, and ${paths[0]} does not exist; set KUBECONFIG, ${next}`;
}

/** Whether a text is a kubeconfig in base64, as some clouds return it, or too long for a path. */
function isEncoded(text: string): boolean {
    return (
        text.length > longestPath || /^\s*(apiVersion|kind|clusters)\b/m.test(Buffer.from(text, "base64").toString())
    );
}

/** Says in one line why a kubeconfig cannot be read. The client's own message repeats the text, which has credentials. */
function unreadable(error: unknown): string {
    const { mark } = error as { mark?: { line: number; column: number } };
    if (mark) {
        return `line ${mark.line + 1}, column ${mark.column + 1}: invalid YAML`;
    }
    return error instanceof TypeError
        ? "found no clusters, users and contexts in it; check that the file is a kubeconfig"
        : fileProblem(error).split("\n")[0];
}

function kubeconfigPaths(given: string | undefined, environment: NodeJS.ProcessEnv): string[] {
    if (given !== undefined && given !== "") {
        return [given.replace(/^~(?=\/)/, homedir())];
    }
    const fromEnvironment = (environment.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
    return fromEnvironment.length > 0 ? fromEnvironment : [join(homedir(), ".kube", "config")];
}

function useContext(config: KubeConfig, context: string | undefined, source: string, words: AccessWords): void {
    const names = config.getContexts().map((one) => one.name);
    const choose = names.length === 0 ? "" : `. Pass one of them as ${words.context}`;
    if (context !== undefined && context !== "") {
        if (!names.includes(context)) {
            throw new ClusterAccessError(
                `the kubeconfig (${source}) has no context "${context}"; it has ${names.join(", ") || "none"}${choose}`,
            );
        }
        config.setCurrentContext(context);
    }
    if (!config.getCurrentCluster()) {
        const current = config.getCurrentContext() as string | undefined;
        const why = current ? `its current context is "${current}"` : "it has no current context";
        throw new ClusterAccessError(
            `the kubeconfig (${source}) selects no cluster: ${why}; it has the contexts ${names.join(", ") || "none"}${choose}`,
        );
    }
}
