import * as assert from "node:assert/strict";
import { doneBefore, goesBack, planDone, planSeen } from "../../../../provider/lifecycle/jobs/planJob";
import { target } from "./observed";
import { repeats } from "../../../support/repeats";
import { noticesOf } from "../../../../provider/lifecycle/vocabulary/notices";

const before = { namespace: "tidb", job: "basic-init", jobUid: "u0", revision: "r0", wait: true };
const done = { uid: "u0", revision: "r0" };

describe("the plan of a Job", () => {
    it("takes an update that waited for the Job as proof of its success", () => {
        assert.deepEqual(doneBefore(before, target), done);
    });

    for (const [why, olds] of [
        ["there was no update", {}],
        ["the update did not wait", { ...before, wait: false }],
        ["it was another attempt", { ...before, job: "basic-init-2" }],
        ["it was in another namespace", { ...before, namespace: "other" }],
    ] as const) {
        it(`has no proof if ${why}`, () => {
            assert.equal(doneBefore(olds, target), undefined);
        });
    }

    it("does not make an earlier attempt again, which would be in the place of the first one", () => {
        const olds = { ...before, attempt: 2 };
        assert.equal(
            goesBack(olds, target),
            "attempt: found 1, expected at least 2, because an earlier attempt is not made again",
        );
        assert.equal(goesBack(olds, { ...target, attempt: 2 }), undefined);
        assert.equal(goesBack(olds, { ...target, attempt: 3 }), undefined);
        assert.equal(goesBack({ ...olds, namespace: "other" }, target), undefined);
        assert.equal(goesBack({}, target), undefined);
    });

    it("says how a backup is made once more, where another attempt cannot work", () => {
        const { warnings } = planDone({ ...target, jobUid: "u0", onceMore: "make another Backup" }, done);
        repeats(warnings, "make another Backup");
    });

    it("keeps the proof when the program stops waiting", () => {
        assert.deepEqual(doneBefore({ ...before, wait: false, done }, target), done);
    });

    it("does not run a Job that was created again after its work was done", () => {
        const { plan, warnings } = planDone({ ...target, revision: "r0" }, done);
        assert.deepEqual(plan, []);
        repeats(warnings, "raise `attempt` from 1");
    });

    it("warns of a change that has no effect any more", () => {
        const { plan, warnings } = planDone({ ...target, jobUid: "u0" }, done);
        assert.deepEqual([plan, warnings.length], [[], 1]);
    });

    it("is empty, without a warning, once the work is done", () => {
        assert.deepEqual(planDone({ ...target, jobUid: "u0", revision: "r0" }, done), { plan: [], warnings: [], done });
    });

    it("shows what is run, and how long it is waited for", () => {
        assert.deepEqual(planSeen({ is: "waits for its start" }, target, true, ["mysql-client (tnir/mysqlclient)"]), {
            plan: [
                "run Job tidb/basic-init to initialize basic, which runs mysql-client (tnir/mysqlclient); wait for its end, and fail after 60 s without it",
            ],
            warnings: [],
        });
    });

    it("says after how long it fails: soon, if the Job cannot begin", () => {
        const atWork = { is: "at work", lacks: "image not found" } as const;
        const words = (more: object) =>
            planSeen({ ...atWork, ...more }, { ...target, timeoutSeconds: 3600 }, true, []).plan;
        const wait = "wait for Job tidb/basic-init to initialize basic, and fail after";
        assert.deepEqual(words({}), [`${wait} 3600 s if it has not ended`]);
        assert.deepEqual(words({ isStuck: true }), [`${wait} 60 s if it still does not begin`]);
        assert.deepEqual(words({ isStuck: true, isMount: true }), [`${wait} 300 s if it still does not begin`]);
    });

    it("warns of a failed Job that is not waited for, and has no step", () => {
        const problem = { code: "job-failed", step: "", target: "", seen: "it failed", next: "raise it" } as const;
        assert.deepEqual(planSeen({ is: "failed", problem }, target, false, []), {
            plan: [],
            warnings: noticesOf("job-failed", "Job tidb/basic-init (initialize basic): it failed. Next: raise it"),
        });
        assert.equal(planSeen({ is: "failed", problem }, target, true, []).plan.length, 1);
    });
});
