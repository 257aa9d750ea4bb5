import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import { assertFailed, assertNothingLeft, assertOk, assertVersion, stoppedPods, until } from "../support/e2e/expect";
import { overlapping } from "../support/e2e/overlap";
import { type ClusterChange, clusterStack } from "../support/e2e/stack";
import { diagnosisOfStack, statusOfStack } from "../support/e2e/statusCommand";
import { repeats } from "../support/repeats";

/** Longer than any of these waits may last: they must end before their time is over. */
const podReadySeconds = 540;
const small: ClusterChange = {
    pd: { replicas: 1 },
    tidb: { replicas: 1 },
    operations: { timeouts: { podReadySeconds } },
};
const final = /It cannot come right by itself\. Next: /;

async function clientOf(kubeconfig: string) {
    const client = await import("@kubernetes/client-node");
    const config = new client.KubeConfig();
    config.loadFromFile(kubeconfig);
    return { client, config };
}

describeOnEngine("pods that cannot start", (arena) => {
    overlapping(2, [
        [
            "an update to a template that never runs ends early with cause and fix, and the corrected program goes through",
            async () => {
                const namespace = "never-runs";
                const stack = await clusterStack(arena(), namespace);
                const { sandbox } = arena();
                const { client, config } = await clientOf(sandbox.kubeconfig);
                const core = config.makeApiClient(client.CoreV1Api);
                assertOk(await stack.up(small));
                const played = stack.played();
                const before = played.events.length;

                // An image that no registry has.
                const began = Date.now();
                assertFailed(
                    await stack.up({ ...small, tikv: { version: "does-not-exist" } }),
                    /pod-available: demo-tikv-2: the registry does not have image pingcap\/tikv:does-not-exist of container tikv \(/,
                    final,
                    /Next: correct the image or the version of TiKV in the program; then run `pulumi up` again/,
                );
                assert.ok(Date.now() - began < podReadySeconds * 1000);
                assert.deepEqual(stoppedPods(played, before), ["demo-tikv-2"], "the others are left alone");
                const { exitCode, diagnosis } = await diagnosisOfStack(stack, sandbox.kubeconfig);
                assert.equal(exitCode, 1);
                assert.deepEqual(
                    diagnosis.problems.map(({ reason, pods, needsChange }) => [reason, pods, needsChange]),
                    [
                        ["ImageNotFound", ["demo-tikv-2"], true],
                        ["UpdateEnded", ["demo-tikv-0", "demo-tikv-1"], false],
                    ],
                );

                // A quota that asks for limits, which the template does not have.
                const quota = { metadata: { name: "limits" }, spec: { hard: { "limits.cpu": "1k" } } };
                await core.createNamespacedResourceQuota({ namespace, body: quota });
                assertFailed(
                    await stack.up({ ...small, tikv: { version: "v8.5.3" } }),
                    /pod-created: demo-tikv-2: quota limits allows only pods that specify limits\.cpu for: tikv \(/,
                    final,
                );
                await core.deleteNamespacedResourceQuota({ namespace, name: "limits" });

                // More CPU than any node has.
                const requests = { storage: "1Gi", cpu: "300" };
                assertFailed(
                    await stack.up({ ...small, tikv: { version: "v8.5.3", requests } }),
                    /pod-available: demo-tikv-2: it requests 300 CPU, and no node has as much: the largest of \d+ nodes has 256 \(44 short\) \(0\/\d+ nodes are available: \d+ Insufficient cpu/,
                    final,
                    /Next: lower what TiKV requests, or add a node that has room for it/,
                );

                assertOk(await stack.up({ ...small, version: "v8.5.3" }));
                await assertVersion(arena(), stack, "v8.5.3", 5);
                await assertNothingLeft(arena(), stack);
                const healed = await diagnosisOfStack(stack, sandbox.kubeconfig);
                assert.deepEqual([healed.exitCode, healed.diagnosis.problems, healed.diagnosis.notKnown], [0, [], []]);

                // A claim that is enlarged by hand.
                const claim = { namespace, name: "tikv-demo-tikv-0" };
                const body = await core.readNamespacedPersistentVolumeClaim(claim);
                assert.ok(body.spec?.resources?.requests);
                body.spec.resources.requests.storage = "3Gi";
                await core.replaceNamespacedPersistentVolumeClaim({ ...claim, body });
                const sizes = await until("the volume has the size", async () => {
                    const { status } = await statusOfStack(stack, sandbox.kubeconfig);
                    const all = status.members.flatMap(({ pods }) => pods.flatMap(({ claims }) => claims));
                    const grown = all.map(({ size }) => size);
                    return grown.includes("3Gi") ? grown : undefined;
                });
                assert.deepEqual(sizes, ["1Gi", "3Gi", "1Gi", "1Gi"]);
                const enlarged = await diagnosisOfStack(stack, sandbox.kubeconfig);
                assert.deepEqual(
                    enlarged.diagnosis.remarks.map(({ code }) => code),
                    ["volumes-larger"],
                );
            },
        ],
        [
            "a first deployment on a StorageClass that does not exist is warned of, and ends early; with the class it goes through",
            async () => {
                const namespace = "no-class";
                const stack = await clusterStack(arena(), namespace);
                const change = { ...small, pd: { replicas: 1, storageClassName: "fast" } };
                const preview = assertOk(await stack.preview(change));
                const warned = preview.diagnostics.filter(({ severity }) => severity === "warning");
                repeats(
                    warned.map(({ message }) => message),
                    ...["StorageClass fast", "sandbox"],
                );
                assertFailed(
                    await stack.up(change),
                    /pd-answers: demo-pd-0: its claim pd-demo-pd-0 names StorageClass fast, which does not exist; there is only sandbox/,
                    final,
                    /Next: create StorageClass fast/,
                );
                const { client, config } = await clientOf(arena().sandbox.kubeconfig);
                const body = { metadata: { name: "fast" }, provisioner: "sandbox.pulumi-tidb/volumes" };
                await config.makeApiClient(client.StorageV1Api).createStorageClass({ body });
                assertOk(await stack.up(change));
                await assertNothingLeft(arena(), stack);
            },
        ],
    ]);
});
