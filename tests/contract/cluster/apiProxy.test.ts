import * as assert from "node:assert/strict";
import { createServer as createHttp, type RequestListener } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createKubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { createAuthority, issue } from "../../support/certificates/certificates";

const listen = async (server: Server): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
};

/** A proxy hands over a connection that is open already; with TLS, its handshake is still to come. */
describe("an API server behind the proxy of the kubeconfig", () => {
    let received: string[];
    let tunnels: number;
    let isLost: boolean;
    const sockets = new Set<Socket>();
    const servers: Server[] = [];
    let serverOf: Record<"http" | "https", string>;
    let proxy: string;
    before(async () => {
        const answer: RequestListener = ({ method }, response) => {
            received.push(method ?? "");
            response.writeHead(200, { "content-type": "application/json" });
            response.end(JSON.stringify({ metadata: { name: "basic-pulumi-tidb" } }));
        };
        const certificate = await issue(await createAuthority("one"), ["127.0.0.1"]);
        const front = createServer((socket) => {
            sockets.add(socket);
            socket
                .on("error", () => undefined)
                .once("data", (head) => {
                    tunnels += 1;
                    const [, port] = /^CONNECT \S+:(\d+) /.exec(head.toString()) ?? [];
                    const behind = connect(Number(port), "127.0.0.1", () => {
                        // The lock is lost while the tunnel is opened.
                        isLost = true;
                        socket.write("HTTP/1.1 200 OK\r\n\r\n");
                        socket.pipe(behind).pipe(socket);
                    });
                    behind.on("error", () => socket.destroy());
                });
        });
        const [plain, tls] = [createHttp(answer), createHttps(certificate, answer)];
        servers.push(plain, tls, front);
        serverOf = {
            http: `http://127.0.0.1:${await listen(plain)}`,
            https: `https://127.0.0.1:${await listen(tls)}`,
        };
        proxy = `http://127.0.0.1:${await listen(front)}`;
    });
    after(() => {
        sockets.forEach((socket) => socket.destroy());
        servers.forEach((server) => server.close());
    });
    beforeEach(() => ([received, tunnels, isLost] = [[], 0, false]));

    for (const scheme of ["http", "https"] as const) {
        it(`is asked through it, and a change is checked once its tunnel is open (${scheme})`, async () => {
            const cluster = { server: serverOf[scheme], "insecure-skip-tls-verify": true, "proxy-url": proxy };
            const one = { name: "one", cluster, user: {}, context: { cluster: "one", user: "one" } };
            const lists = { clusters: [one], users: [one], contexts: [one], "current-context": "one" };
            const kubeconfig = JSON.stringify({ apiVersion: "v1", kind: "Config", ...lists });
            const api = await createKubernetesApi(await loadKubeConfig({ kubeconfig }));
            assert.equal((await api.readLease("tidb", "basic-pulumi-tidb"))?.metadata?.name, "basic-pulumi-tidb");
            isLost = false;
            const guarded = api.guardedBy(() => {
                if (isLost) {
                    throw new StaleDecision("the lock is lost");
                }
            });
            await assert.rejects(guarded.deletePod("tidb", "basic-tikv-2", "u", "1"), StaleDecision);
            assert.deepEqual([received, tunnels], [["GET"], 2]);
        });
    }
});
