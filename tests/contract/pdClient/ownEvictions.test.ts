import * as assert from "node:assert/strict";
import type { PdOwnEvictions } from "../../../provider/pd/model";
import { type Answer, serve } from "../pd/server";
import { clientOf, errorOf } from "./clients";
import { answerEtcd, json } from "./playedEtcd";

const notThere: Answer = { status: 404, body: "404 page not found\n", contentType: "text/plain" };
const slow = "evict-slow-store-scheduler";
const trend = "evict-slow-trend-scheduler";
const stopping = "evict-stopping-store-scheduler";

/** @param stored the schedulers' keys in PD's etcd; undefined if PD does not serve it. */
async function seen(lists: Record<string, object>, stored?: Record<string, object>): Promise<PdOwnEvictions> {
    await using server = await serve((request): Answer => {
        if (request.path.startsWith("/v3/")) {
            const keys = Object.entries(stored ?? {}).map(([name, value]) => [
                `/pd/9/scheduler_config/${name}`,
                [[5, JSON.stringify(value)] as const],
            ]);
            const etcd = { revision: 9, keys: Object.fromEntries(keys) as Record<string, [number, string][]> };
            return (stored && answerEtcd(etcd, request)) ?? notThere;
        }
        const name = /scheduler-config\/([^/]+)\/list$/.exec(request.path)?.[1];
        const list = name === undefined ? json(200, { id: 9 }) : (lists[name] ?? notThere);
        return typeof list === "object" && "status" in list ? (list as Answer) : json(200, list);
    });
    using client = clientOf([server.url]);
    return await client.ownEvictions();
}

describe("PD client: stores that PD evicts by itself", () => {
    it("are none where no such scheduler runs", async () =>
        assert.deepEqual(await seen({}), { evictions: [], unreported: [] }));

    it("are those that the lists of PD 8.5.6 name, also for its network", async () => {
        const network = { "evicted-network-slow-stores": [4], "paused-network-slow-stores": [5, 3] };
        const lists = {
            [slow]: { "recovery-duration": 1800, "evict-stores": [3], "enable-network-slow-store": true, ...network },
            [trend]: { "recovery-duration": 600, "evict-by-trend-stores": [7] },
            [stopping]: { "evicted-stores": [8], batch: 3 },
        };
        assert.deepEqual((await seen(lists)).evictions, [
            ...[3, 4, 5].map((storeId) => ({ storeId, scheduler: slow, recoverySeconds: 1800 })),
            { storeId: 7, scheduler: trend, recoverySeconds: 600 },
            { storeId: 8, scheduler: stopping },
        ]);
    });

    const old = { [slow]: { "recovery-duration": 1800, "evict-stores": null } };
    it("are those in PD's etcd before 8.5.6, whose list has null in their place", async () => {
        const stored = { [slow]: { "recovery-duration": 1800, "evict-stores": [6] } };
        assert.deepEqual((await seen(old, stored)).evictions, [{ storeId: 6, scheduler: slow, recoverySeconds: 1800 }]);
        assert.deepEqual(await seen(old, {}), { evictions: [], unreported: [] });
    });

    it("are those in PD's etcd up to 7.5, whose scheduler has no list and says so with 200: no other question fails for it", async () => {
        const none: Answer = { status: 200, body: "not implements", contentType: "text/plain" };
        const stored = { [slow]: { "evict-stores": [6] } };
        assert.deepEqual((await seen({ [slow]: none }, stored)).evictions, [{ storeId: 6, scheduler: slow }]);
        assert.deepEqual(await seen({ [slow]: none }), { evictions: [], unreported: [slow] });
    });

    it("are not reported before 8.5.6 where PD does not serve its etcd: that is not none", async () =>
        assert.deepEqual(await seen(old), { evictions: [], unreported: [slow] }));

    it("are not known if a list is no list, or PD refuses it", async () => {
        for (const answer of [{ "evict-stores": "6" }, { "evict-stores": [{}] }, { status: 500, body: '"no"' }]) {
            assert.ok(await errorOf(() => seen({ [slow]: answer })));
        }
    });
});
