import { shortDigest } from "../vocabulary/shortDigest";
import type { JournalPlan } from "./journalOperation";

/** How many lines of a plan the journal keeps: a plan has a line for each pod. */
const keptLines = 12;

/** @returns the plan with a digest of its text; undefined if there is no step. @param lines the plan. Default: no step. */
export function journalPlan(lines: readonly string[] = []): JournalPlan | undefined {
    if (lines.length === 0) {
        return undefined;
    }
    return { digest: shortDigest(lines.join("\n")), lines: lines.slice(0, keptLines), of: lines.length };
}
