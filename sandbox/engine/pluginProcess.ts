import * as grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { createInterface } from "node:readline";
import { call, type ConnectedProvider, grpcProvider } from "./grpcProvider";
import { type RunProcess } from "./nodeProcess";
import { struct } from "./protocol";
import { type Provider } from "./provider";

/** A provider's process and its settings. */
export interface PluginOptions {
    /** What to call the process in messages. */
    title: string;
    process: RunProcess;
    /** The provider's settings, decrypted. */
    config: Record<string, string>;
    /** Called with each line that it prints. */
    onOutput: (line: string) => void;
}

/**
 * Connects to a provider in a separate process, as Pulumi does to its plugins. The process prints a port of the loopback
 * interface on its first line and is called over gRPC. One process serves the whole run.
 */
export function connectPlugin(options: PluginOptions): Provider {
    const { process: child } = options;
    const connected = connect(options);
    // A run without resources of this provider never uses it. A failure is reported to the first caller.
    connected.catch(() => undefined);
    const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
    const stop = (): Promise<void> => {
        child.kill();
        return closed;
    };
    return { ...grpcProvider(connected), stop };
}

async function connect({ process: child, ...options }: PluginOptions): Promise<ConnectedProvider> {
    const errors: string[] = [];
    const port = new Promise<string>((resolve, reject) => {
        let first = true;
        createInterface({ input: child.stdout }).on("line", (line) => {
            if (first) {
                first = false;
                resolve(line.trim());
            } else {
                options.onOutput(line);
            }
        });
        createInterface({ input: child.stderr }).on("line", (line) => {
            errors.push(line);
            options.onOutput(line);
        });
        child.on("error", reject);
        child.on("exit", (code) =>
            reject(new Error(`${options.title} ended with code ${code}: ${errors.slice(-20).join("\n")}`)),
        );
    });
    const client = new ResourceProviderClient(`127.0.0.1:${await port}`, grpc.credentials.createInsecure(), {
        "grpc.max_receive_message_length": 400 * 1024 * 1024,
    });
    const request = new messages.ConfigureRequest();
    request.setArgs(struct(options.config));
    request.setAcceptsecrets(true);
    request.setAcceptresources(true);
    const response = await call<messages.ConfigureResponse>((done) => client.configure(request, done));
    return { client, previews: response.getSupportspreview() };
}
