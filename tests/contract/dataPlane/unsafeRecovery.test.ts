import * as assert from "node:assert/strict";
import { createPdClient, type PdClient } from "../../../provider/pd";
import { manualClock, type PdSimulator, startPdSimulator } from "../../../sandbox/dataPlane";

const outline = async (client: PdClient) => {
    const { stage, failedStores = [] } = await client.unsafeRecovery();
    return `${stage} ${failedStores.join(" ")}`.trim();
};

describe("an unsafe recovery of a simulated PD", () => {
    let clock: ReturnType<typeof manualClock>;
    let simulator: PdSimulator;
    let client: PdClient;
    beforeEach(async () => {
        clock = manualClock();
        simulator = await startPdSimulator({ clock, stores: 4, regions: 120 });
        client = createPdClient({ endpoints: simulator.endpoints });
    });
    afterEach(async () => {
        client.close();
        await simulator.stop();
    });
    const lose = (...ordinals: number[]) => {
        ordinals.forEach((ordinal) => simulator.stopPod(`basic-tikv-${ordinal}`));
        clock.advance(1_000);
    };
    const regionsWith = async (...ids: number[]) => {
        const lists = await Promise.all(ids.map((id) => client.regionsOfStore(id)));
        return new Set(lists.flat().map(({ id }) => id));
    };

    it("keeps the regions without a majority until the stores that are left have reported for each stage", async () => {
        lose(0, 1);
        const before = await regionsWith(1, 2);
        await client.removeFailedStores([1, 2], 60);
        assert.deepEqual(await regionsWith(1, 2), before, "the stores are Tombstone, the regions are as they were");
        const seen = new Set<string>();
        for (let beat = 0; beat < 20; beat += 1) {
            clock.advance(250);
            seen.add((await client.unsafeRecovery()).report.split(";")[0]);
        }
        assert.deepEqual(
            [...seen],
            [
                "Unsafe recovery enters collect report stage",
                "Unsafe recovery enters force leader stage",
                "Unsafe recovery enters demote Failed voter stage",
                "Unsafe recovery enters exit force leader stage",
                "Unsafe recovery Finished",
            ],
        );
        assert.deepEqual(await regionsWith(1, 2), new Set());
        assert.match((await client.unsafeRecovery()).report, /affected table ids: 100/);
    });

    it("makes the regions anew of which no replica is left", async () => {
        lose(0, 1, 2);
        await client.removeFailedStores([1, 2, 3], 60);
        clock.advance(10_000);
        assert.match((await client.unsafeRecovery()).report, /newly created empty regions: \d+/);
    });

    it("waits for every store that was not named, and gives up after its timeout", async () => {
        lose(0, 1, 2);
        await client.removeFailedStores([1, 2], 5);
        clock.advance(4_000);
        assert.match((await client.unsafeRecovery()).report, /Stores that have not dispatched plan: 3/);
        clock.advance(1_500);
        assert.match(
            (await client.unsafeRecovery()).report,
            /enters exit force leader stage.*triggered by error: Exceeds timeout/,
        );
        clock.advance(3_000);
        assert.equal(await outline(client), "failed 1 2");
        await client.removeFailedStores([1, 2, 3], 60);
        clock.advance(10_000);
        assert.equal(await outline(client), "finished 1 2 3", "Tombstone stores can be named again");
    });

    it("takes a Tombstone store that is not named for alive, and leaves regions without a majority as they are", async () => {
        lose(0);
        await client.removeFailedStores([1], 60);
        clock.advance(1_000);
        assert.equal(await outline(client), "finished 1");
        lose(1);
        const ofBoth = async () => {
            const regions = await client.regionsOfStore(1);
            return regions.filter(({ peers }) => peers.some(({ storeId }) => storeId === 2)).length;
        };
        const short = await ofBoth();
        assert.ok(short > 0);
        await client.removeFailedStores([2], 60);
        clock.advance(1_000);
        assert.deepEqual([await outline(client), await ofBoth()], ["finished 2", short]);
        await client.removeFailedStores([1, 2], 60);
        clock.advance(10_000);
        assert.deepEqual([await outline(client), await ofBoth()], ["finished 1 2", 0]);
    });

    it("is lost with PD's leader, and the stores stay Tombstone with their regions", async () => {
        lose(0, 1);
        await client.removeFailedStores([1, 2], 60);
        await client.resignLeader();
        clock.advance(2_000);
        assert.equal(await outline(client), "none");
        assert.equal((await client.store(1))?.state, "Tombstone");
        assert.ok((await regionsWith(1, 2)).size > 0);
    });

    it("refuses a body that names no stores", async () => {
        const url = `${simulator.urls[0]}/pd/api/v1/admin/unsafe/remove-failed-stores`;
        const answer = await fetch(url, { method: "POST", body: JSON.stringify({ stores: "1" }) });
        assert.deepEqual([answer.status, await answer.json()], [400, "Store ids are invalid"]);
    });
});
