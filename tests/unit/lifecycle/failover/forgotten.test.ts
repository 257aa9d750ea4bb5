import * as assert from "node:assert/strict";
import { createGate } from "../../../../provider/gates/gate";
import { readyGateDefinition } from "../../../../provider/gates/readyGate";
import { replaceDead } from "../../../../provider/gates/replaceDead";
import { scaleGateDefinition } from "../../../../provider/gates/scaleGate";
import type { UnattendedWork } from "../../../../provider/gates/unattended";
import { notForeseen } from "../../../../provider/lifecycle/dryRun/planSteps";
import { approvalPlan } from "../../../../provider/lifecycle/approval/approvalPlan";
import { planFailover } from "../../../../provider/lifecycle/failover/planFailover";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import { noRecords, type ObservedPod } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import { deadStores, downFor, failed, lostNode, minutes, policy, unreadNode } from "../../../support/lifecycle/deaths";
import { claimOf, type Deviation, now, observed } from "../../../support/lifecycle/observations";
import { clusterWorld, type ClusterWorld, leaseOf, told as clusterTold } from "../../gates/clusterWorld";
import { codesOf } from "../../../support/repeats";

/** Failures whose replacements never came: the run that recorded them ended before it changed the number of replicas. */

type Failing = "pd" | "tidb" | "tikv";

/** A pod that has not been Ready for a second, on a node that is. */
const restarting: Partial<ObservedPod> = {
    ready: false,
    readySince: undefined,
    node: "node-1",
    death: { node: known({ is: "ready" }, "the API server", now), notReadyFor: known(1000, "the API server", now) },
};

/** A record of pod 1 that counts, of three pods; of PD with the id of the member. */
const counted = (component: Failing, id = "101") =>
    failed(component, 1, {
        replacedBy: `basic-${component}-3`,
        ...(component === "pd" ? { member: { name: "basic-pd-1", id } } : {}),
    });
/** A PD member that was put on record, and whose replacement does not count yet. */
const uncounted = (id: string) =>
    failed("pd", 1, { ...counted("pd", id).pd!.failures["basic-pd-1"], counts: undefined });

const noteOf = (failover = policy) => ({ replicas: 3, unattended: { failover, policy: defaultPolicy } });

function world(
    component: Failing,
    row: Deviation,
    failovers?: ReturnType<typeof failed>,
    failover = policy,
): ClusterWorld {
    const of = clusterWorld({
        live: { [component]: { live: 3, ...row } },
        lease: leaseOf({
            members: { [component]: noteOf(failover) },
            records: { ...noRecords(), ...(failovers ? { failovers } : {}) },
        }),
    });
    of.changes = (action) => {
        const seen = of.live[component];
        if (action.do === "set-replicas") {
            of.live[component] = { ...seen, live: action.replicas };
        } else if (action.do === "remove-member") {
            of.live[component] = { ...seen, notMembers: [Number(action.pod!.split("-").at(-1))], unhealthy: [] };
        } else if (action.do === "delete-pod") {
            const at = Number(action.pod.split("-").at(-1));
            of.live[component] = { ...seen, pods: { [at]: { ...lostNode(), terminating: true } } };
        } else if (action.do === "delete-claims") {
            of.live[component] = { ...seen, claims: [] };
        }
    };
    return of;
}

const told = (component: Failing, more: object = {}) =>
    clusterTold({
        gate: "scale",
        component,
        desiredReplicas: 3,
        policy: defaultPolicy,
        failover: policy,
        fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
        ...more,
    });

/** One update as Pulumi makes it: the plan, then the steps. */
async function update(of: ClusterWorld, component: Failing, more: object = {}, replicas = 3) {
    const gate = createGate(scaleGateDefinition, of);
    const olds = { ...told(component), replicas, plan: [], deferred: "" };
    const { inputs, remarks = [] } = await gate.planOf(olds, told(component, more));
    const { changes } = await gate.diff("", olds, inputs);
    const outs = changes ? (await gate.update("", olds, inputs)).outs : inputs;
    return {
        plan: inputs.plan as string[],
        planned: inputs.replicas,
        remarks: codesOf(remarks),
        replicas: outs.replicas,
    };
}

async function replace(of: ClusterWorld, component: Failing, failover = policy): Promise<UnattendedWork> {
    const ports = await of.open({} as never, "effect");
    return replaceDead({ component, note: noteOf(failover) }, ports, () => false);
}

