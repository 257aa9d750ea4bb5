import * as assert from "node:assert/strict";
import { nextLossMove } from "../../../../provider/lifecycle/lostNodes/nextLossMove";
import { planLoss } from "../../../../provider/lifecycle/lostNodes/planLoss";
import { emptyMemory, rememberAction, rememberWait } from "../../../../provider/lifecycle/vocabulary/memory";
import { downFor, goneNode, lostNode, minutes, unscheduled } from "../../../support/lifecycle/deaths";
import { region } from "../../../support/lifecycle/failedStores";
import {
    claimAt,
    lostFrom,
    lostPd,
    lostTiflash,
    lostTarget,
    lostTikv,
    onGoneNode,
    onNode,
    recordedLoss,
    seenLoss,
} from "../../../support/lifecycle/lostVolumes";
import { claimOf, type Deviation, inShort, now, storeOf } from "../../../support/lifecycle/observations";
import type { Component } from "../../../../topology/members";
import { codesOf, repeats } from "../../../support/repeats";

const next = (component: Component, row: Deviation, nodes = lostTarget.nodes) => {
    const move = nextLossMove(seenLoss(component, row), { ...lostTarget, nodes }, emptyMemory);
    return move.kind === "wait" ? `wait: ${move.waitingFor}` : inShort(move);
};
type Row = [string, Component, Deviation, string];
const offline = (more: object = {}) => ({ ...downFor(minutes), state: "Offline", ...more });
const tombstone = storeOf(1, { ...downFor(minutes), state: "Tombstone" });
const buried = { ...lostTikv, stores: { 1: undefined }, tombstones: [tombstone] };
const tikv = recordedLoss("tikv");
const pd = recordedLoss("pd");
const ready: Deviation = { pods: {}, claims: [claimOf("tikv", 1)] };
const remade = [claimOf("tikv", 1, { uid: "claim-new" })];
const wal = { name: "wal-basic-tikv-1", uid: "wal" };
const reused = claimAt("tikv", 1, { is: "on-node", volume: "wal-1", node: "node-2", isGone: false }, wal);
const withWal = recordedLoss("tikv", {
    claims: [
        { name: "tikv-basic-tikv-1", uid: "claim-1" },
        { ...wal, isUnbound: true },
    ],
});
const noVolume = claimAt("tikv", 1, { is: "elsewhere", why: "its volume pv-1 does not exist" });

