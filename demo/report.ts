import Table from "cli-table3";
import type { DataPlaneEvent } from "pulumi-tidb-sandbox";

/** One row of the final table. */
export interface DoneStep {
    title: string;
    seconds: number;
    /** The result in a few words. */
    outcome: string;
    ok: boolean;
}

/** Counts of what happened to PD and the stores during the demo. */
export interface EventCounts {
    evictionsBegun: number;
    evictionsEnded: number;
    storeRestarts: number;
    /** The most leaders that a store held when its pod stopped. Anything but 0 is a failure. */
    leadersAtRestart: number;
    leaderTransfers: number;
    /** PD pods that stopped while they led PD. Anything but 0 is a failure. */
    leadersStopped: number;
    storesRemoved: number;
    storesTombstone: number;
}

/** Counts the events. The caller leaves out the events of a cluster's intended destruction. */
export function countEvents(events: readonly DataPlaneEvent[]): EventCounts {
    const of = (kind: DataPlaneEvent["kind"]) => events.filter((event) => event.kind === kind);
    const stopped = of("pod-stopped");
    const stores = stopped.filter((event) => event.component === "tikv");
    return {
        evictionsBegun: of("eviction-begun").length,
        evictionsEnded: of("eviction-ended").length,
        storeRestarts: stores.length,
        leadersAtRestart: Math.max(0, ...stores.map((event) => event.leaders ?? 0)),
        leaderTransfers: of("leader-transferred").length,
        leadersStopped: stopped.filter((event) => event.component === "pd" && event.ledPd).length,
        storesRemoved: of("store-deleted").length,
        storesTombstone: of("store-tombstone").length,
    };
}

/** Returns two tables: the steps with their times and outcomes, and what PD saw. */
export function renderReport(steps: readonly DoneStep[], counts: EventCounts): string {
    const done = new Table({ head: ["step", "time", "outcome"], style: { head: [], border: [] } });
    for (const step of steps) {
        done.push([step.title, `${step.seconds.toFixed(1)} s`, step.ok ? step.outcome : `FAILED: ${step.outcome}`]);
    }
    const seen = new Table({ head: ["what PD saw", ""], style: { head: [], border: [] } });
    seen.push(
        ["leader evictions begun / ended", `${counts.evictionsBegun} / ${counts.evictionsEnded}`],
        ["TiKV pods stopped, most leaders held by one", `${counts.storeRestarts}, ${counts.leadersAtRestart}`],
        ["PD leadership transfers, pods stopped while leading", `${counts.leaderTransfers}, ${counts.leadersStopped}`],
        ["stores removed / Tombstone", `${counts.storesRemoved} / ${counts.storesTombstone}`],
    );
    return `${done.toString()}\n${seen.toString()}`;
}
