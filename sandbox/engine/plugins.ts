import { findOnPath } from "../controlPlane/programs/search";
import { startPlugin } from "./pluginProcess";
import { type Provider } from "./provider";

/** What plugins are started with. */
export interface PluginsOptions {
    /** The program's folder. */
    program: string;
    /** `host:port` of the engine service, where they send their log. */
    engineAddress: string;
    environment: NodeJS.ProcessEnv;
    /** The stack's configuration, in clear. */
    config: Record<string, string>;
    /** What they print, line by line. */
    onOutput: (line: string) => void;
}

/** The providers of other packages: plugins of Pulumi that are on PATH. */
export interface Plugins {
    /** The provider of a package, started when it is first asked for; undefined where no plugin of it is on PATH. */
    of(packageName: string): Provider | undefined;
    /** Ends those that were started. */
    stop(): Promise<void>;
}

/** The program that manages the resources of a package, by Pulumi's own rule. */
export function pluginProgram(packageName: string): string {
    return `pulumi-resource-${packageName}`;
}

/** @returns the plugins that a run may use. Nothing is started, and nothing is ever downloaded. */
export function createPlugins(options: PluginsOptions): Plugins {
    const started = new Map<string, Provider>();
    return {
        of(packageName) {
            const known = started.get(packageName);
            const title = pluginProgram(packageName);
            const file = findOnPath(title, options.environment.PATH);
            if (known !== undefined || file === undefined) {
                return known;
            }
            const provider = startPlugin({
                title,
                file,
                arguments: [options.engineAddress],
                folder: options.program,
                environment: options.environment,
                config: settingsOf(packageName, options.config),
                onOutput: options.onOutput,
            });
            started.set(packageName, provider);
            return provider;
        },
        stop: async () => {
            for (const provider of started.values()) {
                await provider.stop?.();
            }
        },
    };
}

/** `tls:proxy` of the stack's configuration is the setting `proxy` of the package `tls`. */
function settingsOf(packageName: string, config: Record<string, string>): Record<string, string> {
    const prefix = `${packageName}:`;
    return Object.fromEntries(
        Object.entries(config)
            .filter(([key]) => key.startsWith(prefix))
            .map(([key, value]) => [key.slice(prefix.length), value]),
    );
}
