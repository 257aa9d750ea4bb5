import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { ownTrouble, sidecarTrouble } from "../../../provider/cluster/podTrouble";

const container = (name: string, state?: V1ContainerStatus["state"]): V1ContainerStatus => ({
    name,
    image: `${name}:1`,
    imageID: "",
    ready: false,
    restartCount: 0,
    state,
});
const waits = (reason?: string, message?: string) => ({ waiting: { reason, message } });
const crashes = waits("CrashLoopBackOff");
const runs = { running: {} };
const scheduled = (status: string, more: object = {}) => ({ type: "PodScheduled", status, ...more });

describe("what keeps a pod from starting", () => {
    for (const [name, status, own, beside] of [
        ["nothing is known about it", undefined, undefined, undefined],
        ["it has no containers yet", {}, undefined, undefined],
        [
            "it starts as it should",
            { containerStatuses: [container("tikv", waits("ContainerCreating"))] },
            undefined,
            undefined,
        ],
        [
            "its init container still runs",
            {
                containerStatuses: [container("tikv", waits("PodInitializing"))],
                initContainerStatuses: [container("init", runs)],
            },
            undefined,
            undefined,
        ],
        [
            "a container waits without a reason",
            { containerStatuses: [container("tikv", waits())] },
            undefined,
            undefined,
        ],
        [
            "a container has no state yet",
            { containerStatuses: [container("tikv"), container("log")] },
            undefined,
            undefined,
        ],
        [
            "the scheduler gives a reason",
            { conditions: [scheduled("False", { reason: "Unschedulable", message: "0/3 nodes" })] },
            "Unschedulable: 0/3 nodes",
            undefined,
        ],
        [
            "the scheduler gives no details",
            { conditions: [scheduled("False")] },
            "not scheduled: the scheduler gave no reason",
            undefined,
        ],
        ["it is scheduled", { conditions: [scheduled("True")] }, undefined, undefined],
        [
            "it is scheduled, and not Ready",
            { conditions: [{ type: "Ready", status: "False", reason: "ContainersNotReady" }, scheduled("True")] },
            undefined,
            undefined,
        ],
        [
            "its image cannot be pulled",
            { containerStatuses: [container("tikv", waits("ErrImagePull", "no such tag"))] },
            "container tikv (tikv:1) is in ErrImagePull: no such tag",
            undefined,
        ],
        [
            "it crashes",
            { containerStatuses: [container("tikv", crashes)] },
            "container tikv (tikv:1) is in CrashLoopBackOff",
            undefined,
        ],
        [
            "its init container crashes",
            {
                containerStatuses: [container("tikv", waits("PodInitializing"))],
                initContainerStatuses: [container("init", crashes)],
            },
            "container init (init:1) is in CrashLoopBackOff",
            undefined,
        ],
        [
            "its init container crashes, and it has no status yet",
            { initContainerStatuses: [container("init", crashes)] },
            "container init (init:1) is in CrashLoopBackOff",
            undefined,
        ],
        [
            "a sidecar crashes",
            { containerStatuses: [container("tikv", runs), container("log", crashes)] },
            undefined,
            "container log (log:1) is in CrashLoopBackOff",
        ],
        ["it was evicted", { phase: "Failed", reason: "Evicted" }, "the pod failed: Evicted", undefined],
        ["it failed", { phase: "Failed" }, "the pod failed: no reason given", undefined],
        ["it has ended", { phase: "Succeeded" }, undefined, undefined],
    ] as [string, V1Pod["status"], string | undefined, string | undefined][]) {
        it(`is reported if ${name}: ${own ?? beside ?? "nothing"}`, () => {
            assert.equal(ownTrouble({ status }, "tikv"), own);
            assert.equal(sidecarTrouble({ status }, "tikv"), beside);
        });
    }
});
