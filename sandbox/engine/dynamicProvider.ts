import * as grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { CreateAnswer, PartialFailure, Provider } from "./provider";
import { PropertyMap } from "./values";

export interface DynamicProviderOptions {
    /** The program's folder: it says which `@pulumi/pulumi` is used, and provider code is resolved from there. */
    program: string;
    engineAddress: string;
    environment: NodeJS.ProcessEnv;
    /** The stack's configuration, in clear. */
    config: Record<string, string>;
    /** What provider code prints, line by line. */
    onOutput: (line: string) => void;
}

/**
 * Pulumi's own process for dynamic resources, started at once so that it is up when the first resource needs it, and
 * spoken to over its gRPC protocol. One process serves the whole run, as with the real CLI.
 */
export function startDynamicProvider(options: DynamicProviderOptions): Provider {
    const script = createRequire(path.join(options.program, "package.json")).resolve(
        "@pulumi/pulumi/cmd/dynamic-provider/index.js",
    );
    const child = spawn(process.execPath, [script, options.engineAddress], {
        cwd: options.program,
        env: options.environment,
        stdio: ["ignore", "pipe", "pipe"],
    });
    const client = connect(child, options);
    // A run without dynamic resources never asks for it; a failure is told to whoever does.
    client.catch(() => undefined);
    const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
    const stop = (): Promise<void> => {
        child.kill("SIGKILL");
        return closed;
    };
    return { ...dynamicProvider(client), stop };
}

async function connect(child: ChildProcess, options: DynamicProviderOptions): Promise<ResourceProviderClient> {
    const errors: string[] = [];
    const port = new Promise<string>((resolve, reject) => {
        let first = true;
        createInterface({ input: child.stdout! }).on("line", (line) => {
            if (first) {
                first = false;
                resolve(line.trim());
            } else {
                options.onOutput(line);
            }
        });
        createInterface({ input: child.stderr! }).on("line", (line) => {
            errors.push(line);
            options.onOutput(line);
        });
        child.on("error", reject);
        child.on("exit", (code) =>
            reject(
                new Error(`the process for dynamic resources ended with code ${code}: ${errors.slice(-20).join("\n")}`),
            ),
        );
    });
    const client = new ResourceProviderClient(`127.0.0.1:${await port}`, grpc.credentials.createInsecure(), {
        "grpc.max_receive_message_length": 400 * 1024 * 1024,
    });
    const request = new messages.ConfigureRequest();
    request.setArgs(Struct.fromJavaScript(options.config));
    request.setAcceptsecrets(true);
    request.setAcceptresources(true);
    await call<messages.ConfigureResponse>((done) => client.configure(request, done));
    return client;
}

function dynamicProvider(connected: Promise<ResourceProviderClient>): Provider {
    return {
        async check({ urn, olds, news }) {
            const client = await connected;
            const request = new messages.CheckRequest().setUrn(urn);
            request.setOlds(struct(olds ?? {})).setNews(struct(news));
            const response = await call<messages.CheckResponse>((done) => client.check(request, done));
            const failures = response
                .getFailuresList()
                .map((f) => ({ property: f.getProperty(), reason: f.getReason() }));
            return { inputs: map(response.getInputs()), failures };
        },
        async diff({ urn, id, oldInputs, oldOutputs, news, ignoreChanges }) {
            const client = await connected;
            const request = new messages.DiffRequest().setUrn(urn).setId(id).setIgnorechangesList(ignoreChanges);
            request.setOlds(struct(oldOutputs)).setNews(struct(news)).setOldInputs(struct(oldInputs));
            const response = await call<messages.DiffResponse>((done) => client.diff(request, done));
            const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
            const changes = response.getChanges();
            return {
                changes: changes === DIFF_NONE ? "none" : changes === DIFF_SOME ? "some" : "unknown",
                replaces: response.getReplacesList(),
                deleteBeforeReplace: response.getDeletebeforereplace(),
            };
        },
        async create({ urn, inputs, preview }): Promise<CreateAnswer> {
            if (preview) {
                return { outputs: inputs };
            }
            const client = await connected;
            const request = new messages.CreateRequest().setUrn(urn).setProperties(struct(inputs));
            const response = await call<messages.CreateResponse>((done) => client.create(request, done));
            return { id: response.getId(), outputs: map(response.getProperties()) };
        },
        async update({ urn, id, oldInputs, oldOutputs, news, ignoreChanges, preview }) {
            if (preview) {
                return { outputs: news };
            }
            const client = await connected;
            const request = new messages.UpdateRequest().setUrn(urn).setId(id).setIgnorechangesList(ignoreChanges);
            request.setOlds(struct(oldOutputs)).setNews(struct(news)).setOldInputs(struct(oldInputs));
            const response = await call<messages.UpdateResponse>((done) => client.update(request, done));
            return { outputs: map(response.getProperties()) };
        },
        async delete({ urn, id, inputs, outputs }) {
            const client = await connected;
            const request = new messages.DeleteRequest().setUrn(urn).setId(id);
            request.setProperties(struct(outputs)).setOldInputs(struct(inputs));
            await call((done) => client.delete(request, done));
        },
        async read({ urn, id, inputs, outputs }) {
            const client = await connected;
            const request = new messages.ReadRequest().setUrn(urn).setId(id);
            request.setProperties(struct(outputs)).setInputs(struct(inputs));
            const response = await call<messages.ReadResponse>((done) => client.read(request, done));
            if (response.getId() === "") {
                return undefined;
            }
            const readInputs = response.hasInputs() ? map(response.getInputs()) : inputs;
            return { id: response.getId(), inputs: readInputs, outputs: map(response.getProperties()) };
        },
    };
}

function struct(properties: PropertyMap): Struct {
    return Struct.fromJavaScript(properties);
}

function map(properties: Struct | undefined): PropertyMap {
    return (properties?.toJavaScript() ?? {}) as PropertyMap;
}

function call<T>(start: (done: (error: grpc.ServiceError | null, response: T) => void) => unknown): Promise<T> {
    return new Promise((resolve, reject) => {
        start((error, response) =>
            error ? reject(partialFailure(error) ?? new Error(error.details)) : resolve(response),
        );
    });
}

/** A provider that made the resource and then failed says so in the details of its error. */
function partialFailure(error: grpc.ServiceError): PartialFailure | undefined {
    const [packed] = error.metadata?.get("grpc-status-details-bin") ?? [];
    if (!(packed instanceof Uint8Array)) {
        return undefined;
    }
    const detail = Status.deserializeBinary(packed)
        .getDetailsList()
        .find((any) => any.getTypeName() === "pulumirpc.ErrorResourceInitFailed");
    if (detail === undefined) {
        return undefined;
    }
    const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
    return new PartialFailure(error.details, failed.getId(), map(failed.getProperties()), failed.getReasonsList());
}
