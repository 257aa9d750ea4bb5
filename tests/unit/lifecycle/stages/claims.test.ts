import { claimsOf } from "../../../../provider/lifecycle/vocabulary/stage";
import * as assert from "node:assert/strict";
import {
    claimsReleased,
    givenUpVolumesReplaced,
    keptVolumesUnmarked,
    releasedClaimsDeleted,
} from "../../../../provider/lifecycle/stages/claims";
import { removalOf } from "../../../../provider/lifecycle/stages/removalRecord";
import { storeInPd } from "../../../../provider/lifecycle/stages/storeRemoval";
import { pdLifecycle } from "../../../../provider/lifecycle/members/pdMember";
import { tikvLifecycle } from "../../../../provider/lifecycle/members/tikvMember";
import { memberInPd } from "../../../../provider/lifecycle/stages/pdMembership";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { failed } from "../../../support/lifecycle/deaths";
import { neverStarted } from "../../../support/lifecycle/decisionTable";
import { podView, stageOf, stageTable } from "../../../support/lifecycle/inWords";
import { kindsInPd } from "../../../support/lifecycle/kindsInPd";
import { claimOf, type Deviation, movedMemberOf, now, storeOf } from "../../../support/lifecycle/observations";

const grave = (more: object = {}) => storeOf(3, { state: "Tombstone", ...more });
const removing = (of: string, component: "pd" | "tikv" = "tikv") => ({
    records: { ...noRecords(), removals: { [of]: { pod: `basic-${component}-3`, begunAt: now } } },
});
const [mine, second] = [claimOf("tikv", 3), claimOf("tikv", 3, { name: "logs-basic-tikv-3", uid: "claim-9" })];
const givenUp = [mine, second].map((claim) => ({ ...claim, released: true, releasedId: "13" }));
const of = (stages: typeof tikvLifecycle.beforeRemoval, name: string) => stageOf(stages, name);
const released = of(tikvLifecycle.afterRemovalTakenBack, "claims-released");
stageTable("the volumes of a leaving pod are released", claimsReleased, "tikv", 3, [
    ["it has none", {}, true],
    ["they are", { claims: givenUp }, true],
    ["another pod's are not its own", { claims: [claimOf("tikv", 2)] }, true],
    [
        "they are not",
        { claims: [mine, second] },
        "tikv-basic-tikv-3, logs-basic-tikv-3 not marked as released",
        "mark tikv-basic-tikv-3, logs-basic-tikv-3 as released",
    ],
    [
        "one is",
        { claims: [givenUp[0], second, claimOf("tikv", 2)] },
        "logs-basic-tikv-3 not marked as released",
        "mark logs-basic-tikv-3 as released",
    ],
]);

describe("the mark of released volumes", () => {
    const markedAs = (component: "pd" | "tikv", row: Deviation) => {
        const lifecycle = component === "pd" ? pdLifecycle : tikvLifecycle;
        const claims = { claims: [claimOf(component, 3)] };
        const action = of(lifecycle.beforeRemoval, "claims-released").act?.(
            podView(component, 3, { ...claims, ...row }),
        );
        assert.ok(action?.do === "release-claims");
        return action.storeOrMember;
    };
    for (const { component, id, dropped, failure, moved } of kindsInPd) {
        const { records } = removing(id, component);
        const failovers = { ...records, removals: {}, failovers: failed(component, 3, failure) };
        it(`names the store or member of ${component} on them, by the record of its removal or failover`, () => {
            assert.equal(markedAs(component, { live: 4, ...dropped, records }), id);
            assert.equal(markedAs(component, { live: 4, ...dropped, records: failovers }), id);
        });
        it(`names none of ${component} that PD still lists, under whatever domain: it would be proof of its end`, () => {
            assert.equal(markedAs(component, { live: 4, ...moved, records }), undefined);
            assert.equal(markedAs(component, { live: 4, records }), undefined);
        });
        it(`names none of ${component} whose process never ran`, () => {
            assert.equal(markedAs(component, { live: 4, ...dropped, pods: { 3: neverStarted } }), undefined);
        });
    }
    it("names the Tombstone store of the process that runs", () => assert.equal(markedAs("tikv", over), "13"));
});

