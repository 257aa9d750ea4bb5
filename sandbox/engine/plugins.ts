import { findOnPath } from "../controlPlane/programs/search";
import { startProcess } from "./nodeProcess";
import { connectPlugin } from "./pluginProcess";
import { type Provider } from "./provider";

/** The settings that plugins are started with. */
export interface PluginsOptions {
    /** The program's folder. */
    program: string;
    /** `host:port` of the engine service, where plugins send their log. */
    engineAddress: string;
    environment: NodeJS.ProcessEnv;
    /** The stack's configuration, decrypted. */
    config: Record<string, string>;
    /** Called with each line that they print. */
    onOutput: (line: string) => void;
}

/** The providers of other packages: Pulumi plugins on PATH. */
export interface Plugins {
    /** Returns the provider of a package and starts it on first use. Undefined if its plugin is not on PATH. */
    of(packageName: string): Provider | undefined;
    /** Ends the plugins that were started. */
    stop(): Promise<void>;
}

/** The name of the program that manages the resources of a package, which Pulumi defines. */
export function pluginProgram(packageName: string): string {
    return `pulumi-resource-${packageName}`;
}

/** Returns the plugins that a run may use. This starts and downloads nothing. */
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
            const provider = connectPlugin({
                title,
                process: startProcess({
                    file,
                    arguments: [options.engineAddress],
                    folder: options.program,
                    environment: options.environment,
                }),
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

/** `tls:proxy` in the stack's configuration is the setting `proxy` of the package `tls`. */
function settingsOf(packageName: string, config: Record<string, string>): Record<string, string> {
    const prefix = `${packageName}:`;
    return Object.fromEntries(
        Object.entries(config)
            .filter(([key]) => key.startsWith(prefix))
            .map(([key, value]) => [key.slice(prefix.length), value]),
    );
}
