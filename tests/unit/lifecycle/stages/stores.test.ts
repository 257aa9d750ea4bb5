import * as assert from "node:assert/strict";
import { memberLifecycles } from "../../../../provider/lifecycle/members/memberLifecycles";
import type { MemberLifecycle } from "../../../../provider/lifecycle/vocabulary/memberLifecycle";
import { refuseStoreRemoval } from "../../../../provider/lifecycle/stages/storeRemoval";
import { isOnlyStore, leavingStores, stayingStores } from "../../../../provider/lifecycle/stages/stores";
import { podView } from "../../../support/lifecycle/inWords";
import { type Deviation, observed, storeOf, tiflashStoreOf } from "../../../support/lifecycle/observations";
import type { Component } from "../../../../topology/members";
import { changedView } from "../../../support/lifecycle/changedView";

const { tikv, tiflash } = memberLifecycles;

const available = (lifecycle: MemberLifecycle, component: Component, row: Deviation) => {
    const { observation, target } = observed(component, row);
    return lifecycle.available(observation, target);
};
const allIn = (state: string) => ({ 0: { state }, 1: { state }, 2: { state }, 3: { state } });
const noStores = { 0: undefined, 1: undefined, 2: undefined, 3: undefined };

describe("stores are available for the members that come after them", () => {
    it("once one TiKV is Up", () => {
        assert.equal(available(tikv, "tikv", { stores: { ...allIn("Down"), 2: { state: "Up" } } }), undefined);
        assert.equal(available(tikv, "tikv", { stores: allIn("Disconnected") }), "no TiKV store is Up");
        assert.equal(available(tikv, "tikv", { stores: noStores }), "no TiKV store is Up");
        assert.equal(available(tikv, "tikv", { unknown: ["stores"] }), "PD's stores are not known: PD did not answer");
    });
    it("TiFlash cannot start before one TiKV store is Up, or was a moment ago", () => {
        const waits = (row: Deviation) => tiflash.cannotStartYet?.(observed("tiflash", row).observation);
        assert.deepEqual(
            [
                waits({}),
                waits({ stores: allIn("Disconnected") }),
                waits({ stores: allIn("Down") }),
                waits({ stores: noStores }),
            ],
            [false, false, true, true],
        );
        assert.equal(waits({ unknown: ["stores"] }), false);
    });
    it("the only TiFlash store is not known if PD lists none", () =>
        assert.equal(tiflash.restartRisk(podView("tiflash", 0, { unknown: ["stores"] })), undefined));
});

describe("a smaller number of replicas is refused", () => {
    const refused = (component: "tikv" | "tiflash", row: Deviation) => {
        const { observation, target } = observed(component, row);
        return memberLifecycles[component].refuseReplicas(observation, target);
    };
    const [moreTikv, moreTiflash] = [
        "Next: keep more TiKV replicas, or lower PD's replication.max-replicas first",
        "Next: keep more TiFlash replicas, or first reduce those of the tables: ALTER TABLE … SET TIFLASH REPLICA <n>",
    ];
    it("if too few stores would be left", () => {
        assert.equal(
            refused("tikv", { live: 4, replicas: 2 }),
            `2 Up TiKV stores would be left, but PD keeps 3 replicas of each region (replication.max-replicas). ${moreTikv}`,
        );
        assert.equal(
            refused("tiflash", { live: 2, replicas: 1, tiflashReplicas: 2 }),
            `1 Up TiFlash stores would be left, but a table has 2 TiFlash replicas (PD's placement rules). ${moreTiflash}`,
        );
    });
    it("not if enough are left", () => {
        assert.equal(refused("tikv", { live: 4, replicas: 3 }), undefined);
        assert.equal(refused("tikv", { live: 4, replicas: 3, stores: { 0: { state: "Disconnected" } } }), undefined);
        assert.equal(refused("tiflash", { live: 2, replicas: 1 }), undefined);
        assert.equal(refused("tiflash", { live: 2, replicas: 0, tiflashReplicas: null }), undefined);
    });
    it("not if no store leaves, whatever PD does not report", () => {
        assert.equal(refused("tikv", { live: 2, replicas: 2 }), undefined);
        assert.equal(refused("tikv", { live: 2, replicas: 2, unknown: ["placement"] }), undefined);
    });
    it("if PD does not report how many replicas it keeps, without useless advice", () => {
        const row: Deviation = { live: 4, replicas: 3, unknown: ["placement"] };
        assert.equal(refused("tikv", row), "the number of replicas that PD keeps is not known: PD did not answer");
        assert.equal(
            refused("tiflash", { live: 2, replicas: 1, unknown: ["placement"] }),
            "PD's placement rules are not known: PD did not answer",
        );
    });
    it("no removal begins if PD lists no stores", () => {
        for (const [component, row] of [
            ["tikv", { live: 4, replicas: 3 }],
            ["tiflash", { live: 2, replicas: 1 }],
        ] as const) {
            const stay = memberLifecycles[component].beforeRemoval.find(({ name }) => name === "enough-stores-stay");
            const view = podView(component, row.replicas, row);
            const pd = podView(component, row.replicas, { ...row, unknown: ["stores"] }).pd;
            const found = stay?.holds(changedView(view, { pd, observation: { ...view.observation, pd } }));
            assert.deepEqual(found, { lacks: "PD's stores are not known: PD did not answer" });
        }
    });
    it("with the given reason", () => {
        const { observation, target } = observed("tikv", { live: 4, replicas: 3 });
        assert.equal(refuseStoreRemoval("tikv", () => "no", "do it")(observation, target), "no. Next: do it");
    });
});

describe("stores that leave", () => {
    const seen = (row: Deviation) => observed("tikv", { live: 4, replicas: 3, ...row });
    const foreign = storeOf(3, { id: 90, own: false });
    it("are those of the leaving ordinals, and not another cluster's", () => {
        const { observation, target } = seen({ moreStores: [foreign, tiflashStoreOf(4)] });
        assert.deepEqual(
            leavingStores(observation, target).map(({ id }) => id),
            [13],
        );
        const staying = stayingStores(observation, target, "tikv", () => true);
        assert.deepEqual(
            staying?.map(({ id }) => id),
            [10, 11, 12, 90],
        );
    });
    it("are not known if PD lists none", () => {
        const { observation, target } = seen({ unknown: ["stores"] });
        assert.deepEqual(leavingStores(observation, target), []);
        assert.equal(
            stayingStores(observation, target, "tikv", () => true),
            undefined,
        );
    });
});

describe("the only store", () => {
    it("is the pod's own, and not another cluster's", () => {
        const only = (row: Deviation) => isOnlyStore(podView("tikv", 0, row));
        const foreign = storeOf(0, { id: 90, own: false, podName: "other-tikv-0" });
        assert.equal(only({ live: 1 }), true);
        assert.equal(only({ live: 1, stores: { 0: undefined }, moreStores: [foreign] }), false);
        assert.equal(only({ live: 1, moreStores: [foreign] }), false);
        assert.equal(only({ live: 1, unknown: ["stores"] }), false);
        assert.equal(only({ live: 1, moreStores: [tiflashStoreOf(0)] }), true);
    });
});
