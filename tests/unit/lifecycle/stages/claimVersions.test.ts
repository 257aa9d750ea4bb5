import * as assert from "node:assert/strict";
import { noteVersion } from "../../../../provider/lifecycle/stages/claimVersions";
import { known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory, type Memory, rememberRefusal } from "../../../../provider/lifecycle/vocabulary/memory";
import type { ObservedPod } from "../../../../provider/lifecycle/vocabulary/observation";
import { nextDestroyMove } from "../../../../provider/lifecycle/walks/destroy";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import { nextSuspendMove } from "../../../../provider/lifecycle/walks/suspend";
import type { Component } from "../../../../topology/members";
import { acted, lostSight, neverStarted, notReady } from "../../../support/lifecycle/decisionTable";
import { lostNode } from "../../../support/lifecycle/deaths";
import { claimOf, type Deviation, inShort, now, observed } from "../../../support/lifecycle/observations";

const running = known({ is: "running" as const, startedAt: now - 60_000 }, "node", now);
/** A pod that runs this version, and what else is true of it. */
const pod = (version: string, more: Partial<ObservedPod> = {}): Partial<ObservedPod> => ({
    image: `hub:5000/tikv:${version}`,
    container: running,
    ...more,
});
const two = [claimOf("tikv", 0), claimOf("tikv", 1)];
const note = "note-version v8.5.3 tikv-basic-tikv-0 tikv-basic-tikv-1";

const rows: [title: string, row: Deviation, move: string | undefined, memory?: Memory][] = [
    ["claims without a record", { pods: { 0: pod("v8.5.3"), 1: pod("v8.5.3") }, claims: two }, note],
    [
        "claims that record an earlier version",
        {
            pods: { 0: pod("v8.5.3"), 1: pod("v8.5.3") },
            claims: two.map((claim) => ({ ...claim, version: "v8.5.2" })),
        },
        note,
    ],
    [
        "claims that do not record whether TLS was used, and one whose record is another",
        {
            pods: { 0: pod("v8.5.3", { clusterTls: true }), 1: pod("v8.5.3", { clusterTls: true }) },
            claims: [claimOf("tikv", 0, { version: "v8.5.3" }), claimOf("tikv", 1, { version: "v8.5.3", tls: false })],
        },
        "note-version v8.5.3 tikv-basic-tikv-0 tikv-basic-tikv-1",
    ],
    [
        "claims that record it",
        {
            pods: { 0: pod("v8.5.3", { clusterTls: false }), 1: pod("v8.5.3", { clusterTls: true }) },
            claims: [
                claimOf("tikv", 0, { version: "v8.5.3", tls: false }),
                claimOf("tikv", 1, { version: "v8.5.3", tls: true }),
            ],
        },
        undefined,
    ],
    [
        "claims that have their record: an update without a change writes nothing",
        {
            pods: { 0: pod("v8.5.3"), 1: pod("v8.5.3") },
            claims: two.map((claim) => ({ ...claim, version: "v8.5.3" })),
        },
        undefined,
    ],
    [
        "the one pod that an upgrade has restarted: the new version has used its volume",
        {
            pods: { 0: pod("v8.5.2"), 1: pod("v8.5.3") },
            claims: two.map((claim) => ({ ...claim, version: "v8.5.2" })),
        },
        "note-version v8.5.3 tikv-basic-tikv-1",
    ],
    [
        "pods of two versions: each claim gets its own pod's, one version after the other",
        { pods: { 0: pod("v8.5.2"), 1: pod("v8.5.3") }, claims: two },
        "note-version v8.5.2 tikv-basic-tikv-0",
    ],
    [
        "a container that was reported as running before its node fell silent: it has used its volume",
        { pods: { 0: pod("v8.5.3", lostNode()) }, claims: [two[0]] },
        "note-version v8.5.3 tikv-basic-tikv-0",
    ],
    [
        "a container that has run and crashed: it may have changed the data",
        { pods: { 0: pod("v8.5.3", notReady) }, claims: [two[0]] },
        "note-version v8.5.3 tikv-basic-tikv-0",
    ],
    [
        "a container that never started: its image may not exist",
        { pods: { 0: pod("v8.55.3", neverStarted) }, claims: [two[0]] },
        undefined,
    ],
    [
        "a container that nobody sees: not known is not recorded",
        { pods: { 0: pod("v8.5.3", lostSight) }, claims: [two[0]] },
        undefined,
    ],
    ["a pod whose image is not known", { pods: { 0: { container: running } }, claims: [two[0]] }, undefined],
    ["a claim of a pod that is not there", { pods: { 0: pod("v8.5.3") }, claims: [claimOf("tikv", 7)] }, undefined],
    [
        "a released claim: it is deleted before it is used again",
        { pods: { 0: pod("v8.5.3") }, claims: [claimOf("tikv", 0, { released: true })] },
        undefined,
    ],
    [
        "a claim that is being deleted",
        { pods: { 0: pod("v8.5.3") }, claims: [claimOf("tikv", 0, { terminating: true })] },
        undefined,
    ],
    [
        "a record that was just written and does not show: nothing waits for it",
        { pods: { 0: pod("v8.5.3") }, claims: [two[0]] },
        undefined,
        acted("note-version v8.5.3 claim-0", 1_000),
    ],
    [
        "a record that still does not show after some seconds",
        { pods: { 0: pod("v8.5.3") }, claims: [two[0]] },
        "note-version v8.5.3 tikv-basic-tikv-0",
        acted("note-version v8.5.3 claim-0", 6_000),
    ],
];

