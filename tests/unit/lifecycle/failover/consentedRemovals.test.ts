import * as assert from "node:assert/strict";
import { createGate } from "../../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../../provider/gates/scaleGate";
import { noRecords, type OperationRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import { deadStores, failed, lostNode, policy } from "../../../support/lifecycle/deaths";
import type { Deviation } from "../../../support/lifecycle/observations";
import {
    changePorts,
    clusterWorld,
    type ClusterWorld,
    leaseOf,
    scaledByHand,
    told as clusterTold,
} from "../../gates/clusterWorld";
import { stepsIn } from "../../../support/gates/stepsIn";
import { repeats } from "../../../support/repeats";

const told = clusterTold({
    gate: "scale",
    component: "tidb",
    desiredReplicas: 2,
    policy: defaultPolicy,
    failover: policy,
    fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
    approval: "step",
} as never);

/** 4 TiDB, of which `kubectl scale` has added the last: 2 of the program, and the replacement of the first. */
const four = (...dead: number[]): Deviation => ({
    live: 4,
    pods: Object.fromEntries(dead.map((one) => [one, lostNode()])),
    tidb: Object.fromEntries(dead.map((one) => [one, "connect ECONNREFUSED"])),
});

const replacing = { ...noRecords(), failovers: failed("tidb", 0, { replacedBy: "basic-tidb-2" }) };

/** Somebody consents to whatever a run asks for. @returns the world, and what was asked for. */
function approving(
    row: Deviation,
    component: "tidb" | "tikv" = "tidb",
    records: OperationRecords = replacing,
): { of: ClusterWorld; asked: { digest: string; lets: string }[] } {
    const approvals = { given: {}, goals: {} };
    const of = clusterWorld({ live: { [component]: row }, lease: leaseOf({ records, approvals }) });
    const asked: { digest: string; lets: string }[] = [];
    scaledByHand(of, "tidb");
    changePorts(of, ({ tryLock }) => ({
        noteApprovalWait: (_of, note) => {
            if (note) {
                asked.push({ digest: note.digest, lets: note.lets });
                of.lease!.approvals = { given: { [note.digest]: { by: "ana@laptop", at: of.time } }, goals: {} };
            }
            return Promise.resolve();
        },
        noteFirstRevision: () => Promise.resolve(),
        tryLock: async (...how) => {
            const answer = await tryLock(...how);
            return "lock" in answer ? { lock: { ...answer.lock, takeConsent: () => Promise.resolve() } } : answer;
        },
    }));
    return { of, asked };
}

describe("a replacement, with approval", () => {
    for (const [approval, component, row, replicas] of [
        ["step", "tikv", deadStores(1), 4],
        ["member", "tikv", deadStores(1), 4],
        ["step", "tidb", { ...four(0), live: 2 }, 2],
        ["member", "tidb", { ...four(0), live: 2 }, 2],
    ] as const) {
        it(`of ${component} (by ${approval}) is asked for as in its preview`, async () => {
            const { of, asked } = approving(row, component, noRecords());
            const news = { ...told, component, desiredReplicas: replicas, approval };
            const gate = createGate(scaleGateDefinition, of);
            const olds = { ...news, replicas, plan: [], deferred: "" };
            const { inputs } = await gate.check(olds, news);
            const digest = /approve basic (\w+) /.exec((inputs.plan as string[]).join("\n"))?.[1];
            await gate.update("", olds, inputs);
            assert.deepEqual([...new Set(asked.map((one) => one.digest))], [digest]);
        });
    }
});

describe("a removal of pods for which nothing is done before, with approval", () => {
    it("takes one consent, because they leave together", async () => {
        const { of, asked } = approving({ live: 4 }, "tidb", noRecords());
        const gate = createGate(scaleGateDefinition, of);
        const olds = { ...told, replicas: 4, plan: [], deferred: "" };
        const { inputs } = await gate.check(olds, told);
        const lets = "remove basic-tidb-3, remove basic-tidb-2";
        repeats(inputs.plan, `lets through: ${lets}`);
        const { outs } = await gate.update("", olds, inputs);
        assert.deepEqual([asked.map((one) => one.lets), outs.replicas], [[lets], 2]);
    });

    it("takes one for each store", async () => {
        const { of } = approving({ live: 6 }, "tikv", noRecords());
        const news = { ...told, component: "tikv", desiredReplicas: 4 };
        const { inputs } = await createGate(scaleGateDefinition, of).check({ ...news, replicas: 6 }, news);
        repeats(inputs.plan, "lets through: remove basic-tikv-5, the first of 2 steps");
    });
});

describe("a removal beside a failover, with approval", () => {
    for (const [what, before, after] of [
        ["another one dies", four(0), four(0, 1)],
        ["the dead one comes back", four(0), four()],
    ] as const) {
        it(`is what the run asks for, as in its preview, also if ${what} meanwhile`, async () => {
            const { of, asked } = approving(before);
            const gate = createGate(scaleGateDefinition, of);
            const olds = { ...told, replicas: 3, plan: [], deferred: "" };
            const { inputs, plan } = await gate.planOf(olds, told);
            assert.deepEqual(
                plan.map(({ is }) => is),
                ["step", "task", "approval"],
            );
            assert.deepEqual(stepsIn(plan), ["remove basic-tidb-3"]);
            repeats(inputs.plan, "lets through: remove basic-tidb-3");
            of.live.tidb = after;
            const { outs } = await gate.update("", olds, inputs);
            assert.deepEqual(
                asked.map(({ lets }) => lets),
                ["remove basic-tidb-3"],
            );
            assert.deepEqual([outs.replicas, of.live.tidb?.live], [3, 3]);
        });
    }
});
