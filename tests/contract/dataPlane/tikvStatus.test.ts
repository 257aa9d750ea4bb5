import * as assert from "node:assert/strict";
import { faithfulTimings, manualClock, type PdSimulator, startPdSimulator } from "../../../sandbox/dataPlane";

const read = async (simulator: PdSimulator, path: string, milliseconds = 5_000): Promise<string> => {
    const answer = await fetch(simulator.urlOf("basic-tikv-0") + path, { signal: AbortSignal.timeout(milliseconds) });
    return answer.text();
};
const leaders = async (simulator: PdSimulator): Promise<number | undefined> => {
    const found = /^tikv_raftstore_region_count\{type="leader"\} (\d+)$/m.exec(await read(simulator, "/metrics"));
    return found ? Number(found[1]) : undefined;
};
const evict = (simulator: PdSimulator): Promise<unknown> =>
    fetch(`${simulator.urls[0]}/pd/api/v1/schedulers`, {
        method: "POST",
        body: JSON.stringify({ name: "evict-leader-scheduler", store_id: 1 }),
    });

describe("the status port of a simulated TiKV", () => {
    it("says how often it reports, in TiKV's format for durations", async () => {
        const intervals = async (timings: object): Promise<unknown> => {
            await using simulator = await startPdSimulator({ stores: 1, timings });
            const { raftstore } = JSON.parse(await read(simulator, "/config")) as { raftstore: Record<string, string> };
            return Object.fromEntries(Object.entries(raftstore).filter(([key]) => key.includes("heartbeat")));
        };
        assert.deepEqual(await intervals(faithfulTimings), {
            "pd-heartbeat-tick-interval": "1m",
            "pd-store-heartbeat-tick-interval": "10s",
        });
        assert.deepEqual(await intervals({ regionHeartbeatMilliseconds: 2500, storeHeartbeatMilliseconds: 500 }), {
            "pd-heartbeat-tick-interval": "2s500ms",
            "pd-store-heartbeat-tick-interval": "500ms",
        });
    });

    it("has a gauge up to 10 s old, however often it reports, with what the store leads, not what PD believes", async () => {
        const clock = manualClock();
        const timings = { ...faithfulTimings, storeHeartbeatMilliseconds: 1_000, leaderTransfersPerSecond: 1000 };
        await using simulator = await startPdSimulator({ clock, timings, faults: { blindPd: true } });
        simulator.stopPod("basic-tikv-0");
        await simulator.startPod("basic-tikv-0");
        clock.advance(11_500);
        const truth = (): number => simulator.stores()[0].leaders;
        const before = await leaders(simulator);
        assert.equal(before, truth(), "its first refresh is 10 s after its process started");
        assert.ok(truth() > 0);
        await evict(simulator);
        clock.advance(7_500);
        assert.equal(truth(), 0);
        assert.equal(await leaders(simulator), before, "seven heartbeats later the gauge is as it was");
        clock.advance(2_500);
        assert.equal(await leaders(simulator), 0);
    });

    it("has no line with the leaders in the first 10 s of its process", async () => {
        const clock = manualClock();
        await using simulator = await startPdSimulator({ clock, timings: faithfulTimings });
        simulator.stopPod("basic-tikv-0");
        await simulator.startPod("basic-tikv-0");
        clock.advance(5_000);
        assert.equal(await leaders(simulator), undefined);
        clock.advance(10_000);
        assert.notEqual(await leaders(simulator), undefined);
    });

    it("closes the connection, never answers, or lacks the line, if a fault says so", async () => {
        await using simulator = await startPdSimulator();
        const { stores } = simulator.faults;
        stores["basic-tikv-0"] = { statusPort: "refused" };
        await assert.rejects(read(simulator, "/metrics"), /fetch failed/);
        stores["basic-tikv-0"] = { statusPort: "nothing" };
        await assert.rejects(read(simulator, "/metrics", 300), { name: "TimeoutError" });
        stores["basic-tikv-0"] = { statusPort: "without-gauge" };
        assert.equal(await leaders(simulator), undefined);
    });
});
