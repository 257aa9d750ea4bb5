import * as assert from "node:assert/strict";
import { describeWait } from "../../../../provider/gates/describeWait";
import { createGate } from "../../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../../provider/gates/scaleGate";
import type { FailoverPolicy } from "../../../../provider/lifecycle/vocabulary/memberFailover";
import { nextFailoverMove } from "../../../../provider/lifecycle/failover/failoverMoves";
import { emptyMemory, type Memory } from "../../../../provider/lifecycle/vocabulary/memory";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import {
    brokenNode,
    crashed,
    crashLoop,
    failed,
    found as deaths,
    lostNode,
    minutes,
    policy,
    unreadNode,
    unscheduled,
} from "../../../support/lifecycle/deaths";
import {
    claimOf,
    type Deviation,
    inShort,
    movedMemberOf,
    now,
    observed,
} from "../../../support/lifecycle/observations";
import { changePorts, clusterWorld, type ClusterWorld, leaseOf, told as clusterTold } from "../../gates/clusterWorld";
import { stepsIn } from "../../../support/gates/stepsIn";

const dead: Deviation = { pods: { 1: lostNode() }, unhealthy: [1] };

const found = (row: Deviation, more?: Partial<FailoverPolicy>) => deaths("pd", row, more);

describe("a dead PD member", () => {
    it("is replaced", () => assert.deepEqual(found(dead).dead, ["basic-pd-1"]));
    it("is not replaced because its process has ended on a node that is Ready: its volume would be deleted", () =>
        assert.deepEqual(found({ ...dead, pods: { 1: crashed() } }).dead, []));
    it("is replaced if its process ends again and again, for the period by kubelet's own waits", () =>
        assert.deepEqual(found({ ...dead, pods: { 1: crashLoop(20_000, 5 * minutes) } }).dead, ["basic-pd-1"]));
    it("is not replaced for some restarts, whatever its node's clock says: its volume would be deleted", () => {
        const { dead: names, kept } = found({ ...dead, pods: { 1: crashLoop(60 * minutes, 80_000, 4) } });
        assert.deepEqual([names, kept], [[], ["dying"]]);
    });
    it("is not replaced because no node takes its pod: its volume would be deleted", () =>
        assert.deepEqual(found({ ...dead, pods: { 1: unscheduled() } }).dead, []));

    const not: [string, Deviation, why: string[], Partial<FailoverPolicy>?][] = [
        ["when all are ready", {}, []],
        [
            "if two are down: there is no quorum",
            { pods: { 1: lostNode(), 2: lostNode() }, unhealthy: [1, 2] },
            ["evidence-unsound"],
        ],
        ["if it is not past the deadline", { ...dead, pods: { 1: lostNode(4 * minutes) } }, ["dying"]],
        ["with budget 0", dead, ["switched-off"], { budget: 0 }],
        ["if PD says healthy", { pods: { 1: lostNode() } }, ["alive"]],
        ["if only PD says so", { unhealthy: [1] }, []],
        ["if its node may not be read", { ...dead, pods: { 1: unreadNode } }, ["unknown"]],
        ["if its node reports itself as not Ready", { ...dead, pods: { 1: brokenNode() } }, ["unknown"]],
        ["if it is no member of PD", { pods: { 1: lostNode() }, notMembers: [1] }, ["unknown"]],
        ["if PD does not answer", { ...dead, pdSilent: true }, ["unknown"]],
    ];
    for (const [title, row, why, more] of not) {
        it(`is not replaced ${title}`, () => {
            const { dead: names, kept } = found(row, more);
            assert.deepEqual([names, kept], [[], why]);
        });
    }

    it("is not replaced once the budget is used", () => {
        const records = { ...noRecords(), failovers: failed("pd", 4) };
        const { dead: names, kept } = found({ live: 5, ...dead, records }, { budget: 1 });
        assert.deepEqual([names, kept], [[], ["budget-used-up"]]);
    });
});

