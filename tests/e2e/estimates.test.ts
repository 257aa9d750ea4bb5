import * as assert from "node:assert/strict";
import type { PlanEstimate } from "../../plan/clusterPlan";
import { describeOnEngine } from "../support/e2e/arena";
import { assertOk, dataLoaded, messagesOf } from "../support/e2e/expect";
import { planFile } from "../support/e2e/planFile";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";
import { timelineOfStack } from "../support/e2e/statusCommand";

/** By how much a plan's estimate may differ from what the update then takes. */
const tolerance = 0.25;

/**
 * Rates at which leaders and regions are most of what a step waits for, as on real clusters. The gates raise PD's limit, so each of the
 * last three stores, with 1,000 leaders, loses them in 20 s and has them back in 27 s. A loaded machine starts a pod in 3 to 12 s.
 */
const slowly = { leadersPerStore: 600, leaderTransfersPerSecond: 7.5, drainRegionsPerSecond: 150 };

describeOnEngine(
    "an estimate",
    (arena) => {
        const at = (version: string, replicas: number): ClusterChange => ({
            version,
            tikv: { replicas },
            tidb: { replicas: 1 },
        });
        let stack: ClusterStack;
        before(async () => {
            stack = await clusterStack(arena(), "estimated");
            assertOk(await stack.up(at("v8.5.1", 5)));
        });

        const planned = async (change: ClusterChange): Promise<PlanEstimate> => {
            const { plan } = await planFile(arena(), stack, change);
            assert.ok(plan.estimate, "the plan has steps of roll-outs or scale-ins");
            return plan.estimate;
        };
        /** What the operations of an update took, in seconds, by gate. */
        const took = async (change: ClusterChange): Promise<Map<string, number>> => {
            const known = new Set((await operations()).map(({ id }) => id));
            assertOk(await stack.up(change));
            const fresh = (await operations()).filter(({ id }) => !known.has(id));
            return new Map(fresh.map(({ what, began, ended = NaN }) => [what, (ended - began) / 1000]));
        };
        const operations = async () => (await timelineOfStack(stack, arena().sandbox.kubeconfig)).operations;
        const assertNear = (estimate: PlanEstimate, gate: string, real: number | undefined) => {
            const seconds = estimate.gates.find((one) => one.gate === gate)?.seconds;
            assert.ok(typeof seconds === "number" && real !== undefined, `${gate}: ${seconds} and ${real}`);
            const off = Math.abs(seconds - real) / real;
            assert.ok(off <= tolerance, `${gate} was expected to take ${seconds} s, and took ${real} s`);
        };

        it("is refused before the cluster has shown how fast it is, and the plan says why", async () => {
            const estimate = await planned(at("v8.5.2", 5));
            assert.equal(estimate.seconds, null);
            assert.deepEqual(
                estimate.missing.map(({ gate }) => gate),
                ["pd-rollout", "tikv-rollout", "tidb-rollout"],
            );
            assert.match(estimate.missing[1].reason, /^the journal of this cluster's updates does not show /);
        });

        it("of a scale-in is by the regions that the store has now", async () => {
            await dataLoaded(stack.played());
            const before = await planned(at("v8.5.1", 4));
            assert.deepEqual([before.seconds, before.missing.length], [null, 1]);
            await took(at("v8.5.1", 4));
            const estimate = await planned(at("v8.5.1", 3));
            const real = await took(at("v8.5.1", 3));
            assertNear(estimate, "tikv-scale", real.get("scale demo-tikv to 3"));
        });

        it("of a roll-out is what the same took before, and each preview sums the gates up", async () => {
            await took(at("v8.5.2", 3));
            const estimate = await planned(at("v8.5.3", 3));
            assert.deepEqual(estimate.missing, []);
            const sum = estimate.gates.reduce((all, { seconds }) => all + (seconds ?? NaN), 0);
            assert.ok(Math.abs((estimate.seconds ?? NaN) - sum) < 0.001);
            const preview = assertOk(await stack.preview(at("v8.5.3", 3)));
            assert.match(
                messagesOf(preview, "demo")[0],
                /^demo: \d+ steps, about \d+ (s|min) \(as observed in \d+ operations since [-\d]+ [:\d]+ UTC\): restart /,
            );
            for (const gate of ["demo-pd-rollout", "demo-tidb-rollout"]) {
                const [heading = "", ...steps] = messagesOf(preview, gate)[0].split("\n");
                const total = Number(/, about (\d+) s /.exec(heading)?.[1]);
                const each = steps.flatMap((step) => Number(/\(~(\d+) s\)/.exec(step)?.[1]));
                assert.ok(each.length > 0 && each.every((seconds) => seconds <= total), `${total}: ${each.join()}`);
            }
            const real = await took(at("v8.5.3", 3));
            assertNear(estimate, "tikv-rollout", real.get("roll out demo-tikv"));
            const all = [...real.values()].reduce((total, seconds) => total + seconds, 0);
            assert.ok(
                Math.abs((estimate.seconds ?? NaN) - all) / all <= tolerance,
                `expected ${estimate.seconds} s, took ${all} s: ${JSON.stringify([...real])}`,
            );
        });
    },
    { timings: slowly },
);
