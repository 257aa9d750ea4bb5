import * as assert from "node:assert/strict";
import { isStillThere, mayHaveLeft, memberNotes } from "../../../../provider/lifecycle/walks/leaving";
import { refuseLeaving } from "../../../../provider/lifecycle/walks/mayLeave";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import type { Component } from "../../../../topology/members";
import { claimOf, type Deviation, observed } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";

const program: Component[] = ["pd", "tikv", "tidb"];
const refused = (component: Component, row: Deviation) =>
    refuseLeaving(observed(component, row).observation, component, defaultPolicy, undefined) ?? "";
const noStores = { 0: undefined, 1: undefined, 2: undefined, 3: undefined };

describe("members that may have left the program", () => {
    it("are those in the Lease and those in the stack's state: either list may have been lost", () => {
        assert.deepEqual(mayHaveLeft(program, { pd: { replicas: 3 }, tiflash: { replicas: 2 } }, []), ["tiflash"]);
        assert.deepEqual(mayHaveLeft(program, {}, ["pd", "ticdc"]), ["ticdc"]);
        assert.deepEqual(mayHaveLeft(program, { pd: { replicas: 3 } }, program), []);
    });

    it("are all that the program does not have, if nothing is recorded: an older version recorded nothing", () => {
        assert.deepEqual(mayHaveLeft(program, undefined, []), [
            "tiproxy",
            "ticdc",
            "tiflash",
            "pump",
            "tso",
            "scheduling",
        ]);
    });

    it("leave before those that they use: TiDB before Pump, all before PD", () => {
        const left = mayHaveLeft([], undefined, []);
        for (const [first, then] of [
            ["tidb", "pump"],
            ["ticdc", "tikv"],
            ["tiflash", "tikv"],
            ["tikv", "pd"],
        ] as const) {
            assert.ok(left.indexOf(first) < left.indexOf(then), `${first} before ${then}`);
        }
    });

    it("still exist while Kubernetes has a StatefulSet, a pod or an unreleased volume", () => {
        const there = (row: Deviation, statefulSet: boolean, isOnRecord = true) => {
            const { observation } = observed("tiflash", row);
            const { statefulSet: live, ...member } = observation.members.tiflash!;
            const members = { tiflash: statefulSet ? { ...member, statefulSet: live } : member };
            return isStillThere({ ...observation, members }, "tiflash", isOnRecord);
        };
        assert.equal(there({ live: 0 }, true), true);
        assert.equal(there({ live: 1 }, false), true);
        assert.equal(there({ live: 0, claims: [claimOf("tiflash", 0)] }, false), true);
        assert.equal(there({ live: 0, claims: [claimOf("tiflash", 0, { released: true })] }, false), false);
    });

    it("that no record has exist only by a StatefulSet or a pod: claims may be those of an earlier cluster", () => {
        const there = (row: Deviation) => {
            const { observation } = observed("tiflash", row);
            const { statefulSet, ...member } = observation.members.tiflash!;
            const members = { tiflash: row.live === 0 ? member : { ...member, statefulSet } };
            return isStillThere({ ...observation, members }, "tiflash", false);
        };
        assert.equal(there({ live: 0, claims: [claimOf("tiflash", 0)] }), false);
        assert.equal(there({ live: 1, pods: { 0: undefined } }), true);
        assert.equal(there({ live: 0, leavingPods: [0] }), true);
    });
});

describe("TiKV that left the program", () => {
    for (const [what, row, seen] of [
        ["pods", { live: 0, leavingPods: [0], stores: noStores }, "basic-tikv-0"],
        ["replicas", { live: 1, pods: { 0: undefined }, stores: noStores }, "1 replicas"],
        ["volumes", { live: 0, stores: noStores, claims: [claimOf("tikv", 2)] }, "tikv-basic-tikv-2"],
        ["stores", { live: 0, moreStores: observed("tikv", {}).observation.pd.stores }, "basic-tikv-3"],
    ] as const) {
        it(`is refused while it has ${what}: the data would be lost`, () => {
            const stores = "moreStores" in row && row.moreStores.known ? { moreStores: row.moreStores.value } : {};
            repeats(refused("tikv", { ...row, ...stores } as Deviation), seen);
        });
    }

    it("is refused while PD's stores are not known: a missing list is not an empty one", () => {
        repeats(refused("tikv", { live: 0, unknown: ["stores"] }), "PD did not answer");
    });

    it("may leave once all of that is gone; another cluster's stores do not prevent it", () => {
        const foreign = { id: 99, podName: "basic-tikv-0", own: false } as const;
        const { observation } = observed("tikv", { live: 1 });
        const [store] = observation.pd.stores.known ? observation.pd.stores.value : [];
        assert.equal(refused("tikv", { live: 0, stores: noStores, moreStores: [{ ...store, ...foreign }] }), "");
    });
});

describe("what the Lease records about the members", () => {
    it("is the program's members, and those that left but still have objects", () => {
        const noted = { tikv: { replicas: 3 }, tiflash: { replicas: 2 }, pump: { replicas: 1 } };
        assert.deepEqual(memberNotes({ tikv: 4 }, [], noted, ["tiflash"]), {
            tikv: { replicas: 4 },
            tiflash: { replicas: 2, hasLeft: true },
        });
    });
});
