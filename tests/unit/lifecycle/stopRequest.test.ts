import * as assert from "node:assert/strict";
import {
    beginWith,
    requestedBy,
    type StopRequests,
    takeRequest,
} from "../../../provider/lifecycle/vocabulary/stopRequest";

describe("a request to stop", () => {
    const begun = (request?: string): StopRequests => beginWith({}, request);

    it("is meant for the update that was under way when it was given", () => {
        assert.equal(requestedBy(begun(), "ben"), "ben");
        assert.equal(requestedBy(beginWith(begun(), "ben"), "ben"), "ben");
    });

    it("is not meant for an update that begins later, which a new request stops", () => {
        assert.equal(requestedBy(begun("ben"), "ben"), undefined);
        assert.equal(requestedBy(begun("ben"), undefined), undefined);
        assert.equal(requestedBy(begun("ben"), "eva"), "eva");
    });

    it("is kept by the update after a gate has taken it from the Lease", () => {
        assert.equal(requestedBy(takeRequest(begun(), "ben"), undefined), "ben");
        assert.equal(requestedBy(takeRequest(begun("ben"), "ben"), undefined), undefined);
        assert.equal(requestedBy(takeRequest(begun(), undefined), undefined), undefined);
    });
});
