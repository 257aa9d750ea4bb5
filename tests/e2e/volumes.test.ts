import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import { assertFailed, assertOk, assertUnchanged, messagesOf, planOf, stoppedPods } from "../support/e2e/expect";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";

const namespace = "disks";

describeOnEngine("volumes that the program wants larger", (arena) => {
    const of = (size: string, tikv: number, more: ClusterChange = {}): ClusterChange => ({
        pd: { replicas: 1, requests: { storage: size } },
        tikv: { replicas: tikv, requests: { storage: size } },
        tidb: { replicas: 1 },
        ...more,
    });
    let stack: ClusterStack;
    before(async () => {
        stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(of("10Gi", 3)));
    });

    const sizes = async () => {
        const claims = await arena().kubernetes.claims(namespace);
        return Object.fromEntries(claims.map(({ metadata, status }) => [metadata?.name, status?.capacity?.storage]));
    };
    const uids = async () =>
        (await arena().kubernetes.pods(namespace)).map(({ metadata }) => `${metadata?.name} ${metadata?.uid}`).sort();

    it("grow with no pod stopped, and the new store of the same update gets the size", async () => {
        const before = await uids();
        const preview = assertOk(await stack.preview(of("20Gi", 4)));
        assert.deepEqual(
            planOf(preview, "demo-tikv-scale").map((line) => line.split(" (")[0]),
            [0, 1, 2].map((ordinal) => `grow the volumes of demo-tikv-${ordinal}`).concat("recreate StatefulSet demo-tikv"),
        );
        assertOk(await stack.up(of("20Gi", 4)));
        assert.deepEqual(await sizes(), {
            "pd-demo-pd-0": "20Gi",
            ...Object.fromEntries([0, 1, 2, 3].map((ordinal) => [`tikv-demo-tikv-${ordinal}`, "20Gi"])),
        });
        const after = await uids();
        assert.deepEqual(
            before.filter((one) => !after.includes(one)),
            [],
        );
        assert.deepEqual(stoppedPods(stack.played()), []);
        assert.deepEqual(await arena().kubernetes.records(namespace, "demo"), {});
    });

    it("leave nothing to do for Pulumi, which changes and refreshes the new StatefulSet as it did the old one", async () => {
        assertUnchanged(await stack.up(of("20Gi", 4)));
        const refreshed = assertOk(await stack.run("refresh"));
        assert.deepEqual(
            refreshed.steps.filter(({ op }) => op !== "same" && op !== "refresh").map(({ op, name }) => `${op} ${name}`),
            [],
        );
        assertOk(await stack.up(of("20Gi", 4, { version: "v8.5.3" })));
        assertUnchanged(await stack.up(of("20Gi", 4, { version: "v8.5.3" })));
    });

    it("do not shrink: preview and update refuse it, and name the volume", async () => {
        const refusal = [/requests\.storage/, /found 10Gi for volume pd/, /pd-demo-pd-0 has 20Gi/];
        assertFailed(await stack.preview(of("10Gi", 4, { version: "v8.5.3" })), ...refusal);
        assertFailed(await stack.up(of("10Gi", 4, { version: "v8.5.3" })), ...refusal);
    });
});
