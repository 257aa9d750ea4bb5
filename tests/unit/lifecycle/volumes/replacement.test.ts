import * as assert from "node:assert/strict";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import type { ObservedClaim } from "../../../../provider/lifecycle/vocabulary/observation";
import type { MemberTarget } from "../../../../provider/lifecycle/vocabulary/target";
import { nextVolumesMove } from "../../../../provider/lifecycle/volumes/nextVolumesMove";
import { ordinalsOf } from "../../../../provider/lifecycle/walks/scale";
import { nextReplacementMove } from "../../../../provider/lifecycle/volumes/replacement";
import type { Component } from "../../../../topology/members";
import { claimOf, type Deviation, inShort, now, observed } from "../../../support/lifecycle/observations";

/** A claim that was there before, and one of what the program wants now. */
const old = { storageClass: "fast", storage: "10Gi" };
const renewed = { storageClass: "cheap", storage: "10Gi" };

interface Row {
    component?: Component;
    /** The class of each pod's claim, by ordinal, and its marks. */
    claims: ({ storageClass: string; storage: string } & Partial<ObservedClaim>)[];
    template?: typeof old;
    wanted?: typeof old;
    more?: Partial<Deviation>;
    target?: Partial<MemberTarget>;
    /** Ordinals of pods that the program asks for. Default: all. */
    replicas?: number;
    /** A run has begun to replace volumes. */
    isBegun?: true;
}

function clusterOf({ component = "tikv", claims, template = renewed, wanted = renewed, ...row }: Row) {
    const named = (of: typeof old) => [{ name: component, ...of }];
    const { observation, target } = observed(component, {
        live: claims.length,
        replicas: row.replicas ?? claims.length,
        claimTemplates: named(template),
        claims: claims.map(({ storage, storageClass, ...marks }, ordinal) =>
            claimOf(component, ordinal, {
                state: { phase: "Bound", hasSource: false, storageClass, requested: storage, capacity: storage },
                ...marks,
            }),
        ),
        ...row.more,
    });
    const records = row.isBegun
        ? { ...observation.records, replacements: { [component]: { begunAt: 0 } } }
        : observation.records;
    return { observation: { ...observation, records }, target: { ...target, claims: named(wanted), ...row.target } };
}

function inWords(row: Row): string {
    const { observation, target } = clusterOf(row);
    const move =
        nextVolumesMove(observation, target, emptyMemory) ?? nextReplacementMove(observation, target, emptyMemory);
    return move === undefined ? "nothing" : inShort(move);
}

const marked = { ...old, outdated: ["class"] as const };
const spare = { ...renewed };
const pending = { phase: "Pending", hasSource: false, requested: "10Gi" };
const neverStarted = { ready: false, container: known({ is: "not-started" as const }, "kubelet", now) };

