import * as assert from "node:assert/strict";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { unreachablePd } from "../../../provider/lifecycle/vocabulary/observation";
import { healthy, now, type Seen, statusOf, storeOf, suspended } from "./seenCluster";

/** Every member, so each check has something to look at. */
const everything = { tso: 1, pd: 3, tiproxy: 1, tiflash: 2, tikv: 3, pump: 1, tidb: 2, ticdc: 2 };
const silence = unreachablePd("PD is silent").pd;

/** What is wrong, the status and reason of `Ready`, and the message. */
const rows: [title: string, seen: Partial<Seen>, ready: string, message: string][] = [
    ["nothing is wrong", {}, "True Ready", "every pod, member and store is as wanted"],
    [
        "a PD pod runs an older revision",
        { pods: { "basic-pd-1": { revision: "pd-old" } } },
        "False StatefulSetNotUpToDate",
        "basic-pd-1 runs an older revision",
    ],
    [
        "a TiFlash pod runs an older revision",
        { pods: { "basic-tiflash-1": { revision: "tiflash-old" } } },
        "False StatefulSetNotUpToDate",
        "basic-tiflash-1 runs an older revision",
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
        "no check fails, but basic-tiproxy-0: runs an older revision; basic-pump-0: runs an older revision; basic-ticdc-0: runs an older revision",
    ],
    [
        "a TiKV pod is not Ready, as on a node that has died, and PD still says Up: no check counts it, and the message names it",
        { pods: { "basic-tikv-1": { ready: false } } },
        "True Ready",
        "no check fails, but basic-tikv-1: is not Ready",
    ],
    [
        "no pod of discovery is Ready, which no check counts",
        { deployed: { discovery: { replicas: 1, ready: 0, updated: 1, image: "node:22" } } },
        "True Ready",
        "no check fails, but Discovery: 0 of 1 pods are Ready",
    ],
    [
        "a pod is not Ready, and a store of another cluster is Down",
        {
            pods: { "basic-pump-0": { ready: false } },
            moreStores: [{ ...storeOf("tikv", "other-tikv-7", 7), state: "Down", own: false }],
        },
        "True Ready",
        `no check fails, but basic-pump-0: is not Ready; of stores that it does not have, store 17 (${storeOf("tikv", "other-tikv-7", 7).address}) is Down`,
    ],
    [
        "the controller has not seen TiKV's newest template",
        { statefulSets: { tikv: { settled: false } } },
        "False StatefulSetNotUpToDate",
        "the controller of TiKV's StatefulSet has not seen its newest template",
    ],
    [
        "PD calls a member unhealthy",
        { unhealthyPd: ["basic-pd-2"] },
        "False PDUnhealthy",
        "basic-pd-2: PD calls it unhealthy",
    ],
    [
        "a pod has not joined PD",
        { pd: { members: known([], "PD", now) } },
        "False PDUnhealthy",
        "basic-pd-0: has not joined PD; basic-pd-1: has not joined PD; basic-pd-2: has not joined PD",
    ],
    ["a PD pod is gone", { pods: { "basic-pd-0": null } }, "False PDUnhealthy", "basic-pd-0 does not exist"],
    [
        "a TiKV store of a scale-out has not sent its first heartbeat",
        { stores: { "basic-tikv-1": { state: "New" } } },
        "False TiKVStoreNotUp",
        "basic-tikv-1: store 11 is new, and has not sent its first heartbeat",
    ],
    [
        "a TiKV store is Disconnected",
        { stores: { "basic-tikv-1": { state: "Disconnected" } } },
        "False TiKVStoreNotUp",
        "basic-tikv-1: store 11 is Disconnected",
    ],
    [
        "a TiKV pod has no store",
        { stores: { "basic-tikv-1": null } },
        "False TiKVStoreNotUp",
        "basic-tikv-1: has not registered a store",
    ],
    [
        "a TiKV pod had a store, which was removed",
        {
            stores: { "basic-tikv-1": null },
            pd: { tombstones: known([{ ...storeOf("tikv", "basic-tikv-1", 1), state: "Tombstone" }], "PD", now) },
        },
        "False TiKVStoreNotUp",
        "basic-tikv-1: has not registered a store since PD removed store 11 (Tombstone)",
    ],
    [
        "PD lists two stores under one pod's address",
        { moreStores: [{ ...storeOf("tikv", "basic-tikv-1", 50) }] },
        "False TiKVStoreNotUp",
        "basic-tikv-1: PD lists stores 11 and 60 under its address",
    ],
    [
        "a store has no pod any more: its data has not moved",
        { moreStores: [{ ...storeOf("tikv", "basic-tikv-7", 7), state: "Down" }] },
        "False TiKVStoreNotUp",
        "store 17 is Down, and its pod basic-tikv-7 does not exist",
    ],
    [
        "another cluster's store is Down: it is not this cluster's",
        { moreStores: [{ ...storeOf("tikv", "other-tikv-7", 7), state: "Down", own: false }] },
        "True Ready",
        `every pod, member and store is as wanted, but of stores that it does not have, store 17 (${storeOf("tikv", "other-tikv-7", 7).address}) is Down`,
    ],
    [
        "another cluster's store is Offline: it leaves as it should",
        { moreStores: [{ ...storeOf("tikv", "other-tikv-7", 7), state: "Offline", own: false }] },
        "True Ready",
        "every pod, member and store is as wanted",
    ],
    [
        "a store is left of a member that the program no longer has",
        {
            members: { ...everything, tiflash: undefined },
            moreStores: [{ ...storeOf("tiflash", "basic-tiflash-0", 7), state: "Disconnected" }],
        },
        "False TiFlashStoreNotUp",
        `store ${storeOf("tiflash", "basic-tiflash-0", 7).id} is Disconnected, and its pod basic-tiflash-0 does not exist`,
    ],
    [
        "the program wants more TiKV than the StatefulSet has",
        { members: { ...everything, tikv: 5 }, statefulSets: { tikv: { replicas: 4 } } },
        "False TiKVStoreNotUp",
        "basic-tikv-4 does not exist",
    ],
    [
        "the program wants fewer TiKV than the StatefulSet has",
        { members: { ...everything, tikv: 2 }, statefulSets: { tikv: { replicas: 3 } }, moreStores: [] },
        "False TiKVStoreNotUp",
        "basic-tikv-2 is to leave: since the last update 2 pods are wanted",
    ],
    [
        "a TiDB answers 500",
        { podStatus: { "basic-tidb-1": "answers 500" } },
        "False TiDBUnhealthy",
        "basic-tidb-1: answers 500",
    ],
    [
        "a TiFlash store is Offline",
        { stores: { "basic-tiflash-0": { state: "Offline" } } },
        "False TiFlashStoreNotUp",
        "basic-tiflash-0: store 1000 is Offline",
    ],
    [
        "a TiFlash is Up and does not say Running",
        { podStatus: { "basic-tiflash-0": "reports Idle, not Running" } },
        "False TiFlashStoreNotUp",
        "basic-tiflash-0: reports Idle, not Running",
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
        "basic-ticdc-1: answers 503",
    ],
    [
        "a TiProxy is unhealthy",
        { podStatus: { "basic-tiproxy-0": "answers 502" } },
        "False TiProxyUnhealthy",
        "basic-tiproxy-0: answers 502",
    ],
    [
        "several are wrong: the first in the operator's order decides",
        { podStatus: { "basic-tidb-1": "answers 500" }, stores: { "basic-tikv-1": { state: "Down" } } },
        "False TiKVStoreNotUp",
        "basic-tikv-1: store 11 is Down",
    ],
    [
        "only the Lease exists: the reason is TiDB Operator's for a cluster without StatefulSets",
        { members: {}, deployed: { discovery: undefined } },
        "False StatefulSetNotUpToDate",
        "nothing is deployed yet: only its Lease exists; the run that deploys it may not have come further",
    ],
    [
        "only the Lease and discovery exist",
        { members: {} },
        "False StatefulSetNotUpToDate",
        "nothing is deployed yet: only its Lease and discovery exist; the run that deploys it may not have come further",
    ],
    ["a member is suspended", suspended(everything, "tidb"), "False TiDBUnhealthy", "TiDB is suspended"],
    ["TiKV is suspended", suspended(everything, "tikv"), "False TiKVStoreNotUp", "TiKV is suspended"],
    [
        "every member is suspended",
        suspended({ pd: 3, tikv: 3, tidb: 2 }, "pd", "tikv", "tidb"),
        "False PDUnhealthy",
        "every member is suspended",
    ],
    [
        "the program no longer suspends a member: it has no StatefulSet yet",
        { statefulSets: { tidb: null } },
        "False TiDBUnhealthy",
        "basic-tidb-0 does not exist; basic-tidb-1 does not exist",
    ],
    [
        "somebody deleted a StatefulSet and left its pods, which nothing keeps running",
        { statefulSets: { tidb: { leftPods: true } } },
        "False StatefulSetNotUpToDate",
        "TiDB has pods, but no StatefulSet: `pulumi up --refresh` creates it again",
    ],
    [
        "PD is silent: nothing is wrong, and not everything is known",
        { pd: silence },
        "Unknown PDUnhealthy",
        "the health of basic-pd-0, basic-pd-1, basic-pd-2 is not known: PD is silent",
    ],
    [
        "PD is silent and a TiDB answers 500: it is certainly not Ready",
        { pd: silence, podStatus: { "basic-tidb-1": "answers 500" } },
        "False TiDBUnhealthy",
        "basic-tidb-1: answers 500",
    ],
    [
        "PD is silent and a PD pod is gone: that is known from Kubernetes",
        { pd: silence, pods: { "basic-pd-2": null } },
        "False PDUnhealthy",
        "basic-pd-2 does not exist",
    ],
    [
        "the stores alone are not known",
        { pd: { stores: notKnown("PD answers 500") } },
        "Unknown TiKVStoreNotUp",
        "the health of basic-tikv-0, basic-tikv-1, basic-tikv-2 is not known: PD answers 500",
    ],
    [
        "PD lists a store of the pod's name at an address with a domain: it may be another Kubernetes cluster's",
        {
            stores: {
                "basic-tikv-0": { own: false, address: "basic-tikv-0.basic-tikv-peer.tidb.svc.a.example:20160" },
            },
        },
        "Unknown TiKVStoreNotUp",
        "the health of basic-tikv-0 is not known: PD lists no store at its address, but one at basic-tikv-0.basic-tikv-peer.tidb.svc.a.example:20160",
    ],
    [
        "PD has another cluster's id: what it says is not believed",
        { observation: { pdClusterId: "8" } },
        "Unknown PDUnhealthy",
        "the health of basic-pd-0, basic-pd-1, basic-pd-2 is not known: PD has the cluster id 7, expected 8, the id of the PD that holds this cluster's metadata",
    ],
    [
        "it is not known where PD is",
        { pdNotAsked: "nobody says where PD is" },
        "Unknown PDUnhealthy",
        "the health of basic-pd-0, basic-pd-1, basic-pd-2 is not known: nobody says where PD is",
    ],
];

describe("the condition Ready", () => {
    for (const [title, seen, ready, message] of rows) {
        it(`if ${title}: ${ready}`, () => {
            const { conditions } = statusOf(healthy({ members: everything, ...seen }));
            assert.equal(conditions.length, 1);
            const [{ type, status, reason, message: words }] = conditions;
            assert.deepEqual([type, `${status} ${reason}`, words], ["Ready", ready, message]);
        });
    }

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

    it("has a message of one line however many pods are wrong", () => {
        const stale = Array.from({ length: 40 }, (_, one) => [`basic-tikv-${one}`, { revision: "old" }] as const);
        const { conditions } = statusOf(healthy({ members: { pd: 1, tikv: 40 }, pods: Object.fromEntries(stale) }));
        assert.equal(
            conditions[0].message,
            "basic-tikv-0 runs an older revision; basic-tikv-1 runs an older revision; basic-tikv-2 runs an older revision; and 37 more",
        );
    });
});
