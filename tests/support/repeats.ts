import * as assert from "node:assert/strict";
import type { Notice, NoticeCode } from "../../provider/lifecycle/vocabulary/notices";

/** Asserts that the words repeat values that the test has made up: pods, holders, answers. Not the words themselves, which may change. */
export function repeats(words: unknown, ...values: readonly string[]): void {
    const text = [words].flat().map(messageOf).join();
    for (const value of values) {
        assert.ok(text.includes(value), `${value} is not in: ${text}`);
    }
}

function messageOf(words: unknown): string {
    return typeof words === "object" && words !== null && "message" in words ? String(words.message) : String(words);
}

/** @returns the words of notices, one line each, for golden files. */
export function messagesOf(notices: readonly Notice[]): string {
    return notices.map(messageOf).join("\n");
}

/** @returns which notices these are. */
export function codesOf(notices: readonly Notice[] = []): NoticeCode[] {
    return notices.map(({ code }) => code);
}
