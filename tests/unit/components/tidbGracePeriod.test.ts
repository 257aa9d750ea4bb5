import * as assert from "node:assert/strict";
import { gracePeriodProblems } from "../../../components/tidb/gracePeriod";
import type { TidbSpec } from "../../../components/tidb/spec";
import { repeats } from "../../support/repeats";

const wait = (seconds: number) => `graceful-wait-before-shutdown = ${seconds}`;
const sleep = (seconds: number): TidbSpec["lifecycle"] => ({
    preStop: { exec: { command: ["sleep", String(seconds)] } },
});
const problems = (spec: Partial<TidbSpec>) => gracePeriodProblems({ replicas: 2, ...spec });

describe("the time that TiDB gets to stop", () => {
    it("is enough by Kubernetes' default without a sleep and without a wait", () => {
        assert.deepEqual(problems({}), []);
        assert.deepEqual(problems({ lifecycle: sleep(10) }), []);
        assert.deepEqual(problems({ config: wait(40), terminationGracePeriodSeconds: 60 }), []);
    });

    it("must be as long as the sleep, the wait, and the 20 s in which TiDB lets its connections go: the warning names all of them", () => {
        const [problem] = problems({ config: wait(40), lifecycle: sleep(10), terminationGracePeriodSeconds: 69 });
        assert.deepEqual(
            [problem.field, problem.found, problem.severity],
            ["spec.tidb.terminationGracePeriodSeconds", "69", "warning"],
        );
        const parts = ["10 of lifecycle.preStop", "40 of config.graceful-wait-before-shutdown", "20"];
        repeats(problem.expected, "70", ...parts);
        assert.deepEqual(problems({ config: wait(40), lifecycle: sleep(10), terminationGracePeriodSeconds: 70 }), []);
    });

    it("counts every form of a sleep, and Kubernetes' default", () => {
        for (const preStop of [{ sleep: { seconds: 11 } }, { exec: { command: ["/bin/sh", "-c", "sleep 11"] } }]) {
            assert.equal(problems({ lifecycle: { preStop } })[0].found, "nothing, hence 30");
        }
        assert.equal(problems({ config: wait(11) }).length, 1);
    });
});
