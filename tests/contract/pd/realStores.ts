import * as grpc from "@grpc/grpc-js";
import { message, submessage } from "./protobuf";
import type { RealPdTls } from "./realPd";

/** Stores that are none: they register with a real PD and send heartbeats, as TiKV does over gRPC. */
export interface RealStores {
    /** Sends every store's heartbeat once. PD holds a store that is silent for 20 s to be Disconnected. */
    beat(): Promise<void>;
    close(): void;
}

/** `address` is of PD's leader, `host:port`. The first store bootstraps the cluster with one region. */
export async function registerStores(
    address: string,
    clusterId: string,
    ids: readonly number[],
    tls?: Pick<RealPdTls, "ca" | "client" | "serverName">,
): Promise<RealStores> {
    const credentials = tls
        ? grpc.credentials.createSsl(...[tls.ca, tls.client.key, tls.client.cert].map((text) => Buffer.from(text)))
        : grpc.credentials.createInsecure();
    const options = tls && { "grpc.ssl_target_name_override": tls.serverName("basic-pd-0") };
    const client = new grpc.Client(address, credentials, options);
    const header = message([1, BigInt(clusterId)]);
    const call = (method: string, request: Buffer) => unary(client, `/pdpb.PD/${method}`, request);
    const store = (id: number) => message([1, id], [2, `127.0.0.1:${20160 + id}`], [5, "8.5.4"]);
    const [firstId, ...otherIds] = ids;
    const epoch = message([1, 1], [2, 1]);
    const peer = message([1, 1001], [2, firstId]);
    const region = message([1, 1000], [4, epoch], [5, peer]);
    await call("Bootstrap", message([1, header], [2, store(firstId)], [3, region]));
    for (const id of otherIds) {
        await call("PutStore", message([1, header], [2, store(id)]));
    }
    const stores: RealStores = {
        async beat() {
            for (const id of ids) {
                const stats = message([1, id], [2, 2 ** 40], [3, 2 ** 39], [8, Math.floor(Date.now() / 1000)]);
                await call("StoreHeartbeat", message([1, header], [2, stats]));
            }
        },
        close: () => client.close(),
    };
    await stores.beat();
    return stores;
}

function unary(client: grpc.Client, path: string, request: Buffer): Promise<void> {
    const asIs = (bytes: Buffer) => bytes;
    return new Promise((resolve, reject) => {
        client.makeUnaryRequest(path, asIs, asIs, request, { deadline: Date.now() + 5000 }, (error, response) => {
            // PD puts its own errors into the answer's header: ResponseHeader.error, Error.message.
            const refusal = response && submessage(submessage(response, 1) ?? Buffer.alloc(0), 2);
            if (error || refusal) {
                reject(error ?? new Error(`${path}: ${submessage(refusal!, 2)?.toString() ?? "refused"}`));
            } else {
                resolve();
            }
        });
    });
}
