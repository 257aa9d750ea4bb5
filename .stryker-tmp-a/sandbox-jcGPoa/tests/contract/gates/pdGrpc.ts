import * as grpc from "@grpc/grpc-js";
import { submessage } from "../pd/protobuf";

/** The calls by which a store speaks to a real PD. Messages are bytes, as tests/contract/pd/protobuf.ts writes them. */
export interface PdGrpc {
    /** @throws Error where PD refuses the call, or does not answer within two seconds. */
    tell(method: string, request: Buffer): Promise<void>;
    /** The stream on which a store reports its regions, and hears what PD wants of them. */
    openReports(): grpc.ClientDuplexStream<Buffer, Buffer>;
    close(): void;
}

const asIs = (bytes: Buffer) => bytes;
const timeLimitMilliseconds = 2000;

/** @param address as `host:port`. */
export function connectToPd(address: string): PdGrpc {
    const client = new grpc.Client(address, grpc.credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
    return {
        tell: (method, request) =>
            new Promise((resolve, reject) => {
                const deadline = Date.now() + timeLimitMilliseconds;
                client.makeUnaryRequest(`/pdpb.PD/${method}`, asIs, asIs, request, { deadline }, (error, answer) => {
                    const refusal = answer && refusalIn(answer);
                    if (error || refusal) {
                        reject(error ?? new Error(`${method}: ${submessage(refusal!, 2)?.toString() ?? "refused"}`));
                    } else {
                        resolve();
                    }
                });
            }),
        openReports: () => client.makeBidiStreamRequest("/pdpb.PD/RegionHeartbeat", asIs, asIs),
        close: () => client.close(),
    };
}

/** PD puts its own errors into the answer's header: ResponseHeader.error. */
export function refusalIn(answer: Buffer): Buffer | undefined {
    return submessage(submessage(answer, 1) ?? Buffer.alloc(0), 2);
}