const over = { stores: { 3: undefined }, tombstones: [grave()] };
const lastMember = { live: 1, replicas: 0, claims: [claimOf("pd", 0)] };
stageTable("the volumes of PD's last member", of(pdLifecycle.beforeRemoval, "claims-released"), "pd", 0, [
    ["stay as they are: PD cannot remove it, and nothing else has its data", lastMember, true],
]);

stageTable(
    "the volumes of a store that was Tombstone before its removal was reverted are released",
    released,
    "tikv",
    3,
    [
        [
            "they are not yet",
            { ...over, ...removing("13"), claims: [mine] },
            "tikv-basic-tikv-3 not marked as released",
        ],
        ["it was not us who had it removed", { ...over, claims: [mine] }, true],
        ["it lives", { ...removing("13"), claims: [mine] }, true],
    ],
);

const left3 = "released by an earlier scale-in";
const back = releasedClaimsDeleted(storeInPd);
const gone = { stores: { 3: undefined }, pods: { 3: undefined } };
stageTable("an ordinal comes back without its earlier volumes", back, "tikv", 3, [
    ["there are none", {}, true],
    ["they were never released", { claims: [mine] }, true],
    [
        "they were",
        { ...gone, claims: givenUp },
        `tikv-basic-tikv-3, logs-basic-tikv-3, ${left3}, not deleted yet`,
        `delete tikv-basic-tikv-3, logs-basic-tikv-3, ${left3}`,
    ],
    [
        "one was",
        { ...gone, claims: [givenUp[0], second] },
        `tikv-basic-tikv-3, ${left3}, not deleted yet`,
        `delete tikv-basic-tikv-3, ${left3}`,
    ],
    [
        "PD has a store of the pod: a mark is no proof",
        { claims: [{ ...mine, released: true }] },
        `tikv-basic-tikv-3, ${left3}, not deleted while PD lists store 13 for basic-tikv-3 (Up)`,
        "nothing",
    ],
    [
        "PD has the store under another name",
        { ...gone, moreStores: [storeOf(3, { own: false, podName: "other" })], claims: givenUp },
        `tikv-basic-tikv-3, logs-basic-tikv-3, ${left3}, not deleted while PD lists store 13 for basic-tikv-3 (Up)`,
        "nothing",
    ],
    [
        "PD is silent",
        { unknown: ["stores"], claims: givenUp },
        `tikv-basic-tikv-3, logs-basic-tikv-3, ${left3}, not deleted while PD's stores are not known: PD did not answer`,
        "nothing",
    ],
]);

const pd3 = { live: 3, claims: [claimOf("pd", 3, { released: true, releasedId: "103" })] };
const pdMarked = `pd-basic-pd-3, ${left3}`;
stageTable("an ordinal of PD comes back without its earlier volumes", releasedClaimsDeleted(memberInPd), "pd", 3, [
    ["they were released", pd3, `${pdMarked}, not deleted yet`, `delete pd-basic-pd-3, ${left3}`],
    [
        "PD lists the member under another domain",
        { ...pd3, moreMembers: [movedMemberOf(3)] },
        `${pdMarked}, not deleted while PD lists member ${movedMemberOf(3).name} for basic-pd-3`,
        "nothing",
    ],
    [
        "PD lists members that may be the pod's, and the mark names none",
        { live: 3, claims: [claimOf("pd", 3, { released: true })], moreMembers: [movedMemberOf(3)] },
        `${pdMarked}, not deleted while PD lists members of no known pod (${movedMemberOf(3).name}), one of which may be basic-pd-3`,
        "nothing",
    ],
    [
        "PD lists nobody",
        { ...pd3, notMembers: [0, 1, 2] },
        `${pdMarked}, not deleted while PD lists no members`,
        "nothing",
    ],
    [
        "PD is silent",
        { ...pd3, unknown: ["members"] },
        `${pdMarked}, not deleted while PD's members are not known: PD did not answer`,
        "nothing",
    ],
]);

