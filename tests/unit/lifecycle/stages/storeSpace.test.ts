import * as assert from "node:assert/strict";
import { tiflashLifecycle } from "../../../../provider/lifecycle/members/tiflashMember";
import { tikvLifecycle } from "../../../../provider/lifecycle/members/tikvMember";
import { isLowOnSpace, lowBeforeAdding } from "../../../../provider/lifecycle/stages/storeSpace";
import { emptyMemory, type Memory, rememberWait } from "../../../../provider/lifecycle/vocabulary/memory";
import { describeStep } from "../../../../provider/lifecycle/walks/describePlan";
import { nextScaleMove } from "../../../../provider/lifecycle/walks/scale";
import type { MemberLifecycle } from "../../../../provider/lifecycle/vocabulary/memberLifecycle";
import { podView, stageOf, stageTable } from "../../../support/lifecycle/inWords";
import { claimOf, type Deviation, inShort, observed, tiflashStoreOf } from "../../../support/lifecycle/observations";
import { plannedScale } from "../../../support/lifecycle/planned";

const gibibyte = 1024 ** 3;
/** A store of 200 GiB, a part of it free. */
const disk = (freeGibibytes: number, usedGibibytes = 200 - freeGibibytes) => ({
    capacityBytes: 200 * gibibyte,
    availableBytes: freeGibibytes * gibibyte,
    usedBytes: usedGibibytes * gibibyte,
});
const in4to3: Deviation = { live: 4, replicas: 3, lowSpaceRatio: 0.8, claims: [claimOf("tikv", 3)] };
const full: Deviation["stores"] = { 0: disk(20), 1: disk(30), 2: disk(39), 3: disk(60) };
const allFull =
    "no other store takes regions: store 10 (basic-tikv-0, 10% free), store 11 (basic-tikv-1, 15% free) and 1 other, under 20% free (schedule.low-space-ratio)";
const advice = "free space on the other stores, grow their disks, or add stores first";

describe("a store is low on space", () => {
    const placement = { maxReplicas: 3, lowSpaceRatio: 0.8 };
    const rows: [name: string, Parameters<typeof isLowOnSpace>[0], Parameters<typeof isLowOnSpace>[1], unknown][] = [
        ["with less than a fifth free", { ...disk(39), regionCount: 1500 }, placement, true],
        ["not with a fifth", { ...disk(40), regionCount: 1500 }, placement, false],
        ["not with few regions and 9 GiB free", { ...disk(9), regionCount: 99 }, placement, false],
        ["with 100 regions and 9 GiB free", { ...disk(9), regionCount: 100 }, placement, true],
        ["with few regions and 8 GiB free", { ...disk(8), regionCount: 99 }, placement, true],
        ["not known of a store that has not reported its disk", { regionCount: 0 }, placement, undefined],
        ["not known of a disk of size 0", { ...disk(0), capacityBytes: 0, regionCount: 0 }, placement, undefined],
        ["not known without PD's limit", { ...disk(1), regionCount: 1500 }, { maxReplicas: 3 }, undefined],
    ];
    for (const [name, store, limits, expected] of rows) {
        it(name, () => assert.equal(isLowOnSpace(store, limits), expected));
    }
});

const takes = (lifecycle: MemberLifecycle) => stageOf(lifecycle.beforeRemoval, "others-take-regions");
const someLeft: Deviation = { ...in4to3, stores: { ...full, 2: disk(40) } };
stageTable("some other store takes the regions of a leaving one", takes(tikvLifecycle), "tikv", 3, [
    ["all do", in4to3, true],
    ["one does", someLeft, true],
    ["none does", { ...in4to3, stores: full }, allFull],
    ["none is known to", { ...in4to3, stores: full, lowSpaceRatio: undefined }, true],
    ["none does, and the store is empty", { ...in4to3, stores: { ...full, 3: { ...disk(60), regionCount: 0 } } }, true],
    ["none does, and it is Offline already", { ...in4to3, stores: { ...full, 3: { state: "Offline" } } }, true],
]);
const tiflash = { live: 3, replicas: 2, lowSpaceRatio: 0.8, tiflash: { 0: disk(20), 1: disk(30), 2: disk(60) } };
stageTable("TiFlash's regions have a place on TiFlash", takes(tiflashLifecycle), "tiflash", 2, [
    ["on TiFlash", { ...tiflash, tiflash: { ...tiflash.tiflash, 1: disk(100) } }, true],
    [
        "on TiKV only",
        tiflash,
        "no other store takes regions: store 20 (basic-tiflash-0, 10% free), store 21 (basic-tiflash-1, 15% free), under 20% free (schedule.low-space-ratio)",
    ],
]);