describe("the steps of a PD failover", () => {
    const claims = [claimOf("pd", 1)];
    const record = failed("pd", 1, {
        counts: undefined,
        claims: [{ name: "pd-basic-pd-1", uid: "claim-1" }],
        member: { name: "basic-pd-1", id: "101" },
        replacedBy: "basic-pd-3",
    });
    /** A run that has seen the member unhealthy for so long. */
    const sawUnhealthyFor = (seconds: number): Memory => {
        const since = now - seconds * 1000;
        const wait = { since, seenAt: now - 1_000, steadySince: since };
        return { ...emptyMemory, waits: { "member-stays-unhealthy basic-pd-1": wait } };
    };
    const next = (row: Deviation, failovers = record, memory = sawUnhealthyFor(60)) => {
        const { observation, target } = observed("pd", { claims, ...row, records: { ...noRecords(), failovers } });
        const move = nextFailoverMove(observation, target, { policy, planned: ["basic-pd-1"] }, memory);
        return move === undefined ? "none" : inShort(move);
    };
    const out = { ...dead, notMembers: [1], unhealthy: [] };
    const stopping = { 1: { ...lostNode(), terminating: true } };
    const later = { 1: { uid: "uid-9", ready: false } };
    const rows: [string, Deviation, string][] = [
        ["the member leaves PD first", dead, "remove-member basic-pd-1"],
        ["then its pod is deleted", out, "restart basic-pd-1"],
        ["then its claim", { ...out, pods: stopping }, "delete-claims pd-basic-pd-1"],
        [
            "then the claim of a pod that is gone already",
            { ...out, pods: { 1: undefined } },
            "delete-claims pd-basic-pd-1",
        ],
        [
            "then its replacement counts, though the pod never ends on its dead node",
            { ...out, pods: stopping, claims: [claimOf("pd", 1, { terminating: true })] },
            "count-replacement basic-pd-1",
        ],
        [
            "with a new claim of the same name, which stays",
            { ...out, pods: later, claims: [claimOf("pd", 1, { uid: "new" })] },
            "count-replacement basic-pd-1",
        ],
        [
            "a later pod that got hold of the old volume goes too",
            { ...out, pods: later, claims: [claimOf("pd", 1, { terminating: true })] },
            "restart basic-pd-1",
        ],
        ["a member that has come back before is left alone", {}, "forget-failures basic-pd-1"],
        [
            "without quorum of the others it waits",
            { ...dead, unhealthy: [1, 2] },
            "wait quorum-of-those-who-stay basic-pd-1",
        ],
        [
            "while PD's members are not known it waits",
            { ...dead, unknown: ["members"] },
            "wait members-listed basic-pd-1",
        ],
        [
            "while PD lists the members under another domain nothing is removed",
            { ...dead, notMembers: [0, 1, 2], moreMembers: [0, 1, 2].map((one) => movedMemberOf(one)) },
            "none",
        ],
    ];
    for (const [title, row, expected] of rows) {
        it(`${title}: ${expected}`, () => assert.equal(next(row), expected));
    }

    it("wait while PD lists no member for another Ready pod: a quorum without that one says nothing", () => {
        const ofFive = failed("pd", 1, { ...record.pd!.failures["basic-pd-1"], replacedBy: "basic-pd-5" });
        assert.equal(next({ ...dead, live: 5 }, ofFive), "remove-member basic-pd-1");
        assert.equal(next({ ...dead, live: 5, notMembers: [4] }, ofFive), "wait members-listed basic-pd-1");
    });

    it("wait until PD has called the member unhealthy for a while: one answer may be a short pause of the network", () => {
        const waits = "wait member-stays-unhealthy basic-pd-1";
        assert.equal(next(dead, record, emptyMemory), waits);
        assert.equal(next(dead, record, sawUnhealthyFor(59)), waits);
        assert.equal(next(dead, record, sawUnhealthyFor(60)), "remove-member basic-pd-1");
        assert.equal(next({ ...dead, unhealthy: [] }, record, sawUnhealthyFor(59)), "forget-failures basic-pd-1");
    });

    it("say in that wait that PD calls the member unhealthy, and for how long it must", () => {
        const { observation, target } = observed("pd", {
            claims,
            ...dead,
            records: { ...noRecords(), failovers: record },
        });
        const move = nextFailoverMove(observation, target, { policy, planned: ["basic-pd-1"] }, sawUnhealthyFor(12));
        assert.ok(move?.kind === "wait");
        const words = "PD calls basic-pd-1 unhealthy; the failover removes it once that has lasted 60 s in a row";
        assert.equal(move.waitingFor, words);
        assert.match(describeWait(move, observation), /row \(12 s; goes on at .* if this stays so\)$/);
    });

    it("end when its pod is another, healthy member: that one, its pod and its volume stay", () => {
        const again = { name: "basic-pd-1", memberId: "777", podName: "basic-pd-1", healthy: true };
        const row = { notMembers: [1], moreMembers: [again], pods: later, claims: [] };
        assert.equal(next(row), "forget-failures basic-pd-1");
        assert.equal(next({ ...row, claims: [claimOf("pd", 1)] }), "forget-failures basic-pd-1");
    });

    it("end when PD lists another, unhealthy member for the pod: its volume may be in use, so it is judged anew", () => {
        const again = { name: "basic-pd-1", memberId: "777", podName: "basic-pd-1", healthy: false };
        const row = { notMembers: [1], moreMembers: [again], pods: later };
        assert.equal(next(row), "forget-failures basic-pd-1");
        assert.equal(next({ ...row, claims: [] }), "forget-failures basic-pd-1");
    });

    it("end if the member is not dead any more and nothing was removed, also if its pod restarts just now", () => {
        const restarting = {
            ready: false,
            readySince: undefined,
            death: {
                node: known({ is: "ready" as const }, "Kubernetes", now),
                notReadyFor: known(1000, "Kubernetes", now),
            },
        };
        assert.equal(next({ pods: { 1: restarting }, unhealthy: [1] }), "forget-failures basic-pd-1");
    });

    it("end if failover is switched off before anything was removed", () => {
        const records = { ...noRecords(), failovers: record };
        const { observation, target } = observed("pd", { claims, ...dead, records });
        const off = { policy: { ...policy, budget: 0 }, planned: [] };
        const move = nextFailoverMove(observation, target, off, emptyMemory);
        assert.equal(move && inShort(move), "forget-failures basic-pd-1");
    });

    it("are over once it counts", () => {
        const counted = failed("pd", 1, { ...record.pd!.failures["basic-pd-1"], counts: true });
        assert.equal(next({ ...out, pods: stopping }, counted), "none");
        assert.equal(next({ ...out, live: 4, pods: stopping, claims: [] }, counted), "none");
    });
});