const did = ({ done }: ClusterWorld) => done.filter((one) => /^[a-z-]+$/.test(one));
const recorded = (of: ClusterWorld, component: Failing) =>
    Object.keys(of.lease!.records.failovers?.[component]?.failures ?? {});
const forgets = ["delete the record of failures that no longer count"];

describe("a failure on record whose replacement never came", () => {
    for (const component of ["tidb", "pd", "tikv"] as const) {
        it(`is forgotten by the next update once ${component} is back: nothing is added, nothing is waited for`, async () => {
            const of = world(component, {}, counted(component));
            const ready = createGate(readyGateDefinition, of);
            const members = [{ component, replicas: 3, policy: defaultPolicy }];
            const { inputs } = await ready.check(
                {},
                clusterTold({ gate: "ready", members, failovers: { [component]: policy } }),
            );
            assert.deepEqual(inputs.plan, [], "the last gate foresees it");
            const { plan, planned, remarks, replicas } = await update(of, component);
            assert.deepEqual([plan, planned, replicas, remarks], [forgets, 3, 3, []]);
            assert.deepEqual(did(of), ["lock", "forget-failures", "records", "release"]);
            assert.deepEqual(recorded(of, component), []);
            assert.deepEqual((await update(of, component)).plan, []);
        });
    }

    it("is kept while its pod is dead, and its replacement comes", async () => {
        const of = world("tikv", deadStores(1), counted("tikv"));
        const { plan, replicas } = await update(of, "tikv");
        assert.deepEqual([plan, replicas, recorded(of, "tikv")], [[], 4, ["basic-tikv-1"]]);
    });

    it("is forgotten by the controller, which adds nothing because a pod is not Ready for a second a month later", async () => {
        const rows: [Failing, Deviation][] = [
            ["tidb", { tidb: { 1: "is not Ready" } }],
            ["pd", { unhealthy: [1] }],
            ["tikv", { stores: { 1: { state: "Disconnected" } } }],
        ];
        for (const [component, row] of rows) {
            const of = world(component, { ...row, pods: { 1: restarting } }, counted(component));
            await replace(of, component);
            assert.equal(of.live[component]!.live, 3, component);
            assert.deepEqual(recorded(of, component), []);
        }
    });

    it("is no reason to add a replica while nobody knows whether its pod is dead", async () => {
        const row = { pods: { 1: unreadNode }, stores: { 1: downFor(60 * minutes) } };
        const of = world("tikv", row, counted("tikv"));
        await replace(of, "tikv");
        assert.deepEqual([of.live.tikv!.live, recorded(of, "tikv")], [3, ["basic-tikv-1"]]);
    });

    it("is no reason to add a replica once failover is switched off", async () => {
        const off = { ...policy, budget: 0 };
        const of = world("tikv", deadStores(1), counted("tikv"), off);
        await replace(of, "tikv", off);
        assert.equal(of.live.tikv!.live, 3);
    });

    it("is another one than a failure whose replacement is there, while the program adds members", async () => {
        const of = world("tikv", { live: 4 }, counted("tikv"));
        const { replicas } = await update(of, "tikv", { desiredReplicas: 5 }, 4);
        assert.deepEqual([replicas, recorded(of, "tikv")], [6, ["basic-tikv-1"]]);
    });

    it("is another one than an earlier failure with a replacement of that name, from when the program asked for more", async () => {
        const { uid, failures } = failed("tikv", 1, { replacedBy: "basic-tikv-4", storeId: 11 }).tikv!;
        const later = failed("tikv", 2, { replacedBy: "basic-tikv-4", storeId: 12 }).tikv!.failures;
        const of = world("tikv", { live: 4, ...deadStores(2) }, { tikv: { uid, failures: { ...failures, ...later } } });
        const { replicas } = await update(of, "tikv", {}, 4);
        assert.deepEqual([replicas, recorded(of, "tikv")], [5, ["basic-tikv-1", "basic-tikv-2"]]);
    });
});

