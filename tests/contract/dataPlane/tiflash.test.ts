import * as assert from "node:assert/strict";
import { createPdClient } from "../../../provider/pd";
import { manualClock, settledCluster, type SettledCluster, startPdSimulator } from "../../../sandbox/dataPlane";
import { deleteStore } from "../../../sandbox/dataPlane/model/stores";

const tiflashOf = (cluster: SettledCluster) => cluster.stores().filter(({ engine }) => engine === "tiflash");
const regionsOf = (cluster: SettledCluster) => tiflashOf(cluster).map(({ regions }) => regions);
const leadersOf = (cluster: SettledCluster) => cluster.stores().map(({ leaders }) => leaders);

describe("simulated TiFlash stores", () => {
    it("hold learners evenly, and lead nothing", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock, tiflash: 2 });
        clock.advance(5_000);
        assert.deepEqual(regionsOf(cluster), [450, 450], "one learner of each of 900 regions");
        assert.deepEqual(leadersOf(cluster), [300, 300, 300, 0, 0]);
    });

    it("take no leaders and no voters of a TiKV store that stops or leaves", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock, stores: 4, tiflash: 1 });
        cluster.stopPod("basic-tikv-0");
        clock.advance(1_000);
        assert.deepEqual(leadersOf(cluster), [0, 400, 400, 400, 0]);
        cluster.startPod("basic-tikv-0");
        clock.advance(10_000);
        deleteStore(state, state.stores[3]);
        clock.advance(20_000);
        assert.equal(cluster.storeOfPod("basic-tikv-3")?.state, "Tombstone");
        assert.deepEqual(regionsOf(cluster), [1200]);
    });

    it("have as many learners as the tables have replicas, each on another store", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock, tiflash: 3 });
        cluster.setTiflashReplicas(2);
        clock.advance(10_000);
        assert.deepEqual(regionsOf(cluster), [600, 600, 600]);
        cluster.setTiflashReplicas(0);
        clock.advance(10_000);
        assert.deepEqual(regionsOf(cluster), [0, 0, 0]);
    });

    it("are labelled, listed by PD, and Up a second after their pod is back", async () => {
        await using pd = await startPdSimulator({ tiflash: 1 });
        const client = createPdClient({ endpoints: pd.endpoints });
        const store = (await client.stores()).find(({ labels }) => labels.engine === "tiflash");
        assert.equal(store?.address, "basic-tiflash-0.basic-tiflash-peer.default.svc:3930");
        assert.equal(store?.state, "Up");
        const rules = await client.placementRules();
        assert.deepEqual(
            rules?.filter(({ group }) => group === "tiflash").map(({ role, count }) => [role, count]),
            [["learner", 1]],
        );
        client.close();
    });

    it("have no table any more once its rule is taken out of PD, as TiDB does", async () => {
        await using pd = await startPdSimulator({ tiflash: 1 });
        const client = createPdClient({ endpoints: pd.endpoints });
        await fetch(`${pd.endpoints[0].url}/pd/api/v1/config/rule/tiflash/table-100-r`, { method: "DELETE" });
        const rules = await client.placementRules();
        assert.deepEqual(
            rules?.map(({ group }) => group),
            ["pd"],
        );
        client.close();
    });

    it("drain to each other and become Tombstone", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock, tiflash: 2 });
        clock.advance(5_000);
        assert.deepEqual(regionsOf(cluster), [450, 450]);
        deleteStore(state, state.stores[4]);
        clock.advance(500);
        assert.equal(tiflashOf(cluster)[1].state, "Offline");
        clock.advance(3_000);
        assert.equal(tiflashOf(cluster)[1].state, "Tombstone");
        assert.deepEqual(regionsOf(cluster), [900, 0]);
    });

    it("never drain if the learners have no other place", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock, tiflash: 2 });
        cluster.setTiflashReplicas(2);
        clock.advance(10_000);
        assert.deepEqual(regionsOf(cluster), [900, 900]);
        deleteStore(state, state.stores[4]);
        clock.advance(60_000);
        assert.equal(tiflashOf(cluster)[1].state, "Offline");
    });

    it("do not join before TiKV has started the cluster, and report their progress", async () => {
        const clock = manualClock();
        await using pd = await startPdSimulator({ clock, stores: 0, tiflash: 1 });
        const status = async () => (await fetch(new URL("/tiflash/store-status", pd.urlOf("basic-tiflash-0")))).text();
        clock.advance(10_000);
        assert.deepEqual(pd.stores(), []);
        assert.equal(await status(), "Ready");
        await pd.startPod("basic-tikv-0");
        clock.advance(3_000);
        assert.deepEqual(
            pd.stores().map(({ engine }) => engine),
            ["tikv", "tiflash"],
        );
        assert.equal(await status(), "Running");
    });
});
