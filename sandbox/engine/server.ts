import * as grpc from "@grpc/grpc-js";

/** A running gRPC server. */
export interface RunningServer {
    /** `host:port` on the loopback interface. */
    address: string;
    /** Closes the server at once, including calls that wait for an answer. */
    stop(): void;
}

/** Starts a gRPC server on a free port of the loopback interface. */
export async function startServer(
    services: { definition: grpc.ServiceDefinition; handlers: grpc.UntypedServiceImplementation }[],
): Promise<RunningServer> {
    const maximum = 400 * 1024 * 1024;
    const server = new grpc.Server({ "grpc.max_receive_message_length": maximum });
    services.forEach(({ definition, handlers }) => server.addService(definition, handlers));
    const port = await new Promise<number>((resolve, reject) => {
        server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
            error ? reject(error) : resolve(bound),
        );
    });
    return { address: `127.0.0.1:${port}`, stop: () => server.forceShutdown() };
}
