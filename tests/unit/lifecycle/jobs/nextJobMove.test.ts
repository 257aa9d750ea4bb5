import * as assert from "node:assert/strict";
import { nextJobMove, stuckSeconds, unknownSeconds } from "../../../../provider/lifecycle/jobs/nextJobMove";
import { target } from "./observed";
import { repeats } from "../../../support/repeats";

const unknown = { is: "not known", why: "Job tidb/basic-init is gone" } as const;
const atWork = { is: "at work", lacks: "it has no pod" } as const;

describe("the wait for a Job", () => {
    it("ends with the program's timeout, and says that the Job goes on", () => {
        assert.deepEqual(nextJobMove(atWork, target, { began: 0 }, 59_999), {
            kind: "wait",
            reason: "it has no pod",
            until: 60_000,
            wait: { began: 0 },
        });
        const move = nextJobMove(atWork, target, { began: 0 }, 60_000);
        assert.ok(move.kind === "fail");
        assert.equal(move.problem.code, "job-timed-out");
        assert.equal(move.problem.seen, "it has not ended after 60 s: it has no pod");
    });

    it("waits for what is not known, then fails without doing the work again", () => {
        const first = nextJobMove(unknown, target, { began: 0 }, 1_000);
        assert.ok(first.kind === "wait");
        assert.deepEqual(first.wait, { began: 0, unknownSince: 1_000 });
        assert.equal(first.until, 1_000 + unknownSeconds * 1000);
        const last = nextJobMove(unknown, target, first.wait, first.until);
        assert.ok(last.kind === "fail");
        assert.equal(last.problem.code, "job-unknown");
        assert.equal(last.problem.seen, "whether it was done is not known: Job tidb/basic-init is gone, for 300 s");
        repeats(last.problem.next, "raise `attempt` from 1 to 2");
    });

    it("forgets what was not known once it is known again", () => {
        const move = nextJobMove(atWork, target, { began: 0, unknownSince: 1 }, 2);
        assert.deepEqual(move.kind === "wait" && move.wait, { began: 0 });
    });

    it("ends soon if a Secret or an image is missing, and says that the Job begins once it is there", () => {
        const stuck = { is: "at work", lacks: 'secret "s3-keys" not found', isStuck: true } as const;
        const hour = { ...target, timeoutSeconds: 3600 };
        const first = nextJobMove(stuck, hour, { began: 0 }, 1_000);
        assert.deepEqual(first.kind === "wait" && first.wait, { began: 0, stuckSince: 1_000 });
        const before = nextJobMove(stuck, hour, { began: 0, stuckSince: 1_000 }, 1_000 + stuckSeconds * 1000 - 1);
        assert.equal(before.kind === "wait" && before.until, 61_000, "what is said is when it fails");
        const last = nextJobMove(stuck, hour, { began: 0, stuckSince: 1_000 }, 1_000 + stuckSeconds * 1000);
        assert.ok(last.kind === "fail");
        assert.equal(last.problem.code, "job-stuck");
        assert.equal(last.problem.seen, 'it does not begin: secret "s3-keys" not found');
    });

    it("goes on for the whole time once what was missing is there", () => {
        const move = nextJobMove(atWork, target, { began: 0, stuckSince: 0 }, 59_999);
        assert.deepEqual(move.kind === "wait" && move.wait, { began: 0 });
    });
});