const rows: [name: string, row: Row, expected: string][] = [
    [
        "another class: the claims are marked first, all of them",
        { claims: [old, old, old], template: old },
        "class mark tikv-basic-tikv-0, class mark tikv-basic-tikv-1, class mark tikv-basic-tikv-2",
    ],
    [
        "then the StatefulSet is created again",
        { claims: [marked, marked, marked], template: old },
        "recreate basic-tikv",
    ],
    ["then a spare comes", { claims: [marked, marked, marked] }, "add-spares basic-tikv 4"],
    [
        "as many as the program says",
        { claims: [marked, marked, marked], more: { policy: { spareReplicas: 2 } } },
        "add-spares basic-tikv 5",
    ],
    [
        "then a store leaves PD",
        { claims: [marked, marked, marked, spare], replicas: 3, isBegun: true },
        "remove-store 12",
    ],
    [
        "not while another pod is not well",
        {
            claims: [renewed, marked, marked, spare],
            replicas: 3,
            isBegun: true,
            more: { pods: { 0: { ready: false } } },
        },
        "wait pod-available basic-tikv-0",
    ],
    [
        "one that is not well itself comes first",
        {
            claims: [marked, marked, marked, spare],
            replicas: 3,
            isBegun: true,
            more: { pods: { 0: { ready: false } } },
        },
        "remove-store 10",
    ],
    [
        "not while the spare has no store",
        { claims: [marked, marked, marked, spare], replicas: 3, isBegun: true, more: { stores: { 3: undefined } } },
        "wait store-up basic-tikv-3",
    ],
    [
        "one at a time, and the one that was begun first",
        { claims: [{ ...marked, released: true }, marked, marked, spare], replicas: 3, isBegun: true },
        "remove-store 10",
    ],
    [
        "a spare that no node takes is waited for, unlike the replacement of a dead pod",
        {
            claims: [marked, marked, marked, spare, spare],
            replicas: 4,
            isBegun: true,
            more: { pods: { 4: { ready: false, node: undefined, trouble: "no node takes it" } } },
            target: { added: 1 },
        },
        "wait pod-available basic-tikv-4",
    ],
    [
        "the spare leaves once all are as the program wants them",
        { claims: [renewed, renewed, renewed, spare], replicas: 3, isBegun: true },
        "end-replacement tikv",
    ],
    [
        "a pod that is not well holds up nothing where no spare leaves: its template comes after this",
        { claims: [renewed, renewed, renewed], isBegun: true, more: { pods: { 2: { ready: false } } } },
        "end-replacement tikv",
    ],
    [
        "and not before they are well",
        {
            claims: [renewed, renewed, renewed, spare],
            replicas: 3,
            isBegun: true,
            more: { stores: { 2: undefined } },
        },
        "wait store-up basic-tikv-2",
    ],
    [
        "a smaller size is replaced too",
        { claims: [{ ...marked, storage: "20Gi" }, renewed], wanted: { ...renewed } },
        "add-spares basic-tikv 3",
    ],
    [
        "one that a user has enlarged stays",
        { claims: [{ ...old, storage: "30Gi" }, old], template: old, wanted: old },
        "nothing",
    ],
    [
        "one that was restored with another class stays",
        { claims: [{ ...old, storageClass: "restored" }, old], template: old, wanted: old },
        "nothing",
    ],
    [
        "a mark of the class says nothing of a size that a user has enlarged",
        { claims: [{ ...renewed, storage: "30Gi", outdated: ["class"] }, renewed] },
        "no mark tikv-basic-tikv-0",
    ],
    [
        "pods that leave are marked too: the next update may keep them",
        { claims: [old, old, old, old], template: old, replicas: 3 },
        "class mark tikv-basic-tikv-0, class mark tikv-basic-tikv-1, class mark tikv-basic-tikv-2, class mark tikv-basic-tikv-3",
    ],
    [
        "one without a volume, of a class that the program has corrected, goes with its pod",
        {
            claims: [renewed, renewed, renewed, { ...old, state: { ...pending, storageClass: "typo" } }],
            replicas: 3,
            isBegun: true,
            more: { pods: { 3: neverStarted } },
        },
        "delete-claims tikv-basic-tikv-3",
    ],
    [
        "not of a pod whose process may have run",
        {
            claims: [renewed, renewed, renewed, { ...old, state: { ...pending, storageClass: "typo" } }],
            replicas: 3,
            isBegun: true,
        },
        "end-replacement tikv",
    ],
    [
        "a mark goes where the program takes the change back",
        { claims: [marked, old], template: old, wanted: old },
        "no mark tikv-basic-tikv-0",
    ],
    [
        "a claim that is replaced does not grow first",
        {
            claims: [marked, marked],
            wanted: { storageClass: "cheap", storage: "20Gi" },
            template: { storageClass: "cheap", storage: "20Gi" },
        },
        "add-spares basic-tikv 3",
    ],
    [
        "a pod of which PD has nothing needs no spare",
        { component: "tidb", claims: [{ ...old, outdated: ["class"] }, renewed] },
        "delete-claims tidb-basic-tidb-0",
    ],
    [
        "its pod goes after its claims",
        { component: "tidb", claims: [{ ...old, outdated: ["class"], terminating: true }, renewed] },
        "restart basic-tidb-0",
    ],
    [
        "the claims of PD are replaced as those of stores",
        { component: "pd", claims: [marked, marked, marked] },
        "add-spares basic-pd 4",
    ],
    [
        "PD's leader comes last",
        {
            component: "pd",
            claims: [marked, renewed, marked, spare],
            replicas: 3,
            isBegun: true,
            more: { leader: 2 },
        },
        "remove-member basic-pd-0",
    ],
];

describe("volumes of another class, or smaller", () => {
    for (const [name, row, expected] of rows) {
        it(`${name}: ${expected}`, () => assert.equal(inWords(row), expected));
    }
});

describe("a pod that gets other volumes", () => {
    it("is none of those whose removal is taken back", () => {
        const { observation, target } = clusterOf({ claims: [marked, marked, marked] });
        assert.deepEqual(ordinalsOf(observation, { ...target, renewing: [1] }).staying, [0, 2]);
    });
});
