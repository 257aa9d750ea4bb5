import * as assert from "node:assert/strict";
import { mayHaveTakenBackRemoval, takenBack } from "../../../provider/lifecycle/walks/scale";
import { inWords } from "../../support/lifecycle/inWords";
import { claimOf, type Deviation, now, observed } from "../../support/lifecycle/observations";

describe("a removal that may have been taken back", () => {
    const traces = (row: Deviation) => {
        const { observation, target } = observed("tikv", row);
        return mayHaveTakenBackRemoval(observation, target);
    };
    const removal = (pod: string) => ({ evictions: {}, removals: { 13: { pod, begunAt: now } } });
    it("is seen on record, or by volumes that are given up of a pod that stays", () => {
        assert.ok(traces({ records: removal("basic-tikv-3") }));
        assert.ok(traces({ claims: [claimOf("tikv", 3, { released: true })] }));
    });
    it("is none of another member, nor of a pod that does not stay, nor where no volume is given up", () => {
        assert.ok(!traces({}));
        assert.ok(!traces({ records: removal("basic-tiflash-0") }));
        assert.ok(!traces({ records: removal("other-basic-tikv-3") }));
        assert.ok(!traces({ claims: [claimOf("tikv", 3)] }));
        assert.ok(!traces({ live: 4, replicas: 3, claims: [claimOf("tikv", 3, { released: true })] }));
    });
    it("has what is done about it first, by pod", () => {
        const { observation, target } = observed("tikv", {
            records: removal("basic-tikv-3"),
            stores: { 3: { state: "Offline" } },
        });
        const found = takenBack(observation, target).map(({ view, move }) => `${view.podName}: ${inWords(move)}`);
        assert.deepEqual(found, [
            "basic-tikv-3: removal-taken-back basic-tikv-3: set store 13 (basic-tikv-3) Up again",
        ]);
    });
});
