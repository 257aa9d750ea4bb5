import * as assert from "node:assert/strict";
import type { PulumiRun } from "pulumi-tidb-sandbox/pulumi";
import { describeOnEngine } from "../support/e2e/arena";
import { assertOk, assertUnchanged, planOf } from "../support/e2e/expect";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";

describeOnEngine("a refresh of a cluster that has not drifted", (arena) => {
    const small = { pd: { replicas: 1 }, tidb: { replicas: 1 } };
    let stack: ClusterStack;
    before(async () => {
        stack = await clusterStack(arena(), "refreshed");
        assertOk(await stack.up({ ...small, tikv: { replicas: 4 } }));
    });

    /** Runs refreshes, which `--expect-no-changes` would let pass. The first finds the state as the update left it. */
    async function assertQuiet(times: number): Promise<void> {
        for (let time = 1; time <= times; time += 1) {
            const run = assertOk(await stack.run("refresh"));
            assert.deepEqual(changed(run), [], `refresh ${time}`);
        }
    }

    const changed = ({ steps, changes }: PulumiRun) => [
        ...steps.filter(({ op }) => op !== "same" && op !== "refresh").map(({ op, name }) => `${op} ${name}`),
        ...Object.entries(changes)
            .filter(([op, count]) => op !== "same" && count > 0)
            .map(([op, count]) => `${count} ${op}`),
    ];

    it("shows no change after a first deployment, an upgrade, and a refresh that was carried out", async () => {
        await assertQuiet(1);
        assertOk(await stack.up({ ...small, tikv: { replicas: 4 }, version: "v8.5.3" }));
        await assertQuiet(2);
    });

    it("shows no change after a scale-in, however often it is carried out", async () => {
        const scaled = { ...small, tikv: { replicas: 3 }, version: "v8.5.3" };
        assert.notDeepEqual(planOf(assertOk(await stack.preview(scaled)), "demo-tikv-scale"), []);
        assertOk(await stack.up(scaled));
        await assertQuiet(3);
        assertUnchanged(await stack.up(scaled));
        await assertQuiet(1);
    });
});
