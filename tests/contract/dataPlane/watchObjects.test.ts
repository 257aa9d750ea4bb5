import * as assert from "node:assert/strict";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { watchObjects } from "../../../sandbox/watchObjects";

const pod = (name: string, resourceVersion: string): object => ({
    metadata: { name, namespace: "tidb", uid: name, resourceVersion },
});

describe("a watch of the data plane", () => {
    it("lists again after its versions have expired and after an error, and reports what was deleted meanwhile", async () => {
        const expired = { kind: "Status", code: 410 };
        // In order: what each list and each watch answers. The last watch stays open.
        const lists = [[pod("a", "1"), pod("b", "2")], undefined, [pod("b", "2"), pod("c", "9")]];
        const watches = [[{ type: "ERROR", object: expired }], [{ type: "DELETED", object: pod("b", "10") }]];
        const server = http.createServer((request, response) => {
            if (request.url?.includes("watch=true")) {
                response.writeHead(200);
                const events = watches.shift() ?? [];
                events.forEach((event) => response.write(`${JSON.stringify(event)}\n`));
                if (watches.length > 0) {
                    response.end();
                }
                return;
            }
            const items = lists.shift();
            response.writeHead(items ? 200 : 500, { "content-type": "application/json" });
            response.end(JSON.stringify({ metadata: { resourceVersion: "2" }, items }));
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const client = await import("@kubernetes/client-node");
        const kubeconfig = new client.KubeConfig();
        kubeconfig.loadFromClusterAndUser(
            { name: "test", skipTLSVerify: true, server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
            { name: "test" },
        );
        const api = kubeconfig.makeApiClient(client.CoreV1Api);
        const seen: string[] = [];
        const errors: unknown[] = [];
        const watch = await watchObjects(client, kubeconfig, {
            path: "/api/v1/pods",
            list: () => api.listPodForAllNamespaces(),
            onChange: (object) => seen.push(`+${object.metadata?.name}`),
            onDelete: (object) => seen.push(`-${object.metadata?.name}`),
            onError: (error) => errors.push(error),
        });
        for (let tries = 0; tries < 100 && !seen.includes("-b"); tries++) {
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        await watch.stop();
        server.closeAllConnections();
        server.close();
        assert.deepEqual(seen, ["+a", "+b", "-a", "+c", "-b"]);
        assert.equal(errors.length, 1);
    });
});
