import type * as grpc from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type Reporter, type Severity } from "./events";

/** The engine service, where programs and providers send their log messages. */
export function engineService(report: Reporter): {
    definition: typeof EngineService;
    handlers: grpc.UntypedServiceImplementation;
} {
    let root = "";
    const severities: Record<number, Severity> = { 0: "debug", 1: "info", 2: "warning", 3: "error" };
    const handlers = {
        log(call: grpc.ServerUnaryCall<messages.LogRequest, Empty>, callback: grpc.sendUnaryData<Empty>) {
            const request = call.request;
            const severity = severities[request.getSeverity()] ?? "info";
            // The SDK writes thousands of debug messages, which would hide the others.
            if (severity !== "debug") {
                report.diagnostic({
                    severity,
                    urn: request.getUrn() || undefined,
                    message: request.getMessage(),
                    ephemeral: request.getEphemeral(),
                });
            }
            callback(null, new Empty());
        },
        getRootResource(
            _: grpc.ServerUnaryCall<messages.GetRootResourceRequest, messages.GetRootResourceResponse>,
            callback: grpc.sendUnaryData<messages.GetRootResourceResponse>,
        ) {
            callback(null, new messages.GetRootResourceResponse().setUrn(root));
        },
        setRootResource(
            call: grpc.ServerUnaryCall<messages.SetRootResourceRequest, messages.SetRootResourceResponse>,
            callback: grpc.sendUnaryData<messages.SetRootResourceResponse>,
        ) {
            root = call.request.getUrn();
            callback(null, new messages.SetRootResourceResponse());
        },
    };
    return { definition: EngineService, handlers };
}
