import * as assert from "node:assert/strict";
import { chooseSpread, type WantedSpread } from "../../../../provider/lifecycle/spread/chooseSpread";
import {
    noSpread,
    revisionParts,
    revisionWith,
    type Spread,
    spreadOf,
} from "../../../../provider/lifecycle/vocabulary/spread";
import type { ObservedMember, ObservedStatefulSet } from "../../../../provider/lifecycle/vocabulary/observation";
import { claimOf, type Deviation, observed } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";

const host = "kubernetes.io/hostname";
const constraint = (maxSkew: number, whenUnsatisfiable: string) => ({ maxSkew, topologyKey: host, whenUnsatisfiable });
const soft = constraint(1, "ScheduleAnyway");
const forThree = spreadOf([constraint(1, "DoNotSchedule"), soft]);
const forFive = spreadOf([constraint(2, "DoNotSchedule"), soft]);

/** PD's pods on these nodes, in the order of their ordinals, and a StatefulSet with this template. */
function pd(nodes: (string | undefined)[], live: Partial<ObservedStatefulSet> = {}): ObservedMember {
    const pods = Object.fromEntries(nodes.map((node, ordinal) => [ordinal, { node }]));
    const row: Deviation = { replicas: nodes.length, pods };
    const member = observed("pd", row).observation.members.pd!;
    return { ...member, statefulSet: { ...member.statefulSet!, templateRevision: "old", ...live } };
}

const wants = (spread = forFive, more: Partial<WantedSpread> = {}): WantedSpread => ({
    spread,
    templateRevision: "old",
    when: "with-changes",
    ...more,
});
const even = ["a", "a", "b", "b", "c"];
const newTemplate = { templateRevision: "new" };

