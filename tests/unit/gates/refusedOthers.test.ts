import * as assert from "node:assert/strict";
import { besideRefusal } from "../../../provider/lifecycle/walks/planReport";

describe("what a preview says of the steps that it showed before a refusal", () => {
    it("does not say that nothing is done: with --skip-preview, as in CI, the gates before the refusal do their steps", () => {
        const words = besideRefusal([
            { of: "basic-pd", plan: [{ is: "task", words: "restart basic-pd-0" }], deferred: "" },
        ]);
        assert.doesNotMatch(words ?? "", /`pulumi up` does nothing/);
    });
});
