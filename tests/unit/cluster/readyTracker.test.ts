import * as assert from "node:assert/strict";
import { ReadyTracker } from "../../../provider/cluster/readyTracker";
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