describe("the constraints of a pod template", () => {
    it("are all there on a new member", () => {
        const { spread } = chooseSpread(wants(), { component: "pd", pods: [], claims: [] }, undefined);
        assert.deepEqual(spread, forFive);
    });

    it("keep no pod from starting on the volumes of an earlier cluster, which may be tied to one node", () => {
        const claims = [claimOf("pd", 0), claimOf("pd", 1)];
        const { spread, remarks } = chooseSpread(wants(), { component: "pd", pods: [], claims }, undefined);
        assert.equal(remarks.length, 1);
        assert.deepEqual(spread.constraints, [soft]);
        assert.notEqual(spread.revision, forFive.revision);
    });

    it("are all there where a scale-in has released those volumes, which are deleted first", () => {
        const released = [claimOf("pd", 0, { released: true }), claimOf("pd", 1, { released: true })];
        const chosen = (claims: typeof released) =>
            chooseSpread(wants(), { component: "pd", pods: [], claims }, undefined);
        assert.deepEqual(chosen(released), { spread: forFive, remarks: [] });
        assert.deepEqual(chosen([...released, claimOf("pd", 2)]).spread.constraints, [soft]);
    });

    it("are not added to a cluster of an earlier version for themselves: that would restart it", () => {
        assert.deepEqual(chooseSpread(wants(), pd(even), undefined), { spread: noSpread, remarks: [] });
    });

    it("stay as they are when only the number of replicas changes: that must not restart anything", () => {
        const live = pd(["a", "b", "c"], { templateRevision: revisionWith("old", forThree) });
        assert.deepEqual(chooseSpread(wants(forFive), live, forThree).spread, forThree);
    });

    it("are read from the live template where the state does not know them", () => {
        const spreadConstraints = [{ ...constraint(1, "DoNotSchedule"), nodeTaintsPolicy: "Honor" }];
        const live = pd(["a", "b", "c"], { templateRevision: "old+0123456789ab", spreadConstraints });
        const { spread } = chooseSpread(wants(forFive), live, undefined);
        assert.deepEqual(spread, { revision: "0123456789ab", constraints: spreadConstraints });
    });

    it("are those of the live template where the state has others, as after an update that was killed", () => {
        const live = pd(["a", "b", "c"], {
            templateRevision: revisionWith("old", forThree),
            spreadConstraints: forThree.constraints,
        });
        assert.deepEqual(chooseSpread(wants(forFive), live, forFive).spread, forThree);
    });

    it("are not the user's own ones that the live template has", () => {
        const live = pd(even, { templateRevision: "old", spreadConstraints: [constraint(1, "DoNotSchedule")] });
        assert.deepEqual(chooseSpread(wants(), live, undefined).spread, noSpread);
    });

    it("come along when the template changes anyway, and are called new ones unless only their number changes", () => {
        const remarksFor = (nodes: string[], before: Spread) => {
            const live = pd(nodes, {
                templateRevision: revisionWith("old", before),
                spreadConstraints: before.constraints,
            });
            const { spread, remarks } = chooseSpread(wants(forFive, newTemplate), live, before);
            assert.deepEqual([spread, remarks.length], [forFive, 1]);
            return remarks;
        };
        const ofNone = remarksFor(even, noSpread);
        assert.deepEqual(remarksFor(even, spreadOf([soft])), ofNone, "preferences keep no pod Pending");
        assert.notDeepEqual(remarksFor(["a", "b", "c"], forThree), ofNone);
    });

    for (const [what, nodes] of [
        [
            "a node has more pods than they allow: with its volume there, a restarted pod could not come back",
            ["a", "a", "a", "b", "c"],
        ],
        ["it is not known where a pod is", ["a", "a", "b", "b", undefined]],
    ] as const) {
        it(`do not come along where ${what}`, () => {
            const live = pd([...nodes]);
            assert.deepEqual(chooseSpread(wants(forFive, newTemplate), live, noSpread).spread, noSpread);
            const { refused, spread } = chooseSpread(wants(forFive, { when: "now" }), live, noSpread);
            assert.ok(refused);
            assert.deepEqual(spread, noSpread);
        });
    }

    it("do not come along where a pod is missing", () => {
        const live = pd(even, { replicas: 6 });
        assert.deepEqual(chooseSpread(wants(forFive, newTemplate), live, noSpread).spread, noSpread);
    });

    it("are not added where the live StatefulSet does not say which template it has", () => {
        const live = pd(even, { templateRevision: undefined });
        assert.deepEqual(chooseSpread(wants(), live, noSpread).spread, noSpread);
        repeats(chooseSpread(wants(forFive, { when: "now" }), live, noSpread).refused, "StatefulSet basic-pd");
    });

    it("are added at once where the program says so", () => {
        assert.deepEqual(chooseSpread(wants(forFive, { when: "now" }), pd(even), noSpread), {
            spread: forFive,
            remarks: [],
        });
    });

    it("can be told from the rest of the template by its digest", () => {
        const { template, spread } = revisionParts(revisionWith("ea3920307b70", forFive));
        assert.deepEqual([template, spread], ["ea3920307b70", forFive.revision]);
        assert.deepEqual(revisionParts("ea3920307b70"), { template: "ea3920307b70", spread: "" });
        assert.notEqual(forThree.revision, forFive.revision);
    });
});

describe("what is said of crowded nodes", () => {
    const saidOf = (nodes: (string | undefined)[], spread = forFive) =>
        chooseSpread(wants(spread), pd(nodes), noSpread).remarks;

    it("names a node that has half of PD's members or more", () => {
        repeats(saidOf(["a", "a", "a", "b", "c"]), "node a has 3 of the 5 pods of basic-pd", "at most 2");
    });

    it("is nothing where each node can be lost", () => {
        assert.deepEqual(saidOf(even), []);
    });

    it("names fewer nodes than three, which the limit alone allows to four stores", () => {
        repeats(saidOf(["a", "a", "b", "b"], forFive), "4 pods of basic-pd", "2 nodes", "at least 3");
    });

    it("is nothing of pods without a node: they wait, and say why themselves", () => {
        assert.deepEqual(saidOf(["a", "a", "b", "b", undefined]), []);
    });

    it("is nothing of one or two pods", () => {
        assert.deepEqual(saidOf(["a", "a"], spreadOf([soft])), []);
    });
});
