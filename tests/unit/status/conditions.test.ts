import * as assert from "node:assert/strict";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { unreachablePd } from "../../../provider/lifecycle/vocabulary/observation";
import { pinnedWords } from "../../support/pinned";
import { healthy, now, type Seen, statusOf, storeOf, suspended } from "./seenCluster";

/** Every member, so each check has something to look at. */
const everything = { tso: 1, pd: 3, tiproxy: 1, tiflash: 2, tikv: 3, pump: 1, tidb: 2, ticdc: 2 };
const silence = unreachablePd("PD is silent").pd;

/** What is wrong, and the status and reason of `Ready`. */
const rows: [title: string, seen: Partial<Seen>, ready: string][] = [
    ["nothing is wrong", {}, "True Ready"],
    [
        "a PD pod runs an older revision",
        { pods: { "basic-pd-1": { revision: "pd-old" } } },
        "False StatefulSetNotUpToDate",
    ],
    [
        "a TiFlash pod runs an older revision",
        { pods: { "basic-tiflash-1": { revision: "tiflash-old" } } },
        "False StatefulSetNotUpToDate",
    ],
    [
        "a Pump, a TiCDC and a TiProxy pod run an older revision: TiDB Operator does not look at them",
        {
            pods: {
                "basic-pump-0": { revision: "old" },
                "basic-ticdc-0": { revision: "old" },
                "basic-tiproxy-0": { revision: "old" },
            },
        },
        "True Ready",
    ],
    [
        "a TiKV pod is not Ready, as on a node that has died, and PD still says Up: no check counts it, and the message names it",
        { pods: { "basic-tikv-1": { ready: false } } },
        "True Ready",
    ],
    [
        "no pod of discovery is Ready, which no check counts",
        { deployed: { discovery: { replicas: 1, ready: 0, updated: 1, image: "node:22" } } },
        "True Ready",
    ],
    [
        "a pod is not Ready, and a store of another cluster is Down",
        {
            pods: { "basic-pump-0": { ready: false } },
            moreStores: [{ ...storeOf("tikv", "other-tikv-7", 7), state: "Down", own: false }],
        },
        "True Ready",
    ],
    [
        "the controller has not seen TiKV's newest template",
        { statefulSets: { tikv: { settled: false } } },
        "False StatefulSetNotUpToDate",
    ],
    ["PD calls a member unhealthy", { unhealthyPd: ["basic-pd-2"] }, "False PDUnhealthy"],
    ["a pod has not joined PD", { pd: { members: known([], "PD", now) } }, "False PDUnhealthy"],
    ["a PD pod is gone", { pods: { "basic-pd-0": null } }, "False PDUnhealthy"],
    [
        "a TiKV store of a scale-out has not sent its first heartbeat",
        { stores: { "basic-tikv-1": { state: "New" } } },
        "False TiKVStoreNotUp",
    ],
    ["a TiKV store is Disconnected", { stores: { "basic-tikv-1": { state: "Disconnected" } } }, "False TiKVStoreNotUp"],
    ["a TiKV pod has no store", { stores: { "basic-tikv-1": null } }, "False TiKVStoreNotUp"],
    [
        "a TiKV pod had a store, which was removed",
        {
            stores: { "basic-tikv-1": null },
            pd: { tombstones: known([{ ...storeOf("tikv", "basic-tikv-1", 1), state: "Tombstone" }], "PD", now) },
        },
        "False TiKVStoreNotUp",
    ],
    [
        "PD lists two stores under one pod's address",
        { moreStores: [{ ...storeOf("tikv", "basic-tikv-1", 50) }] },
        "False TiKVStoreNotUp",
    ],
    [
        "a store has no pod any more: its data has not moved",
        { moreStores: [{ ...storeOf("tikv", "basic-tikv-7", 7), state: "Down" }] },
        "False TiKVStoreNotUp",
    ],
    [
        "another cluster's store is Down: it is not this cluster's",
        { moreStores: [{ ...storeOf("tikv", "other-tikv-7", 7), state: "Down", own: false }] },
        "True Ready",
    ],
    [
        "another cluster's store is Offline: it leaves as it should",
        { moreStores: [{ ...storeOf("tikv", "other-tikv-7", 7), state: "Offline", own: false }] },
        "True Ready",
    ],
    [
        "a store is left of a member that the program no longer has",
        {
            members: { ...everything, tiflash: undefined },
            moreStores: [{ ...storeOf("tiflash", "basic-tiflash-0", 7), state: "Disconnected" }],
        },
        "False TiFlashStoreNotUp",
    ],
    [
        "the program wants more TiKV than the StatefulSet has",
        { members: { ...everything, tikv: 5 }, statefulSets: { tikv: { replicas: 4 } } },
        "False TiKVStoreNotUp",
    ],
    [
        "the program wants fewer TiKV than the StatefulSet has",
        { members: { ...everything, tikv: 2 }, statefulSets: { tikv: { replicas: 3 } }, moreStores: [] },
        "False TiKVStoreNotUp",
    ],
    ["a TiDB answers 500", { podStatus: { "basic-tidb-1": "answers 500" } }, "False TiDBUnhealthy"],
    ["a TiFlash store is Offline", { stores: { "basic-tiflash-0": { state: "Offline" } } }, "False TiFlashStoreNotUp"],
    [
        "a TiFlash is Up and does not say Running",
        { podStatus: { "basic-tiflash-0": "reports Idle, not Running" } },
        "False TiFlashStoreNotUp",
    ],
    [
        "a capture does not answer",
        {
            observation: {
                captures: {
                    byPod: { "basic-ticdc-0": { id: "a", version: "" }, "basic-ticdc-1": { trouble: "answers 503" } },
                    list: [{ id: "a", isOwner: true }],
                    tablesLeft: {},
                },
            },
        },
        "False TiCDCCaptureNotReady",
    ],
    ["a TiProxy is unhealthy", { podStatus: { "basic-tiproxy-0": "answers 502" } }, "False TiProxyUnhealthy"],
    [
        "several are wrong: the first in the operator's order decides",
        { podStatus: { "basic-tidb-1": "answers 500" }, stores: { "basic-tikv-1": { state: "Down" } } },
        "False TiKVStoreNotUp",
    ],
    [
        "only the Lease exists: the reason is TiDB Operator's for a cluster without StatefulSets",
        { members: {}, deployed: { discovery: undefined } },
        "False StatefulSetNotUpToDate",
    ],
    ["only the Lease and discovery exist", { members: {} }, "False StatefulSetNotUpToDate"],
    ["a member is suspended", suspended(everything, "tidb"), "False TiDBUnhealthy"],
    ["TiKV is suspended", suspended(everything, "tikv"), "False TiKVStoreNotUp"],
    ["every member is suspended", suspended({ pd: 3, tikv: 3, tidb: 2 }, "pd", "tikv", "tidb"), "False PDUnhealthy"],
    [
        "the program no longer suspends a member: it has no StatefulSet yet",
        { statefulSets: { tidb: null } },
        "False TiDBUnhealthy",
    ],
    [
        "somebody deleted a StatefulSet and left its pods, which nothing keeps running",
        { statefulSets: { tidb: { leftPods: true } } },
        "False StatefulSetNotUpToDate",
    ],
    ["PD is silent: nothing is wrong, and not everything is known", { pd: silence }, "Unknown PDUnhealthy"],
    [
        "PD is silent and a TiDB answers 500: it is certainly not Ready",
        { pd: silence, podStatus: { "basic-tidb-1": "answers 500" } },
        "False TiDBUnhealthy",
    ],
    [
        "PD is silent and a PD pod is gone: that is known from Kubernetes",
        { pd: silence, pods: { "basic-pd-2": null } },
        "False PDUnhealthy",
    ],
    ["the stores alone are not known", { pd: { stores: notKnown("PD answers 500") } }, "Unknown TiKVStoreNotUp"],
    [
        "PD lists a store of the pod's name at an address with a domain: it may be another Kubernetes cluster's",
        {
            stores: {
                "basic-tikv-0": { own: false, address: "basic-tikv-0.basic-tikv-peer.tidb.svc.a.example:20160" },
            },
        },
        "Unknown TiKVStoreNotUp",
    ],
    [
        "PD has another cluster's id: what it says is not believed",
        { observation: { pdClusterId: "8" } },
        "Unknown PDUnhealthy",
    ],
    ["it is not known where PD is", { pdNotAsked: "nobody says where PD is" }, "Unknown PDUnhealthy"],
    [
        "forty pods run an older revision: the message has one line",
        {
            members: { pd: 1, tikv: 40 },
            pods: Object.fromEntries(
                Array.from({ length: 40 }, (_, one) => [`basic-tikv-${one}`, { revision: "old" }]),
            ),
        },
        "False StatefulSetNotUpToDate",
    ],
];

describe("the condition Ready", () => {
    for (const [title, seen, ready] of rows) {
        it(`if ${title}: ${ready}`, () => {
            const { conditions } = statusOf(healthy({ members: everything, ...seen }));
            assert.equal(conditions.length, 1);
            const [{ type, status, reason }] = conditions;
            assert.deepEqual([type, `${status} ${reason}`], ["Ready", ready]);
        });
    }

    pinnedWords(
        "condition",
        Object.fromEntries(
            rows.map(([title, seen]) => [
                title,
                () => statusOf(healthy({ members: everything, ...seen })).conditions[0].message,
            ]),
        ),
    );

    it("is not about members that the cluster does not have", () => {
        const { checks, conditions } = statusOf(healthy({ members: { pd: 1, tikv: 1 } }));
        assert.equal(conditions[0].status, "True");
        assert.deepEqual(
            checks.map(({ reason, result }) => `${reason} ${result}`),
            [
                "StatefulSetNotUpToDate passed",
                "PDUnhealthy passed",
                "TiKVStoreNotUp passed",
                "TiDBUnhealthy absent",
                "TiFlashStoreNotUp absent",
                "TiCDCCaptureNotReady absent",
                "TiProxyUnhealthy absent",
            ],
        );
    });
});
