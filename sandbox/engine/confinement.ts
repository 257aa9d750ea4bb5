import { clusterSettings } from "./kubernetes/kubeconfig";
import { assertGateInSandbox, assertOnlyCluster, type OnlyCluster, OtherCluster } from "./kubernetes/onlyCluster";
import { pluginProgram } from "./plugins";
import { type Provider } from "./provider";
import { type ProviderSources } from "./providers";
import { containsUnknowns, type PropertyMap } from "./values";

/** Plugins that change nothing outside the stack's state. Others act on clouds or on the machine. */
const harmlessPlugins: readonly string[] = ["random", "time", "tls"];

/** What the settings of a cluster are resolved with. */
export interface ConfinementContext {
    /** Relative paths are resolved against this folder. */
    folder: string;
    /** The stack's configuration. */
    config: Record<string, string>;
    environment: NodeJS.ProcessEnv;
}

/** The types of the gates of pulumi-tidb, which connect to Kubernetes and PD themselves. Its records connect to nothing. */
const gateTypes = /^pulumi-nodejs:tidb:\w+Gate$/;

/**
 * Confines a run to one cluster: each call of a provider first checks where it leads, so nothing is sent elsewhere. Plugins that
 * act outside the cluster are refused. A program's own code, and dynamic resources of its own, are not checked.
 */
export function confinedSources(
    sources: ProviderSources,
    only: OnlyCluster,
    { folder, config, environment }: ConfinementContext,
): ProviderSources {
    const settingsOf = (inputs: PropertyMap) => clusterSettings(inputs, config, environment);
    const allow = async (inputs: PropertyMap): Promise<void> => {
        if (!containsUnknowns(inputs)) {
            const isExplicit = Object.keys(inputs).length > 0;
            const what = isExplicit ? "an explicit kubernetes.Provider" : "the default Kubernetes provider";
            await assertOnlyCluster(only, what, settingsOf(inputs), folder);
        }
    };
    const gate = async (type: string, inputs: PropertyMap): Promise<void> => {
        const { access, pd } = inputs;
        if (gateTypes.test(type) && !containsUnknowns({ access: access ?? null, pd: pd ?? null })) {
            // A gate without access uses the environment, as the default provider does without configuration.
            await assertGateInSandbox(only, inputs, (given) => clusterSettings(given, {}, environment), folder);
        }
    };
    return {
        ...sources,
        dynamic: () => guarded(sources.dynamic(), gate),
        kubernetes: (inputs) => {
            let allowed: Promise<void> | undefined;
            return guarded(sources.kubernetes(inputs), () => (allowed ??= allow(inputs)));
        },
        allow,
        plugin: (name) => {
            if (!harmlessPlugins.includes(name)) {
                throw new OtherCluster(
                    `the package "${name}" needs ${pluginProgram(name)}, which could change something outside ${only.title}: there the ` +
                        `sandbox's own engine uses only kubernetes, dynamic resources and ${harmlessPlugins.join(", ")}. ` +
                        "Use the Pulumi CLI for such a program, or leave these resources out.",
                );
            }
            return sources.plugin(name);
        },
    };
}

type CheckedRequest = { readonly type: string } & ({ readonly news: PropertyMap } | { readonly inputs: PropertyMap });

/** A provider that checks the inputs before each call. */
function guarded(provider: Provider, check: (type: string, inputs: PropertyMap) => Promise<void>): Provider {
    const checked =
        <Request extends CheckedRequest, Answer>(call: (request: Request) => Promise<Answer>) =>
        async (request: Request): Promise<Answer> => {
            await check(request.type, "news" in request ? request.news : request.inputs);
            return call(request);
        };
    return {
        ...provider,
        check: checked((request) => provider.check(request)),
        diff: checked((request) => provider.diff(request)),
        create: checked((request) => provider.create(request)),
        update: checked((request) => provider.update(request)),
        delete: checked((request) => provider.delete(request)),
        read: checked((request) => provider.read(request)),
    };
}
