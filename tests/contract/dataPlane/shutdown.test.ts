import * as assert from "node:assert/strict";
import { faithfulTimings, manualClock, settledCluster, type SettledCluster } from "../../../sandbox/dataPlane";

/**
 * What real TiKVs did after SIGTERM: four TiKV of August 2026 with PD 8.5.6, `server.graceful-shutdown-timeout` of 20 s, and a grace period
 * of 30 s. One that stopped alone lost 60 leaders a second.
 */
const recorded = { ...faithfulTimings, leaderTransfersPerSecond: 60 };

function stores(version: string, leaders: number): { clock: ReturnType<typeof manualClock>; cluster: SettledCluster } {
    const clock = manualClock();
    const timings = { ...recorded, leadersPerStore: leaders };
    return { clock, cluster: settledCluster({ clock, stores: 4, version, timings }).cluster };
}

/** Lets time pass until the pod's process has ended. */
function end(cluster: SettledCluster, clock: ReturnType<typeof manualClock>, pod: string) {
    const isOver = () => cluster.events.find((event) => event.kind === "pod-stopped" && event.pod === pod);
    for (let waited = 0; waited <= 40_000; waited += 100) {
        cluster.stores();
        const event = isOver();
        if (event) {
            return { seconds: waited / 1000, leaders: event.leaders, killed: event.killed ?? false };
        }
        clock.advance(100);
    }
    throw new Error(`${pod} has not ended`);
}

describe("a simulated TiKV after SIGTERM, as the real one", () => {
    it("ends in 0.2 s without leaders", () => {
        const { clock, cluster } = stores("v8.5.6", 0);
        cluster.deletePod("basic-tikv-3");
        const { seconds, killed } = end(cluster, clock, "basic-tikv-3");
        assert.ok(seconds <= 0.3 && !killed, String(seconds));
    });

    it("lets 403 leaders go in 6 s, by PD's evict-stopping-store-scheduler, and ends by itself", () => {
        const { clock, cluster } = stores("v8.5.6", 403);
        cluster.deletePod("basic-tikv-0");
        const { seconds, leaders, killed } = end(cluster, clock, "basic-tikv-0");
        assert.deepEqual([leaders, killed], [0, false]);
        assert.ok(seconds >= 5 && seconds <= 8, String(seconds));
    });

    it("ends just past its timeout with those that are left of too many", () => {
        const { clock, cluster } = stores("v8.5.6", 1500);
        cluster.deletePod("basic-tikv-0");
        const { seconds, leaders, killed } = end(cluster, clock, "basic-tikv-0");
        assert.ok(seconds >= 20 && seconds <= 22 && (leaders ?? 0) > 0 && !killed, `${seconds} ${leaders}`);
    });

    it("keeps its leaders until the timeout where others stop too: PD moves none then", () => {
        const { clock, cluster } = stores("v8.5.6", 86);
        cluster.deletePod("basic-tikv-0");
        cluster.deletePod("basic-tikv-1");
        const { seconds, leaders, killed } = end(cluster, clock, "basic-tikv-0");
        assert.ok(seconds >= 20 && seconds <= 22, String(seconds));
        assert.deepEqual([leaders, killed], [86, false]);
    });

    it("is killed after 30 s with 86 leaders remaining where PD stops at the same time", () => {
        const { clock, cluster } = stores("v8.5.6", 86);
        for (const pod of cluster.pods()) {
            cluster.deletePod(pod);
        }
        const { seconds, leaders, killed } = end(cluster, clock, "basic-tikv-0");
        assert.ok(seconds >= 30 && seconds <= 31, String(seconds));
        assert.deepEqual([leaders, killed], [86, true]);
    });

    it("goes down with its leaders at once before 8.5.6", () => {
        const { clock, cluster } = stores("v8.5.5", 86);
        cluster.deletePod("basic-tikv-0");
        const { seconds, leaders } = end(cluster, clock, "basic-tikv-0");
        assert.deepEqual([seconds, leaders], [0, 86]);
    });
});
