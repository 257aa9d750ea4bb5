import * as assert from "node:assert/strict";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import { canShutDownGracefully } from "../../../../../provider/lifecycle/members/ticdcVersions";
import { acted, decisionTable, notReady, type Row, waited } from "../../../../support/lifecycle/decisionTable";
import { claimOf, longAgo, now } from "../../../../support/lifecycle/observations";

/** A pod whose shutdown began this many seconds ago. */
const begun = (ordinal: number, seconds = 10) => ({ [ordinal]: { shutdownBegunAt: now - seconds * 1000 } });
const drained = { tablesLeft: { "uid-2": 0, "uid-1": 0, "uid-0": 0 } };
const byPod = (more: object) => ({
    "basic-ticdc-0": { id: "capture-0", version: "v8.5.3" },
    "basic-ticdc-1": { id: "capture-1", version: "v8.5.3" },
    "basic-ticdc-2": { id: "capture-2", version: "v8.5.3" },
    ...more,
});
const ran = (version: string) => ({ byPod: byPod({ "basic-ticdc-2": { id: "capture-2", version } }) });
const silent = { byPod: byPod({ "basic-ticdc-2": { trouble: "does not answer" } }) };
const busy = { list: { trouble: "answers 503" } };
const all = [0, 1, 2];
/** This run has waited for the whole timeout of the shutdown. The time recorded by another machine's clock does not count. */
const timeIsOver = waited("capture-shut-down", "basic-ticdc-2", 600);

