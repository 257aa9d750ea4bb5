import * as assert from "node:assert/strict";
import { waitForPd, waitOrFail } from "../../../../../provider/lifecycle/vocabulary/waitOrFail";
import { emptyMemory } from "../../../../../provider/lifecycle/vocabulary/memory";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import { acted, notReady } from "../../../../support/lifecycle/decisionTable";
import { inWords, wordTable } from "../../../../support/lifecycle/inWords";
import { now, observed } from "../../../../support/lifecycle/observations";

const crashing = { ...notReady, trouble: "container pd is in CrashLoopBackOff" };
wordTable(
    "what a rollout waits for while PD is unreachable",
    "pd",
    [
        [
            "one of its pods cannot start: that is reported",
            { pods: { 1: crashing }, pdSilent: true },
            "wait pd-answers basic-pd: PD answers 500 (basic-pd-1: container pd is in CrashLoopBackOff)",
        ],
        [
            "a corrected template is given to one that cannot start",
            { stale: [2], pods: { 2: crashing }, pdSilent: true },
            "pod-restarted basic-pd-2: restart basic-pd-2",
        ],
        [
            "which does not stop",
            { stale: [2], pods: { 2: crashing }, pdSilent: true },
            "wait pod-restarted basic-pd-2: basic-pd-2 still runs revision old",
            acted("delete-pod uid-2", 1_000),
        ],
        [
            "its process does not run, and nothing reports that it cannot start",
            { stale: [2], pods: { 2: notReady }, pdSilent: true },
            "wait pd-answers basic-pd: PD answers 500",
        ],
        [
            "a recreated pod stops again",
            { stale: [1], pods: { 1: crashing, 2: { terminating: true } }, pdSilent: true },
            "wait pd-answers basic-pd: PD answers 500 (basic-pd-1: container pd is in CrashLoopBackOff)",
        ],
        [
            "one of its pods is not there",
            { stale: [1], pods: { 1: undefined }, pdSilent: true },
            "wait pd-answers basic-pd: PD answers 500",
        ],
    ],
    nextRolloutMove,
);

describe("what repairs a PD that is down", () => {
    it("does not wait for PD", () => {
        const { observation, target } = observed("pd", { stale: [2], pods: { 2: crashing }, pdSilent: true });
        const move = nextRolloutMove(observation, target, emptyMemory);
        assert.equal(move.kind === "act" && move.withoutPd, true);
        const usual = nextRolloutMove(observed("pd", { stale: [2] }).observation, target, emptyMemory);
        assert.equal(usual.kind === "act" && usual.withoutPd, undefined);
    });
});

wordTable(
    "what a rollout of a microservice waits for",
    "tso",
    [
        ["PD is unreachable and comes after it: it is not held up", { pdSilent: true }, "done"],
        [
            "PD is unreachable, and a stale one runs",
            { stale: [1], pdSilent: true },
            "wait pd-answers basic-pd: PD answers 500",
        ],
        [
            "PD is unreachable, and a stale one cannot start",
            { stale: [1], pods: { 1: crashing }, pdSilent: true },
            "pod-restarted basic-tso-1: restart basic-tso-1",
        ],
    ],
    nextRolloutMove,
);

wordTable(
    "what scaling waits for while PD is unreachable",
    "tikv",
    [
        ["a store is to leave", { live: 4, replicas: 3, pdSilent: true }, "wait pd-answers basic-pd: PD answers 500"],
        ["none is", { live: 4, replicas: 5, pdSilent: true }, "done"],
    ],
    nextScaleMove,
);

describe("a wait for PD", () => {
    it("says so if PD was not queried", () => {
        const { observation, target } = observed("tikv", {});
        const words = inWords(waitForPd(observation, target, emptyMemory));
        assert.equal(words, "wait pd-answers basic-pd: PD has not answered");
    });
    it("ends with its timeout: podReadyTimeoutSeconds, or its own", () => {
        const { observation, target } = observed("tikv", { policy: { podReadyTimeoutSeconds: 50 } });
        const wait = { step: "available", target: "t", lacks: "…", advice: "look" } as const;
        const until = (seconds?: number) => {
            const move = waitOrFail(observation, target, emptyMemory, { ...wait, seconds });
            return move.kind === "wait" && [move.since, move.until];
        };
        assert.deepEqual(
            [until(), until(7)],
            [
                [now, now + 50_000],
                [now, now + 7_000],
            ],
        );
    });
});
