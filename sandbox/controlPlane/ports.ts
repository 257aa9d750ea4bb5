import * as net from "node:net";
import { loopback, type Ports } from "./arguments";

/** Returns the given number of different free ports. All are held open until the last one is known. */
export async function findFreePorts(count: number): Promise<number[]> {
    const servers = await Promise.all(
        Array.from(
            { length: count },
            () =>
                new Promise<net.Server>((resolve, reject) => {
                    const server = net.createServer();
                    server.once("error", reject);
                    server.listen({ host: loopback, port: 0 }, () => resolve(server));
                }),
        ),
    );
    const ports = servers.map((server) => (server.address() as net.AddressInfo).port);
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    return ports;
}

/** Chooses the ports of one sandbox. */
export async function choosePorts(): Promise<Ports> {
    const [etcd, etcdPeer, apiServer, kubelet] = await findFreePorts(4);
    return { etcd, etcdPeer, apiServer, kubelet };
}

/** Whether the last lines of a program's log report that its port is in use. */
export function isPortInUse(lastLines: string[]): boolean {
    return lastLines.some((line) => /address already in use|EADDRINUSE/i.test(line));
}
