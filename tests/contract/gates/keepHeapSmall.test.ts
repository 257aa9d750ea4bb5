import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as path from "node:path";

const root = path.resolve(__dirname, "..", "..", "..");

/** Keeps 40 MB, and lets go of ten times as much that has lived for a while. @returns the largest heap in MB. */
const work = `
    const kept = Array.from({ length: 40 }, () => Array.from({ length: 30_000 }, (_, at) => ({ at })));
    let most = 0;
    for (let round = 0; round < 400; round += 1) {
        kept[round % kept.length] = Array.from({ length: 30_000 }, (_, at) => ({ at }));
        most = Math.max(most, process.memoryUsage().heapTotal);
    }
    console.log(most / 1e6);`;

function largestHeap(load: string): number {
    const file = JSON.stringify(path.join(root, "provider", "gates", load));
    const script = `require(${file});${work}`;
    return Number(execFileSync(process.execPath, ["--require", "tsx/cjs", "--eval", script], { cwd: root }));
}

describe("the heap of a provider", () => {
    it("grows by less than it does by default, from the load of the gates on", () => {
        const [byDefault, kept] = [largestHeap("gates.ts"), largestHeap("index.ts")];
        assert.ok(kept < 0.8 * byDefault, `${kept} MB, and ${byDefault} MB by default`);
    });
});
