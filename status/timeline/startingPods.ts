import type { JournalEntry, JournalOperation } from "../../provider/lifecycle/journal/journalOperation";
import { notYetThere } from "../../provider/lifecycle/journal/podPhase";

/**
 * Returns the entries of an operation, where a new pod that has not been Up in it is `starting`, not `down`. A pod is new if it was made after the
 * operation began, or if it was not well when that began and joined PD afterwards. Of one whose oldest entries were dropped it is not known.
 */
export function withStartingPods({
    pods,
    entries,
    dropped,
}: Pick<JournalOperation, "pods" | "entries" | "dropped">): JournalEntry[] {
    const began = entries.find(({ is }) => is === "pod")?.at;
    /** By pod: up to which entry it may be starting, and whether it is new. */
    const starts = new Map<string, { readonly until: number; readonly isNew: boolean }>();
    for (const [index, entry] of entries.entries()) {
        const before = entry.is === "pod" ? starts.get(entry.pod) : undefined;
        if (entry.is !== "pod" || (before !== undefined && before.until < index)) {
            continue;
        }
        const isLater = !pods.includes(entry.pod);
        const wasUp = before === undefined && !isLater && entry.at !== began;
        const isStarting = !wasUp && entry.phase === "down" && entry.why !== "it is stopping";
        const isNew = isLater || before?.isNew === true || notYetThere.includes(entry.why ?? "");
        starts.set(entry.pod, { until: isStarting ? Infinity : index, isNew });
    }
    return entries.map((entry, index) => {
        const start = entry.is === "pod" ? starts.get(entry.pod) : undefined;
        return dropped === undefined && start?.isNew === true && index < start.until
            ? ({ ...entry, phase: "starting" } as JournalEntry)
            : entry;
    });
}
