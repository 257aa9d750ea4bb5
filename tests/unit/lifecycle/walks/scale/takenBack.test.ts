import * as assert from "node:assert/strict";
import { mayHaveTakenBackRemoval } from "../../../../../provider/lifecycle/walks/scale";
import { claimOf, type Deviation, now, observed } from "../../../../support/lifecycle/observations";

describe("a removal that may have been reverted", () => {
    const traces = (row: Deviation) => {
        const { observation, target } = observed("tikv", row);
        return mayHaveTakenBackRemoval(observation, target);
    };
    const removal = (pod: string) => ({ evictions: {}, removals: { 13: { pod, begunAt: now } } });
    it("is visible in the records, or by released volumes of a staying pod", () => {
        assert.ok(traces({ records: removal("basic-tikv-3") }));
        assert.ok(traces({ claims: [claimOf("tikv", 3, { released: true })] }));
    });
    it("is not one of another member, of a leaving pod, or without released volumes", () => {
        assert.ok(!traces({}));
        assert.ok(!traces({ records: removal("basic-tiflash-0") }));
        assert.ok(!traces({ records: removal("other-basic-tikv-3") }));
        assert.ok(!traces({ claims: [claimOf("tikv", 3)] }));
        assert.ok(!traces({ live: 4, replicas: 3, claims: [claimOf("tikv", 3, { released: true })] }));
    });
});
