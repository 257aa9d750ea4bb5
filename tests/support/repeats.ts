import * as assert from "node:assert/strict";

/** Asserts that the words repeat values that the test has made up: pods, holders, answers. Not the words themselves, which may change. */
export function repeats(words: unknown, ...values: readonly string[]): void {
    for (const value of values) {
        assert.ok(String(words).includes(value), `${value} is not in: ${String(words)}`);
    }
}
