import * as assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import * as path from "node:path";
import { type Sandbox, startSandbox } from "pulumi-tidb-sandbox";
import type { PulumiRun } from "pulumi-tidb-sandbox/pulumi";
import { describeOnEngine } from "../support/e2e/arena";
import { assertFailed, assertOk, assertVersion, dataLoaded, stoppedPods } from "../support/e2e/expect";
import { kubernetesSide } from "../support/e2e/kubernetes";
import {
    type ClusterChange,
    clusterConfig,
    type ClusterStack,
    clusterStack,
    openStack,
    parameterisedProgram,
} from "../support/e2e/stack";
import { statusOfStack } from "../support/e2e/statusCommand";
import { type Permission, permissionsOf, statusPermissionsOf } from "../../topology/permissions";
import { repeats } from "../support/repeats";

/**
 * How long a run may take that does not find its cluster: one time limit of 8 s longer than one that does, not one for
 * each of the eight gates. On a busy machine either takes twice as long now and then.
 */
const enough = (usual: number) => 2 * usual + 10_000;
const small = { pd: { replicas: 1 }, tikv: { replicas: 1 }, tidb: { replicas: 1 } };

/** Accepts connections and never says a word, as a firewall does that drops what it is sent. */
async function silentServer(): Promise<{ port: number; close(): void }> {
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        port: (server.address() as AddressInfo).port,
        close: () => {
            server.close();
            sockets.forEach((socket) => socket.destroy());
        },
    };
}

