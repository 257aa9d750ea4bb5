import * as assert from "node:assert/strict";
import { known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedPdMember } from "../../../../provider/lifecycle/vocabulary/observation";
import { majority, quorumOfThoseWhoStay, quorumWithoutMember } from "../../../../provider/lifecycle/stages/pdQuorum";
import { lostSight, notReady } from "../../../support/lifecycle/decisionTable";
import { podView, stageTable } from "../../../support/lifecycle/inWords";
import { type Deviation, movedMemberOf, now } from "../../../support/lifecycle/observations";

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
const lacks = (standing: number, others: number, needed: number, names: string) =>
    `only ${standing} of the ${others} other PD members are healthy, expected at least ${needed} (not healthy: ${names})`;

describe("a majority of PD's members", () => {
    it("is more than half of them", () => assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map(majority), [1, 2, 2, 3, 3, 4, 4]));
});

stageTable("the other PD members are a quorum", quorumWithoutMember, "pd", 2, [
    ["three are healthy", {}, true],
    ["PD does not report its members", unknown, silence],
    ["PD reports none: that is not our PD", noMembers, "PD lists no members"],
    ["one of the others is not healthy", { unhealthy: [0] }, lacks(1, 2, 2, "basic-pd-0")],
    ["both others are not", { unhealthy: [0, 1] }, lacks(0, 2, 2, "basic-pd-0, basic-pd-1")],
    ["its own health does not matter", { unhealthy: [2] }, true],
    ["a pod of another stops", { pods: { 1: { terminating: true } } }, lacks(1, 2, 2, "basic-pd-1")],
    ["a pod of another is gone, and PD has not noticed", { pods: { 1: undefined } }, lacks(1, 2, 2, "basic-pd-1")],
    [
        "the process of another does not run, and PD has not noticed",
        { pods: { 1: notReady } },
        lacks(1, 2, 2, "basic-pd-1"),
    ],
    ["the node of another is not Ready: PD's answer counts", { pods: { 1: lostSight } }, true],
    [
        "a member of another cluster counts by PD's answer",
        { ...elsewhere(true), unhealthy: [1] },
        lacks(2, 3, 3, "basic-pd-1"),
    ],
    ["members of another cluster can make up for one of ours", { ...elsewhere(true, true), unhealthy: [1] }, true],
    [
        "one that never started can vote for nothing",
        { moreMembers: [member({ name: "", healthy: false })], notMembers: [1] },
        lacks(1, 2, 2, "a member that never started"),
    ],
    [
        "one that never started does not count, though PD calls it healthy",
        { moreMembers: [member({ name: "" })], notMembers: [1] },
        lacks(1, 2, 2, "a member that never started"),
    ],
    ["the pod has none, and all three others must be healthy", { live: 3, notMembers: [2], ...elsewhere(true) }, true],
    [
        "all others are healthy but too few: this pod has two members",
        { moreMembers: [neverStarted], notMembers: [1] },
        lacks(1, 1, 2, "none"),
    ],
    [
        "nothing runs in the pod: what does not run is missing already",
        { unhealthy: [0, 2], pods: { 2: notReady } },
        true,
    ],
    [
        "nothing runs in the pod, and PD still calls its member healthy",
        { unhealthy: [0], pods: { 2: notReady } },
        lacks(1, 2, 2, "basic-pd-0"),
    ],
    [
        "nothing runs in the pod, and PD reports one of its two members healthy",
        { unhealthy: [0, 1], pods: { 2: notReady }, moreMembers: [neverStarted] },
        lacks(0, 2, 3, "basic-pd-0, basic-pd-1"),
    ],
]);

const [moved0, moved1, moved2] = [0, 1, 2].map((ordinal) => movedMemberOf(ordinal));
stageTable("a pod never counts towards the quorum of the others", quorumWithoutMember, "pd", 2, [
    [
        "PD lists it under another domain, and one of the others is not healthy: one of three would be left",
        { unhealthy: [0], notMembers: [2], moreMembers: [moved2] },
        lacks(1, 2, 2, "basic-pd-0"),
    ],
    [
        "PD lists all of them under another domain, and one of the others is not healthy",
        { ...noMembers, moreMembers: [{ ...moved0, healthy: false }, moved1, moved2] },
        lacks(1, 2, 2, moved0.name),
    ],
    [
        "PD lists one under a name that says nothing of its pod, and one of the others is not healthy",
        { unhealthy: [0], notMembers: [2], moreMembers: [member({ name: "recovered" })] },
        lacks(1, 2, 2, "basic-pd-0"),
    ],
    [
        "its own member under another domain is the one that is not healthy",
        { notMembers: [1, 2], moreMembers: [moved1, { ...moved2, healthy: false }] },
        true,
    ],
    [
        "one that is certainly in another cluster cannot be the pod's",
        { unhealthy: [0], notMembers: [2], moreMembers: [member({ isElsewhere: true })] },
        true,
    ],
    [
        "nothing runs in the pod, so its member under another domain is not missed",
        { unhealthy: [0], notMembers: [2], moreMembers: [moved2], pods: { 2: notReady } },
        true,
    ],
    [
        "it is one of two members, and the other one is not healthy",
        { unhealthy: [0], notMembers: [1, 2], moreMembers: [moved2] },
        lacks(0, 1, 2, "basic-pd-0"),
    ],
]);

stageTable("the only PD member, or one of two, interrupts PD for a moment", quorumWithoutMember, "pd", 0, [
    ["the only one", { live: 1 }, true],
    ["one of two", { live: 2 }, true],
    ["one of two, and the other one is not healthy", { live: 2, unhealthy: [1] }, lacks(0, 1, 2, "basic-pd-1")],
]);

const scaleIn = { live: 3, replicas: 2 };
stageTable("the remaining PD members are a quorum", quorumOfThoseWhoStay, "pd", 2, [
    ["both are healthy", scaleIn, true],
    ["PD does not report its members", { ...scaleIn, ...unknown }, silence],
    ["the pod is not a member: nothing is removed from PD", { ...scaleIn, notMembers: [2], unhealthy: [0, 1] }, true],
    ["it is the last one", { ...scaleIn, notMembers: [0, 1] }, true],
    [
        "one of two is not healthy",
        { ...scaleIn, unhealthy: [1] },
        "only 1 of the 2 PD members that would stay are healthy",
    ],
    [
        "the pod of one of two stops",
        { ...scaleIn, pods: { 0: { terminating: true } } },
        "only 1 of the 2 PD members that would stay are healthy",
    ],
    ["two of three are", { ...scaleIn, ...elsewhere(true), unhealthy: [1] }, true],
    [
        "one of three is",
        { ...scaleIn, ...elsewhere(true), unhealthy: [0, 1] },
        "only 1 of the 3 PD members that would stay are healthy",
    ],
]);

describe("the container of another member of PD", () => {
    it("counts if it runs or if that is not known", () => {
        const running = known({ is: "running" as const, startedAt: 1 }, "node", now);
        for (const container of [running, notKnown("its node is not Ready")]) {
            const pods = { 1: { ready: false, container } };
            assert.equal(quorumWithoutMember.holds(podView("pd", 2, { pods })), true);
        }
    });
});
