import * as assert from "node:assert/strict";
import { CloserLooks } from "../../../provider/gates/closerLooks";
import { noLook } from "../../../provider/lifecycle/vocabulary/look";

const always = { ...noLook, pd: ["stores"] } as const;
const ofOwn = { ownLeadersOf: "basic-tikv-2" };

describe("what a run observes", () => {
    let looks: CloserLooks;
    beforeEach(() => (looks = new CloserLooks(always)));
    const isCloser = () => looks.options.ownLeadersOf !== undefined;

    it("is what the operation needs, and what a decision has asked for", () => {
        assert.equal(looks.options, always);
        looks.closer(ofOwn, true);
        assert.deepEqual(looks.options, { ...always, ownLeadersOf: ["basic-tikv-2"] });
        looks.closer({ parts: ["placement"] }, true);
        assert.deepEqual(looks.options.pd, ["stores", "placement"]);
    });

    it("stays as it is while the run waits for the same", () => {
        looks.closer(ofOwn, true);
        ["evicted", "evicted", "evicted"].forEach((wait) => looks.waits(wait));
        assert.ok(isCloser());
    });

    it("is what the operation needs again, once the run waits for something else", () => {
        looks.closer(ofOwn, true);
        ["evicted", "evicted", "stopped"].forEach((wait) => looks.waits(wait));
        assert.equal(looks.options, always);
    });

    it("keeps what was asked for since the last wait: the new wait needs it", () => {
        looks.waits("stopped");
        looks.closer(ofOwn, true);
        looks.waits("leaders-back");
        assert.ok(isCloser());
        looks.waits("leaders-back");
        assert.ok(isCloser());
    });

    it("is what the operation needs again after an action", () => {
        looks.closer(ofOwn, true);
        looks.waits("evicted");
        looks.reset();
        assert.equal(looks.options, always);
    });

    it("cannot be asked for twice: the decision would ask for it forever", () => {
        looks.closer(ofOwn, true);
        assert.throws(() => looks.closer(ofOwn, true), /was requested but is missing from the observation/);
    });
});
