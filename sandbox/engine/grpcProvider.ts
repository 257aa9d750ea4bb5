import type * as grpc from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { map, struct } from "./protocol";
import { type CreateAnswer, PartialFailure, type Provider } from "./provider";

/** A configured provider and its capabilities. */
export interface ConnectedProvider {
    client: ResourceProviderClient;
    /** Whether it can preview a creation or an update. */
    previews: boolean;
}

/** Adapts a provider that speaks Pulumi's gRPC protocol to the engine's interface. */
export function grpcProvider(connected: Promise<ConnectedProvider>): Provider {
    return {
        async check({ urn, olds, news }) {
            const { client } = await connected;
            const request = new messages.CheckRequest().setUrn(urn);
            request.setOlds(struct(olds ?? {})).setNews(struct(news));
            const response = await call<messages.CheckResponse>((done) => client.check(request, done));
            const failures = response
                .getFailuresList()
                .map((f) => ({ property: f.getProperty(), reason: f.getReason() }));
            return { inputs: map(response.getInputs()), failures };
        },
        async diff({ urn, id, oldInputs, oldOutputs, news, ignoreChanges }) {
            const { client } = await connected;
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
            const { client, previews } = await connected;
            if (preview && !previews) {
                return { outputs: inputs };
            }
            const request = new messages.CreateRequest().setUrn(urn).setProperties(struct(inputs)).setPreview(preview);
            const response = await call<messages.CreateResponse>((done) => client.create(request, done));
            return { id: preview ? undefined : response.getId(), outputs: map(response.getProperties()) };
        },
        async update({ urn, id, oldInputs, oldOutputs, news, ignoreChanges, preview }) {
            const { client, previews } = await connected;
            if (preview && !previews) {
                return { outputs: news };
            }
            const request = new messages.UpdateRequest().setUrn(urn).setId(id).setIgnorechangesList(ignoreChanges);
            request
                .setOlds(struct(oldOutputs))
                .setNews(struct(news))
                .setOldInputs(struct(oldInputs))
                .setPreview(preview);
            const response = await call<messages.UpdateResponse>((done) => client.update(request, done));
            return { outputs: map(response.getProperties()) };
        },
        async delete({ urn, id, inputs, outputs }) {
            const { client } = await connected;
            const request = new messages.DeleteRequest().setUrn(urn).setId(id);
            request.setProperties(struct(outputs)).setOldInputs(struct(inputs));
            await call((done) => client.delete(request, done));
        },
        async read({ urn, id, inputs, outputs }) {
            const { client } = await connected;
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

/**
 * Makes one call of the protocol.
 * @throws PartialFailure, or an Error with the provider's message
 */
export function call<T>(start: (done: (error: grpc.ServiceError | null, response: T) => void) => unknown): Promise<T> {
    return new Promise((resolve, reject) => {
        start((error, response) =>
            error ? reject(partialFailure(error) ?? new Error(error.details)) : resolve(response),
        );
    });
}

/** A provider that created the resource and then failed reports that in the details of its error. */
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
