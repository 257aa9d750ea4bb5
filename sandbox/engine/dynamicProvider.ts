import { createRequire } from "node:module";
import * as path from "node:path";
import { type StartNode } from "./nodeProcess";
import { connectPlugin } from "./pluginProcess";
import { type Provider } from "./provider";

/** The settings of the process for dynamic resources. */
export interface DynamicProviderOptions {
    /** The program's folder. It determines which `@pulumi/pulumi` is used, and provider code is resolved from it. */
    program: string;
    /** `host:port` of the engine service, where the process sends its log. */
    engineAddress: string;
    environment: NodeJS.ProcessEnv;
    startNode: StartNode;
    /** The stack's configuration, decrypted. */
    config: Record<string, string>;
    /** Called with each line that provider code prints. */
    onOutput: (line: string) => void;
}

/**
 * Starts Pulumi's own process for dynamic resources. It starts at once, so it is up when the first resource needs it.
 */
export function startDynamicProvider(options: DynamicProviderOptions): Provider {
    const script = createRequire(path.join(options.program, "package.json")).resolve(
        "@pulumi/pulumi/cmd/dynamic-provider/index.js",
    );
    return connectPlugin({
        title: "the process for dynamic resources",
        process: options.startNode({
            file: script,
            arguments: [options.engineAddress],
            nodeArguments: [],
            folder: options.program,
            environment: options.environment,
        }),
        config: options.config,
        onOutput: options.onOutput,
    });
}
