import { createRequire } from "node:module";
import * as path from "node:path";
import { startPlugin } from "./pluginProcess";
import { type Provider } from "./provider";

/** What the process for dynamic resources is started with. */
export interface DynamicProviderOptions {
    /** The program's folder: it says which `@pulumi/pulumi` is used, and provider code is resolved from there. */
    program: string;
    /** `host:port` of the engine service, where the process sends its log. */
    engineAddress: string;
    environment: NodeJS.ProcessEnv;
    /** The stack's configuration, in clear. */
    config: Record<string, string>;
    /** What provider code prints, line by line. */
    onOutput: (line: string) => void;
}

/** Pulumi's own process for dynamic resources, started at once so that it is up when the first resource needs it. */
export function startDynamicProvider(options: DynamicProviderOptions): Provider {
    const script = createRequire(path.join(options.program, "package.json")).resolve(
        "@pulumi/pulumi/cmd/dynamic-provider/index.js",
    );
    return startPlugin({
        title: "the process for dynamic resources",
        file: process.execPath,
        arguments: [script, options.engineAddress],
        folder: options.program,
        environment: options.environment,
        config: options.config,
        onOutput: options.onOutput,
    });
}
