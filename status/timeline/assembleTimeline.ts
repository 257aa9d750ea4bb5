import type { KubernetesTarget } from "../../provider/cluster/kubernetesTarget";
import type { JournalEntry, JournalOperation } from "../../provider/lifecycle/journal/journalOperation";
import { readOperation } from "../../provider/lifecycle/journal/journalText";
import { freshWait } from "../waitingRuns";
import { withStartingPods } from "./startingPods";
import type { ClusterTimeline, TimelineOperation } from "./clusterTimeline";

/** What was read of a cluster. */
export interface SeenJournal {
    readonly kubernetes: KubernetesTarget;
    readonly namespace: string;
    readonly name: string;
    /** The operations as they are written, by id. */
    readonly texts: Readonly<Record<string, string>>;
    /** Who holds the cluster's lock and renews it; undefined if nobody does. */
    readonly holder: string | undefined;
    readonly now: number;
}

/** Returns the timeline of a cluster. */
export function assembleTimeline({ kubernetes, namespace, name, texts, holder, now }: SeenJournal): ClusterTimeline {
    const operations: JournalOperation[] = [];
    const unreadable: string[] = [];
    for (const [id, text] of Object.entries(texts)) {
        try {
            operations.push(readOperation(text));
        } catch (error) {
            unreadable.push(`operation ${id}: ${(error as Error).message}`);
        }
    }
    operations.sort((one, other) => one.began - other.began || (one.id < other.id ? -1 : 1));
    return {
        name,
        namespace,
        kubernetes,
        at: now,
        operations: operations.map((one) =>
            withState(one, one.holder === holder || freshWait(one, operations, now) !== undefined, now),
        ),
        unreadable,
    };
}

/** @param runs whether its process holds the lock, or waits without it. */
function withState(journal: JournalOperation, runs: boolean, now: number): TimelineOperation {
    const operation = { ...journal, entries: withStartingPods(journal) };
    const { outcome, ended, began, entries } = operation;
    if (outcome !== undefined && ended !== undefined) {
        return { ...operation, state: outcome, lastAt: ended };
    }
    if (runs) {
        return { ...operation, state: "running", lastAt: Math.max(now, began) };
    }
    return { ...operation, state: "interrupted", lastAt: Math.max(began, ...entries.slice(-20).map(lastOf)) };
}

function lastOf(entry: JournalEntry): number {
    return entry.is === "wait" ? (entry.until ?? entry.at) : entry.at;
}
