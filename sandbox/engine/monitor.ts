import type * as grpc from "@grpc/grpc-js";
import type { Callback } from "@pulumi/pulumi/proto/callback_pb";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/resource_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type AliasSpec, type Deployment, type Goal, putResource, runStep } from "./deployment";
import * as protocol from "./protocol";
import { map, struct } from "./protocol";
import { registerResource } from "./registration";
import { refusedFeatures, refuseUnsupported, unsupported } from "./unsupported";
import { type ResourceState } from "./state";
import { isProviderType, makeUrn, stackType } from "./urn";
import { type PropertyMap, stripSecrets, unknownValue } from "./values";

/** The optional features that a program may use. The SDK refuses the others. */
const features = new Set(["secrets", "aliasSpecs", "deletedWith", ...refusedFeatures]);

const stackReferenceType = "pulumi:pulumi:StackReference";

/** The resource monitor of one run. */
export interface Monitor {
    /** The service for a gRPC server. */
    readonly service: { definition: typeof ResourceMonitorService; handlers: grpc.UntypedServiceImplementation };
    /** The outputs of the stack, as far as the program has set them. */
    stackOutputs(): PropertyMap | undefined;
}

/**
 * The resource monitor: the gRPC service with which a program registers its resources. Registrations run concurrently,
 * in the order of arrival. The SDK delays a registration that needs the outputs of another one.
 */
export function createMonitor(deployment: Deployment, programEnded: () => Promise<void>): Monitor {
    let stackOutputs: PropertyMap | undefined;
    const unary = <Request, Response>(answer: (request: Request) => Promise<Response>) =>
        protocol.unary((request: Request) => answer(request).catch((error: Error) => failed(deployment, error)));

    const handlers = {
        supportsFeature: unary<messages.SupportsFeatureRequest, messages.SupportsFeatureResponse>(async (request) =>
            new messages.SupportsFeatureResponse().setHassupport(features.has(request.getId())),
        ),
        registerResource: unary<messages.RegisterResourceRequest, messages.RegisterResourceResponse>(
            async (request) => {
                refuseUnsupported(request);
                const registration = registerResource(deployment, goalOf(request));
                const resource = await untilCancelled(deployment, registration);
                return new messages.RegisterResourceResponse()
                    .setUrn(resource.urn)
                    .setId(
                        resource.id ??
                            (resource.custom && deployment.preview && isProviderType(resource.type)
                                ? unknownValue
                                : ""),
                    )
                    .setObject(struct(resource.custom ? resource.outputs : resource.inputs));
            },
        ),
        registerResourceOutputs: unary<messages.RegisterResourceOutputsRequest, Empty>(async (request) => {
            const resource = deployment.news.get(request.getUrn());
            if (resource === undefined) {
                throw new Error(`received outputs for ${request.getUrn()}, which was not registered`);
            }
            const outputs = map(request.getOutputs());
            if (resource.type === stackType) {
                stackOutputs = outputs;
            } else {
                resource.outputs = outputs;
                putResource(deployment, resource);
            }
            return new Empty();
        }),
        readResource: unary<messages.ReadResourceRequest, messages.ReadResourceResponse>(async (request) => {
            if (request.getType() === stackReferenceType) {
                throw unsupported(`the stack reference ${request.getName()}`, "pass its outputs with --config");
            }
            const resource = await untilCancelled(deployment, readResource(deployment, request));
            return new messages.ReadResourceResponse().setUrn(resource.urn).setProperties(struct(resource.outputs));
        }),
        invoke: unary<messages.ResourceInvokeRequest, Empty>(async (request) => {
            throw unsupported(`the function ${request.getTok()}`);
        }),
        call: unary<messages.ResourceCallRequest, Empty>(async (request) => {
            throw unsupported(`the method ${request.getTok()}`);
        }),
        registerPackage: unary<messages.RegisterPackageRequest, Empty>(async (request) => {
            throw unsupported(`the parameterized package ${request.getName()}`);
        }),
        registerStackTransform: unary<Callback, Empty>(async () => {
            throw unsupported("transforms of the whole stack", "use transformations");
        }),
        signalAndWaitForShutdown: unary<Empty, Empty>(async () => {
            await untilCancelled(deployment, programEnded());
            return new Empty();
        }),
    };
    return { service: { definition: ResourceMonitorService, handlers }, stackOutputs: () => stackOutputs };
}