const rollout: Row[] = [
    ["nothing is stale", {}, "done"],
    ["the start is recorded first, for the highest ordinal", { stale: all }, "begin-shutdown basic-ticdc-2"],
    ["then its tables are moved", { stale: all, pods: begun(2) }, "drain-capture basic-ticdc-2"],
    [
        "an owner gives that up before",
        { stale: all, pods: begun(2), captures: { owner: 2 } },
        "resign-owner basic-ticdc-2",
    ],
    [
        "which is waited for",
        { stale: all, pods: begun(2), captures: { owner: 2 } },
        "wait owner-elsewhere basic-ticdc-2",
        acted("resign-owner uid-2", 1000),
    ],
    [
        "and asked for again",
        { stale: all, pods: begun(2), captures: { owner: 2 } },
        "resign-owner basic-ticdc-2",
        acted("resign-owner uid-2", 6000),
    ],
    [
        "tables that are left are waited for",
        { stale: all, pods: begun(2), captures: { tablesLeft: { "uid-2": 7 } } },
        "wait capture-drained basic-ticdc-2",
        acted("drain-capture uid-2", 1000),
    ],
    [
        "and asked about again",
        { stale: all, pods: begun(2), captures: { tablesLeft: { "uid-2": 7 } } },
        "drain-capture basic-ticdc-2",
        acted("drain-capture uid-2", 6000),
    ],
    [
        "tables of another pod of this name do not count",
        { stale: all, pods: begun(2), captures: { tablesLeft: { "uid-1": 0 } } },
        "drain-capture basic-ticdc-2",
    ],
    ["without tables it stops", { stale: all, pods: begun(2), captures: drained }, "restart basic-ticdc-2"],
    [
        "unless the next one owns TiCDC: the ownership moves once",
        { stale: all, pods: begun(2), captures: { ...drained, owner: 1 } },
        "resign-owner basic-ticdc-1",
    ],
    [
        "but not if only the leaving one could take it",
        { live: 2, stale: [0, 1], pods: begun(1), captures: drained },
        "restart basic-ticdc-1",
    ],
    [
        "nor where the next one has been restarted already",
        { stale: [2], pods: begun(2), captures: { ...drained, owner: 1 } },
        "restart basic-ticdc-2",
    ],
    [
        "the owner calls TiCDC unwell",
        { stale: all, pods: begun(2), captures: { ...drained, ownerTrouble: "the owner answers 500" } },
        "wait owner-well basic-ticdc-2",
    ],
    [
        "TiCDC has no owner",
        { stale: all, pods: begun(2), captures: { ...drained, owner: null } },
        "wait capture-drained basic-ticdc-2",
    ],
    ["TiCDC is not ready", { stale: all, pods: begun(2), captures: busy }, "wait owner-elsewhere basic-ticdc-2"],
    [
        "the capture does not answer",
        { stale: all, pods: begun(2), captures: silent },
        "wait capture-answers basic-ticdc-2",
    ],
    [
        "the capture is not among the captures",
        {
            stale: all,
            pods: begun(2),
            captures: { list: [0, 1].map((one) => ({ id: `capture-${one}`, isOwner: one === 0 })) },
        },
        "wait capture-drained basic-ticdc-2",
    ],
    [
        "a version without these calls goes at once",
        { stale: all, pods: begun(2), captures: { list: "unsupported" } },
        "restart basic-ticdc-2",
    ],
    ["the only capture goes at once", { live: 1, stale: [0], pods: begun(0) }, "restart basic-ticdc-0"],
    [
        "one of another version that cannot be drained goes at once",
        { stale: all, pods: begun(2), version: "v7.1.0", captures: { ...ran("v6.2.0"), owner: 2 } },
        "restart basic-ticdc-2",
    ],
    [
        "one of another version that can be drained is",
        { stale: all, pods: begun(2), version: "v7.1.0", captures: ran("v6.3.0") },
        "drain-capture basic-ticdc-2",
    ],
    [
        "after 600 s it goes with the tables it has",
        { stale: all, pods: begun(2, 601), captures: { tablesLeft: { "uid-2": 7 } } },
        "restart basic-ticdc-2",
        timeIsOver,
    ],
    ["or owns TiCDC", { stale: all, pods: begun(2, 601), captures: { owner: 2 } }, "restart basic-ticdc-2", timeIsOver],
    ["or does not answer", { stale: all, pods: begun(2, 601), captures: silent }, "restart basic-ticdc-2", timeIsOver],
    [
        "gracefulShutdownTimeout is that time",
        { stale: all, pods: begun(2, 601), policy: { gracefulShutdownTimeoutSeconds: 900 } },
        "drain-capture basic-ticdc-2",
    ],
    ["0 is none", { stale: all, policy: { gracefulShutdownTimeoutSeconds: 0 } }, "restart basic-ticdc-2"],
    [
        "an old start belongs to an abandoned attempt",
        { stale: all, pods: { 2: { shutdownBegunAt: longAgo - 601_000 } } },
        "begin-shutdown basic-ticdc-2",
    ],
    ["a pod that runs no capture goes at once", { stale: all, pods: { 2: notReady } }, "restart basic-ticdc-2"],
    [
        "one that was begun with comes first",
        { stale: all, pods: begun(1), captures: { ...drained, owner: 2 } },
        "restart basic-ticdc-1",
    ],
    ["a restarted one must answer", { stale: [0, 1], captures: silent }, "wait capture-registered basic-ticdc-2"],
    [
        "and be among the captures",
        { stale: [0, 1], captures: { list: [{ id: "capture-0", isOwner: true }] } },
        "wait capture-registered basic-ticdc-2",
    ],
    ["and TiCDC be ready", { stale: [0, 1], captures: busy }, "wait capture-registered basic-ticdc-2"],
    [
        "unless no version lists them",
        { stale: [0], pods: begun(0), captures: { list: "unsupported" } },
        "restart basic-ticdc-0",
    ],
    [
        "and its owner is well: the next one is not shut down before, though its tables have moved",
        { stale: [0, 1], pods: begun(1), captures: { ...drained, owner: 2, ownerTrouble: "the owner answers 500" } },
        "wait owner-well basic-ticdc-1",
    ],
    [
        "not after the last one: none would be shut down after it",
        { captures: { ownerTrouble: "the owner answers 500" } },
        "done",
    ],
    [
        "then the next one goes",
        { stale: [0, 1], pods: begun(1), captures: { ...drained, owner: 2 } },
        "restart basic-ticdc-1",
    ],
    [
        "it does not need PD",
        { stale: [0], pods: begun(0), captures: { ...drained, owner: 1 }, pdSilent: true },
        "restart basic-ticdc-0",
    ],
];

