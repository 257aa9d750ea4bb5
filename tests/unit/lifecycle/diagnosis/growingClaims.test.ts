import * as assert from "node:assert/strict";
import type { CoreV1Event } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { ClaimFacts } from "../../../../provider/lifecycle/diagnosis/facts";
import { growingIn, judgeGrowth } from "../../../../provider/lifecycle/diagnosis/growingClaims";
import type { Move } from "../../../../provider/lifecycle/vocabulary/move";
import type { ObservedClaim } from "../../../../provider/lifecycle/vocabulary/observation";
import { claimOf, observed } from "../../../support/lifecycle/observations";
import { recordedEvents } from "../../../support/volumes/recordedClaims";
import { eventOf, forbidden, seen } from "./podFacts";

const name = "tikv-basic-tikv-1";
const state = { phase: "Bound", hasSource: false, requested: "20Gi", capacity: "10Gi" };
const grows = (more: Partial<ObservedClaim> = {}) => claimOf("tikv", 1, { state, ...more });
const { observation } = observed("tikv", { claims: [grows(), claimOf("tikv", 2, { state })] });
const wait: Move = { kind: "wait", step: "volume-grown", target: "basic-tikv-1", waitingFor: "it grows", since: 0 };
const failure: Move = {
    kind: "fail",
    problem: { code: "volume-grown", step: "volume-grown", target: "basic-tikv-1", seen: "it grows", next: "" },
};

const at = (second: number) => ({ lastTimestamp: new Date(second * 1000) });
const resizing = { type: "Resizing", status: "True", lastTransitionTime: new Date(10_000) };
const warning = (second: number, message: string, reason = "VolumeResizeFailed"): CoreV1Event =>
    eventOf(reason, message, { type: "Warning", ...at(second) });
const normal = eventOf("Resizing", "External resizer is resizing volume", { type: "Normal", ...at(30) });
const read = (events: CoreV1Event[], conditions: object[] = [resizing], of = name): ClaimFacts => ({
    name: of,
    claim: seen({ status: { phase: "Bound", conditions } } as never),
    events: seen(events),
});
const saidOf = (...facts: ClaimFacts[]) => {
    const move = judgeGrowth(wait, observation, facts);
    return move.kind === "wait" ? move.waitingFor : move.kind;
};

describe("a wait for a volume to grow", () => {
    it("reads the claims of its pod that grow", () => {
        assert.deepEqual(growingIn(wait, observation), [name]);
        assert.deepEqual(growingIn(failure, observation), [name]);
        assert.deepEqual(growingIn({ ...wait, step: "pod-available" }, observation), []);
        assert.deepEqual(growingIn({ kind: "done" }, observation), []);
        for (const more of [{ released: true }, { terminating: true }, { state: { ...state, capacity: "20Gi" } }]) {
            assert.deepEqual(growingIn(wait, observed("tikv", { claims: [grows(more)] }).observation), []);
        }
        const { observation: missing } = observed("tikv", { claims: [grows()], pods: { 1: undefined } });
        assert.deepEqual(growingIn(wait, missing), [name]);
    });

    it("has the driver's words where they stand in an Event alone: an error that it may get over", () => {
        const [, recorded] = recordedEvents.exhausted;
        const message = recorded.replace("Warning VolumeResizeFailed: ", "");
        const words = `it grows; VolumeResizeFailed of claim ${name}: ${message}`;
        assert.ok(words.includes("ResourceExhausted desc = the quota is used up"));
        assert.equal(saidOf(read([warning(20, message), normal])), words);
        const failed = judgeGrowth(failure, observation, [read([warning(20, message)])]);
        assert.equal(failed.kind === "fail" && failed.problem.seen, words);
    });

    it("has the last warning, on one line", () => {
        const events = [warning(20, "one\nline"), warning(15, "older"), warning(12, "oldest", "ExternalExpanding")];
        assert.equal(saidOf(read(events)), `it grows; VolumeResizeFailed of claim ${name}: one line`);
    });

    it("has none from before this growth: an earlier one may have failed", () => {
        assert.equal(saidOf(read([warning(9, "the quota is used up")])), "it grows");
        const ignored = "waiting for an external controller";
        const nobody = [warning(9, ignored, "ExternalExpanding")];
        assert.equal(saidOf(read(nobody, [])), `it grows; ExternalExpanding of claim ${name}: ${ignored}`);
    });

    it("does not repeat what the claim itself says", () => {
        const failed = { type: "ControllerResizeError", status: "True", message: "the quota is used up" };
        assert.equal(saidOf(read([warning(20, "the quota is used up")], [resizing, failed])), "it grows");
    });

    it("says what could not be read, and nothing of other claims", () => {
        const unread: ClaimFacts = { ...read([]), events: forbidden };
        assert.equal(saidOf(unread), `it grows; not known: the events of claim ${name}: ${forbidden.why}`);
        assert.equal(saidOf(read([warning(20, "no")], [resizing], "tikv-basic-tikv-2")), "it grows");
        assert.deepEqual(judgeGrowth({ kind: "done" }, observation, [unread]), { kind: "done" });
    });
});
