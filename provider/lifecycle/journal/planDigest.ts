import { createHash } from "node:crypto";
import type { JournalPlan } from "./journalOperation";

/** How many lines of a plan the journal keeps: a plan has a line for each pod. */
const keptLines = 12;

/** @returns the plan with a digest of its text; undefined if there is no step. @param lines the plan. Default: no step. */
export function journalPlan(lines: readonly string[] = []): JournalPlan | undefined {
    if (lines.length === 0) {
        return undefined;
    }
    const digest = createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 12);
    return { digest, lines: lines.slice(0, keptLines), of: lines.length };
}
