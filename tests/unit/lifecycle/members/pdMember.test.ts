import * as assert from "node:assert/strict";
import type { ObservedPdMember } from "../../../../provider/lifecycle/vocabulary/observation";
import { pdLifecycle } from "../../../../provider/lifecycle/members/pdMember";
import { neverStarted as unstarted } from "../../../support/lifecycle/decisionTable";
import { podView, stageOf, stageTable } from "../../../support/lifecycle/inWords";
import { claimOf, type Deviation, movedMemberOf, now, observed } from "../../../support/lifecycle/observations";
import { plannedRollout } from "../../../support/lifecycle/planned";
import { changedView } from "../../../support/lifecycle/changedView";

const member = (more: Partial<ObservedPdMember>): ObservedPdMember => ({
    ...{ name: "other-pd-0", memberId: "200", healthy: true },
    ...more,
});
/** PD members that belong to another cluster. */
const elsewhere = (...healthy: boolean[]): Deviation => ({
    moreMembers: healthy.map((one, index) =>
        member({ name: `other-pd-${index}`, memberId: `${200 + index}`, healthy: one }),
    ),
});
/** A member that was added for pod 2 but never started, next to the one that runs there. */
const neverStarted = member({ name: "", memberId: "300", healthy: false, podName: "basic-pd-2" });
const noMembers = { notMembers: [0, 1, 2] };
const unknown: Deviation = { unknown: ["members"] };
const silence = "PD's members are not known: PD did not answer";

const to0 = "transfer PD's leadership from basic-pd-2 to basic-pd-0";
stageTable("PD's leader is another member", stageOf(pdLifecycle.beforeRestart, "leader-elsewhere"), "pd", 2, [
    ["it is", { leader: 0 }, true],
    ["PD does not report its members", unknown, "PD's leader is not known: PD did not answer", "nothing"],
    [
        "PD lists it under another domain, and it leads: it would stop without a transfer",
        { notMembers: [2], moreMembers: [movedMemberOf(2)], leader: movedMemberOf(2).name },
        `PD's leader ${movedMemberOf(2).name} is in no known pod, and may be basic-pd-2`,
        `transfer PD's leadership from ${movedMemberOf(2).name} to basic-pd-0`,
    ],
    [
        "PD lists it under another domain, and another one leads",
        { notMembers: [2], moreMembers: [movedMemberOf(2)], leader: 0 },
        true,
    ],
    [
        "PD lists it under another domain, and it leads, but it does not run",
        { notMembers: [2], moreMembers: [movedMemberOf(2)], leader: movedMemberOf(2).name, pods: { 2: unstarted } },
        true,
    ],
    [
        "one leads that is certainly in another cluster",
        { notMembers: [2], moreMembers: [member({ isElsewhere: true })], leader: "other-pd-0" },
        true,
    ],
    [
        "PD does not report its leader",
        { unknown: ["leader"] },
        "PD's leader is not known: PD did not answer",
        "nothing",
    ],
    ["it leads", { leader: 2 }, "basic-pd-2 is PD's leader", to0],
    ["PD has no leader", { leader: null }, "PD has no leader", "nothing"],
    ["it leads, and no other can", { leader: 2, unhealthy: [0, 1] }, true, "nothing"],
    ["it leads, and is the only one", { leader: 2, notMembers: [0, 1] }, true, "nothing"],
    [
        "it leads, and has a second member that never started",
        { leader: 2, moreMembers: [neverStarted] },
        "basic-pd-2 is PD's leader",
        to0,
    ],
]);

stageTable("a restarted member of PD is healthy", stageOf(pdLifecycle.afterRestart, "member-healthy"), "pd", 2, [
    ["PD and the member itself report it", {}, true],
    ["PD does not report its members", unknown, silence],
    ["it has not joined", { notMembers: [2] }, "basic-pd-2 has not joined PD"],
    ["PD reports it as unhealthy", { unhealthy: [2] }, "PD reports basic-pd-2 as unhealthy"],
    ["it reports that it is not ready", { notReadyMembers: [2] }, "basic-pd-2 reports that it is not ready"],
    ["behind an address set by the user none can be queried", { notAsked: ["readyMembers"] }, true],
    [
        "which are ready is not known",
        { unknown: ["readyMembers"] },
        "which PD members are ready is not known: PD did not answer",
    ],
    [
        "one that never started stands before it in PD's list",
        { notMembers: [2], moreMembers: [neverStarted, member({ name: "basic-pd-2", podName: "basic-pd-2" })] },
        "basic-pd-2 reports that it is not ready",
    ],
]);

