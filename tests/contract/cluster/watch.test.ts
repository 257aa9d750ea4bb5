import * as assert from "node:assert/strict";
import { createKubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import type { ClusterWatch } from "../../../provider/cluster/watch/clusterWatch";
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
const claim = (name: string, resourceVersion: string, instance?: string): PlayedObject => ({
    metadata: {
        name,
        namespace: "tidb",
        resourceVersion,
        labels: instance === undefined ? undefined : { "app.kubernetes.io/instance": instance },
    },
});

describe("a watch of a cluster's objects", function () {
    this.timeout(30_000);
    let server: WatchedApiServer;
    let watch: ClusterWatch;

    beforeEach(async () => {
        server = await startWatchedApiServer();
        const api = await createKubernetesApi(await loadKubeConfig({ kubeconfig: server.kubeconfig }));
        watch = api.watch(id);
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
    async function synced(): Promise<void> {
        await until(() => watch.known() !== undefined);
    }
    const heard = (changes: number) => until(() => watch.changes >= changes);

    it("knows nothing before everything was listed", async () => {
        server.refused.set("persistentvolumeclaims", 503);
        assert.equal(watch.known(), undefined);
        await until(() => server.requests.includes("watch pods from 3"));
        assert.equal(watch.known(), undefined);
        server.refused.clear();
        await synced();
        assert.equal(watch.known()?.lease?.metadata?.name, "basic-pulumi-tidb");
    });

    it("lists once, and hears of changes: of pods that come, change and go, and of claims", async () => {
        await synced();
        for (const [kind, type, object] of [
            ["pods", "MODIFIED", podAt(1, "4", "Running")],
            ["pods", "ADDED", podAt(2, "5")],
            ["pods", "DELETED", podAt(0, "6")],
            ["persistentvolumeclaims", "ADDED", claim("tikv-basic-tikv-0", "7", "basic")],
        ] as const) {
            const before = watch.changes;
            server.send(kind, type, object);
            await heard(before + 1);
        }
        assert.equal(server.requests.filter((request) => request === "list pods").length, 1);
    });

    it("goes on where a broken connection broke, and knows nothing in between", async () => {
        await synced();
        const before = watch.changes;
        server.send("pods", "MODIFIED", podAt(1, "9", "Running"));
        await heard(before + 1);
        server.refused.set("watch pods", 503);
        server.breakConnections();
        await until(() => watch.known() === undefined);
        assert.ok(watch.changes > before + 1, "what was read before counts no longer");
        const broken = watch.changes;
        server.refused.clear();
        await synced();
        assert.ok(watch.changes > broken, "what was read in between counts no longer");
        assert.deepEqual(
            server.requests
                .filter((request) => request.endsWith(" pods") || request === "watch pods from 9")
                .slice(0, 2),
            ["list pods", "watch pods from 9"],
        );
    });

    it("lists again if the API server no longer knows where it was (410 Gone), and hears of what it has missed", async () => {
        await synced();
        const before = watch.changes;
        server.list("pods").splice(0, 2, podAt(1, "20", "Running"));
        server.refused.set("watch pods", 410);
        server.breakConnections();
        await until(() => server.requests.filter((request) => request === "list pods").length > 1);
        server.refused.clear();
        await heard(before + 1);
    });

    it("ends a pause at the next change, at once if there was one already, and not for the Lease", async () => {
        await synced();
        const seen = watch.changes;
        let isOver = false;
        const paused = watch.sleep(15_000, seen, 0).then(() => (isOver = true));
        server.send("leases", "MODIFIED", {
            metadata: { name: "basic-pulumi-tidb", namespace: "tidb", resourceVersion: "8" },
        });
        await until(() => watch.known()?.lease?.metadata?.resourceVersion === "8");
        assert.equal(isOver, false);
        server.send("pods", "ADDED", podAt(2, "5"));
        await paused;
        await watch.sleep(15_000, seen, 0);
    });

    it("lets a pause last as long as it must, although something has changed before or meanwhile", async () => {
        await synced();
        const seen = watch.changes;
        server.send("pods", "ADDED", podAt(2, "5"));
        for (let time = 0; time < 2; time += 1) {
            const began = performance.now();
            await watch.sleep(15_000, seen, 400);
            const paused = performance.now() - began;
            assert.ok(paused > 390 && paused < 10_000, `it paused for ${paused} ms`);
        }
    });

    it("hears of the claims of the cluster's pods alone: by name, because not all have labels", async () => {
        await synced();
        const seen = watch.changes;
        const send = (object: PlayedObject) => server.send("persistentvolumeclaims", "ADDED", object);
        // Those of a job, of another cluster, and of a StatefulSet of somebody else.
        ["build-cache-17", "tikv-other-tikv-0", "data-basic-mysql-0", "basic-tikv-0", "tikv-basic-tikv-01"].forEach(
            (name, n) => send(claim(name, `${10 + n}`, "basic")),
        );
        send(claim("tikv-basic-tikv-7", "20"));
        await heard(seen + 1);
        send(claim("pd-wal-basic-pd-0", "21", "restored"));
        await heard(seen + 2);
        // The server sends in order, so what came before has been heard.
        assert.equal(watch.changes, seen + 2);
    });

    it("is never known to a user who may not watch, so the API server is asked", async () => {
        server.refused.set("watch statefulsets", 403);
        assert.equal(watch.known(), undefined);
        await until(() => server.requests.filter((request) => request.startsWith("watch statefulsets")).length > 1);
        assert.equal(watch.known(), undefined);
    });
});
