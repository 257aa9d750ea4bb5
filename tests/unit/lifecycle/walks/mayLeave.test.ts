import * as assert from "node:assert/strict";
import { dryRun } from "../../../../provider/lifecycle/dryRun/dryRun";
import { isStillThere, memberNotes, nextLeavingMove, planLeaving } from "../../../../provider/lifecycle/walks/leaving";
import { refuseLeaving, type Unused, withAllOrdinals } from "../../../../provider/lifecycle/walks/mayLeave";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import type { Observation, ObservedMember } from "../../../../provider/lifecycle/vocabulary/observation";
import { describeStep } from "../../../../provider/lifecycle/walks/describePlan";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import { inWords } from "../../../support/lifecycle/inWords";
import { claimOf, type Deviation, observed } from "../../../support/lifecycle/observations";
import { ranIn } from "../../../support/lifecycle/planned";
import type { Component } from "../../../../topology/members";

const noStores = { 0: undefined, 1: undefined, 2: undefined, 3: undefined };
const stays = (left: string) =>
    `found none, expected the member to stay while anything of it is left (${left}): Pulumi would delete all of its pods at once, and the data would be lost. Put it back. To remove the whole cluster, use \`pulumi destroy\` or remove the whole TidbCluster from the program. To move its data to another cluster that shares its PD, first scale it in to 0 replicas`;
const refused = (observation: Observation, component: Component, unused?: Unused) =>
    refuseLeaving(observation, component, defaultPolicy, unused);

describe("a member that holds essential data", () => {
    const cases: [name: string, component: Component, row: Deviation, left: string | undefined][] = [
        ["nothing is left", "tikv", { live: 0, stores: noStores }, undefined],
        [
            "all is there",
            "tikv",
            { live: 2, claims: [claimOf("tikv", 0), claimOf("tikv", 1)] },
            "2 replicas; basic-tikv-0, basic-tikv-1 running; tikv-basic-tikv-0, tikv-basic-tikv-1 not released; basic-tikv-0, basic-tikv-1 known to PD",
        ],
        [
            "PD does not say",
            "tikv",
            { live: 0, unknown: ["stores"] },
            "PD's entries for it are not known: PD did not answer",
        ],
        [
            "members of PD are left",
            "pd",
            { live: 0, moreMembers: [{ name: "x", memberId: "1", healthy: true, podName: "basic-pd-0" }] },
            "basic-pd-0 known to PD",
        ],
        [
            "PD does not say who its members are",
            "pd",
            { live: 0, unknown: ["members"] },
            "PD's entries for it are not known: PD did not answer",
        ],
        [
            "members of another cluster are no concern, nor those elsewhere",
            "pd",
            {
                live: 0,
                moreMembers: [
                    { name: "x", memberId: "1", healthy: true, podName: "other-pd-0" },
                    { name: "y", memberId: "2", healthy: true },
                ],
            },
            undefined,
        ],
    ];
    for (const [name, component, row, left] of cases) {
        it(`does not leave the program until nothing of it is left: ${name}`, () => {
            const { observation } = observed(component, row);
            assert.equal(refused(observation, component), left === undefined ? undefined : stays(left));
        });
    }
    it("may leave if Kubernetes has nothing of it", () => {
        const { observation } = observed("tikv", { live: 0, stores: noStores });
        assert.equal(refused({ ...observation, members: {} }, "tikv"), undefined);
        assert.equal(isStillThere({ ...observation, members: {} }, "tikv", true), false);
    });
    it("does not leave while it is suspended: its volumes hold the only copy of the data", () => {
        const { observation } = observed("tikv", { live: 0, stores: noStores, claims: [claimOf("tikv", 0)] });
        const suspended = { ...observation.members.tikv, statefulSet: undefined } as ObservedMember;
        const seen = { ...observation, members: { tikv: suspended } };
        assert.equal(refused(seen, "tikv"), stays("tikv-basic-tikv-0 not released"));
    });
    it("fails a run that would continue without it", () => {
        const { observation } = observed("tikv", { live: 1, stores: noStores });
        const next = (seen: Observation) =>
            inWords(nextLeavingMove(seen, "tikv", defaultPolicy, undefined, emptyMemory));
        const seen = stays("1 replicas; basic-tikv-0 running");
        assert.equal(
            next(observation),
            `fail leave-program basic-tikv [member-may-not-leave]: ${seen}. Next: put the member back into the program`,
        );
        const none = observed("tikv", { live: 0, stores: noStores }).observation;
        assert.equal(next(none), "done");
    });
});