stageTable("a member has left PD", stageOf(pdLifecycle.beforeRemoval, "member-removed"), "pd", 2, [
    ["it is", { notMembers: [2] }, true, "nothing"],
    ["PD does not report its members", unknown, silence, "nothing"],
    ["it is still a member", {}, "basic-pd-2 is still a member of PD", "remove PD member basic-pd-2"],
    [
        "one that never started is",
        { notMembers: [2], moreMembers: [neverStarted] },
        "a member that never started (id 300) is still a member of PD",
        "remove the PD member of basic-pd-2 that never started (id 300)",
    ],
    ["the last one has no PD to be taken out of", { notMembers: [0, 1] }, true],
]);

const mayHave = "PD lists no member for basic-pd-2, whose process may have one";
const mayStart = "PD lists no member for basic-pd-2, whose process has not run yet: it may still start within 150 s";
const recovered = member({ name: "recovered" });
stageTable("PD reports the member of a pod that leaves", stageOf(pdLifecycle.beforeRemoval, "member-known"), "pd", 2, [
    ["PD lists it", {}, true],
    ["PD lists one for it that never started", { notMembers: [2], moreMembers: [neverStarted] }, true],
    ["a list without it is no evidence", { notMembers: [2] }, mayHave],
    [
        "it has never run: it is given its time, in which no other run may act",
        { notMembers: [2], pods: { 2: unstarted } },
        { lacks: mayStart, steadyFor: 150, needsLock: true },
    ],
    [
        "it has never run, and PD lists members that may be its own",
        { notMembers: [2], pods: { 2: unstarted }, moreMembers: [recovered, member({ name: "", memberId: "300" })] },
        "PD lists members of no known pod (recovered, id 300), one of which may be basic-pd-2",
    ],
    [
        "it has never run, and PD lists its member under another domain",
        { notMembers: [2], pods: { 2: unstarted }, moreMembers: [movedMemberOf(2)] },
        `PD lists members of no known pod (${movedMemberOf(2).name}), one of which may be basic-pd-2`,
    ],
    ["PD lists no members", { ...noMembers, pods: { 2: unstarted } }, "PD lists no members"],
    ["PD does not report its members", unknown, silence],
]);

const notListed = (pod: string) => `PD lists no member for ${pod}, which is Ready`;
stageTable("PD lists a member for each Ready pod", stageOf(pdLifecycle.beforeRemoval, "members-listed"), "pd", 2, [
    ["it does", {}, true],
    ["not for the pod itself", { notMembers: [2] }, notListed("basic-pd-2")],
    ["not for others", { notMembers: [0, 1] }, `${notListed("basic-pd-0")}, ${notListed("basic-pd-1")}`],
    ["not for a pod that is not Ready", { notMembers: [1], pods: { 1: { ready: false } } }, true],
    ["not for a pod that stops", { notMembers: [1], pods: { 1: { terminating: true } } }, true],
    [
        "not for one that it has removed, by its id",
        { notMembers: [1], claims: [claimOf("pd", 1, { released: true, releasedId: "101" })] },
        true,
    ],
    [
        "not for one that is only marked",
        { notMembers: [1], claims: [claimOf("pd", 1, { released: true })] },
        notListed("basic-pd-1"),
    ],
    ["PD lists no members", noMembers, "PD lists no members"],
    ["PD does not report its members", unknown, silence],
]);

const removing = { records: { evictions: {}, removals: { 102: { pod: "basic-pd-2", begunAt: now } } } };
stageTable("PD reports the result of a removal", stageOf(pdLifecycle.afterRemovalTakenBack, "pd-answers"), "pd", 2, [
    ["none was begun", unknown, true],
    ["one was, and PD does not report it", { ...removing, ...unknown }, silence],
    ["one was, and PD lists nobody: the wrong one answers", { ...removing, ...noMembers }, "PD lists no members"],
    ["one was, and PD reports it", removing, true],
]);

describe("what PD has removed for good", () => {
    const isOut = (row: Deviation, id = "102") => pdLifecycle.inPd?.hasDropped(podView("pd", 2, row), id);
    it("is a member that was removed by its id, and no other one of its pod", () => {
        assert.equal(isOut({ notMembers: [2] }), true);
        assert.equal(isOut({}, "77"), false);
    });
    it("is not a member that is listed in another place: its volume would be deleted", () => {
        const elsewhere = { name: "basic-pd-2.other", memberId: "102", healthy: true };
        assert.equal(isOut({ notMembers: [2], moreMembers: [elsewhere] }), false);
    });
    it("is not a pod among its members, nor any pod if the list is empty or not known: its volume would be released", () => {
        assert.deepEqual([isOut({}), isOut(noMembers), isOut(unknown)], [false, false, false]);
    });
});