const scale: Row[] = [
    ["its start is recorded first", { live: 3, replicas: 2 }, "begin-shutdown basic-ticdc-2"],
    [
        "the tables of the one that leaves are moved",
        { live: 3, replicas: 2, pods: begun(2) },
        "drain-capture basic-ticdc-2",
    ],
    [
        "whatever its version is",
        { live: 3, replicas: 2, pods: begun(2), version: "v9.0.0", captures: ran("v5.0.0") },
        "drain-capture basic-ticdc-2",
    ],
    [
        "an owner gives that up before",
        { live: 3, replicas: 2, pods: begun(2), captures: { owner: 2 } },
        "resign-owner basic-ticdc-2",
    ],
    [
        "then its volumes are released",
        { live: 3, replicas: 2, pods: begun(2), captures: drained, claims: [claimOf("ticdc", 2)] },
        "release-claims ticdc-basic-ticdc-2",
    ],
    ["then it may go", { live: 3, replicas: 2, pods: begun(2), captures: drained }, "done"],
    ["after 600 s it may, too", { live: 3, replicas: 2, pods: begun(2, 601) }, "done", timeIsOver],
    [
        "one after the other",
        { live: 3, replicas: 1, pods: { ...begun(2) }, captures: drained },
        "begin-shutdown basic-ticdc-1",
    ],
    [
        "to 0: the only one that is left has nobody to give its tables to",
        { live: 1, replicas: 0, pods: begun(0), captures: { list: [{ id: "capture-0", isOwner: true }] } },
        "done",
    ],
    [
        "an ordinal comes back without what an earlier one left",
        { live: 2, replicas: 3, claims: [claimOf("ticdc", 2, { released: true })] },
        "delete-claims ticdc-basic-ticdc-2",
    ],
];

decisionTable("upgrade decisions, TiCDC", "ticdc", rollout, nextRolloutMove);
decisionTable("scale decisions, TiCDC", "ticdc", scale, nextScaleMove);

describe("a capture can be drained", () => {
    const versions: [running: string, target: string | undefined, expected: boolean][] = [
        ["v6.5.0", "v6.5.0", true],
        ["v5.4.0", "v5.4.0", true],
        ["6.5.0", "v6.5.0", true],
        ["v6.2.0", "v6.5.0", false],
        ["v6.3.0", "v6.5.0", true],
        ["v6.5.2", "v7.9.9", true],
        ["v6.5.2", "v8.0.0", false],
        ["v8.5.3", "v8.1.0", true],
        ["v8.5.3-20260101", "v8.5.3", true],
        ["v8.5.3", "latest", false],
        ["v8.5.3", "nightly-x", false],
        ["v8.5.3", "my-build", true],
        ["none", "v8.5.3", true],
        ["v8.5.3", undefined, true],
        ["v6.2.0", undefined, true],
        ["8.5.0", "v9.0.0", true],
        ["8.5.0", "v10.0.0", false],
        ["v8.12.0", "v10.0.0", false],
        ["v12.0.0", "v13.9.0", true],
        ["v6", "v7", false],
        ["v6.5", "v7.1", true],
        ["v6.12.0", "v7.1.0", true],
        ["v6.3.12", "v6.3.1", true],
        ["v6.2.12", "v6.2.1", false],
        ["v6.2.12", "v6.2.12", true],
        ["v6.2.0-alpha", "v6.5.0", false],
        ["v6.2.0+dirty", "v6.5.0", false],
        ["v6.2.0x", "v6.5.0", true],
        ["my-v6.2.0", "v6.5.0", true],
        ["v8.5.3", "master", false],
        ["v8.5.3", "nightly", false],
        ["v8.5.3", "my-nightly", true],
        ["v8.5.3", "nightlybuild", true],
    ];
    for (const [running, target, expected] of versions) {
        it(`${expected ? "from" : "not from"} ${running} to ${target ?? "what is not known"}`, () => {
            assert.equal(canShutDownGracefully(running, target), expected);
        });
    }
});
