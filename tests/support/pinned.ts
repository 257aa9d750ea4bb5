import * as assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** @returns what a file has pinned. With PULUMI_TIDB_PIN=1 that is what is found now, and it is written. */
export function pinned(file: string, now: string): string {
    if (process.env.PULUMI_TIDB_PIN === "1") {
        writeFileSync(file, now);
    }
    return readFileSync(file, "utf8");
}

/**
 * Tests that a command says the words of its golden file, to the byte. All other tests look at codes and data, so a better word changes
 * this file only: run the test once with PULUMI_TIDB_PIN=1, and read the difference.
 * @param situations what the command writes, by what is the case.
 */
export function pinnedWords(
    command: string,
    situations: Readonly<Record<string, () => string | Promise<string>>>,
): void {
    it(`has the words of tests/fixtures/words/${command}.txt`, async () => {
        const now: string[] = [];
        for (const [title, write] of Object.entries(situations)) {
            now.push(`=== ${title}\n${(await write()).replace(/\n?$/, "\n")}\n`);
        }
        const file = join(__dirname, "../fixtures/words", `${command}.txt`);
        const before = pinned(file, now.join("")).split(/^(?==== )/m);
        now.forEach((situation, index) => assert.equal(situation, before[index]));
        assert.equal(before.length, now.length);
    });
}

/** @returns what a command writes if it fails with an error, as a situation of `pinnedWords`. */
export function refusalOf(run: () => unknown): () => Promise<string> {
    return () =>
        Promise.resolve()
            .then(run)
            .then(
                () => assert.fail("nothing was refused"),
                (error: unknown) => `error: ${(error as Error).message}`,
            );
}
