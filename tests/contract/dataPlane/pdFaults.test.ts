import * as assert from "node:assert/strict";
import { createPdClient } from "../../../provider/pd";
import { startPdSimulator } from "../../../sandbox/dataPlane";
import { askedPd, leaderCounts } from "../../support/pdQuestions";

interface ListedStore {
    store: { id: number; address: string; last_heartbeat: number; state_name: string };
}
const listed = (pd: ReturnType<typeof askedPd>): ListedStore[] =>
    pd.json<{ stores: ListedStore[] }>("GET", "/pd/api/v1/stores").stores;

describe("faults of a simulated PD", () => {
    it("make its list of stores empty, partial or stale", () => {
        const pd = askedPd();
        const { faults } = pd.cluster;
        faults.storeList = "empty";
        assert.deepEqual(listed(pd), []);
        faults.storeList = { only: ["basic-tikv-1"] };
        assert.deepEqual(
            listed(pd).map(({ store }) => store.id),
            [2],
        );
        faults.storeList = "stale";
        const before = listed(pd);
        pd.cluster.stopPod("basic-tikv-0");
        pd.clock.advance(60_000);
        assert.deepEqual(listed(pd), before);
        faults.storeList = undefined;
        assert.equal(listed(pd)[0].store.state_name, "Down");
    });

    it("put into the list a store under a foreign address, two stores on one address, and other clusters' stores", () => {
        const pd = askedPd();
        pd.cluster.faults.stores["basic-tikv-0"] = { address: "10.0.0.7:20160" };
        pd.cluster.faults.extraStores = [
            { id: 90, address: "basic-tikv-1.basic-tikv-peer.default.svc:20160", state: "Offline" },
            {
                id: 91,
                address: "other-tikv-0.other-tikv-peer.default.svc:20160",
                leaders: 7,
                heartbeatAgeMilliseconds: 18_000,
            },
        ];
        const stores = listed(pd);
        assert.equal(stores[0].store.address, "10.0.0.7:20160");
        assert.equal(stores[3].store.address, stores[1].store.address);
        assert.deepEqual(leaderCounts(pd), [300, 300, 300, 0, 7]);
        assert.equal(stores[4].store.state_name, "Up");
        assert.ok(stores[4].store.last_heartbeat < stores[1].store.last_heartbeat - 17_000_000_000);
    });

    it("answer with a web page, with incomplete JSON, or with the id of another cluster", async () => {
        await using simulator = await startPdSimulator({ members: 1 });
        const client = createPdClient({ endpoints: simulator.endpoints });
        for (const answers of ["html", "truncated"] as const) {
            simulator.faults.members["*"] = { answers };
            await assert.rejects(client.stores(), { code: "PD_BAD_ANSWER" });
        }
        simulator.faults.members = {};
        const own = await client.clusterId();
        simulator.faults.clusterId = "7123456789012345678";
        assert.notEqual(own, "7123456789012345678");
        assert.equal(await client.clusterId(), "7123456789012345678");
        assert.equal((await client.leadership()).leader, "basic-pd-0");
        client.close();
    });

    it("delay only what PD says about its members' health", async () => {
        await using simulator = await startPdSimulator({
            faults: { members: { "*": { healthDelayMilliseconds: 150 } } },
        });
        const takes = async (path: string): Promise<number> => {
            const start = performance.now();
            await (await fetch(simulator.urls[0] + path)).text();
            return performance.now() - start;
        };
        assert.ok((await takes("/pd/api/v1/health")) >= 140);
        assert.ok((await takes("/pd/api/v1/members")) < 140);
    });
});