function noted(component: Component, row: Deviation, memory: Memory = emptyMemory): string | undefined {
    const move = noteVersion(observed(component, row).observation, component, memory);
    return move && inShort(move);
}

describe("the version on a claim, without which a later cluster would start an older one on its data", () => {
    for (const [title, row, move, memory] of rows) {
        it(`${title}: ${move ?? "nothing"}`, () => assert.equal(noted("tikv", row, memory), move));
    }

    it("is not written for TiProxy, which has versions of its own: nobody would read it", () => {
        const row = { pods: { 0: { image: "pingcap/tiproxy:v1.4.0", container: running } } };
        assert.equal(noted("tiproxy", { ...row, claims: [claimOf("tiproxy", 0)] }), undefined);
    });

    it("is written by a rollout before anything else, also while PD is silent, and by a suspension before the pods go", () => {
        const row: Deviation = { pods: { 0: pod("v8.5.3"), 1: pod("v8.5.3") }, claims: two, stale: [0, 1] };
        for (const more of [{}, { pdSilent: true }]) {
            const { observation, target } = observed("tikv", { ...row, ...more });
            assert.equal(inShort(nextRolloutMove(observation, target, emptyMemory)), note);
            assert.equal(inShort(nextRolloutMove(observation, target, emptyMemory, "available")), note);
            assert.equal(inShort(nextSuspendMove(observation, target, emptyMemory)), note);
        }
    });

    it("is the image of a container that nobody sees before its pod goes, unless an equal or later version is recorded", () => {
        const reported = { ...notKnown("user ana may not read nodes"), reported: "not-started" as const };
        for (const [recorded, more, move] of [
            [undefined, lostSight, "note-version v8.5.3 tikv-basic-tikv-0"],
            ["v8.5.2", lostSight, "note-version v8.5.3 tikv-basic-tikv-0"],
            ["nightly", lostSight, "note-version v8.5.3 tikv-basic-tikv-0"],
            ["v8.5.3", lostSight, "delete-stateful-set basic-tikv"],
            ["v8.5.4", lostSight, "delete-stateful-set basic-tikv"],
            ["v8.5.2", neverStarted, "delete-stateful-set basic-tikv"],
            ["v8.5.2", { container: reported }, "delete-stateful-set basic-tikv"],
        ] as const) {
            const row = {
                live: 1,
                pods: { 0: pod("v8.5.3", more) },
                claims: [claimOf("tikv", 0, { version: recorded })],
            };
            const { observation, target } = observed("tikv", row);
            assert.equal(inShort(nextSuspendMove(observation, target, emptyMemory)), move);
            const ofDestroy = move.startsWith("note") ? move : "done";
            assert.equal(inShort(nextDestroyMove(observation, emptyMemory)), ofDestroy);
            assert.equal(noteVersion(observation, "tikv", emptyMemory), undefined);
        }
    });

    it("is written for other claims although the API server refuses one: it is not tried again", () => {
        const row: Deviation = { pods: { 0: pod("v8.5.2"), 1: pod("v8.5.3") }, claims: two };
        const { observation } = observed("tikv", row);
        const first = noteVersion(observation, "tikv", emptyMemory);
        assert.ok(first?.kind === "act");
        const memory = rememberRefusal(emptyMemory, first.action);
        const next = noteVersion({ ...observation, now: now + 600_000 }, "tikv", memory);
        assert.equal(next && inShort(next), "note-version v8.5.3 tikv-basic-tikv-1");
    });

    it("is not the reason for a run whose preview has no step, but is written once the run restarts a pod", () => {
        const row: Deviation = { pods: { 0: pod("v8.5.3"), 1: pod("v8.5.3") }, claims: two };
        const { observation, target } = observed("tikv", row);
        const next = (memory: Memory) =>
            inShort(nextRolloutMove(observation, target, memory, "all-well", "with-steps"));
        assert.ok(!next(emptyMemory).startsWith("note-version"));
        assert.equal(next(acted("restart uid-3", 1_000)), note);
    });
});
