import * as assert from "node:assert/strict";
import { createGate } from "../../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../../provider/gates/scaleGate";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import {
    crashLoop,
    deadStores,
    downFor,
    minutes,
    policy,
    readyBetweenCrashes,
} from "../../../support/lifecycle/deaths";
import { type Deviation, now } from "../../../support/lifecycle/observations";
import { changePorts, clusterWorld, type ClusterWorld, leaseOf, told as clusterTold } from "../../gates/clusterWorld";

/** Plans an update that replaces one of four stores. */
async function planned(of: ClusterWorld) {
    const told = clusterTold({
        gate: "scale",
        component: "tikv",
        desiredReplicas: 4,
        policy: defaultPolicy,
        failover: policy,
        fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
    });
    const olds = { ...told, replicas: 4, plan: [], deferred: "" };
    const gate = createGate(scaleGateDefinition, of);
    const { inputs } = await gate.check(olds, told);
    assert.equal(inputs.replicas, 5);
    return async () => (await gate.update("", olds, inputs)).outs.replicas;
}

/** What is seen from now on, look by look; then the last one. */
function seeing(of: ClusterWorld, rows: Deviation[]): void {
    changePorts(of, ({ look }) => ({
        look: (options, lag) => {
            of.live.tikv = rows.length > 1 ? rows.shift() : rows[0];
            return look(options, lag);
        },
    }));
}

describe("a replacement that the plan has shown", () => {
    const dead = deadStores(1);
    const disconnected = Object.fromEntries([0, 2, 3].map((one) => [one, { state: "Disconnected" }]));
    for (const [title, moment] of [
        ["PD does not answer", { ...dead, pdSilent: true }],
        ["PD's new leader has not heard of the stores", { ...dead, stores: { ...dead.stores, ...disconnected } }],
    ] as [string, Deviation][]) {
        it(`is not dropped because ${title} for a moment`, async () => {
            const of = clusterWorld({ live: { tikv: dead }, lease: leaseOf() });
            const update = await planned(of);
            seeing(of, [moment, moment, dead]);
            assert.equal(await update(), 5);
        });

        it(`fails the update if that lasts, and nothing is on record: ${title}`, async () => {
            const of = clusterWorld({ live: { tikv: dead }, lease: leaseOf() });
            const update = await planned(of);
            seeing(of, [moment]);
            await assert.rejects(update(), /for \d+ s/);
            assert.equal(of.lease!.records.failovers, undefined);
        });
    }

    it("is not dropped because its pod is Ready for seconds between two crashes", async () => {
        const stores = { 1: downFor(6 * minutes) };
        const waits = { pods: { 1: crashLoop(20_000, 5 * minutes) }, stores };
        const ready = { pods: { 1: readyBetweenCrashes() }, stores };
        const of = clusterWorld({ live: { tikv: waits }, lease: leaseOf() });
        const update = await planned(of);
        seeing(of, [ready, ready, { ...waits, pods: { 1: crashLoop(0, 5 * minutes) } }, waits]);
        assert.equal(await update(), 5);
    });

    it("is dropped once its pod is Ready for a whole period after a crash, or PD calls its store Up", async () => {
        const stores = { 1: downFor(6 * minutes) };
        const pods = { 1: readyBetweenCrashes() };
        const well = { 1: { ...readyBetweenCrashes(), readyAtLeast: known(5 * minutes, "the API server", now) } };
        for (const row of [
            { pods },
            { pods, stores: { 1: { state: "Disconnected" } } },
            { pods: well, stores },
        ] as Deviation[]) {
            const of = clusterWorld({
                live: { tikv: { pods: { 1: crashLoop(20_000, 5 * minutes) }, stores } },
                lease: leaseOf(),
            });
            const update = await planned(of);
            seeing(of, [row]);
            assert.equal(await update(), 4);
        }
    });

    it("is not waited for once its pod is Ready again", async () => {
        const of = clusterWorld({ live: { tikv: dead }, lease: leaseOf() });
        const update = await planned(of);
        const began = of.time;
        seeing(of, [{ pdSilent: true }]);
        assert.equal(await update(), 4);
        assert.ok(of.time - began < 60_000);
    });
});
