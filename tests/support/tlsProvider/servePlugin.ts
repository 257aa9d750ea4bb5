import type * as grpc from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { map, struct, unary } from "../../../sandbox/engine/protocol";
import type { Provider } from "../../../sandbox/engine/provider";
import { startServer } from "../../../sandbox/engine/server";
import { typeOf } from "../../../sandbox/engine/urn";

/**
 * Serves a provider as a Pulumi plugin: over gRPC, on the port that it prints. It does not declare support for secrets,
 * so it receives values in clear text, and the caller marks secrets again in the answers.
 */
export async function servePlugin(provider: Provider, version: string): Promise<void> {
    const { address } = await startServer([
        { definition: ResourceProviderService, handlers: handlers(provider, version) },
    ]);
    console.log(address.split(":")[1]);
}

function handlers(provider: Provider, version: string): grpc.UntypedServiceImplementation {
    return {
        getPluginInfo: unary(async () => new PluginInfo().setVersion(version)),
        configure: unary(async () => new messages.ConfigureResponse().setSupportspreview(true)),
        cancel: unary(async () => new Empty()),
        check: unary(async (request: messages.CheckRequest) => {
            const { inputs, failures } = await provider.check({
                ...subject(request),
                olds: map(request.getOlds()),
                news: map(request.getNews()),
            });
            const told = failures.map(({ property, reason }) =>
                new messages.CheckFailure().setProperty(property).setReason(reason),
            );
            return new messages.CheckResponse().setInputs(struct(inputs)).setFailuresList(told);
        }),
        diff: unary(async (request: messages.DiffRequest) => {
            const { changes, replaces } = await provider.diff({ ...subject(request), ...change(request) });
            const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
            return new messages.DiffResponse()
                .setChanges(changes === "none" ? DIFF_NONE : DIFF_SOME)
                .setReplacesList(replaces);
        }),
        create: unary(async (request: messages.CreateRequest) => {
            const inputs = map(request.getProperties());
            const { id, outputs } = await provider.create({
                ...subject(request),
                inputs,
                preview: request.getPreview(),
            });
            return new messages.CreateResponse().setId(id ?? "").setProperties(struct(outputs));
        }),
        update: unary(async (request: messages.UpdateRequest) => {
            const { outputs } = await provider.update({
                ...subject(request),
                ...change(request),
                preview: request.getPreview(),
            });
            return new messages.UpdateResponse().setProperties(struct(outputs));
        }),
        delete: unary(async (request: messages.DeleteRequest) => {
            const [inputs, outputs] = [map(request.getOldInputs()), map(request.getProperties())];
            await provider.delete({ ...subject(request), id: request.getId(), inputs, outputs });
            return new Empty();
        }),
        read: unary(async (request: messages.ReadRequest) => {
            const [inputs, outputs] = [map(request.getInputs()), map(request.getProperties())];
            const found = await provider.read({ ...subject(request), id: request.getId(), inputs, outputs });
            return new messages.ReadResponse()
                .setId(found?.id ?? "")
                .setInputs(struct(found?.inputs ?? {}))
                .setProperties(struct(found?.outputs ?? {}));
        }),
    };
}

function subject(request: { getUrn(): string }): { urn: string; type: string } {
    return { urn: request.getUrn(), type: typeOf(request.getUrn()) };
}

function change(request: messages.DiffRequest | messages.UpdateRequest) {
    return {
        id: request.getId(),
        oldInputs: map(request.getOldInputs()),
        oldOutputs: map(request.getOlds()),
        news: map(request.getNews()),
        ignoreChanges: request.getIgnorechangesList(),
    };
}
