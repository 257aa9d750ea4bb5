import Table from "cli-table3";
import type { DataPlaneEvent } from "pulumi-tidb-sandbox";

/** One line of the table at the end. */
export interface DoneStep {
    title: string;
    seconds: number;
    /** What came of it, in a few words. */
    outcome: string;
    ok: boolean;
}

/** What PD and the stores went through during the demo, counted. */
export interface WhatPdSaw {
    evictionsBegun: number;
    evictionsEnded: number;
    storeRestarts: number;
    /** The most leaders that a store held when its pod stopped. Anything but 0 is a fault. */
    leadersAtRestart: number;
    leaderTransfers: number;
    /** PD pods that stopped while they led. Anything but 0 is a fault. */
    leadersStopped: number;
    storesRemoved: number;
    storesTombstone: number;
}

/** @returns what the events say, pods of a cluster that was destroyed on purpose left out by the caller. */
export function countEvents(events: readonly DataPlaneEvent[]): WhatPdSaw {
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

/** @returns what was done, how long each took, and what PD saw. */
export function renderReport(steps: readonly DoneStep[], saw: WhatPdSaw): string {
    const done = new Table({ head: ["step", "time", "outcome"], style: { head: [], border: [] } });
    for (const step of steps) {
        done.push([step.title, `${step.seconds.toFixed(1)} s`, step.ok ? step.outcome : `FAILED: ${step.outcome}`]);
    }
    const seen = new Table({ head: ["what PD saw", ""], style: { head: [], border: [] } });
    seen.push(
        ["evictions of leaders begun / ended", `${saw.evictionsBegun} / ${saw.evictionsEnded}`],
        ["TiKV pods stopped, most leaders held by one", `${saw.storeRestarts}, ${saw.leadersAtRestart}`],
        ["PD leadership transfers, pods stopped while leading", `${saw.leaderTransfers}, ${saw.leadersStopped}`],
        ["stores taken out / Tombstone", `${saw.storesRemoved} / ${saw.storesTombstone}`],
    );
    return `${done.toString()}\n${seen.toString()}`;
}
