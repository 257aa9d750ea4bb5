import * as pulumi from "@pulumi/pulumi";
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import * as assert from "node:assert/strict";
import { tidbMocks } from "../../testing";

/** How Pulumi writes a secret and an unknown value on the wire. */
const signature = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The first program of a process loads the Kubernetes SDK and serializes the gates: seconds on a busy machine. */
export const patienceMilliseconds = 60_000;

/** A resource as the program asked the engine for it. */
export interface Registered {
    type: string;
    name: string;
    /** Type and name of the parent, `type::name`; empty for one at the top. */
    parent: string;
    /** `type::name` of all that it waits for, what its inputs come from included. */
    dependencies: string[];
    ignoreChanges: string[];
    deleteBeforeReplace: boolean;
    /** Whether Pulumi refuses to delete it. `undefined` if neither the resource nor its parents say so. */
    protect: boolean | undefined;
    /** Name of the explicit provider, if any. */
    provider: string | undefined;
    /** Secrets are taken off their wrapping; unknown values are `unknownValue`. */
    inputs: Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any shape
    /** Paths of the inputs that are secret: `access`, `data.config-file`. */
    secrets: string[];
}

/** What came of a program. */
export interface ProgramRun<T> {
    value: T;
    resources: Registered[];
    /** What was logged as a warning. */
    warnings: string[];
    /** The resource of that name whose type ends with `type`; an error where there is none. */
    find(type: string, name: string): Registered;
}

export interface MockOptions {
    preview?: boolean;
    /** Values of `Config`, by `namespace:key`. */
    config?: Record<string, string>;
    /** State of a resource. Default: that of `tidbMocks` in a live cluster without steps. */
    state?: (type: string, inputs: Record<string, unknown>) => Record<string, unknown> | undefined;
}

/** Runs a program against Pulumi's mocks, as users' own unit tests do, and waits until all of it is registered. */
export async function runProgram<T>(program: () => T, options: MockOptions = {}): Promise<ProgramRun<T>> {
    const { preview = false, config = {} } = options;
    const live = tidbMocks({ live: {} });
    const mocks: pulumi.runtime.Mocks = {
        ...live,
        newResource: (args) => {
            const state = options.state?.(args.type, args.inputs as Record<string, unknown>);
            return state ? { id: preview ? undefined : `${args.name}-id`, state } : live.newResource(args);
        },
    };
    await pulumi.runtime.setMocks(mocks, "project", "stack", preview);
    pulumi.runtime.setAllConfig(config);
    const requests = recordRequests();
    const warnings: string[] = [];
    const { warn } = console;
    console.warn = (line: string) => warnings.push(line.replace("warning: [runtime] ", ""));
    try {
        const value = program();
        await pulumi.runtime.disconnect();
        const resources = requests.map(registered);
        return { value, resources, warnings, find: (type, name) => find(resources, type, name) };
    } finally {
        console.warn = warn;
    }
}

/** The value of an Output, and whether it is known and secret. */
export async function readOutput<T>(
    output: pulumi.Output<T>,
): Promise<{ value: T | undefined; known: boolean; secret: boolean }> {
    const inner = output as unknown as {
        promise(withUnknowns?: boolean): Promise<T>;
        isKnown: Promise<boolean>;
        isSecret: Promise<boolean>;
    };
    const known = await inner.isKnown;
    return { value: known ? await inner.promise() : undefined, known, secret: await inner.isSecret };
}

/** Every request to register a resource, from now on. The mocks themselves are not told of parents and options. */
function recordRequests(): RegisterResourceRequest[] {
    const requests: RegisterResourceRequest[] = [];
    const monitor = pulumi.runtime.getMonitor() as unknown as {
        registerResource(request: RegisterResourceRequest, callback: unknown): unknown;
    };
    const { registerResource } = monitor;
    monitor.registerResource = (request, callback) => {
        requests.push(request);
        return registerResource.call(monitor, request, callback);
    };
    return requests;
}

function registered(request: RegisterResourceRequest): Registered {
    const raw = (request.getObject()?.toJavaScript() ?? {}) as Record<string, unknown>;
    return {
        type: request.getType(),
        name: request.getName(),
        parent: shortUrn(request.getParent()),
        dependencies: request.getDependenciesList().map(shortUrn).sort(),
        ignoreChanges: request.getIgnorechangesList(),
        deleteBeforeReplace: request.getDeletebeforereplace(),
        protect: request.hasProtect() ? request.getProtect() : undefined,
        provider: request.getProvider() === "" ? undefined : shortUrn(request.getProvider()).split("::")[1],
        inputs: unwrapped(raw) as Record<string, unknown>,
        secrets: secretPaths(raw),
    };
}

/** `urn:pulumi:stack::project::parent$type::name` becomes `type::name`. */
function shortUrn(urn: string): string {
    const [, , types = "", name = ""] = urn.split("::");
    return urn === "" ? "" : `${types.split("$").at(-1)}::${name}`;
}

function isSecret(value: unknown): value is { value: unknown } {
    return (
        typeof value === "object" && value !== null && (value as Record<string, unknown>)[signature] === secretSignature
    );
}

function unwrapped(value: unknown): unknown {
    if (isSecret(value)) {
        return unwrapped(value.value);
    }
    if (Array.isArray(value)) {
        return value.map(unwrapped);
    }
    return typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unwrapped(inner)]))
        : value;
}

function secretPaths(value: unknown, path = ""): string[] {
    if (isSecret(value)) {
        return [path];
    }
    return typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([key, inner]) => secretPaths(inner, path === "" ? key : `${path}.${key}`))
        : [];
}

function find(resources: readonly Registered[], type: string, name: string): Registered {
    const found = resources.filter((one) => one.type.endsWith(`:${type}`) && one.name === name);
    assert.equal(
        found.length,
        1,
        `${found.length} resources ${type} ${name} among ${resources.map((one) => `${one.type} ${one.name}`).join(", ")}`,
    );
    return found[0];
}
