import { randomUUID } from "node:crypto";
import { type Deployment, type Providers } from "./deployment";
import { diffProperties } from "./diff";
import { pluginProgram } from "./plugins";
import { type Provider } from "./provider";
import { isProviderType, parseProviderReference, providerTypePrefix } from "./urn";
import { containsUnknowns, type PropertyMap, stripSecrets } from "./values";

const kubernetesProvider = `${providerTypePrefix}kubernetes`;

/** Where providers come from. */
export interface ProviderSources {
    /** The one for dynamic resources, started when it is first asked for. */
    dynamic: () => Provider;
    /** The provider of another package, undefined where there is no plugin of it. */
    plugin: (packageName: string) => Provider | undefined;
    /** A provider for one cluster: `inputs` are those of `kubernetes.Provider`, empty for the default one. */
    kubernetes: (inputs: PropertyMap) => Provider;
    /** Which cluster such inputs lead to, to tell whether another one does. */
    kubernetesCluster: (inputs: PropertyMap) => string | undefined;
}

/** Finds who manages a resource: the engine itself for Kubernetes, Pulumi's process for dynamic resources, or a plugin. */
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
            if (type.startsWith("pulumi-nodejs:dynamic")) {
                return (dynamic ??= sources.dynamic());
            }
            if (type.startsWith("kubernetes:")) {
                return kubernetes(provider);
            }
            if (isProviderType(type)) {
                throw new Error(
                    `${type} is an explicit provider, which the sandbox's engine knows for kubernetes only; ` +
                        "configure the stack instead, or install the Pulumi CLI.",
                );
            }
            const name = type.split(":")[0];
            const plugin = sources.plugin(name);
            if (plugin === undefined) {
                throw new Error(
                    `${type} needs the plugin of "${name}", and ${pluginProgram(name)} is not on PATH. Of itself the ` +
                        "sandbox's engine manages kubernetes and dynamic resources only, and it downloads nothing: put " +
                        "the plugin on PATH, or install the Pulumi CLI.",
                );
            }
            return plugin;
        },
    };
}

/** An explicit `kubernetes.Provider` is a resource itself: made by being known, changed in place unless it moves. */
function explicitProvider(sources: ProviderSources): Provider {
    return {
        check: async ({ news }) => ({ inputs: news, failures: [] }),
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

/** In a preview, a provider whose settings are not known yet: nothing can be asked of it. */
const unconfigured: Provider = {
    check: async ({ news }) => ({ inputs: news, failures: [] }),
    diff: async () => ({ changes: "unknown", replaces: [], deleteBeforeReplace: false }),
    create: async () => ({ outputs: {} }),
    update: async () => ({ outputs: {} }),
    delete: async () => {},
    read: async ({ id, inputs, outputs }) => ({ id, inputs, outputs }),
};