describe("a failover that is over", () => {
    it("is forgotten also if nothing is to be scaled in: the program asks for its replacement by now", async () => {
        const of = world("tidb", { live: 4 }, counted("tidb"));
        const { plan, replicas } = await update(of, "tidb", { desiredReplicas: 4 }, 4);
        assert.deepEqual([plan, replicas, recorded(of, "tidb")], [forgets, 4, []]);
        assert.deepEqual((await update(of, "tidb", { desiredReplicas: 4 }, 4)).plan, []);
    });
});

describe("a PD member on record whose replacement does not count yet", () => {
    const states: [string, Deviation][] = [
        ["healthy", {}],
        ["restarting just now", { pods: { 1: restarting }, unhealthy: [1] }],
    ];
    for (const [state, row] of states) {
        for (const [title, failover] of [
            ["", policy],
            [", with failover switched off", { ...policy, budget: 0 }],
        ] as const) {
            it(`is forgotten if its pod is another member of PD, ${state}${title}: nothing is deleted or added`, async () => {
                const claims = [claimOf("pd", 1)];
                const of = world("pd", { ...row, claims }, uncounted("777"), failover);
                await replace(of, "pd", failover);
                const changes = did(of).filter((one) => /^(remove|delete|set|count)-/.test(one));
                assert.deepEqual([changes, of.live.pd!.live, recorded(of, "pd")], [[], 3, []]);
                const again = world("pd", { ...row, claims }, uncounted("777"));
                const { plan, replicas } = await update(again, "pd", { failover });
                assert.deepEqual([plan, replicas, recorded(again, "pd")], [forgets, 3, []]);
            });
        }
    }

    it("goes on if PD lists no member for its pod", async () => {
        const of = world(
            "pd",
            { notMembers: [1], pods: { 1: { ...lostNode(), terminating: true } } },
            uncounted("101"),
        );
        await replace(of, "pd");
        assert.deepEqual([of.live.pd!.live, recorded(of, "pd")], [4, ["basic-pd-1"]]);
    });

    it("does not use up the budget once it is back: another one that dies is replaced", async () => {
        const one = { ...policy, budget: 1 };
        const row = { pods: { 2: lostNode() }, unhealthy: [2], claims: [claimOf("pd", 2)] };
        const of = world("pd", row, uncounted("101"), one);
        await replace(of, "pd", one);
        await replace(of, "pd", one);
        assert.deepEqual([of.live.pd!.live, recorded(of, "pd")], [4, ["basic-pd-2"]]);
        const planned = world("pd", row, uncounted("101"));
        const { plan, replicas } = await update(planned, "pd", { failover: one });
        assert.ok(plan[0].startsWith("replace basic-pd-2 "), plan[0]);
        assert.deepEqual([replicas, recorded(planned, "pd")], [4, ["basic-pd-2"]]);
    });

    it("is forgotten if it was only noted before the run ended, and is healthy next", async () => {
        const of = world("pd", { claims: [claimOf("pd", 1)], unhealthy: [1], pods: { 1: lostNode() } });
        const { changes } = of;
        of.changes = (action) => {
            changes(action);
            if (action.do === "note-failure") {
                of.live.pd = { ...of.live.pd, unknown: ["members"] };
            }
        };
        await replace(of, "pd");
        assert.deepEqual(recorded(of, "pd"), ["basic-pd-1"]);
        of.live.pd = { live: 3, claims: [claimOf("pd", 1)] };
        await replace(of, "pd");
        assert.deepEqual(recorded(of, "pd"), []);
    });

    it("is no consent to the removal of another member of its pod, which has died since", () => {
        const subject = {
            mode: "step",
            namespace: "tidb",
            cluster: "basic",
            leaseUid: "lease-1",
            of: "scale",
        } as const;
        const begun = (id: string, notMembers: number[] = []) => {
            const records = { ...noRecords(), failovers: uncounted(id) };
            const row = { pods: { 1: lostNode() }, unhealthy: [1], claims: [claimOf("pd", 1)], records, notMembers };
            const { observation, target } = observed("pd", { live: 3, ...row });
            const { steps } = planFailover(observation, target, policy);
            assert.deepEqual(
                steps.map((step) => step.target),
                ["basic-pd-1"],
            );
            return approvalPlan(subject, notForeseen(steps, observation), observation, target).begun;
        };
        assert.deepEqual(begun("777"), []);
        assert.deepEqual(begun("101"), [], "it was only noted");
        assert.deepEqual(begun("101", [1]), ["basic-pd-1"], "it has left PD");
    });
});
