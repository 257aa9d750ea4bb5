import * as grpc from "@grpc/grpc-js";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { type PropertyMap } from "./values";

/** Properties as Pulumi's protocol carries them. */
export function struct(properties: PropertyMap): Struct {
    return Struct.fromJavaScript(properties);
}

/** What Pulumi's protocol carried; nothing is no properties. */
export function map(properties: Struct | undefined): PropertyMap {
    return (properties?.toJavaScript() ?? {}) as PropertyMap;
}

/**
 * A call of the protocol with one answer. What it throws is told in its words.
 * @param codeOf the status of an error; by default UNKNOWN
 */
export function unary<Request, Response>(
    answer: (request: Request) => Promise<Response>,
    codeOf: (error: Error) => grpc.status = () => grpc.status.UNKNOWN,
): grpc.handleUnaryCall<Request, Response> {
    return (call, callback) => {
        answer(call.request).then(
            (response) => callback(null, response),
            (error: Error) => callback({ code: codeOf(error), details: error.message }),
        );
    };
}