/**
 * A call that cannot be answered fails the run, as in the real engine. The program gets no answer: the SDK would report the failure once
 * more, or, for a resource that is read, wait for ever. It is ended once the steps in progress are done.
 */
function failed(deployment: Deployment, { message }: Error): Promise<never> {
    if (!deployment.cancellation.cancelled) {
        deployment.report.diagnostic({ severity: "error", message });
        deployment.cancellation.cancel();
    }
    return new Promise(() => undefined);
}

/** After a failure no call waits for what will never come. */
async function untilCancelled<T>(deployment: Deployment, work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    return Promise.race([work, deployment.cancellation.signal]);
}

async function readResource(deployment: Deployment, request: messages.ReadResourceRequest): Promise<ResourceState> {
    const type = request.getType();
    const parent = request.getParent() || undefined;
    const urn = makeUrn(deployment.stack, deployment.project, parent, type, request.getName());
    const id = request.getId();
    const inputs = map(request.getProperties());
    const resource: ResourceState = {
        urn,
        type,
        custom: true,
        external: true,
        id,
        inputs,
        outputs: inputs,
        parent,
        dependencies: request.getDependenciesList(),
        propertyDependencies: {},
        provider: request.getProvider() || undefined,
    };
    const step = { operation: "read" as const, urn, type, new: resource };
    await runStep(deployment, step, async () => {
        if (id === unknownValue) {
            resource.outputs = {};
            return;
        }
        const clear = stripSecrets(inputs);
        const answer = await deployment.providers.of(resource).read({ urn, type, id, inputs: clear, outputs: clear });
        if (answer === undefined) {
            throw new Error(`resource '${id}' does not exist`);
        }
        resource.outputs = answer.outputs;
        putResource(deployment, resource);
    });
    return resource;
}

function goalOf(request: messages.RegisterResourceRequest): Goal {
    const dependencies: Record<string, string[]> = {};
    request.getPropertydependenciesMap().forEach((value, key) => (dependencies[key] = value.getUrnsList()));
    return {
        type: request.getType(),
        name: request.getName(),
        custom: request.getCustom(),
        parent: request.getParent() || undefined,
        inputs: inputsOf(request),
        dependencies: request.getDependenciesList(),
        propertyDependencies: dependencies,
        provider: request.getProvider() || undefined,
        protect: request.hasProtect() ? request.getProtect() : undefined,
        retainOnDelete: request.hasRetainondelete() ? request.getRetainondelete() : undefined,
        deletedWith: request.getDeletedwith() || undefined,
        deleteBeforeReplace: request.getDeletebeforereplacedefined() ? request.getDeletebeforereplace() : undefined,
        ignoreChanges: request.getIgnorechangesList(),
        hideDiffs: request.getHidediffsList(),
        replaceOnChanges: request.getReplaceonchangesList(),
        additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
        aliases: [
            ...request.getAliasurnsList().map((urn): AliasSpec => ({ urn })),
            ...request.getAliasesList().map((alias): AliasSpec => {
                const spec = alias.getSpec();
                return spec === undefined
                    ? { urn: alias.getUrn() }
                    : {
                          name: spec.getName() || undefined,
                          type: spec.getType() || undefined,
                          parent: spec.getParenturn() || undefined,
                          noParent: spec.getNoparent(),
                      };
            }),
        ],
    };
}

/** A provider's version is one of its inputs, so a newer version of the package shows as a change. */
function inputsOf(request: messages.RegisterResourceRequest): PropertyMap {
    const inputs = map(request.getObject());
    const version = request.getVersion();
    return isProviderType(request.getType()) && version !== "" ? { version, ...inputs } : inputs;
}
