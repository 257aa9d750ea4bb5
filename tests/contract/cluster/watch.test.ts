import * as assert from "node:assert/strict";
import { createKubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { steadyNow } from "../../../provider/cluster/clock";
import type { ClusterWatch, WatchedCluster } from "../../../provider/cluster/watch/clusterWatch";
import { type PlayedObject, startWatchedApiServer, type WatchedApiServer } from "./watchedApiServer";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const labels = { "app.kubernetes.io/instance": "basic", "app.kubernetes.io/component": "tikv" };
const podAt = (ordinal: number, resourceVersion = "1", phase = "Pending"): PlayedObject => ({
    metadata: {
        name: `basic-tikv-${ordinal}`,
        namespace: "tidb",
        resourceVersion,
        labels,
        managedFields: [{ manager: "kubelet" }],
    },
    status: { phase },
});

describe("a watch of a cluster's objects", function () {
    this.timeout(30_000);
    let server: WatchedApiServer;
    let watch: ClusterWatch;

    beforeEach(async () => {
        server = await startWatchedApiServer();
        const api = await createKubernetesApi(await loadKubeConfig({ kubeconfig: server.kubeconfig }));
        watch = api.watch(id, steadyNow);
        server.list("pods").push(podAt(0), podAt(1));
        server
            .list("leases")
            .push({ metadata: { name: "basic-pulumi-tidb", namespace: "tidb", resourceVersion: "2" } });
    });
    afterEach(async () => {
        await watch.stop();
        await server.close();
    });

    /** Waits for something to become so. */
    async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
        const end = Date.now() + 20_000;
        while (!(await isSo())) {
            assert.ok(Date.now() < end, "it does not become so");
            await new Promise((resolve) => setTimeout(resolve, 10));
        }
    }
    async function synced(): Promise<WatchedCluster> {
        await until(() => watch.known() !== undefined);
        return watch.known()!;
    }
    async function pods(): Promise<string[] | undefined> {
        const all = await watch.known()?.reads.pods(["tikv"]);
        return all?.map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`).sort();
    }
    const isNow = (...expected: string[]) =>
        until(async () => JSON.stringify(await pods()) === JSON.stringify(expected));

    it("knows nothing before everything was listed", async () => {
        server.refused.set("persistentvolumeclaims", 503);
        assert.equal(watch.known(), undefined);
        await until(() => server.requests.includes("watch pods from 3"));
        assert.equal(watch.known(), undefined);
        server.refused.clear();
        const { lease } = await synced();
        assert.equal(lease?.metadata?.name, "basic-pulumi-tidb");
    });

    it("lists once, and follows changes: late, twice, and of pods that come and go", async () => {
        await synced();
        server.send("pods", "MODIFIED", podAt(1, "4", "Running"));
        server.send("pods", "MODIFIED", podAt(1, "4", "Running"));
        server.send("pods", "ADDED", podAt(2, "5"));
        server.send("pods", "DELETED", podAt(0, "6"));
        server.send("pods", "DELETED", podAt(0, "6"));
        await isNow("basic-tikv-1 Running", "basic-tikv-2 Pending");
        assert.equal(server.requests.filter((request) => request === "list pods").length, 1);
        assert.deepEqual(
            (await watch.known()!.reads.pods(["tikv"])).map(({ metadata }) => metadata?.managedFields),
            [undefined, undefined],
        );
        assert.deepEqual(await watch.known()!.reads.pods(["pd"]), []);
    });

    it("goes on where a broken connection broke, and knows nothing in between", async () => {
        await synced();
        server.send("pods", "MODIFIED", podAt(1, "9", "Running"));
        await isNow("basic-tikv-0 Pending", "basic-tikv-1 Running");
        server.refused.set("watch pods", 503);
        server.breakConnections();
        await until(() => watch.known() === undefined);
        server.refused.clear();
        await synced();
        assert.deepEqual(
            server.requests
                .filter((request) => request.endsWith(" pods") || request === "watch pods from 9")
                .slice(0, 2),
            ["list pods", "watch pods from 9"],
        );
    });

    it("lists again if the API server no longer knows where it was (410 Gone)", async () => {
        await synced();
        server.list("pods").splice(0, 2, podAt(1, "20", "Running"));
        server.refused.set("watch pods", 410);
        server.breakConnections();
        await until(() => server.requests.filter((request) => request === "list pods").length > 1);
        server.refused.clear();
        await isNow("basic-tikv-1 Running");
    });

    it("ends a pause at the next change, at once if there was one already, and not for the Lease", async () => {
        await synced();
        const seen = watch.changes;
        let isOver = false;
        const paused = watch.sleep(15_000, seen).then(() => (isOver = true));
        server.send("leases", "MODIFIED", {
            metadata: { name: "basic-pulumi-tidb", namespace: "tidb", resourceVersion: "8" },
        });
        await until(() => watch.known()?.lease?.metadata?.resourceVersion === "8");
        assert.equal(isOver, false);
        server.send("pods", "ADDED", podAt(2, "5"));
        await paused;
        await watch.sleep(15_000, seen);
    });

    it("is never known to a user who may not watch, so the API server is asked", async () => {
        server.refused.set("watch statefulsets", 403);
        assert.equal(watch.known(), undefined);
        await until(() => server.requests.filter((request) => request.startsWith("watch statefulsets")).length > 1);
        assert.equal(watch.known(), undefined);
    });
});
