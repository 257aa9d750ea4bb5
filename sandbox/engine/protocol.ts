import * as grpc from "@grpc/grpc-js";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { type PropertyMap } from "./values";

/** Converts properties to the form of Pulumi's protocol. */
export function struct(properties: PropertyMap): Struct {
    return Struct.fromJavaScript(properties);
}

/** Converts properties from the form of Pulumi's protocol. Undefined becomes an empty map. */
export function map(properties: Struct | undefined): PropertyMap {
    return (properties?.toJavaScript() ?? {}) as PropertyMap;
}

/**
 * Makes a handler for a protocol call with a single answer. An exception is sent to the caller as an error with the
 * same message.
 * @param codeOf the status code of an error; default: UNKNOWN
 */
export function unary<Request, Response>(
    answer: (request: Request) => Promise<Response>,
): grpc.handleUnaryCall<Request, Response> {
    return (call, callback) => {
        answer(call.request).then(
            (response) => callback(null, response),
            (error: Error) => callback({ code: grpc.status.UNKNOWN, details: error.message }),
        );
    };
}
