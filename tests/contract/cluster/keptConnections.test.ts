import * as assert from "node:assert/strict";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createKubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { keptConnections } from "../../../provider/cluster/keptConnections";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { type LoopbackServer, startLoopbackServer } from "./loopbackServer";

describe("the connections to the API server", () => {
    const sockets = new Set<Socket>();
    let server: LoopbackServer;
    before(async () => {
        server = await startLoopbackServer((request, response) => {
            sockets.add(request.socket);
            response.writeHead(200, { "content-type": "application/json" });
            response.end(JSON.stringify({ metadata: { name: "basic-pulumi-tidb" }, items: [] }));
        });
    });
    after(() => server.close());
    beforeEach(() => sockets.clear());

    const config = () => loadKubeConfig({ kubeconfig: server.kubeconfig });
    /** @returns the agents of requests one after the other. @param before what happens before each but the first. */
    const agentsOf = async (before: (one: Awaited<ReturnType<typeof config>>) => unknown, idleTimeout?: number) => {
        const client = await import("@kubernetes/client-node");
        const loaded = await config();
        const { applySecurityAuthentication } = keptConnections(loaded, idleTimeout);
        const agents = new Set<unknown>();
        for (let request = 0; request < 3; request++) {
            await (request === 0 ? undefined : before(loaded));
            const context = new client.RequestContext("http://127.0.0.1/", client.HttpMethod.GET);
            await applySecurityAuthentication(context);
            agents.add(context.getAgent());
        }
        return agents;
    };

    it("carry one request after the other, and each page of a list", async () => {
        const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
        const api = await createKubernetesApi(await config());
        for (let request = 0; request < 5; request++) {
            assert.equal((await api.readLease("tidb", "basic-pulumi-tidb"))?.metadata?.name, "basic-pulumi-tidb");
            assert.deepEqual(await api.readPods(id, "pd", () => 0), []);
        }
        assert.equal(sockets.size, 1);
    });
    it("are opened anew after they broke", async () => {
        const api = await createKubernetesApi(await config());
        await api.readLease("tidb", "basic-pulumi-tidb");
        server.breakConnections();
        await pause(50);
        await api.readLease("tidb", "basic-pulumi-tidb");
        assert.equal(sockets.size, 2);
    });
    it("are for one set of credentials: those that changed get their own", async () => {
        assert.equal((await agentsOf(() => undefined)).size, 1);
        const renewed = await agentsOf((loaded) => {
            const [user] = loaded.users;
            const data = Buffer.from(`certificate ${Math.random()}`).toString("base64");
            loaded.users = [{ ...user, certData: data, keyData: data }];
        });
        assert.equal(renewed.size, 3);
    });
    it("of a proxy are left to its agent", async () => {
        const agents = await agentsOf((loaded) => {
            loaded.clusters = loaded.clusters.map((one) => ({ ...one, proxyUrl: "http://127.0.0.1:1" }));
        });
        assert.equal(agents.size, 3);
    });
    it("end when nobody has used them for a while", async () => {
        const agents = await agentsOf(() => undefined, 40);
        const [{ options }] = agents as Set<{ options: { keepAlive: boolean; timeout: number } }>;
        assert.deepEqual([options.keepAlive, options.timeout], [true, 40]);
    });
});
