import { randomUUID } from "node:crypto";
import { type Deployment, type Providers } from "./deployment";
import { diffProperties } from "./diff";
import { pluginProgram } from "./plugins";
import { type Provider } from "./provider";
import { isProviderType, parseProviderReference, providerTypePrefix } from "./urn";
import { containsUnknowns, type PropertyMap, stripSecrets } from "./values";

const kubernetesProvider = `${providerTypePrefix}kubernetes`;

/** The sources of providers. */
export interface ProviderSources {
    /** The provider for dynamic resources. It is started on first use. */
    dynamic: () => Provider;
    /** The provider of another package. Undefined if there is no plugin for it. */
    plugin: (packageName: string) => Provider | undefined;
    /** A provider for one cluster. `inputs` are those of `kubernetes.Provider`, and empty for the default provider. */
    kubernetes: (inputs: PropertyMap) => Provider;
    /** Identifies the cluster that such inputs point to, so a change of cluster can be detected. */
    kubernetesCluster: (inputs: PropertyMap) => string | undefined;
    /** Rejects if the run may not use the cluster that the inputs of an explicit provider point to. */
    allow: (inputs: PropertyMap) => Promise<void>;
}

/**
 * Finds the provider of a resource: the engine itself for Kubernetes, Pulumi's process for dynamic resources, or a
 * plugin.
 */
export function createProviders(deployment: () => Deployment, sources: ProviderSources): Providers {
    const clusters = new Map<string, Provider>();
    let dynamic: Provider | undefined;
    const explicit = explicitProvider(sources);

    const kubernetes = (reference: string | undefined): Provider => {
        const urn = reference === undefined ? undefined : parseProviderReference(reference).urn;
        const resource = urn === undefined ? undefined : (deployment().news.get(urn) ?? deployment().olds.get(urn));
        const inputs = stripSecrets(resource?.inputs ?? {});
        const key = JSON.stringify(inputs);
        const known = clusters.get(key);
        const provider = known ?? (containsUnknowns(inputs) ? unconfigured : sources.kubernetes(inputs));
        clusters.set(key, provider);
        return provider;
    };
    return {
        of({ type, provider }) {
            if (type === kubernetesProvider) {
                return explicit;
            }
            if (type.startsWith("pulumi-nodejs:")) {
                return (dynamic ??= sources.dynamic());
            }
            if (type.startsWith("kubernetes:")) {
                return kubernetes(provider);
            }
            if (isProviderType(type)) {
                throw new Error(
                    `${type} is an explicit provider, and the sandbox's engine supports explicit providers only for kubernetes; ` +
                        "configure the stack instead, or install the Pulumi CLI.",
                );
            }
            const name = type.split(":")[0];
            const plugin = sources.plugin(name);
            if (plugin === undefined) {
                throw new Error(
                    `${type} needs the plugin for "${name}", but ${pluginProgram(name)} is not on PATH. The sandbox's engine ` +
                        "itself manages only kubernetes and dynamic resources, and it does not download plugins: put " +
                        "the plugin on PATH, or install the Pulumi CLI.",
                );
            }
            return plugin;
        },
    };
}

/**
 * An explicit `kubernetes.Provider` is itself a resource. It exists once it is registered, and it is updated in place
 * unless it points to another cluster.
 */
function explicitProvider(sources: ProviderSources): Provider {
    return {
        async check({ news }) {
            await sources.allow(news);
            return { inputs: news, failures: [] };
        },
        async diff({ oldInputs, news }) {
            const changed = diffProperties(oldInputs, news).map(({ path }) => path);
            const keys = changed.filter((path) => ["kubeconfig", "context", "cluster"].includes(path));
            const before = sources.kubernetesCluster(oldInputs);
            const after = sources.kubernetesCluster(news);
            const moved = before !== undefined && after !== undefined && before !== after;
            return {
                changes: changed.length > 0 ? "some" : "none",
                replaces: moved ? keys : [],
                deleteBeforeReplace: false,
            };
        },
        create: async ({ inputs, preview }) => ({ id: preview ? undefined : randomUUID(), outputs: inputs }),
        update: async ({ news }) => ({ outputs: news }),
        delete: async () => {},
        read: async ({ id, inputs, outputs }) => ({ id, inputs, outputs }),
    };
}

/** The provider used in a preview while its settings are not known yet. It cannot answer anything. */
const unconfigured: Provider = {
    check: async ({ news }) => ({ inputs: news, failures: [] }),
    diff: async () => ({ changes: "unknown", replaces: [], deleteBeforeReplace: false }),
    create: async () => ({ outputs: {} }),
    update: async () => ({ outputs: {} }),
    delete: async () => {},
    read: async ({ id, inputs, outputs }) => ({ id, inputs, outputs }),
};