describe("Pump stays while TiDB may write to it", () => {
    const pump = observed("pump", { live: 1 }).observation;
    const tidb = (row: Deviation, change: Partial<ObservedMember> = {}): Observation => {
        const member = { ...observed("tidb", row).observation.members.tidb, ...change } as ObservedMember;
        return { ...pump, members: { ...pump.members, tidb: member } };
    };
    const without: Unused = { by: "tidb", templateRevision: "new-template" };
    const why =
        "found none, expected the member to stay until tidb runs without it: pump would stop while tidb uses it. Put it back, configure tidb not to use it, run `pulumi up`, and then remove it";
    it("and leaves once all TiDB pods run the template that stops using it", () => {
        assert.equal(refused(tidb({}), "pump", without), undefined);
    });
    const cases: [name: string, observation: Observation, unused: Unused | undefined][] = [
        ["it was not configured so", tidb({}), undefined],
        ["another member was configured", tidb({}), { ...without, by: "tikv" }],
        ["it runs another template", tidb({}), { ...without, templateRevision: "older" }],
        ["the controller has not seen that template", tidb({ settled: false }), without],
        ["a pod still runs the previous one", tidb({ stale: [1] }), without],
        ["it has no StatefulSet, and pods", tidb({}, { statefulSet: undefined }), without],
    ];
    for (const [name, observation, unused] of cases) {
        it(`stays where ${name}`, () => assert.equal(refused(observation, "pump", unused), why));
    }
    it("leaves if TiDB has no pods or does not exist", () => {
        assert.equal(refused(tidb({ live: 0 }), "pump"), undefined);
        assert.equal(refused(pump, "pump"), undefined);
    });
    it("no other member is used like that", () => {
        const { observation } = observed("tiproxy", {});
        assert.equal(
            refused({ ...observation, members: { ...observation.members, ...tidb({}).members } }, "tiproxy"),
            undefined,
        );
    });
});

describe("a member that hands over its data", () => {
    it("stays if it cannot: the others would be left without a replica", () => {
        const { observation } = observed("tiflash", { tiflashReplicas: 1 });
        assert.equal(
            refused(observation, "tiflash"),
            "found none, expected the member to stay until it can be scaled in to 0: 0 Up TiFlash stores would be left, but a table has 1 TiFlash replicas (PD's placement rules). Next: keep more TiFlash replicas, or first reduce those of the tables: ALTER TABLE … SET TIFLASH REPLICA <n>. Put it back until then",
        );
    });
    it("is scaled in by a plan that says why", () => {
        const { observation } = observed("tidb", { live: 1, claims: [claimOf("tidb", 0)] });
        const run = ranIn(
            observation,
            dryRun((seen, memory) => nextLeavingMove(seen, "tidb", defaultPolicy, undefined, memory), observation),
        );
        const { foreseen, rest } = planLeaving(run, observation, "tidb", defaultPolicy);
        assert.deepEqual([...foreseen, ...rest].map(describeStep), [
            "remove basic-tidb-0 (tidb left the program): mark its volumes as released (~30 s); risk: no TiDB is left: no SQL",
        ]);
        const move = nextLeavingMove(observation, "tidb", defaultPolicy, undefined, emptyMemory);
        assert.equal(inWords(move), "claims-released basic-tidb-0: mark tidb-basic-tidb-0 as released");
    });
});

describe("all ordinals of a member that leaves", () => {
    const { observation } = observed("tiflash", { live: 2 });
    const tiflash = observation.members.tiflash as ObservedMember;
    const setOf = (member: ObservedMember | undefined) =>
        withAllOrdinals({ ...observation, members: member ? { tiflash: member } : {} }, "tiflash").members.tiflash;
    const [kept, givenUp] = [claimOf("tiflash", 4), claimOf("tiflash", 6, { released: true })];
    it("are those of its replicas, its pods, and its unreleased volumes", () => {
        const replicas = (change: Partial<ObservedMember>) => setOf({ ...tiflash, ...change })?.statefulSet?.replicas;
        assert.equal(replicas({}), 2);
        assert.equal(replicas({ claims: [kept, givenUp] }), 5);
        assert.equal(replicas({ claims: [givenUp] }), 2);
        assert.equal(replicas({ pods: [{ ...tiflash.pods[0], ordinal: 7 }] }), 8);
    });
    it("are walked even if it was suspended and has no StatefulSet", () => {
        assert.deepEqual(setOf({ ...tiflash, pods: [], claims: [kept], statefulSet: undefined })?.statefulSet, {
            name: "basic-tiflash",
            uid: "",
            terminating: false,
            replicas: 5,
            settled: true,
            fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
        });
    });
    it("are none if Kubernetes has nothing of it", () => {
        const member = setOf(undefined);
        assert.deepEqual([member?.pods, member?.claims, member?.statefulSet?.replicas], [[], [], 0]);
    });
    it("leave in any order: the whole StatefulSet is deleted", () => {
        const live = tiflash.statefulSet ?? assert.fail();
        const fixed = { ...live.fixed, podManagementPolicy: "OrderedReady", serviceName: "peer" };
        const found = setOf({ ...tiflash, statefulSet: { ...live, fixed } })?.statefulSet;
        assert.deepEqual(found, { ...live, fixed: { ...fixed, podManagementPolicy: "Parallel" } });
    });
});

describe("what the Lease records about a member that left and was never recorded", () => {
    it("is that it existed", () => {
        assert.deepEqual(memberNotes({ tikv: 3 }, [], undefined, ["pump"]), {
            tikv: { replicas: 3 },
            pump: { replicas: 0, hasLeft: true },
        });
        assert.deepEqual(memberNotes({}, [], {}, ["pump"]), { pump: { replicas: 0, hasLeft: true } });
    });
});
