import * as assert from "node:assert/strict";
import {
    isStale,
    podAvailable,
    podCreated,
    podRestarted,
    podStopped,
} from "../../../../provider/lifecycle/stages/sharedStages";
import { stageTimeout } from "../../../../provider/lifecycle/vocabulary/stage";
import { stageTable, podView } from "../../../support/lifecycle/inWords";
import { now } from "../../../support/lifecycle/observations";
import { changedView } from "../../../support/lifecycle/changedView";

stageTable("a pod is created", podCreated, "tidb", 1, [
    ["it is there", {}, true],
    ["it is not", { pods: { 1: undefined } }, "basic-tidb-1 has not been created"],
]);

stageTable("a terminating pod is gone", podStopped, "tidb", 1, [
    ["it stays", {}, true],
    ["it is not there", { pods: { 1: undefined } }, true],
    ["it stops", { pods: { 1: { terminating: true } } }, "basic-tidb-1 is still stopping"],
]);

stageTable("a pod runs the newest revision", podRestarted, "tidb", 1, [
    ["it does", {}, true],
    ["it does not exist: the next one will run it", { pods: { 1: undefined } }, true, "nothing"],
    ["it stops: the next one will", { stale: [1], pods: { 1: { terminating: true } } }, true],
    ["it runs an older one", { stale: [1] }, "basic-tidb-1 still runs revision old", "restart basic-tidb-1"],
    ["it has none", { pods: { 1: { revision: undefined } } }, "basic-tidb-1 still runs revision (none)"],
]);

describe("a pod is restarted", () => {
    const restart = (ownLeaders: Record<number, number | null>) =>
        podRestarted.act?.(podView("tikv", 3, { stale: [3], ownLeaders }));
    it("exactly as it was observed, so another pod with its name is not", () => {
        assert.deepEqual(restart({}), {
            ...{ do: "delete-pod", pod: "basic-tikv-3", uid: "uid-3", resourceVersion: "1", leaders: undefined },
        });
    });
    it("with the leader count that it still reports, for the message", () => {
        const leaders = (count: number | null) => (restart({ 3: count }) as { leaders?: number }).leaders;
        assert.deepEqual([leaders(7), leaders(1), leaders(0), leaders(null)], [7, 1, undefined, undefined]);
    });
});

const ready = (seconds: number) => ({ 1: { readySince: now - seconds * 1000 } });
describe("a pod without a StatefulSet to compare it with", () => {
    it("is not stale: it would be restarted forever", () => {
        const view = podView("tidb", 1, { stale: [1] });
        const { statefulSet } = view.member;
        const of = (change: object) => isStale(changedView(view, { member: { ...view.member, ...change } }));
        assert.equal(of({}), true);
        assert.equal(of({ statefulSet: statefulSet && { ...statefulSet, updateRevision: undefined } }), false);
        assert.equal(of({ statefulSet: undefined }), false);
    });
});

describe("a pod is waited for", () => {
    const view = podView("tidb", 1, { policy: { podReadyTimeoutSeconds: 601, minReadySeconds: 7 } });
    it("for its timeout, plus the time that it must have been Ready", () => {
        assert.deepEqual(stageTimeout(podAvailable, view), { seconds: 608, then: "fail" });
        for (const stage of [podCreated, podStopped, podRestarted]) {
            assert.deepEqual(stageTimeout(stage, view), { seconds: 601, then: "fail" });
        }
    });
});

stageTable("a pod is available", podAvailable, "tidb", 1, [
    ["it is Ready", {}, true],
    ["it is not there", { pods: { 1: undefined } }, "basic-tidb-1 is not Ready: it has not been created"],
    [
        "it stops",
        { pods: { 1: { ready: false, terminating: true, trouble: "Error" } } },
        "basic-tidb-1 is not Ready: it is still stopping",
    ],
    ["why it is not Ready is not known", { pods: { 1: { ready: false } } }, "basic-tidb-1 is not Ready"],
    [
        "Kubernetes reports why",
        { pods: { 1: { ready: false, trouble: "ImagePullBackOff", sidecarTrouble: "CrashLoopBackOff" } } },
        "basic-tidb-1 is not Ready: ImagePullBackOff",
    ],
    [
        "a sidecar is why",
        { pods: { 1: { ready: false, sidecarTrouble: "CrashLoopBackOff" } } },
        "basic-tidb-1 is not Ready: CrashLoopBackOff",
    ],
    ["for the required time", { pods: ready(30), policy: { minReadySeconds: 30 } }, true],
    [
        "for less",
        { pods: ready(29), policy: { minReadySeconds: 30 } },
        "basic-tidb-1 has been Ready for less than 30 s",
    ],
    [
        "since when was not observed: since now",
        { pods: { 1: { readySince: undefined } }, policy: { minReadySeconds: 30 } },
        "basic-tidb-1 has been Ready for less than 30 s",
    ],
    ["since when was not observed, and no time is required", { pods: { 1: { readySince: undefined } } }, true],
]);
