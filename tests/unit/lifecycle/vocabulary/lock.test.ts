import * as assert from "node:assert/strict";
import {
    actWithinMilliseconds,
    lockDurationSeconds,
    lockState,
    type LockWatch,
    type ObservedLock,
    renewEveryMilliseconds,
    watchLock,
} from "../../../../provider/lifecycle/vocabulary/lock";

describe("the lock of a cluster", () => {
    const held: ObservedLock = {
        holder: "ana@laptop, process 7",
        renewedAt: 1_000_000,
        durationSeconds: 10,
        operation: "roll out basic-pd",
    };
    const seenAt = (since: number, lock: ObservedLock = held): LockWatch => watchLock(lock, undefined, since);

    it("is free if nobody holds it", () => {
        assert.deepEqual(lockState({}, "ben", seenAt(0, {}), 0), { free: true });
        assert.deepEqual(lockState({ holder: "" }, "ben", seenAt(0, { holder: "" }), 0), { free: true });
    });
    it("is free for its holder", () => {
        assert.deepEqual(lockState(held, "ana@laptop, process 7", seenAt(0), 0), { free: true });
    });
    it("names its holder, what the holder does, and when it expires", () => {
        const { holder, operation } = held;
        assert.deepEqual(lockState(held, "ben", seenAt(500), 10_499), {
            free: false,
            holder,
            operation,
            expiresAt: 10_500,
        });
    });
    it("is free once it was watched for its duration without a renewal", () => {
        assert.deepEqual(lockState(held, "ben", seenAt(500), 10_500), { free: true });
    });
    for (const [name, now] of [
        ["ahead", 9_000_000],
        ["behind", 0],
    ] as const) {
        it(`is not free to a run whose clock is ${name} until it has watched the lock for that long`, () => {
            assert.equal(lockState(held, "ben", seenAt(now), now + 9_999).free, false);
        });
    }
    it("is watched again from the start after each renewal and each change of holder", () => {
        const watch = seenAt(0);
        assert.deepEqual(watchLock(held, watch, 9_000), watch);
        assert.equal(watchLock({ ...held, renewedAt: 1_003_000 }, watch, 9_000).since, 9_000);
        assert.equal(watchLock({ ...held, holder: "ben" }, watch, 9_000).since, 9_000);
        assert.equal(watchLock({ ...held, operation: "roll out basic-tikv" }, watch, 9_000).since, 0);
    });
    it("lasts for the default time if the Lease has no duration", () => {
        const lock = { holder: "ana", renewedAt: 0 };
        const state = lockState(lock, "ben", seenAt(0, lock), 14_999);
        assert.deepEqual(state, { free: false, holder: "ana", operation: "an operation", expiresAt: 15_000 });
    });
    it("stops its holder early enough that a call of 8 s finishes before anyone else can take over", () => {
        assert.ok(actWithinMilliseconds + 8_000 < lockDurationSeconds * 1000);
        assert.ok(renewEveryMilliseconds < actWithinMilliseconds);
    });
    it("is renewed three times before it expires", () => {
        assert.ok(renewEveryMilliseconds * 3 < lockDurationSeconds * 1000);
    });
});
