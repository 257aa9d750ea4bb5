import * as assert from "node:assert/strict";
import { known } from "../../../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory, type Memory } from "../../../../../provider/lifecycle/vocabulary/memory";
import { noRecords } from "../../../../../provider/lifecycle/vocabulary/observation";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import type { Component } from "../../../../../topology/members";
import { failed } from "../../../../support/lifecycle/deaths";
import { neverStarted, notReady, steady } from "../../../../support/lifecycle/decisionTable";
import { lostFrom } from "../../../../support/lifecycle/lostVolumes";
import {
    claimOf,
    type Deviation,
    inShort,
    movedMemberOf,
    movedStoreOf,
    now,
    observed,
    storeOf,
} from "../../../../support/lifecycle/observations";

/** Traces of what a pod had in PD once: records, marks, and entries under another domain. None of them speaks for a later process of the pod. */
const in4to3 = { live: 4, replicas: 3 };
const starts = {
    ready: false,
    readySince: undefined,
    createdAt: now - 10_000,
    uid: "new-pod",
    container: known({ is: "running" as const, startedAt: now - 2_000 }, "node", now),
};
const removing = (of: string, pod: string) => ({
    records: { ...noRecords(), removals: { [of]: { pod, begunAt: now } } },
});
const noStore = { ...in4to3, stores: { 3: undefined } };
const buried = [storeOf(3, { state: "Tombstone", startedAt: 1 })];
const replacedPd = failed("pd", 3, {
    member: { name: "basic-pd-3", id: "103" },
    claims: [{ name: "pd-basic-pd-3", uid: "claim-3" }],
});
const replacedTikv = failed("tikv", 3, { storeId: 13, claims: [{ name: "tikv-basic-tikv-3", uid: "claim-3" }] });

const rows: [string, Component, Deviation, string, Memory?][] = [
    [
        "the record of a failover does not let go of a later process, which is about to join",
        "pd",
        {
            ...in4to3,
            notMembers: [3],
            pods: { 3: starts },
            claims: [claimOf("pd", 3, { uid: "new-claim" })],
            records: { ...noRecords(), failovers: replacedPd },
        },
        "wait member-known basic-pd-3",
    ],
    [
        "nor of a later store",
        "tikv",
        {
            ...noStore,
            tombstones: buried,
            pods: { 3: starts },
            claims: [claimOf("tikv", 3, { uid: "new-claim" })],
            records: { ...noRecords(), failovers: replacedTikv },
        },
        "wait store-known basic-tikv-3",
    ],
    [
        "nor does the record of volumes that were given up with a node",
        "tikv",
        {
            ...noStore,
            tombstones: buried,
            pods: { 3: starts },
            claims: [claimOf("tikv", 3, { uid: "new-claim" })],
            records: { ...noRecords(), lostVolumes: lostFrom("tikv", 3) },
        },
        "wait store-known basic-tikv-3",
    ],
    [
        "a record by name, of an earlier version, is no proof while PD lists the member under another domain",
        "pd",
        {
            ...in4to3,
            notMembers: [3],
            moreMembers: [movedMemberOf(3)],
            pods: { 3: starts },
            claims: [claimOf("pd", 3)],
            ...removing("basic-pd-3", "basic-pd-3"),
        },
        "wait member-known basic-pd-3",
    ],
    [
        "volumes that were marked before their process joined get its id once it is removed, or no later run could end",
        "pd",
        {
            ...in4to3,
            notMembers: [3],
            pods: { 3: starts },
            claims: [claimOf("pd", 3, { released: true })],
            ...removing("103", "basic-pd-3"),
        },
        "release-claims pd-basic-pd-3",
    ],
    [
        "so do those of a store that was removed too late, or it would crash for ever on its old volume",
        "tikv",
        {
            replicas: 4,
            stores: { 3: undefined },
            tombstones: buried,
            claims: [claimOf("tikv", 3, { released: true })],
            ...removing("13", "basic-tikv-3"),
        },
        "release-claims tikv-basic-tikv-3",
    ],
    [
        "a pod that never ran leaves although a twin cluster has other pods on this PD",
        "pd",
        {
            ...in4to3,
            notMembers: [3],
            moreMembers: [0, 1, 2].map((ordinal) => movedMemberOf(ordinal, { memberId: String(ordinal) })),
            pods: { 3: neverStarted },
        },
        "done",
        steady("member-known", "basic-pd-3", 590),
    ],
    [
        "a volume whose store PD lists under another domain is not deleted",
        "tikv",
        { live: 3, replicas: 4, moreStores: [movedStoreOf(3)], claims: [claimOf("tikv", 3, { released: true })] },
        "wait released-claims-deleted basic-tikv-3",
    ],
    [
        "nor let go by a user's mark",
        "tikv",
        {
            ...noStore,
            moreStores: [movedStoreOf(3)],
            pods: { 3: notReady },
            claims: [claimOf("tikv", 3, { released: true, releasedByHand: true })],
        },
        "wait store-known basic-tikv-3",
    ],
    [
        "nor because its pod has not run yet",
        "tikv",
        { ...noStore, moreStores: [movedStoreOf(3)], pods: { 3: neverStarted }, claims: [claimOf("tikv", 3)] },
        "wait store-known basic-tikv-3",
        steady("store-known", "basic-tikv-3", 150),
    ],
    [
        "no marked volume of a store is deleted while PD does not list Ready pods",
        "tikv",
        {
            live: 3,
            replicas: 4,
            stores: { 0: undefined, 1: undefined, 2: undefined, 3: undefined },
            claims: [claimOf("tikv", 3, { released: true })],
        },
        "wait released-claims-deleted basic-tikv-3",
    ],
    [
        "nor of a PD member",
        "pd",
        { live: 3, replicas: 4, notMembers: [1, 2], claims: [claimOf("pd", 3, { released: true })] },
        "wait released-claims-deleted basic-pd-3",
    ],
];

describe("traces of an earlier store or PD member", () => {
    for (const [title, component, row, expected, memory = emptyMemory] of rows) {
        it(title, () => {
            const { observation, target } = observed(component, row);
            assert.equal(inShort(nextScaleMove(observation, target, memory)), expected);
        });
    }
});
