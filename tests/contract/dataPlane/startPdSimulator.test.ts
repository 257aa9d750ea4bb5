import * as assert from "node:assert/strict";
import { manualClock, type PdSimulator, startPdSimulator } from "../../../sandbox/dataPlane";

const get = async (url: string): Promise<{ status: number; body: string }> => {
    const answer = await fetch(url, { signal: AbortSignal.timeout(500) });
    return { status: answer.status, body: await answer.text() };
};
const check = async (simulator: PdSimulator, kind: string): Promise<number> => {
    const { body } = await get(`${simulator.urls[0]}/pd/api/v1/regions/check/${kind}`);
    return (JSON.parse(body) as { count: number }).count;
};

describe("a simulated PD on loopback", () => {
    it("counts the calls that it received, by path", async () => {
        await using simulator = await startPdSimulator();
        await get(`${simulator.urls[0]}/pd/api/v1/health`);
        await get(`${simulator.urls[1]}/pd/api/v1/health`);
        await get(`${simulator.urls[1]}/pd/api/v1/stores?state=2`);
        assert.deepEqual(simulator.pdCallCounts(), {
            "GET /pd/api/v1/health": 2,
            "GET /pd/api/v1/stores?state=2": 1,
        });
        assert.deepEqual(simulator.pdCallCounts(2), { "GET /pd/api/v1/stores?state=2": 1 });
        assert.equal(simulator.pdCalls[1].pod, "basic-pd-1");
    });

    it("answers 500, nothing, late, or closes the connection, each member as its fault says", async () => {
        await using simulator = await startPdSimulator();
        const health = simulator.urls.map((url) => `${url}/pd/api/v1/health`);
        simulator.faults.members["basic-pd-0"] = { answers: "error" };
        simulator.faults.members["basic-pd-1"] = { answers: "refused" };
        simulator.faults.members["basic-pd-2"] = { answers: "nothing" };
        assert.equal((await get(health[0])).status, 500);
        await assert.rejects(get(health[1]), /fetch failed/);
        await assert.rejects(get(health[2]), { name: "TimeoutError" });
        assert.deepEqual(
            simulator.pdCalls.map((call) => call.status),
            [500, undefined, undefined],
        );
        simulator.faults.members = { "*": { delayMilliseconds: 120 } };
        const start = performance.now();
        assert.equal((await get(health[1])).status, 200);
        assert.ok(performance.now() - start >= 110);
    });

    it("serves no stopped pod and no deleted member", async () => {
        await using simulator = await startPdSimulator();
        simulator.stopPod("basic-pd-1");
        await assert.rejects(get(`${simulator.urls[1]}/pd/api/v2/ready`), /fetch failed/);
        await fetch(`${simulator.urls[0]}/pd/api/v1/members/name/basic-pd-2`, { method: "DELETE" });
        await assert.rejects(get(`${simulator.urls[2]}/pd/api/v2/ready`), /fetch failed/);
    });

    it("reports the peers of a silent store as down, but none if every store is silent", async () => {
        const clock = manualClock();
        await using simulator = await startPdSimulator({ clock, regions: 300 });
        simulator.stopPod("basic-tikv-0");
        clock.advance(5_000);
        assert.equal(await check(simulator, "down-peer"), 0);
        clock.advance(5_000);
        assert.equal(await check(simulator, "down-peer"), 300);
        simulator.stopPod("basic-tikv-1");
        simulator.stopPod("basic-tikv-2");
        clock.advance(60_000);
        assert.equal(await check(simulator, "down-peer"), 0);
    });

    it("reports every region as short of a peer below max-replicas, and those that a fault adds", async () => {
        await using simulator = await startPdSimulator({ stores: 1, regions: 300 });
        assert.equal(await check(simulator, "miss-peer"), 300);
        simulator.faults.regions.pendingPeers = 4;
        assert.equal(await check(simulator, "pending-peer"), 4);
    });

    it("refuses evictions and deletions if a fault says so", async () => {
        await using simulator = await startPdSimulator({ faults: { evictionRefused: true, deletionRefused: true } });
        const evict = JSON.stringify({ name: "evict-leader-scheduler", store_id: 1 });
        const [url] = simulator.urls;
        assert.equal((await fetch(`${url}/pd/api/v1/schedulers`, { method: "POST", body: evict })).status, 500);
        assert.equal((await fetch(`${url}/pd/api/v1/store/1`, { method: "DELETE" })).status, 500);
        assert.equal((await fetch(`${url}/pd/api/v1/members/name/basic-pd-2`, { method: "DELETE" })).status, 500);
        assert.deepEqual(simulator.events, []);
    });

    it("answers for TiKV's leader count and TiDB's status", async () => {
        await using simulator = await startPdSimulator({ tidb: 1, version: "v8.5.4" });
        const metrics = await get(`${simulator.urlOf("basic-tikv-0")}/metrics`);
        assert.match(metrics.body, /^tikv_raftstore_region_count\{type="leader"\} 300$/m);
        const status = `${simulator.urlOf("basic-tidb-0")}/status`;
        assert.deepEqual(JSON.parse((await get(status)).body), {
            connections: 0,
            version: "8.0.11-TiDB-v8.5.4",
            git_hash: "None",
        });
        simulator.faults.tidb["basic-tidb-0"] = { unhealthy: true };
        assert.equal((await get(status)).status, 500);
        simulator.stopPod("basic-tidb-0");
        await assert.rejects(get(status), /fetch failed/);
    });

    it("is not bootstrapped before its first store", async () => {
        await using simulator = await startPdSimulator({ stores: 0, tidb: 1 });
        const answer = await get(`${simulator.urls[0]}/pd/api/v1/stores`);
        assert.equal(answer.status, 500);
        assert.match(answer.body, /TiKV cluster not bootstrapped, please start TiKV first"$/);
        await assert.rejects(get(`${simulator.urlOf("basic-tidb-0")}/status`), /fetch failed/);
    });
});
