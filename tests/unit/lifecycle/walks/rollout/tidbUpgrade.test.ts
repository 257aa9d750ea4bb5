import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { decisionTable, justNow, notReady, type Row, waited } from "../../../../support/lifecycle/decisionTable";

const tidb: Row[] = [
    ["nothing is stale", {}, "done"],
    ["the highest ordinal goes first", { stale: [0, 1] }, "restart basic-tidb-1"],
    ["not Ready", { stale: [0], pods: { 1: notReady } }, "wait pod-available basic-tidb-1"],
    [
        "Ready, but not for long enough",
        { stale: [0], pods: { 1: justNow }, policy: { minReadySeconds: 30 } },
        "wait pod-available basic-tidb-1",
    ],
    ["/status is not well", { stale: [0], tidb: { 1: "answers 500" } }, "wait status-well basic-tidb-1"],
    ["healthy: the next", { stale: [0] }, "restart basic-tidb-0"],
    ["it does not need PD", { stale: [0], pdSilent: true }, "restart basic-tidb-0"],
    [
        "not Ready in time",
        { stale: [0], pods: { 1: notReady } },
        "fail pod-available basic-tidb-1",
        waited("pod-available", "basic-tidb-1", 600),
    ],
    [
        "/status stays unwell: it fails, and the next pod, which serves, is not restarted",
        { stale: [0], tidb: { 1: "answers 500" } },
        "fail status-well basic-tidb-1",
        waited("status-well", "basic-tidb-1", 600),
    ],
    [
        "a pod deleted by someone else in the middle is waited for",
        { stale: [0], pods: { 1: undefined } },
        "wait pod-created basic-tidb-1",
    ],
    [
        "a wrong image that never starts holds",
        { stale: [0], pods: { 1: { ...notReady, trouble: "ErrImagePull" } } },
        "wait pod-available basic-tidb-1",
    ],
    [
        "a corrected image reaches the pod that never started first",
        { replicas: 3, stale: [0, 1, 2], pods: { 1: { ...notReady, trouble: "ErrImagePull" } } },
        "restart basic-tidb-1",
    ],
    [
        "a scale-out in the same change: the new pod is waited for, and no old one is stopped",
        { replicas: 3, stale: [0, 1], pods: { 2: notReady } },
        "wait pod-available basic-tidb-2",
    ],
    ["replicas 0: nothing to do", { replicas: 0 }, "done"],
];

decisionTable("upgrade decisions, TiDB", "tidb", tidb, nextRolloutMove);