describeOnEngine("the way to the cluster", (arena) => {
    let stack: ClusterStack;
    let usual: number;
    const inFolder = (name: string) => path.join(arena().folder, name);

    before(async () => {
        stack = await clusterStack(arena(), "access");
        assertOk(await stack.up(small));
        usual = assertOk(await stack.preview(small)).milliseconds;
    });

    it("a kubeconfig that is not there is an error that names the file, at once", async () => {
        const run = await stack.preview({ ...small, args: { kubeconfig: inFolder("missing") } });
        assertFailed(run, /found no kubeconfig: .*missing, given as `kubeconfig`, does not exist; pass another one/);
        assert.ok(run.milliseconds < enough(usual));

        const everywhere = await stack.preview(small, { environment: { KUBECONFIG: inFolder("missing-too") } });
        assertFailed(everywhere, /missing-too/);
        assert.ok(everywhere.milliseconds < enough(usual));
    });

    it("a context that the kubeconfig does not have is an error that names those it has", async () => {
        const run = await stack.preview({ ...small, args: { context: "production" } });
        assertFailed(run, /has no context "production"; it has sandbox-/);
        assert.ok(run.milliseconds < enough(usual));
    });

    it("an API server that does not answer is named: a warning in the preview where nothing changed, an error of an update within seconds", async () => {
        const silent = await silentServer();
        try {
            const server = `https://127.0.0.1:${silent.port}`;
            const kubeconfig = readFileSync(arena().sandbox.kubeconfig, "utf8").replace(
                /server: \S+/,
                `server: ${server}`,
            );
            writeFileSync(inFolder("silent"), kubeconfig);
            const args = { kubeconfig: inFolder("silent") };
            const idle = assertOk(await stack.preview({ ...small, args }));
            const warning = `could not reach the API server at ${server} to read Lease demo-pulumi-tidb: no answer within 8 s; the plan below is NOT based on the live cluster. Make it reachable before \`pulumi up\``;
            const silentWarnings = ({ diagnostics }: PulumiRun) =>
                diagnostics
                    .filter(({ severity, message }) => severity === "warning" && message.includes(server))
                    .map(({ message }) => message);
            assert.deepEqual(silentWarnings(idle), [warning], "one for the whole cluster");
            assert.ok(idle.milliseconds < enough(usual), `${idle.milliseconds} against ${usual}`);
            // How many replicas there are is not known: `up` sees that first, and lets none go meanwhile.
            assert.deepEqual(
                idle.steps.filter(({ op }) => op === "update").map(({ name }) => name.replace(/.*-/, "")),
                Array(idle.changes.update).fill("scale"),
            );
            assertFailed(
                await stack.up({ ...small, args }),
                new RegExp(`could not reach the API server at ${server} to `),
            );
            const change = { ...small, tikv: { replicas: 1, version: "v8.5.3" }, args };
            assert.deepEqual(silentWarnings(assertOk(await stack.preview(change))), [warning]);
            const failed = await stack.up(change);
            assertFailed(
                failed,
                new RegExp(`could not reach the API server at ${server} to .*no answer within`),
                /demo-cluster \*\*updating failed\*\*|demo-cluster: error/,
            );
            assert.equal(failed.changes.update, 0, "the cluster's gate fails before anything is changed");
            assert.deepEqual(stoppedPods(stack.played()), []);
        } finally {
            silent.close();
        }
    });

    it("a missing namespace and an earlier version are refused in the preview", async () => {
        const nowhere = openStack(arena(), "nowhere", parameterisedProgram, "demo");
        assertFailed(
            await nowhere.run("preview", { config: clusterConfig("nowhere", small) }),
            /metadata\.namespace: found nowhere, expected a namespace that exists\. Create it: kubectl create namespace nowhere/,
        );
        const back = { ...small, version: "v8.1.2" };
        assertFailed(
            await stack.preview(back),
            /spec\.version: found v8\.1\.2, but demo-pd-0 runs v8\.5\.2, demo-tikv-0 runs v8\.5\.2, demo-tidb-0 runs v8\.5\.2\./,
        );
        const allowed = assertOk(await stack.preview({ ...back, operations: { allowDowngrade: true } }));
        repeats(allowed.output, "warning: spec.version: found v8.1.2", "operations.allowDowngrade");
    });

    describe("with a second sandbox", () => {
        let other: Sandbox;
        before(async () => {
            other = await startSandbox({ nodes: 1 });
        });
        after(async () => {
            await other?.down();
        });

        it("a gate that looks at another cluster than the Kubernetes provider refuses to act", async () => {
            const change = {
                ...small,
                tikv: { replicas: 1, version: "v8.5.3" },
                args: { kubeconfig: other.kubeconfig },
            };
            assertFailed(
                await stack.preview(change),
                /Lease access\/demo-pulumi-tidb is not in the Kubernetes cluster that the gates reach/,
            );
            const there = await kubernetesSide(other.kubeconfig);
            await there.createNamespace("access");
            await there.createLease("access", "demo-pulumi-tidb");
            const output = assertFailed(await stack.up(change), /these are two clusters/, /Nothing is done/);
            const [here] = await arena().kubernetes.leases("access");
            assert.ok(output.includes(here.metadata?.uid ?? "no uid"), "the UID that was expected");
            assert.deepEqual(stoppedPods(stack.played()), []);
            assertOk(await stack.up({ ...small, tikv: { replicas: 1, version: "v8.5.3" } }));
            await dataLoaded(stack.played());
            assert.deepEqual(stoppedPods(stack.played()), ["demo-tikv-0"]);
        });
    });

    describe("with a user who has only the documented permissions", () => {
        const all = permissionsOf("demo");
        const upgrade = { ...small, version: "v8.5.3" };
        const as = async (name: string, permissions: typeof all) => {
            const rules = permissions.map(({ apiGroup, resource, verb, name: object }) => ({
                apiGroups: [apiGroup],
                resources: [resource],
                verbs: [verb],
                ...(object === undefined ? {} : { resourceNames: [object] }),
            }));
            const kubeconfig = await arena().kubernetes.userWith("access", name, rules);
            writeFileSync(inFolder(name), kubeconfig);
            return { environment: { KUBECONFIG: inFolder(name) } };
        };

        it("a preview names what is missing, and asks for nothing where nothing changes", async () => {
            const missing = ({ resource, verb }: Permission) =>
                (resource === "pods" && verb === "delete") || resource === "pods/portforward";
            const reader = await as(
                "reader",
                all.filter((permission) => !missing(permission)),
            );
            const output = assertFailed(
                await stack.preview(upgrade, reader),
                /kubeconfig, context: user system:serviceaccount:access:reader lacks permissions that this update needs\. Grant them by a Role in namespace access/,
                /- \{ apiGroups: \[""\], resources: \[pods\], verbs: \[delete\] \}/,
                /- \{ apiGroups: \[""\], resources: \[pods\/portforward\], verbs: \[get, create\] \}/,
            );
            assert.ok(!output.includes("resources: [services]"));
        });

        it("a reader's status shows everything but the zones, and says what would show them", async () => {
            await as("looker", statusPermissionsOf("demo"));
            const { exitCode, errors, status } = await statusOfStack(stack, inFolder("looker"));
            assert.deepEqual([exitCode, errors, status.conditions[0].reason], [0, "", "Ready"]);
            const { node, zone } = status.members[0].pods[0];
            assert.ok(node !== null && !zone.known, JSON.stringify({ node, zone }));
            repeats(zone.why, "403", "grant `get` on `nodes` by a ClusterRole");
        });

        it("an upgrade runs to its end, and says which ClusterRole a reclaim policy takes: a Role lets nobody change volumes", async () => {
            const retained: ClusterChange = { ...upgrade, spec: { pvReclaimPolicy: "Retain" } };
            const run = assertOk(await stack.up(retained, { ...(await as("operator", all)), skipPreview: false }));
            assert.match(
                run.output,
                /Grant them by a ClusterRole.*\n.*\[persistentvolumes\], verbs: \[get, patch\] \}/,
            );
            assert.match(
                run.output,
                /reclaim policy of 2 of 2 volumes of demo is not known.*persistentvolumes.*forbidden/,
            );
            assert.doesNotMatch(run.output, /not written/, "neither the journal nor the Events");
            await assertVersion(arena(), stack, "v8.5.3", 3);
        });
    });
});
