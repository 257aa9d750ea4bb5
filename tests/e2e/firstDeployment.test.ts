import * as assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as path from "node:path";
import { stringify } from "yaml";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertUnchanged,
    assertVersion,
    eventsOf,
} from "../support/e2e/expect";
import { basicProgram, clusterStack, openStack } from "../support/e2e/stack";

describeOnEngine("a first deployment", (arena) => {
    it("of examples/basic comes up in order; then an update finds nothing to do, with at most six calls to PD", async () => {
        const stack = openStack(arena(), "basic", basicProgram, "basic");
        const options = { config: { namespace: "basic" } };

        const preview = assertOk(await stack.run("preview", options));
        const rollout = preview.steps.find((step) => step.name === "basic-tikv-rollout");
        assert.match(String(rollout?.diff.deferred.after), /^deferred: this is the first deployment/);
        assert.match(preview.output, /namespace basic: .* also the volume claims.* set retainOnDelete: true/);
        assert.equal((await arena().kubernetes.pods("basic")).length, 0);

        const up = assertOk(await stack.run("up", { ...options, skipPreview: true }));
        assert.equal(up.outputs.host, "basic-tidb.basic.svc:4000");
        assert.deepEqual(up.outputs.images, {
            pd: "pingcap/pd:v8.5.3",
            tikv: "pingcap/tikv:v8.5.3",
            tidb: "pingcap/tidb:v8.5.3",
        });
        assert.ok(up.changes.create > 20);
        await assertVersion(arena(), stack, "v8.5.3", 8);
        const played = stack.played();
        assert.equal(played.stores().filter((store) => store.state === "Up").length, 3);
        assert.equal(played.members().filter((member) => member.healthy).length, 3);
        const kinds = eventsOf(played, ["member-joined", "leader-elected", "store-joined", "store-up"]).map(
            (e) => e.kind,
        );
        assert.ok(kinds.indexOf("leader-elected") < kinds.indexOf("store-joined"), kinds.join(", "));
        const created = (await arena().kubernetes.pods("basic")).map((pod) => ({
            component: pod.metadata?.labels?.["app.kubernetes.io/component"] ?? "",
            at: new Date(pod.metadata?.creationTimestamp ?? 0).getTime(),
        }));
        const times = (component: string) => created.filter((pod) => pod.component === component).map((pod) => pod.at);
        assert.ok(Math.max(...times("pd")) <= Math.min(...times("tikv")), "each PD pod is older than each TiKV pod");
        assert.ok(
            Math.max(...times("tikv")) <= Math.min(...times("tidb")),
            "each TiKV pod is older than each TiDB pod",
        );
        assert.equal(eventsOf(played, ["pod-stopped"]).length, 0);

        const since = played.pdCalls.length;
        const events = played.events.length;
        const again = await stack.run("up", options);
        assertUnchanged(again);
        // The CLI says so of each plugin that it did not install itself.
        const isAboutPlugins = (message: string) => /^using pulumi-resource-\S+ from \$PATH at /.test(message);
        assert.deepEqual(
            again.diagnostics.filter(({ message }) => !isAboutPlugins(message)),
            [],
        );
        const calls = played.pdCallCounts(since);
        const count = Object.values(calls).reduce((sum, one) => sum + one, 0);
        assert.ok(count <= 6, `${count} calls to PD by preview and update: ${JSON.stringify(calls)}`);
        assert.deepEqual(played.events.slice(events), []);
        await assertNothingLeft(arena(), stack);

        assertOk(await stack.run("destroy", { ...options, skipPreview: true }));
        assert.deepEqual(await arena().kubernetes.pods("basic"), []);
        assert.deepEqual(await arena().kubernetes.leases("basic"), []);
    });

    it("from the YAML of a tidb-operator user comes up, and a mistake in it is named by its field", async () => {
        const stack = await clusterStack(arena(), "from-yaml");
        const manifest = {
            apiVersion: "pingcap.com/v1alpha1",
            kind: "TidbCluster",
            metadata: { name: "demo", namespace: "from-yaml" },
            spec: {
                version: "v8.5.2",
                pd: { baseImage: "pingcap/pd", replicas: 1, requests: { storage: "1Gi" }, config: {} },
                tikv: { baseImage: "pingcap/tikv", replicas: 1, requests: { storage: "1Gi" }, config: {} },
                tidb: { baseImage: "pingcap/tidb", replicas: 1, service: { type: "ClusterIP" }, config: {} },
            },
        };
        const file = path.join(arena().folder, "cluster.yaml");
        const options = { skipPreview: true, config: { manifestFile: file, cluster: "{}" } };

        writeFileSync(
            file,
            stringify({ ...manifest, spec: { ...manifest.spec, tikv: { ...manifest.spec.tikv, replicas: -1 } } }),
        );
        assertFailed(await stack.run("up", options), /spec\.tikv\.replicas/, /-1/);
        assert.deepEqual(await arena().kubernetes.pods("from-yaml"), []);

        writeFileSync(file, "spec: [unclosed\n");
        assertFailed(await stack.run("up", options), /cluster\.yaml/, /line \d/);

        writeFileSync(file, stringify(manifest));
        assertOk(await stack.run("up", options));
        await assertVersion(arena(), stack, "v8.5.2", 3);
    });

    it("with a file that PD refuses names PD's message, and goes on where it was once the file is mended", async () => {
        const stack = await clusterStack(arena(), "pd-file");
        const small = (config: object) => ({
            pd: { replicas: 1, config },
            tidb: { replicas: 1 },
            operations: { timeouts: { podReadySeconds: 10 } },
        });
        const crashes =
            /demo-pd-0: container pd .* is in CrashLoopBackOff: toml: cannot load TOML value of type string/;
        assertFailed(
            await stack.up(small({ schedule: { "leader-schedule-limit": "many" } })),
            /pd-answers: demo-pd: /,
            crashes,
        );
        assertOk(await stack.up(small({})));
        const pods = await arena().kubernetes.pods("pd-file");
        const pd = pods.find(({ metadata }) => metadata?.name === "demo-pd-0")?.status?.containerStatuses?.[0];
        assert.deepEqual([pd?.ready, pd?.lastState?.terminated?.exitCode], [true, 1], "the same pod runs again");
    });

    it("refuses a manifest with all its mistakes at once, each by its field, before anything is made", async () => {
        const stack = await clusterStack(arena(), "mistakes");
        const run = await stack.up({ tikv: { replicas: "three", requests: { storage: "1Potato" } } });
        assertFailed(run, /spec\.tikv\.replicas/, /spec\.tikv\.requests\.storage/, /1Potato/);
        assert.deepEqual(await arena().kubernetes.pods("mistakes"), []);
        assert.deepEqual(await arena().kubernetes.leases("mistakes"), []);
    });
});
