import * as assert from "node:assert/strict";
import { beginWith, requestedBy, type StopRequests } from "../../../../provider/lifecycle/vocabulary/stopRequest";

describe("a request to stop", () => {
    const asked = (by: string, of?: string) => ({ by, of });
    const begun = (by?: string): StopRequests => beginWith({}, by === undefined ? undefined : asked(by));

    it("is meant for the update that was under way when it was given", () => {
        assert.equal(requestedBy(begun(), asked("ben"), "ana"), "ben");
        assert.equal(requestedBy(beginWith(begun(), asked("ben")), asked("ben"), "ana"), "ben");
        assert.equal(requestedBy(begun(), undefined, "ana"), undefined);
    });

    it("is not meant for an update that begins later, which a new request stops", () => {
        assert.equal(requestedBy(begun("ben"), asked("ben"), "ana"), undefined);
        assert.equal(requestedBy(begun("ben"), undefined, "ana"), undefined);
        assert.equal(requestedBy(begun("ben"), asked("eva"), "ana"), "eva");
    });

    it("is meant only for the run that held the lock, if one did", () => {
        assert.equal(requestedBy(begun(), asked("eva", "ana"), "ana"), "eva");
        assert.equal(requestedBy(begun(), asked("eva", "ana"), "ben"), undefined);
    });

    it("is not meant for a run that has not read the Lease yet", () => {
        assert.equal(requestedBy({}, asked("eva"), "ana"), undefined);
    });
});