describe("volumes on a node that is gone", () => {
    const dueRows: Row[] = [
        ["a Down store whose pod waits for the volume", "tikv", lostTikv, "note-lost-volumes basic-tikv-1"],
        [
            "its pod is still on the node",
            "tikv",
            { ...lostTikv, pods: { 1: goneNode() } },
            "note-lost-volumes basic-tikv-1",
        ],
        ["a store that is Tombstone already", "tikv", buried, "note-lost-volumes basic-tikv-1"],
        [
            "another claim that was never bound",
            "tikv",
            {
                ...lostTikv,
                claims: [
                    ...(lostTikv.claims ?? []),
                    claimAt("tikv", 1, { is: "unbound" }, { name: "wal-basic-tikv-1", uid: "wal" }),
                ],
            },
            "note-lost-volumes basic-tikv-1",
        ],
        [
            "every region keeps its majority without the store",
            "tikv",
            { ...lostTikv, regionsOf: { stores: [11], regions: [region(1, [10, 11, 12])] } },
            "note-lost-volumes basic-tikv-1",
        ],
        ["an unhealthy member of PD", "pd", lostPd, "note-lost-volumes basic-pd-1"],
        ["a member that PD has no more", "pd", { ...lostPd, notMembers: [1] }, "note-lost-volumes basic-pd-1"],
        ["a TiFlash store", "tiflash", lostTiflash, "note-lost-volumes basic-tiflash-1"],
    ];
    for (const [what, component, row, expected] of dueRows) {
        it(`are given up: ${what}`, () => assert.equal(next(component, row), expected));
    }

    const keptRows: Row[] = [
        [
            "the node exists",
            "tikv",
            { ...lostTikv, claims: [claimAt("tikv", 1, onNode)] },
            "node node-1 exists: one that is only not Ready is not gone",
        ],
        [
            "the node is only not Ready",
            "tikv",
            { ...lostTikv, pods: { 1: lostNode() }, claims: [claimAt("tikv", 1, onNode)] },
            "node node-1 exists: one that is only not Ready is not gone",
        ],
        [
            "another volume of the pod can be used elsewhere",
            "tikv",
            {
                ...lostTikv,
                claims: [
                    ...(lostTikv.claims ?? []),
                    claimAt(
                        "tikv",
                        1,
                        { is: "elsewhere", why: "its volume ebs-1 is not tied to one node" },
                        { uid: "b" },
                    ),
                ],
            },
            "tikv-basic-tikv-1 is not on node node-1: its volume ebs-1 is not tied to one node",
        ],
        [
            "another volume of the pod is on another node",
            "tikv",
            {
                ...lostTikv,
                claims: [
                    ...(lostTikv.claims ?? []),
                    claimAt("tikv", 1, { ...onGoneNode, node: "node-2" }, { uid: "b" }),
                ],
            },
            "tikv-basic-tikv-1 is on another node, node-2",
        ],
        [
            "the pod is on another node",
            "tikv",
            { ...lostTikv, pods: { 1: { ...goneNode(), node: "node-2" } } },
            "it is on node node-2",
        ],
        [
            "PD hears from the store",
            "tikv",
            { ...lostTikv, stores: {} },
            "store 11 (basic-tikv-1) is Up: PD hears from it",
        ],
        [
            "the store is silent for a moment only",
            "tikv",
            { ...lostTikv, stores: { 1: { state: "Disconnected", lastHeartbeat: now - 5 * minutes } } },
            "store 11 (basic-tikv-1) is Disconnected, and silent for 299 s only: PD gives a store up after max-store-down-time, 1800 s",
        ],
        [
            "PD does not know the store",
            "tikv",
            { ...lostTikv, stores: { 1: undefined } },
            "PD lists no store for it, neither live nor Tombstone: if it never had one, delete its claim and its pod by hand",
        ],
        [
            "the store is Offline by somebody else",
            "tikv",
            { ...lostTikv, stores: { 1: offline() } },
            "PD says Offline of store 11 (basic-tikv-1), which a person or a scale-in began: wait for Tombstone",
        ],
        [
            "too few stores would be left",
            "tikv",
            { ...lostTikv, live: 3 },
            "2 Up TiKV stores would be left, but PD keeps 3 replicas of each region (replication.max-replicas): add a store first, as failover does",
        ],
        [
            "PD keeps more replicas",
            "tikv",
            { ...lostTikv, maxReplicas: 4 },
            "3 Up TiKV stores would be left, but PD keeps 4 replicas of each region (replication.max-replicas): add a store first, as failover does",
        ],
        [
            "most stores are silent",
            "tikv",
            { ...lostTikv, maxReplicas: 1, stores: { 1: downFor(minutes), 2: downFor(minutes), 3: downFor(minutes) } },
            "only 1 of the 4 stores that PD lists are Up: most are silent together",
        ],
        [
            "a region has no majority elsewhere",
            "tikv",
            {
                ...lostTikv,
                stores: { 1: downFor(minutes), 2: downFor(minutes) },
                live: 6,
                regionsOf: { stores: [11], regions: [region(1, [10, 11, 12])] },
            },
            "1 region has no majority on stores that are Up, such as 1: wait for PD to repair them, or see operations.unsafeRecovery",
        ],
        [
            "a region has a majority elsewhere only with a replica that lags behind",
            "tikv",
            {
                ...lostTikv,
                regionsOf: {
                    stores: [11],
                    regions: [
                        {
                            id: 1,
                            peers: [
                                { storeId: 10, role: "voter", isBehind: false },
                                { storeId: 11, role: "voter", isBehind: true },
                                { storeId: 12, role: "voter", isBehind: true },
                            ],
                        },
                    ],
                },
            },
            "1 region has no majority on stores that are Up, such as 1: wait for PD to repair them, or see operations.unsafeRecovery",
        ],
        [
            "too many replicas to judge",
            "tikv",
            { ...lostTikv, stores: { 1: { ...downFor(minutes), regionCount: 20_001 } } },
            "PD has 20001 replicas of regions to move first, and judges 20000 at most",
        ],
        [
            "PD has no quorum",
            "tikv",
            { ...lostTikv, unhealthy: [1, 2] },
            "1 of 3 PD members are healthy, expected at least 2",
        ],
        [
            "an unsafe recovery was begun",
            "tikv",
            {
                ...lostTikv,
                records: {
                    ...tikv,
                    lostVolumes: undefined,
                    unsafeRecovery: { finished: [], begun: { stores: [12], at: 1 } },
                },
            },
            "an unsafe recovery was begun, and its end is not on record",
        ],
        [
            "PD has given up an unsafe recovery, in which it has buried the store",
            "tikv",
            { ...buried, recovery: { stage: "failed", failedStores: [11], report: "Unsafe recovery failed" } },
            "PD has given up an unsafe recovery, which must succeed first: Unsafe recovery failed",
        ],
        [
            "PD has buried the store, and regions of it have no majority elsewhere",
            "tikv",
            { ...buried, regionsOf: { stores: [11], regions: [region(1, [10, 11, 19])] } },
            "1 region has no majority on stores that are Up, such as 1: wait for PD to repair them, or see operations.unsafeRecovery",
        ],
        [
            "PD has no member for the pod, but one of an unknown pod, which may be it",
            "pd",
            {
                ...lostPd,
                notMembers: [1],
                unhealthy: [],
                moreMembers: [{ name: "pd-1", memberId: "101", podName: undefined, healthy: true }],
            },
            "PD lists no member for it, but members of unknown pods",
        ],
        ["PD calls the member healthy", "pd", { ...lostPd, unhealthy: [] }, "PD hears from member basic-pd-1"],
        [
            "the other members are no quorum",
            "pd",
            { ...lostPd, live: 2 },
            "1 of 2 PD members are healthy, expected at least 2",
        ],
        [
            "the other members are no quorum, because one of them stops",
            "pd",
            { ...lostPd, pods: { ...lostPd.pods, 2: { terminating: true } } },
            "only 1 of the 2 PD members that would stay are healthy",
        ],
    ];
    for (const [what, component, row, expected] of keptRows) {
        it(`stay, and the plan says why: ${what}`, () => {
            assert.equal(next(component, row), "done");
            const plan = planLoss(seenLoss(component, row), lostTarget);
            assert.ok("remarks" in plan);
            assert.deepEqual(plan.steps, []);
            assert.deepEqual(codesOf(plan.warnings), ["volumes-not-given-up"]);
            repeats(plan.warnings, `basic-${component}-1`, expected);
        });
    }
    it("stay if their pod is Ready: the plan says that the node takes nothing with it", () => {
        const row: Deviation = { ...lostTikv, pods: {}, claims: [claimOf("tikv", 1)] };
        assert.equal(next("tikv", row), "done");
        const plan = planLoss(seenLoss("tikv", row), lostTarget);
        assert.ok("remarks" in plan);
        const { steps, warnings, remarks } = plan;
        assert.deepEqual([steps, warnings, codesOf(remarks)], [[], [], ["lost-node-over"]]);
    });
    it("stay on a node that the program does not name", () => {
        assert.equal(next("tikv", lostTikv, ["node-2"]), "done");
        assert.equal(next("tikv", { ...lostTikv, records: tikv }, ["node-2"]), "done");
    });

    const unknownRows: Row[] = [
        [
            "where a volume is",
            "tikv",
            { ...lostTikv, claims: [claimAt("tikv", 1, "could not read volume pv-1: 403")] },
            "wait: could not read volume pv-1: 403",
        ],
        [
            "PD's stores",
            "tikv",
            { ...lostTikv, unknown: ["stores"] },
            "wait: PD's members and stores are not known: PD did not answer",
        ],
        [
            "PD's placement rules",
            "tikv",
            { ...lostTikv, unknown: ["placement"] },
            "wait: PD's placement rules are not known: PD did not answer",
        ],
        [
            "what a PD that was just elected says of regions",
            "tikv",
            { ...lostTikv, leadership: { heldFor: 5_000 } },
            "wait: whether PD's answers can be trusted is not known: basic-pd-0 has led PD for 5 s, and its counts can be trusted only after 70 s",
        ],
        [
            "PD's max-store-down-time",
            "tikv",
            { ...lostTikv, unknown: ["storeDownTime"] },
            "wait: max-store-down-time is not known: PD did not answer",
        ],
        ["PD at all", "tikv", { ...lostTikv, pdSilent: true }, "wait: PD answers 500"],
        [
            "the pod, which is made anew",
            "tikv",
            { ...lostTikv, pods: { 1: undefined } },
            "wait: the StatefulSet has not made basic-tikv-1 again",
        ],
        ["the regions of the store", "tikv", { ...lostTikv, regionsOf: undefined }, "look at:regions:ofStores:[11]"],
        [
            "what is left of a Tombstone store",
            "tikv",
            { ...buried, regionsOf: undefined },
            "look at:regions:ofStores:[11]",
        ],
        [
            "what an unsafe recovery leaves, which a person has begun and PD runs",
            "tikv",
            {
                ...buried,
                recovery: { stage: "running", failedStores: [11], report: "Unsafe recovery enters force leader" },
            },
            "wait: PD runs an unsafe recovery: Unsafe recovery enters force leader",
        ],
        [
            "whether PD runs an unsafe recovery",
            "tikv",
            { ...buried, unknown: ["unsafeRecovery"] },
            "wait: whether PD runs an unsafe recovery is not known: PD did not answer",
        ],
    ];
    for (const [what, component, row, expected] of unknownRows) {
        it(`are waited for while it is not known: ${what}`, () =>
            assert.equal(next(component, row).replace(/^look .*regions/, "look at:regions"), expected));
    }

    const begunRows: Row[] = [
        ["first the store", "tikv", { ...lostTikv, records: tikv }, "remove-store 11"],
        [
            "PD moves its regions",
            "tikv",
            { ...lostTikv, stores: { 1: offline({ regionCount: 7 }) }, records: tikv },
            "wait: store 11 (basic-tikv-1) is Offline with 7 regions left",
        ],
        ["then the claims", "tikv", { ...buried, records: tikv }, "delete-claims tikv-basic-tikv-1"],
        [
            "then the pod, whose claims are gone",
            "tikv",
            { ...buried, claims: [], records: tikv },
            "restart basic-tikv-1",
        ],
        [
            "then the pod, whose claims still end",
            "tikv",
            {
                ...buried,
                pods: { 1: goneNode() },
                claims: [claimAt("tikv", 1, onGoneNode, { terminating: true })],
                records: tikv,
            },
            "restart basic-tikv-1",
        ],
        [
            "the claims end with the pod",
            "tikv",
            {
                ...buried,
                pods: { 1: { ...goneNode(), terminating: true } },
                claims: [claimAt("tikv", 1, onGoneNode, { terminating: true })],
                records: tikv,
            },
            "wait: tikv-basic-tikv-1 are marked for deletion, and still exist",
        ],
        [
            "a new pod without its claim is deleted too",
            "tikv",
            { ...buried, pods: { 1: { ...unscheduled(), uid: "uid-new" } }, claims: [], records: tikv },
            "restart basic-tikv-1",
        ],
        [
            "the record goes last",
            "tikv",
            { ...buried, pods: { 1: { ...unscheduled(), uid: "uid-new" } }, claims: remade, records: tikv },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "a pod that Kubernetes has given a new claim, and that runs elsewhere, is not deleted",
            "tikv",
            { ...buried, pods: { 1: { ...goneNode(), node: "node-2" } }, claims: remade, records: tikv },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "a claim that had no volume when the loss was recorded, and has one where the pod started anew, is not deleted",
            "tikv",
            {
                ...buried,
                pods: { 1: { ...goneNode(), node: "node-2" } },
                claims: [...remade, reused],
                records: withWal,
            },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "nor is the pod, while it waits for the node of that volume",
            "tikv",
            {
                ...buried,
                pods: { 1: { ...unscheduled(), uid: "uid-new" } },
                claims: [...remade, reused],
                records: withWal,
            },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "nor if the pod runs elsewhere with a store of its own",
            "tikv",
            {
                ...buried,
                stores: { 1: { id: 77 } },
                pods: { 1: { ...goneNode(), node: "node-2" } },
                claims: [...remade, reused],
                records: withWal,
            },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "a claim that got its volume on the node while that was back, and is lost again, goes too",
            "tikv",
            { ...buried, claims: [...remade, claimAt("tikv", 1, onGoneNode, wal)], records: withWal },
            "delete-claims wal-basic-tikv-1",
        ],
        [
            "a claim whose volume somebody has deleted meanwhile goes too: its pod can never start with it",
            "tikv",
            { ...buried, claims: [noVolume], records: tikv },
            "delete-claims tikv-basic-tikv-1",
        ],
        [
            "a pod that was made anew meanwhile is put on record, with the claims of the first one",
            "tikv",
            { ...buried, pods: { 1: { ...unscheduled(), uid: "uid-new" } }, records: tikv },
            "note-lost-volumes basic-tikv-1",
        ],
        [
            "an earlier loss was recorded with another claim: what is seen now is recorded first",
            "tikv",
            { ...lostTikv, records: recordedLoss("tikv", { claims: [{ name: "tikv-basic-tikv-1", uid: "claim-0" }] }) },
            "note-lost-volumes basic-tikv-1",
        ],
        ["first the member", "pd", { ...lostPd, records: pd }, "remove-member basic-pd-1"],
        ["then its claims", "pd", { ...lostPd, notMembers: [1], records: pd }, "delete-claims pd-basic-pd-1"],
        ["then its pod", "pd", { ...lostPd, notMembers: [1], claims: [], records: pd }, "restart basic-pd-1"],
        [
            "a store that PD had dropped before",
            "tikv",
            { ...buried, records: recordedLoss("tikv", { storeId: undefined }) },
            "delete-claims tikv-basic-tikv-1",
        ],
    ];
    for (const [what, component, row, expected] of begunRows) {
        it(`go one by one: ${what}`, () => assert.equal(next(component, row), expected));
    }

    const takenBackRows: Row[] = [
        [
            "the node exists again, and the pod starts there with a claim that was made anew: it is not deleted",
            "tikv",
            {
                ...buried,
                pods: { 1: goneNode() },
                claims: [claimAt("tikv", 1, onNode, { uid: "claim-new" })],
                records: tikv,
            },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "somebody has deleted its claim before anything was removed: nothing shows any more that the node is gone",
            "pd",
            { ...lostPd, claims: [], records: pd },
            "forget-lost-volumes basic-pd-1",
        ],
        [
            "its claim was made anew before anything was removed, and may get a volume anywhere",
            "tikv",
            { ...lostTikv, claims: [claimAt("tikv", 1, { is: "unbound" }, { uid: "claim-new" })], records: tikv },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "the node exists again before anything was removed",
            "tikv",
            { ...lostTikv, claims: [claimAt("tikv", 1, onNode)], records: tikv },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "PD hears from the store again",
            "tikv",
            { ...lostTikv, stores: {}, records: tikv },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "the node exists again while the store is Offline: it stays in PD",
            "tikv",
            { ...lostTikv, claims: [claimAt("tikv", 1, onNode)], stores: { 1: offline() }, records: tikv },
            "bring-store-back 11",
        ],
        [
            "the node exists again after the store was Tombstone: a person decides",
            "tikv",
            { ...buried, claims: [claimAt("tikv", 1, onNode)], records: tikv },
            "wait: node node-1 exists again, and basic-tikv-1 may use tikv-basic-tikv-1, which PD has dropped: delete both by hand",
        ],
        [
            "its pod is Ready before anything was removed, so where its volume is was not read",
            "tikv",
            { ...ready, stores: { 1: downFor(minutes) }, records: tikv },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "its pod is Ready while the store is Offline: it stays in PD",
            "tikv",
            { ...ready, stores: { 1: offline() }, records: tikv },
            "bring-store-back 11",
        ],
        [
            "its pod is Ready after the store was Tombstone: a person decides",
            "tikv",
            { ...buried, ...ready, records: tikv },
            "wait: node node-1 exists again, and basic-tikv-1 may use tikv-basic-tikv-1, which PD has dropped: delete both by hand",
        ],
        [
            "its pod is Ready, although its node was read before it was made again",
            "tikv",
            { ...buried, pods: {}, records: tikv },
            "wait: node node-1 exists again, and basic-tikv-1 may use tikv-basic-tikv-1, which PD has dropped: delete both by hand",
        ],
        [
            "a record without a store, and PD lists one now, which is lost too: it is judged, and recorded, by itself",
            "tikv",
            { ...lostTikv, records: recordedLoss("tikv", { storeId: undefined }) },
            "note-lost-volumes basic-tikv-1",
        ],
        [
            "a record without a store, and PD lists one now that it hears from",
            "tikv",
            { ...lostTikv, stores: {}, records: recordedLoss("tikv", { storeId: undefined }) },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "a record without a member, and PD lists one now",
            "pd",
            { ...lostPd, unhealthy: [], records: recordedLoss("pd", { member: undefined }) },
            "forget-lost-volumes basic-pd-1",
        ],
        [
            "a record without a member, and PD lists one of an unknown pod",
            "pd",
            {
                ...lostPd,
                notMembers: [1],
                moreMembers: [{ name: "pd-1", memberId: "101", podName: undefined, healthy: true }],
                records: recordedLoss("pd", { member: undefined }),
            },
            "wait: PD lists no member for it, but members of unknown pods",
        ],
        [
            "the store is Tombstone, and another one runs in the pod on an empty disk: it keeps the volume",
            "tikv",
            { ...ready, stores: { 1: { id: 19 } }, tombstones: [tombstone], records: tikv },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "PD has forgotten the store, and another one runs in the pod on an empty disk",
            "tikv",
            { ...ready, stores: { 1: { id: 19 } }, records: tikv },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "PD has dropped the member, and another one runs in the pod on an empty disk",
            "pd",
            {
                pods: {},
                claims: [claimOf("pd", 1)],
                notMembers: [1],
                moreMembers: [{ name: "basic-pd-1", memberId: "109", podName: "basic-pd-1", healthy: true }],
                records: pd,
            },
            "forget-lost-volumes basic-pd-1",
        ],
        [
            "the store is Tombstone, and PD hears from another one of the pod, whose node was called gone",
            "tikv",
            { ...lostTikv, stores: { 1: { id: 19 } }, tombstones: [tombstone], records: tikv },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "the store is Tombstone, and another one that has begun on its volume is lost too: it is judged, and recorded, by itself",
            "tikv",
            {
                ...lostTikv,
                stores: { 1: { ...downFor(minutes), id: 19 } },
                tombstones: [tombstone],
                regionsOf: { stores: [19], regions: [] },
                records: tikv,
            },
            "note-lost-volumes basic-tikv-1",
        ],
        [
            "another store has other volumes than those on record: nothing is left to judge",
            "tikv",
            {
                ...buried,
                pods: { 1: { ...unscheduled(), uid: "uid-new" } },
                claims: remade,
                stores: { 1: { id: 19 } },
                unknown: ["unsafeRecovery"],
                records: tikv,
            },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "PD lists the store in no state",
            "tikv",
            { ...buried, tombstones: [], records: tikv },
            "wait: PD lists store 11 (basic-tikv-1) neither as live nor as Tombstone",
        ],
        [
            "PD lists the store in no state, and nothing of what was given up is left",
            "tikv",
            {
                ...buried,
                tombstones: [],
                pods: {},
                claims: [claimOf("tikv", 1, { uid: "claim-new" })],
                records: tikv,
            },
            "forget-lost-volumes basic-tikv-1",
        ],
        [
            "PD lists no member at all",
            "pd",
            { ...lostPd, notMembers: [0, 1, 2], records: pd },
            "wait: PD lists no members",
        ],
    ];
    for (const [what, component, row, expected] of takenBackRows) {
        it(`stop in the middle: ${what}`, () => assert.equal(next(component, row), expected));
    }
    it("let the update go on while PD cannot empty the store: a later gate may add another one", () => {
        const row: Deviation = { ...lostTikv, stores: { 1: offline(), 2: downFor(minutes) }, records: tikv };
        assert.equal(next("tikv", row), "done");
        const plan = planLoss(seenLoss("tikv", row), lostTarget);
        assert.ok("remarks" in plan);
        assert.equal(plan.steps.length, 1, "it is still to be done");
        assert.deepEqual(codesOf(plan.remarks), ["store-left-behind"]);
    });
    it("let the update go on without stores that PD does not empty in their time, one after the other", () => {
        const policy = { ...lostTarget.policy, storeRemovalTimeoutSeconds: 3600 };
        const row: Deviation = {
            live: 6,
            pods: { 1: unscheduled(), 2: unscheduled() },
            stores: { 1: offline({ regionCount: 7 }), 2: offline({ regionCount: 1 }) },
            claims: [claimAt("tikv", 1, onGoneNode), claimAt("tikv", 2, { ...onGoneNode, volume: "pv-2" })],
            records: { ...tikv, lostVolumes: { ...tikv.lostVolumes, ...lostFrom("tikv", 2) } },
        };
        let memory = emptyMemory;
        const waited: Record<string, number> = {};
        let time = 0;
        for (; time <= 10_000_000; time += 20_000) {
            const seen = { ...seenLoss("tikv", row), now: now + time };
            const move = nextLossMove(seen, { ...lostTarget, policy }, memory);
            if (move.kind !== "wait") {
                assert.equal(move.kind, "done");
                break;
            }
            memory = rememberWait(memory, move, seen.now);
            waited[move.target] = (waited[move.target] ?? 0) + 20;
        }
        assert.deepEqual(waited, { "basic-tikv-1": 3600, "basic-tikv-2": 3600 });
        assert.equal(time, 7_200_000);
        const plan = planLoss(seenLoss("tikv", row), { ...lostTarget, policy });
        assert.ok("remarks" in plan);
        assert.deepEqual(codesOf(plan.remarks), ["store-left-behind", "store-left-behind"]);
        repeats(plan.remarks, "store 11, with 7 regions", "store 12, with 1 region");
    });
    it("have their whole time for each step, after PD has moved regions for hours", () => {
        const hours = 3_600_000;
        let memory = emptyMemory;
        const at = (row: Deviation, time: number) => {
            const seen = { ...seenLoss("tikv", row), now: now + time };
            const move = nextLossMove(seen, lostTarget, memory);
            memory = move.kind === "wait" || move.kind === "act" ? rememberWait(memory, move, seen.now) : memory;
            memory = move.kind === "act" ? rememberAction(memory, move, seen.now) : memory;
            return move.kind;
        };
        const emptying = { ...lostTikv, stores: { 1: offline() }, records: tikv };
        for (let time = 0; time <= 2 * hours; time += 30_000) {
            assert.equal(at(emptying, time), "wait", `after ${time} ms`);
        }
        const ending = {
            ...buried,
            pods: { 1: { ...goneNode(), terminating: true } },
            claims: [claimAt("tikv", 1, onGoneNode, { terminating: true })],
            records: tikv,
        };
        assert.equal(at({ ...buried, records: tikv }, 2 * hours + 30_000), "act");
        assert.equal(at({ ...buried, records: tikv }, 2 * hours + 31_000), "wait", "the claims are not seen to end");
        assert.equal(at(ending, 2 * hours + 60_000), "wait");
    });
    it("of two stores are judged by the regions of both", () => {
        const both: Deviation = {
            live: 6,
            pods: { 1: unscheduled(), 2: unscheduled() },
            stores: { 1: downFor(minutes), 2: downFor(minutes) },
            claims: [claimAt("tikv", 1, onGoneNode), claimAt("tikv", 2, { ...onGoneNode, volume: "pv-2" })],
        };
        assert.equal(next("tikv", both), "look regions:ofStores:[11,12]");
        const listed = (voters: number[]) => ({ regionsOf: { stores: [11, 12], regions: [region(1, voters)] } });
        assert.equal(next("tikv", { ...both, ...listed([11, 13, 14]) }), "note-lost-volumes basic-tikv-1");
        assert.equal(next("tikv", { ...both, ...listed([11, 12, 13]) }), "done");
    });
    it("of a TiFlash store stay if its tables have too few others", () => {
        assert.equal(next("tiflash", { ...lostTiflash, tiflashReplicas: 2 }), "done");
    });
});
