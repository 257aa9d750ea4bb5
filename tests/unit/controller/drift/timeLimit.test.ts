import * as assert from "node:assert/strict";
import { RunTookTooLong, withinTime } from "../../../../controller/drift/timeLimit";

/** A run that this test ends, and pauses that it ends. */
function limited() {
    const waits: { milliseconds: number; end: () => void }[] = [];
    const asked = new AbortController();
    let interrupts = 0;
    let settle: { resolve: (value: string) => void; reject: (error: Error) => void } | undefined;
    const done = withinTime(
        (signal) => {
            signal.addEventListener("abort", () => (interrupts += 1));
            return new Promise<string>((resolve, reject) => (settle = { resolve, reject }));
        },
        asked.signal,
        {
            longest: 600_000,
            grace: 10_000,
            wait: (milliseconds, signal) =>
                new Promise((end, reject) => {
                    signal.addEventListener("abort", () => reject(new Error("ended early")));
                    waits.push({ milliseconds, end });
                }),
        },
    );
    const result = done.then(
        (value) => value,
        (error: unknown) => error,
    );
    return {
        asked,
        result,
        interrupts: () => interrupts,
        returns: () => settle?.resolve("seen"),
        fails: () => settle?.reject(new Error("preview canceled")),
        /** Ends the last pause, which must be of this length. */
        pass: async (milliseconds: number) => {
            assert.equal(waits.at(-1)?.milliseconds, milliseconds);
            waits.at(-1)?.end();
            await new Promise((resolve) => setImmediate(resolve));
        },
    };
}

describe("The time limit of a preview", () => {
    it("does nothing to one that ends in time", async () => {
        const { returns, result, interrupts } = limited();
        returns();
        assert.equal(await result, "seen");
        assert.equal(interrupts(), 0);
    });

    it("leaves an error that came in time as it is", async () => {
        const { fails, result } = limited();
        fails();
        assert.match(String(await result), /preview canceled/);
    });

    it("interrupts one that is late, once if it ends then, and says that it was late", async () => {
        const { pass, fails, result, interrupts } = limited();
        await pass(600_000);
        assert.equal(interrupts(), 1);
        fails();
        const error = await result;
        assert.ok(error instanceof RunTookTooLong && error.left === undefined);
        assert.equal(interrupts(), 1);
    });

    it("interrupts one that does not end a second time, then gives it up and tells when it has ended", async () => {
        const { pass, fails, result, interrupts } = limited();
        await pass(600_000);
        await pass(10_000);
        assert.equal(interrupts(), 2);
        await pass(10_000);
        const error = await result;
        assert.ok(error instanceof RunTookTooLong && error.left !== undefined);
        let hasEnded = false;
        void error.left.then(() => (hasEnded = true));
        await new Promise((resolve) => setImmediate(resolve));
        assert.equal(hasEnded, false);
        fails();
        await error.left;
    });

    it("does the same when the controller is to stop, without waiting for the limit", async () => {
        const { asked, pass, result, interrupts } = limited();
        asked.abort();
        await new Promise((resolve) => setImmediate(resolve));
        assert.equal(interrupts(), 1);
        await pass(10_000);
        await pass(10_000);
        assert.equal(interrupts(), 2);
        assert.ok((await result) instanceof RunTookTooLong);
    });

    it("says that it was interrupted, not late, when the controller is to stop and it ends", async () => {
        const { asked, fails, result } = limited();
        asked.abort();
        fails();
        assert.match(String(await result), /preview canceled/);
    });
});