describe("PD failover in the gate", () => {
    const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims: [] };
    const told = (more: object = {}) =>
        clusterTold({
            gate: "scale",
            component: "pd",
            desiredReplicas: 3,
            policy: defaultPolicy,
            failover: policy,
            fixed,
            ...more,
        });
    const outs = (replicas: number) => ({ ...told(), replicas, plan: [], deferred: "" });
    const world = (pd: Deviation, failovers?: ReturnType<typeof failed>): ClusterWorld =>
        clusterWorld({ live: { pd }, lease: leaseOf(failovers ? { records: { ...noRecords(), failovers } } : {}) });
    const scale = (of: ClusterWorld) => createGate(scaleGateDefinition, of);

    function playPd(of: ClusterWorld): void {
        of.changes = (action) => {
            const row = of.live.pd!;
            if (action.do === "remove-member") {
                of.live.pd = { ...row, notMembers: [1], unhealthy: [] };
            } else if (action.do === "delete-pod") {
                of.live.pd = { ...row, pods: { 1: { ...lostNode(), terminating: true } } };
            } else if (action.do === "delete-claims") {
                of.live.pd = { ...row, claims: [claimOf("pd", 1, { terminating: true })] };
            }
        };
    }
    const actions = ({ done }: ClusterWorld) => done.filter((one) => !/ |^records$/.test(one));

    it("removes member, pod and claim in this order, and only then counts the replacement", async () => {
        const of = world({ ...dead, claims: [claimOf("pd", 1)] });
        playPd(of);
        const { inputs } = await scale(of).check(outs(3), told());
        assert.deepEqual(inputs.plan, [
            "replace basic-pd-1 (PD member basic-pd-1 is dead: PD says unhealthy, and node node-1 is not Ready (NodeStatusUnknown)): wait ~60 s (PD calls basic-pd-1 unhealthy; the failover removes it once that has lasted 60 s in a row), remove the member from PD, delete pod, delete its claims, so it starts empty, add basic-pd-3; until basic-pd-3 is Ready, healthy in PD (~90 s); risk: what is on the dead member's volume is deleted; the other members have all of it",
        ]);
        assert.equal(inputs.replicas, 4);
        assert.equal((await scale(of).update("", outs(3), inputs)).outs.replicas, 4);
        assert.deepEqual(actions(of), [
            "lock",
            "note-failure",
            "remove-member",
            "delete-pod",
            "delete-claims",
            "count-replacement",
            "release",
        ]);
        assert.deepEqual(of.lease!.records.removals, {}, "the member's failure is its record");
    });

    for (const step of ["remove-member", "delete-pod", "delete-claims"] as const) {
        it(`is resumed after a kill at ${step}, without a second record`, async () => {
            const of = world({ ...dead, claims: [claimOf("pd", 1)] });
            playPd(of);
            const played = of.changes;
            const { inputs } = await scale(of).check(outs(3), told());
            of.changes = (action) => {
                played(action);
                if (action.do === step) {
                    throw new Error("killed");
                }
            };
            await assert.rejects(scale(of).update("", outs(3), inputs), /killed/);
            of.changes = played;
            const again = await scale(of).planOf(outs(3), told());
            assert.deepEqual(stepsIn(again.plan), ["replace basic-pd-1"]);
            assert.equal((await scale(of).update("", outs(3), again.inputs)).outs.replicas, 4);
            const { failures } = of.lease!.records.failovers!.pd!;
            assert.deepEqual(Object.keys(failures), ["basic-pd-1"]);
            assert.equal(of.done.filter((one) => one === step).length, 1);
        });
    }

    for (const step of ["note-failure", "remove-member", "delete-pod", "delete-claims"] as const) {
        it(`is not left half done because PD does not answer for a moment after ${step}`, async () => {
            const of = world({ ...dead, claims: [claimOf("pd", 1)] });
            playPd(of);
            const played = of.changes;
            const { inputs } = await scale(of).check(outs(3), told());
            let silent = 0;
            of.changes = (action) => {
                played(action);
                silent = action.do === step ? 2 : silent;
            };
            changePorts(of, ({ look }) => ({
                look: (...how) => {
                    of.live.pd = { ...of.live.pd, pdSilent: silent > 0 };
                    silent -= 1;
                    return look(...how);
                },
            }));
            assert.equal((await scale(of).update("", outs(3), inputs)).outs.replicas, 4);
            assert.ok(of.done.includes("count-replacement"));
        });
    }

    it("goes on while the program adds members: replacements come on top", async () => {
        const of = world({ live: 4, ...dead }, failed("pd", 1, { replacedBy: "basic-pd-3" }));
        const news = told({ desiredReplicas: 5 });
        const { inputs } = await scale(of).check(outs(4), news);
        assert.equal(inputs.replicas, 6);
        assert.equal((await scale(of).update("", outs(4), inputs)).outs.replicas, 6);
        assert.deepEqual(Object.keys(of.lease!.records.failovers!.pd!.failures), ["basic-pd-1"]);
    });

    it("recovers by itself: once all three are members again, the fourth leaves PD", async () => {
        const of = world({ live: 4, claims: [claimOf("pd", 3)] }, failed("pd", 1));
        of.changes = (action) => {
            if (action.do === "remove-member") {
                of.live.pd = { ...of.live.pd, notMembers: [3] };
            } else if (action.do === "release-claims") {
                const claims = [claimOf("pd", 3, { released: true, releasedId: action.storeOrMember })];
                of.live.pd = { ...of.live.pd, claims };
            }
        };
        const { inputs, plan } = await scale(of).planOf(outs(4), told());
        assert.deepEqual(stepsIn(plan), ["remove basic-pd-3"]);
        assert.equal((await scale(of).update("", outs(4), inputs)).outs.replicas, 3);
        assert.equal(of.lease!.records.failovers, undefined);
        const steps = ["lock", "remove-member", "release-claims", "forget-removal", "forget-failures", "set-replicas"];
        assert.deepEqual(actions(of), [...steps, "release"], "the number falls in the look that finds the pod out");
    });
});
