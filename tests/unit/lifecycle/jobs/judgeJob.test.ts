import * as assert from "node:assert/strict";
import { judgeJob } from "../../../../provider/lifecycle/jobs/judgeJob";
import { notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import { complete, created, ended, failed, pod, seen, started, target } from "./observed";
import { repeats } from "../../../support/repeats";

function failureOf(...args: Parameters<typeof seen>) {
    const verdict = judgeJob(seen(...args), target);
    assert.ok(verdict.is === "failed");
    return verdict.problem;
}

describe("what an observation says of a Job", () => {
    it("starts a Job that has never run", () => {
        assert.deepEqual(judgeJob(seen(created), target), { is: "waits for its start" });
    });

    it("does not start a Job that somebody suspended after it was started", () => {
        assert.deepEqual(judgeJob(seen({ ...started, suspended: true, generation: 3 }), target), {
            is: "at work",
            lacks: "somebody has suspended it (spec.suspend)",
        });
    });

    it("does not start a Job that an earlier version of the program describes", () => {
        const { code, next } = failureOf({ ...created, revision: "r0" });
        assert.equal(code, "job-outdated");
        repeats(next, "raise `attempt` from 1 to 2");
    });

    it("takes only the Job's own condition Complete for a success", () => {
        assert.deepEqual(judgeJob(seen(complete), target), { is: "succeeded", revision: "r1" });
        const almost = { ...complete, conditions: complete.conditions.slice(0, 1) };
        assert.equal(judgeJob(seen(almost, [ended("a", 0)]), target).is, "at work");
    });

    it("does not take another Job's success for the success of this one", () => {
        const verdict = judgeJob(seen({ ...complete, uid: "u2" }), target);
        assert.deepEqual(verdict, {
            is: "not known",
            why: "Job tidb/basic-init is another Job (uid u2) than the one of this program (uid u1), which is gone",
        });
    });

    it("does not know what a Job that is gone has done", () => {
        assert.deepEqual(judgeJob(seen(undefined), target), { is: "not known", why: "Job tidb/basic-init is gone" });
    });

    it("does not know what a Job has done if the API server does not answer", () => {
        const silent = { ...seen(created), job: notKnown("no answer within 8 s") };
        assert.deepEqual(judgeJob(silent, target), { is: "not known", why: "no answer within 8 s" });
    });

    it("does not know how a Job that is being deleted ends", () => {
        assert.equal(judgeJob(seen({ ...started, deleting: true }), target).is, "not known");
        assert.equal(judgeJob(seen({ ...complete, deleting: true }), target).is, "succeeded");
    });

    it("names the pod, the container, the exit code and the last lines of a failure, and what to do", () => {
        const older = ended("basic-init-a", 2, { createdAt: "2026-11-23T23:00:00Z" });
        const { seen: words, next } = failureOf(
            failed,
            [older, ended("basic-init-b", 1)],
            ["one", "", "Access denied"],
        );
        assert.equal(
            words,
            'it failed (BackoffLimitExceeded: Job has reached the specified backoff limit): container mysql-client of pod basic-init-b ended with exit code 1 (Error); its last lines: "one" / "Access denied"',
        );
        assert.equal(
            next,
            "correct what the Job says, then raise `attempt` from 1 to 2, which does it again in a new Job",
        );
    });

    it("says of a failure without pods that its last words are not known", () => {
        const { code, seen: words } = failureOf(failed);
        assert.deepEqual([code, words.includes("exit code")], ["job-failed", false]);
    });

    it("says why a pod without an exit code failed", () => {
        const evicted = pod("basic-init-a", { phase: "Failed", reason: "Evicted: low on memory", containers: [] });
        repeats(failureOf(failed, [evicted]).seen, "basic-init-a", "Evicted: low on memory");
    });

    it("uses the message of a container whose log cannot be read", () => {
        const state = { is: "ended", exitCode: 137, reason: "OOMKilled", message: "too big" } as const;
        const killed = pod("basic-init-a", { containers: [{ name: "mysql-client", state }] });
        repeats(failureOf(failed, [killed]).seen, "137", "OOMKilled", "too big");
    });

    for (const [words, pods, lines] of [
        ["it has no pod", []],
        ["container mysql-client of pod a runs", [pod("a")]],
        ['container mysql-client of pod a runs, and said last: "half"', [pod("a")], ["first", "half"]],
        [
            "pod a has no node (0/3 nodes are available)",
            [pod("a", { phase: "Pending", unscheduled: "0/3 nodes are available", containers: [] })],
        ],
    ] as const) {
        it(`says of a Job at work: ${words}`, () => {
            assert.deepEqual(judgeJob(seen(started, pods, lines), target), { is: "at work", lacks: words });
        });
    }

    for (const [isStuck, reason] of [
        [true, "CreateContainerConfigError"],
        [true, "ImagePullBackOff"],
        [false, "ContainerCreating"],
    ] as const) {
        it(`says whether a Job that waits needs a person: ${reason}`, () => {
            const state = { is: "waiting", reason, message: "secret x not found" } as const;
            const waits = pod("a", { containers: [{ name: "mysql-client", state }] });
            assert.deepEqual(judgeJob(seen(started, [waits]), target), {
                is: "at work",
                lacks: `container mysql-client of pod a has not begun (${reason}: secret x not found)`,
                ...(isStuck ? { isStuck } : {}),
            });
        });
    }
});
