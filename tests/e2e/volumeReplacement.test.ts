import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import { assertOk, assertUnchanged, dataLoaded, eventsOf, planOf, until } from "../support/e2e/expect";
import { storageClass } from "../support/e2e/storageClass";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";

const namespace = "classes";

describeOnEngine("volumes that the program wants of another class", (arena) => {
    const of = (storageClassName: string, more: ClusterChange = {}): ClusterChange => ({
        pd: { replicas: 3, requests: { storage: "2Gi" }, storageClassName },
        tikv: { replicas: 4, requests: { storage: "2Gi" }, storageClassName },
        tidb: {
            replicas: 1,
            storageVolumes: [{ name: "log", storageSize: "2Gi", mountPath: "/log" }],
            storageClassName,
        },
        ...more,
    });
    let stack: ClusterStack;
    before(async () => {
        const { KubeConfig, StorageV1Api } = await import("@kubernetes/client-node");
        const config = new KubeConfig();
        config.loadFromFile(arena().sandbox.kubeconfig);
        const storage = config.makeApiClient(StorageV1Api);
        for (const name of ["dear", "cheap"]) {
            await storage.createStorageClass({ body: storageClass(name) });
        }
        stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(of("dear")));
        await dataLoaded(stack.played());
    });

    /** The class of each volume in use. */
    const classes = async () => {
        const claims = await arena().kubernetes.claims(namespace);
        const used = claims.filter(({ metadata }) => !metadata?.annotations?.["tidb.pingcap.com/pvc-defer-deleting"]);
        return Object.fromEntries(used.map(({ metadata, spec }) => [metadata?.name, spec?.storageClassName]));
    };
    const all = (name: string) =>
        Object.fromEntries(
            [
                ...[0, 1, 2].map((ordinal) => `pd-demo-pd-${ordinal}`),
                ...[0, 1, 2, 3].map((ordinal) => `tikv-demo-tikv-${ordinal}`),
                "tidb-log-demo-tidb-0",
            ].map((claim) => [claim, name]),
        );
    const ordinals = (prefix: string, from: readonly number[]) => from.map((ordinal) => `${prefix}-${ordinal}`);

    it("are shown pod by pod, and nothing is changed by that", async () => {
        const preview = assertOk(await stack.preview(of("cheap")));
        assert.deepEqual(
            planOf(preview, "demo-tikv-scale").map((line) => line.split(" (")[0]),
            [
                "recreate StatefulSet demo-tikv",
                ...ordinals("replace the volumes of demo-tikv", [3, 2, 1, 0]),
                "remove demo-tikv-4",
            ],
        );
        assert.deepEqual(await classes(), all("dear"));
    });

    it("are replaced by two runs, the first of which is killed while a store leaves PD", async () => {
        const played = stack.played();
        const before = played.events.length;
        const run = stack.startUp(of("cheap"));
        const removed = () => eventsOf(played, ["store-deleted"], before).length;
        await until("a second store leaves PD", () => removed() >= 2 || undefined, 300_000);
        run.kill();
        assert.ok(!(await run.done).ok);
        assertOk(await stack.up(of("cheap")));
        assert.deepEqual(await classes(), all("cheap"));
        const up = played.stores().filter(({ state }) => state === "Up");
        assert.deepEqual(up.map(({ pod }) => pod).sort(), ordinals("demo-tikv", [0, 1, 2, 3]));
        assert.deepEqual((await arena().kubernetes.records(namespace, "demo")).removals, {});
    });

    it("leave nothing to do for Pulumi", async () => {
        assertUnchanged(await stack.up(of("cheap")));
        const refreshed = assertOk(await stack.run("refresh"));
        const changed = refreshed.steps.filter(({ op }) => op !== "same" && op !== "refresh");
        assert.deepEqual(
            changed.map(({ op, name }) => `${op} ${name}`),
            [],
        );
        assertOk(await stack.up(of("cheap", { version: "v8.5.3" })));
    });
});
