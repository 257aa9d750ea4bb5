import * as assert from "node:assert/strict";
import { createPdClient, type PdClient, type PdRegion } from "../../../provider/pd";
import { manualClock, type PdSimulator, type PdSimulatorOptions, startPdSimulator } from "../../../sandbox/dataPlane";

async function withPd(
    options: PdSimulatorOptions,
    use: (client: PdClient, simulator: PdSimulator) => Promise<void>,
): Promise<void> {
    await using simulator = await startPdSimulator(options);
    const client = createPdClient({ endpoints: simulator.endpoints });
    try {
        await use(client, simulator);
    } finally {
        client.close();
    }
}

const storesOf = ({ peers }: PdRegion): number[] => peers.map(({ storeId }) => storeId);

describe("regions of a simulated PD", () => {
    it("are listed by store, each with three voters on different stores, as many as the store counts", () =>
        withPd({ stores: 5, regions: 100 }, async (client) => {
            const all = new Map<number, number>();
            for (const store of await client.stores()) {
                const listed = await client.regionsOfStore(store.id);
                assert.equal(listed.length, store.regionCount);
                for (const region of listed) {
                    assert.equal(new Set(storesOf(region)).size, 3);
                    assert.ok(storesOf(region).includes(store.id));
                    assert.ok(
                        region.peers.every(({ role, isDown, isPending }) => role === "voter" && !isDown && !isPending),
                    );
                    all.set(region.id, (all.get(region.id) ?? 0) + 1);
                }
            }
            assert.deepEqual([all.size, new Set(all.values())], [100, new Set([3])]);
        }));

    it("leave a store only for others with enough space, and stay where there are none", async () => {
        const clock = manualClock();
        await withPd({ stores: 4, regions: 600, clock }, async (client, simulator) => {
            const full = { freeBytes: 100 * 1024 ** 3 };
            Object.assign(simulator.faults.stores, {
                "basic-tikv-0": full,
                "basic-tikv-1": full,
                "basic-tikv-2": full,
            });
            await client.deleteStore(4);
            clock.advance(600_000);
            const left = (await client.store(4))?.regionCount;
            assert.ok(left !== undefined && left > 0);
            clock.advance(600_000);
            assert.equal((await client.store(4))?.regionCount, left);
            delete simulator.faults.stores["basic-tikv-2"];
            clock.advance(60_000);
            assert.ok(((await client.store(4))?.regionCount ?? left) < left);
        });
    });

    it("are in the check's list if a peer's store is silent for long, and that peer is down", async () => {
        const clock = manualClock();
        await withPd({ stores: 4, regions: 100, clock }, async (client, simulator) => {
            simulator.faults.stores["basic-tikv-3"] = { drainedRegionsPerSecond: 0 };
            simulator.stopPod("basic-tikv-3");
            clock.advance(10_000);
            const down = await client.regionsShortOf("down-peer");
            assert.equal(down.length, await client.countRegionsInCheck("down-peer"));
            assert.equal(down.length, (await client.store(4))?.regionCount);
            for (const { peers } of down) {
                assert.deepEqual(
                    peers.filter(({ isDown }) => isDown).map(({ storeId }) => storeId),
                    [4],
                );
            }
        });
    });

    it("have fewer than max-replicas voters if they lack one", () =>
        withPd({ stores: 2, regions: 100 }, async (client) => {
            const short = await client.regionsShortOf("miss-peer");
            assert.equal(short.length, 100);
            assert.ok(short.every(({ peers }) => peers.length === 2));
        }));

    it("have pending voters, pending learners, or voters that are replaced, as faults say", () =>
        withPd({ stores: 4, regions: 100, tiflash: 1 }, async (client, simulator) => {
            simulator.faults.regions = { pendingPeers: 2, pendingLearners: 5, inJointConsensus: 1 };
            await new Promise((resolve) => setTimeout(resolve, 500));
            const pending = await client.regionsShortOf("pending-peer");
            const kinds = pending.flatMap(({ peers }) =>
                peers.filter(({ isPending }) => isPending).map(({ role }) => role),
            );
            assert.equal(kinds.filter((role) => role === "learner").length, 5);
            assert.equal(kinds.filter((role) => role !== "learner").length, 2);
            const roles = pending[0].peers.map(({ role }) => role).sort();
            assert.deepEqual(roles, ["demoting", "incoming", "learner", "voter", "voter"]);
            const counted = (await client.stores()).reduce(
                (sum, { pendingPeerCount }) => sum + (pendingPeerCount ?? 0),
                0,
            );
            assert.equal(counted, 7);
        }));

    it("are counted in the leader's gauges after its first count, also with placement rules off", () =>
        withPd({ regions: 90 }, async (client, simulator) => {
            simulator.faults.regions = { missPeers: 2, downPeers: 3, pendingPeers: 4 };
            await new Promise((resolve) => setTimeout(resolve, 600));
            const isolation = { none: 90 };
            const { patrolSeconds = 0, ...status } = (await client.regionStatus())!;
            assert.deepEqual(status, { missPeer: 2, downPeer: 3, pendingPeer: 4, isolation });
            assert.ok(patrolSeconds > 0);
            assert.equal((await client.placementRules())?.length, 1);
            await fetch(`${simulator.urls[0]}/pd/api/v1/config`, {
                method: "POST",
                body: JSON.stringify({ "enable-placement-rules": "false" }),
            });
            assert.equal(await client.placementRules(), undefined);
        }));
});