const replaced = givenUpVolumesReplaced(storeInPd);
const has = (names: string) => `basic-tikv-3 still has ${names}, released when it was removed from PD`;
const deleted = givenUp.map((claim) => ({ ...claim, terminating: true }));
stageTable("a pod that stays gets new volumes for its released ones", replaced, "tikv", 3, [
    ["none were", { ...over, claims: [mine] }, true],
    ["PD has not dropped what is on them", { claims: givenUp }, true],
    [
        "their claims are deleted first, so that the next pod cannot bind them",
        { ...over, claims: givenUp },
        has("tikv-basic-tikv-3, logs-basic-tikv-3"),
        `delete tikv-basic-tikv-3, logs-basic-tikv-3, ${left3}`,
    ],
    [
        "one of them is",
        { ...over, claims: [deleted[0], givenUp[1]] },
        has("tikv-basic-tikv-3, logs-basic-tikv-3"),
        `delete logs-basic-tikv-3, ${left3}`,
    ],
    [
        "one was never released",
        { ...over, claims: [givenUp[0], second] },
        has("tikv-basic-tikv-3"),
        `delete tikv-basic-tikv-3, ${left3}`,
    ],
    [
        "then the pod, which keeps them, is deleted",
        { ...over, claims: deleted },
        has("tikv-basic-tikv-3, logs-basic-tikv-3"),
        "restart basic-tikv-3",
    ],
    [
        "the pod is already terminating",
        { ...over, claims: deleted, pods: { 3: { terminating: true } } },
        has("tikv-basic-tikv-3, logs-basic-tikv-3"),
        "nothing",
    ],
    [
        "the pod has gone",
        { ...over, claims: deleted, pods: { 3: undefined } },
        has("tikv-basic-tikv-3, logs-basic-tikv-3"),
        "nothing",
    ],
]);

const marked = "still marked as released by a scale-in that was reverted";
const kept = "mark tikv-basic-tikv-3, logs-basic-tikv-3 as kept: no longer released";
stageTable("a store that PD has Up keeps its volumes", keptVolumesUnmarked(false), "tikv", 3, [
    ["they are not marked", { claims: [mine, second] }, true],
    ["they are", { claims: givenUp }, `tikv-basic-tikv-3, logs-basic-tikv-3 ${marked}`, kept],
    ["the store is Down", { claims: givenUp, stores: { 3: { state: "Down" } } }, true],
    ["PD does not list the store", { claims: givenUp, stores: { 3: undefined } }, true],
    ["their claims are being deleted", { claims: deleted }, true],
]);
stageTable("a member of which PD stores nothing keeps its volumes", keptVolumesUnmarked(true), "tidb", 0, [
    ["they are not marked", { claims: [claimOf("tidb", 0)] }, true],
    ["it has none", {}, true],
    ["they are", { claims: [claimOf("tidb", 0, { released: true })] }, `tidb-basic-tidb-0 ${marked}`],
]);

describe("the records and the claims of a pod", () => {
    it("are not another pod's", () => {
        assert.equal(removalOf(podView("tikv", 2, removing("13"))), undefined);
        assert.equal(removalOf(podView("tikv", 3, removing("13"))), "13");
        assert.deepEqual(claimsOf(podView("tikv", 3, { claims: [mine, claimOf("tikv", 2)] })), [mine]);
    });
    it("the advice for released volumes that are not deleted is given", () => {
        const replaced = givenUpVolumesReplaced(storeInPd);
        assert.equal(replaced.name, "given-up-volumes-replaced");
        assert.equal(replaced.advice, "check the claims and the pod: a finalizer can keep them from being deleted");
    });
});
