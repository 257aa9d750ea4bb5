import * as assert from "node:assert/strict";
import { bothKnown, known, mapFact, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";

describe("two facts together", () => {
    const [one, other] = [known(1, "PD", 500), known("a", "basic-tikv-2", 300)];
    it("are as old as the older one: one stale fact makes both stale", () => {
        assert.deepEqual(bothKnown(one, other), { known: true, value: [1, "a"], from: "PD and basic-tikv-2", at: 300 });
        assert.equal((bothKnown(other, one) as { at: number }).at, 300);
    });
    it("name their source once if it is the same", () => {
        assert.deepEqual(bothKnown(one, known("b", "PD", 900)), { known: true, value: [1, "b"], from: "PD", at: 500 });
    });
    it("are not known if either is not, with the first one's reason", () => {
        const [silent, asleep] = [notKnown("PD is silent"), notKnown("the node is not Ready")];
        assert.equal(bothKnown(silent, other), silent);
        assert.equal(bothKnown(one, asleep), asleep);
        assert.equal(bothKnown(silent, asleep), silent);
    });
});

describe("a fact whose value is changed", () => {
    it("keeps its source and time", () => {
        assert.deepEqual(
            mapFact(known(2, "PD", 500), (value) => value * 3),
            known(6, "PD", 500),
        );
    });
    it("stays unknown if it was: no value is made up", () => {
        const silent = notKnown("PD is silent");
        assert.equal(
            mapFact(silent, () => assert.fail("there is no value")),
            silent,
        );
    });
});