describe("a scale-in onto stores without space", () => {
    const lineOf = (row: Deviation) => {
        const { observation, target } = observed("tikv", row);
        return plannedScale(observation, target).map(describeStep);
    };
    it("is refused if no other store takes regions", () => {
        const { observation, target } = observed("tikv", { ...in4to3, stores: full });
        assert.equal(tikvLifecycle.refuseReplicas(observation, target), `${allFull}. Next: ${advice}`);
    });
    it("is not refused once it has begun: PD takes it back only by more replicas", () => {
        const { observation, target } = observed("tikv", { ...in4to3, stores: { ...full, 3: { state: "Offline" } } });
        assert.equal(tikvLifecycle.refuseReplicas(observation, target), undefined);
    });
    it("fails before PD is asked to remove the store", () => {
        const { observation, target } = observed("tikv", { ...in4to3, stores: full });
        assert.equal(inShort(nextScaleMove(observation, target, emptyMemory)), "fail others-take-regions basic-tikv-3");
    });
    it("has a risk if what must move does not fit", () => {
        const stores = { 0: disk(60), 1: disk(45), 2: disk(30), 3: disk(100) };
        assert.deepEqual(lineOf({ ...in4to3, stores }), [
            "remove basic-tikv-3 (4 to 3 replicas): remove store 13, move its 1500 regions, mark its volumes as released (~6 min); risk: the other stores have too little free space for what must move: PD stops half way, and the removal waits until space is freed",
        ]);
    });
    it("has none if it fits, or if a store has not reported its disk", () => {
        const stores = { 0: disk(100), 1: disk(45), 2: disk(80), 3: disk(100) };
        assert.deepEqual(lineOf({ ...in4to3, stores }), [
            "remove basic-tikv-3 (4 to 3 replicas): remove store 13, move its 1500 regions, mark its volumes as released (~6 min)",
        ]);
        assert.ok(!lineOf({ ...in4to3, stores: { ...stores, 0: {} } })[0].includes("GiB"));
    });
});

describe("a removal that PD cannot finish", () => {
    const stores: Deviation["stores"] = { ...someLeft.stores, 3: { ...disk(60), state: "Offline", regionCount: 126 } };
    const low =
        "store 13 (basic-tikv-3) is Offline with 126 regions left; PD moves none to store 10 (basic-tikv-0, 10% free), store 11 (basic-tikv-1, 15% free): under 20% free (schedule.low-space-ratio)";
    /** What a run waits for that sees this many regions left, one after another, a minute apart. */
    const seen = (counts: readonly number[]): string[] => {
        let memory: Memory = emptyMemory;
        return counts.map((regionCount, minute) => {
            const { observation, target } = observed("tikv", {
                ...in4to3,
                stores: { 3: { state: "Offline", regionCount } },
            });
            const now = observation.now + minute * 50_000;
            const move = nextScaleMove({ ...observation, now }, target, memory);
            assert.equal(move.kind, "wait");
            memory = move.kind === "wait" ? rememberWait(memory, move, now) : memory;
            return move.kind === "wait" ? move.waitingFor : "";
        });
    };
    const stalled =
        "store 13 (basic-tikv-3) is Offline with 126 regions left; no progress for 10 min: `pd-ctl operator show` and the log of basic-tikv-3 say why; schedule.replica-schedule-limit must not be 0";
    it("names the stores that take nothing, and their free space, from the first moment on", () => {
        const view = podView("tikv", 3, { ...someLeft, stores });
        const stage = stageOf(tikvLifecycle.beforeRemoval, "store-tombstone");
        assert.deepEqual(stage.holds(view), { lacks: low, left: 126 });
    });
    it("says after ten minutes that nothing moves", () => {
        const waits = seen(Array.from({ length: 13 }, () => 126));
        assert.equal(waits.at(-2), stalled.split("; no")[0]);
        assert.equal(waits.at(-1), stalled);
    });
    it("does not say so while regions leave", () => {
        const waits = seen(Array.from({ length: 30 }, (_, minute) => 300 - minute));
        assert.ok(
            waits.every((one) => !one.includes("no progress")),
            waits.join("\n"),
        );
    });
});

describe("a plan that adds a store", () => {
    it("names those that are low on space", () => {
        const { observation } = observed("tikv", { lowSpaceRatio: 0.8, stores: { 1: disk(30) } });
        assert.equal(
            lowBeforeAdding(observation, "tikv"),
            "PD moves no region to store 11 (basic-tikv-1, 15% free): under 20% free (schedule.low-space-ratio)",
        );
    });
    it("does not name those of another engine", () => {
        const { observation } = observed("tikv", { lowSpaceRatio: 0.8, moreStores: [tiflashStoreOf(0, disk(30))] });
        assert.equal(lowBeforeAdding(observation, "tikv"), undefined);
    });
});
