import * as assert from "node:assert/strict";
import { LOCK_DURATION_SECONDS, lockState, RENEW_EVERY_MILLISECONDS } from "../../../provider/lifecycle/lock";

describe("the lock of a cluster", () => {
    const held = {
        holder: "ana@laptop, process 7",
        renewedAt: 1_000_000,
        durationSeconds: 15,
        operation: "roll out basic-pd",
    };

    it("is free where nobody holds it", () => {
        assert.deepEqual(lockState({}, "ben", 0), { free: true });
        assert.deepEqual(lockState({ holder: "" }, "ben", 0), { free: true });
    });
    it("is free for its holder", () => {
        assert.deepEqual(lockState(held, "ana@laptop, process 7", 1_000_001), { free: true });
    });
    it("names its holder, what it does, and when it ends", () => {
        const { holder, operation } = held;
        assert.deepEqual(lockState(held, "ben", 1_014_999), { free: false, holder, operation, expiresAt: 1_015_000 });
    });
    it("is free once it was not renewed in time", () => {
        assert.deepEqual(lockState(held, "ben", 1_015_000), { free: true });
    });
    it("lasts for the usual time where the Lease does not say", () => {
        const state = lockState({ holder: "ana", renewedAt: 0 }, "ben", 14_999);
        assert.deepEqual(state, { free: false, holder: "ana", operation: "an operation", expiresAt: 15_000 });
    });
    it("is renewed three times before it ends", () => {
        assert.ok(RENEW_EVERY_MILLISECONDS * 3 < LOCK_DURATION_SECONDS * 1000);
    });
});