describe("PD cannot be scaled to 0", () => {
    const { observation } = observed("tikv", {});
    const { tikv } = observation.members;
    const empty = { component: "tidb", pods: [], claims: [] } as const;
    const refuse = (members: object, replicas: number) => {
        const { observation: pd, target } = observed("pd", { live: 3, replicas });
        return pdLifecycle.refuseReplicas({ ...pd, members: { ...pd.members, ...members } }, target);
    };
    it("while others run, which cannot run without it for long", () => {
        const tidb = { ...tikv, component: "tidb" };
        assert.equal(
            refuse({ tikv, tidb }, 0),
            "PD cannot be scaled to 0 while tikv and tidb run: expected at least 1",
        );
    });
    it("otherwise it can, and it can be scaled in", () => {
        assert.equal(refuse({ tidb: empty }, 0), undefined);
        assert.equal(refuse({ tikv }, 1), undefined);
    });
    it("nor does one of its pods leave in the meantime", () => {
        const { observation: pd, target } = observed("pd", { live: 3, replicas: 0 });
        const stage = stageOf(pdLifecycle.beforeRemoval, "pd-not-needed");
        const seen = (members: object) => {
            const view = podView("pd", 2, {});
            return stage.holds(
                changedView(view, { target, observation: { ...pd, members: { ...pd.members, ...members } } }),
            );
        };
        assert.equal(seen({}), true);
        const why = "PD cannot be scaled to 0 while tikv run: expected at least 1";
        assert.deepEqual(seen({ tikv }), { lacks: why });
    });
});

describe("what a Ready PD member still lacks", () => {
    const of = (row: Deviation) => pdLifecycle.lacks?.(podView("pd", 2, row));
    it("is nothing if it is healthy or was not queried", () => {
        assert.equal(of({}), undefined);
        assert.equal(of({ notAsked: ["members"] }), undefined);
    });
    it("is said", () => {
        assert.equal(of({ unhealthy: [2] }), "wait for PD member basic-pd-2: it is unhealthy");
        assert.equal(of({ notMembers: [2] }), "wait for PD member basic-pd-2: it has not joined");
        assert.equal(of({ pdSilent: true }), "wait for PD member basic-pd-2: PD answers 500");
    });
});

describe("PD is available for the members that come after it", () => {
    const of = (row: Deviation) => {
        const { observation, target } = observed("pd", row);
        return pdLifecycle.available(observation, target);
    };
    it("once a majority is healthy", () => {
        assert.equal(of({}), undefined);
        assert.equal(of({ unhealthy: [0] }), undefined);
        assert.equal(of({ unhealthy: [0, 1] }), "1 of 3 PD members are healthy, expected at least 2");
        assert.equal(of({ notMembers: [0, 1] }), "1 of 3 PD members are healthy, expected at least 2");
        assert.equal(of(unknown), silence);
    });
    it("a majority of all members, including those of another cluster", () => {
        assert.equal(of(elsewhere(false, false)), undefined);
        assert.equal(of(elsewhere(false, false, false)), "3 of 3 PD members are healthy, expected at least 4");
    });
});

describe("the restart of a PD member is planned", () => {
    const does = (row: Deviation) => {
        const { observation, target } = observed("pd", { stale: [2], ...row });
        return plannedRollout(observation, target)[0].does;
    };
    it("with what happens to its leadership", () => {
        const [first, elsewhere] = ["delete pod", "transfer leadership to basic-pd-0"];
        assert.deepEqual(does({ leader: 0 }), [first]);
        assert.deepEqual(does({ leader: 2 }), [elsewhere, first]);
    });
    it("without actions if nobody knows what happens to it, or if nobody can take it: the update waits there", () => {
        assert.deepEqual(does({ leader: 2, notMembers: [0, 1] }), []);
        assert.deepEqual(does({ unknown: ["leader"] }), []);
        assert.deepEqual(does({ leader: null }), []);
        assert.deepEqual(does({ leader: 0, notMembers: [2] }), []);
        assert.deepEqual(
            does({ leader: 2, moreMembers: [neverStarted] }),
            [],
            "three of four must be healthy without it",
        );
    });
    it("with its risk: two members have no quorum without one of them", () => {
        const risk = (row: Deviation) => pdLifecycle.restartRisk(podView("pd", 0, row));
        const stops = "PD has no quorum during the restart";
        assert.deepEqual([risk({ live: 2 }), risk({ live: 1 }), risk({})], [stops, stops, undefined]);
        assert.equal(risk({ live: 2, ...elsewhere(true) }), undefined);
        assert.equal(risk({ live: 2, ...unknown }), stops);
        assert.equal(risk(unknown), undefined);
    });
});
