import * as assert from "node:assert/strict";
import { ReadyTracker } from "../../../provider/cluster/readyTracker";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import { crashLoop, hangs } from "../../support/lifecycle/deaths";
import { observed } from "../../support/lifecycle/observations";

describe("the time since which a pod is Ready", () => {
    const [pod] = observed("tidb", {}).observation.members.tidb!.pods;
    const notReady = { ...pod, ready: false, readySince: undefined };

    it("is when this run first saw it Ready, because a node's clock may be wrong", () => {
        const watch = new ReadyTracker();
        assert.deepEqual(
            [1_000, 2_000, 9_000].map((at) => watch.track(pod, at).readySince),
            [1_000, 1_000, 1_000],
        );
    });
    it("starts anew if the pod was not Ready in between, and with another pod of the same name", () => {
        const watch = new ReadyTracker();
        watch.track(pod, 1_000);
        assert.equal(watch.track(notReady, 2_000).readySince, undefined);
        assert.equal(watch.track(pod, 3_000).readySince, 3_000);
        assert.equal(watch.track({ ...pod, uid: "another" }, 4_000).readySince, 4_000);
    });
});

describe("the least time for which a pod whose process has ended before is Ready", () => {
    const [pod] = observed("tidb", {}).observation.members.tidb!.pods;
    const said = { ...pod, readyAtLeast: known(5_000, "the API server", 0) };
    const unsaid = { ...pod, readyAtLeast: notKnown("Kubernetes does not say since when") };
    const secondsOf = ({ readyAtLeast }: ObservedPod) => readyAtLeast?.known && readyAtLeast.value;

    it("is that for which this run has seen it, if that is longer than the API server can say", () => {
        for (const one of [said, unsaid]) {
            const watch = new ReadyTracker();
            watch.track(one, 1_000);
            assert.equal(secondsOf(watch.track(one, 9_000)), 8_000);
        }
        const watch = new ReadyTracker();
        watch.track(said, 1_000);
        assert.equal(secondsOf(watch.track(said, 2_000)), 5_000);
    });

    it("begins with each crash between two looks, and is not made up where it was not asked", () => {
        const watch = new ReadyTracker();
        watch.track(unsaid, 1_000);
        assert.equal(secondsOf(watch.track({ ...unsaid, readyChangedAt: 5 }, 9_000)), 0);
        assert.equal(new ReadyTracker().track(pod, 1_000).readyAtLeast, undefined);
    });
});

describe("the time since which a pod is seen", () => {
    const [pod] = observed("tidb", {}).observation.members.tidb!.pods;

    it("is that of this run's own clock, whatever the API server's says; a pod that was there before may be of any age", () => {
        const watch = new ReadyTracker();
        assert.equal(watch.track(pod, 1_000).seenSince, -Infinity);
        for (const createdAt of [0, 2_000, 3_600_000]) {
            const next = { ...pod, uid: `made at ${createdAt}`, createdAt, ready: false };
            assert.deepEqual(
                [5_000, 9_000].map((at) => watch.track(next, at).seenSince),
                [5_000, 5_000],
            );
        }
    });
});

describe("the looks that found a pod's process waiting to be restarted", () => {
    const pod = { ...observed("pd", { pods: { 1: crashLoop(20_000, 60_000) } }).observation.members.pd!.pods[1] };
    const running = {
        ...pod,
        ...hangs,
        backOff: undefined,
        container: known({ is: "running" as const, startedAt: 0 }, "", 0),
    };
    const minute = 60_000;
    const seen = (looks: readonly (readonly [minute: number, pod: ObservedPod])[]) => {
        const watch = new ReadyTracker();
        return looks.map(([at, one]) => watch.track(one, at * minute).crashesSeen).at(-1);
    };

    it("begin with the first, however often its process runs for a moment between them", () => {
        const looks = Array.from({ length: 100 }, (_, at) => [at, at % 3 === 2 ? running : pod] as const);
        assert.deepEqual(seen(looks), [
            { since: 0, after: Infinity },
            { since: 99 * minute, after: 2 * minute },
        ]);
    });

    it("have the longest gap in which it may have been well, and those after it", () => {
        assert.deepEqual(
            seen([0, 1, 2, 9, 10, 13, 14].map((at) => [at, pod])),
            [
                [0, Infinity],
                [9, 7 * minute],
                [13, 3 * minute],
                [14, minute],
            ].map(([at, after]) => ({ since: at * minute, after })),
        );
    });

    it("begin anew with another pod of the name, and say nothing of one that runs, or whose node is silent", () => {
        assert.deepEqual(
            seen([
                [0, pod],
                [1, { ...pod, uid: "later" }],
            ]),
            [{ since: minute, after: Infinity }],
        );
        assert.equal(
            seen([
                [0, pod],
                [1, running],
            ]),
            undefined,
        );
        const silent = { ...pod, container: notKnown("node node-1 is not Ready") };
        assert.equal(
            seen([
                [0, pod],
                [1, silent],
            ]),
            undefined,
        );
        assert.deepEqual(
            seen([
                [0, pod],
                [1, silent],
                [9, pod],
            ])?.at(-1),
            { since: 9 * minute, after: 9 * minute },
        );
    });
});
