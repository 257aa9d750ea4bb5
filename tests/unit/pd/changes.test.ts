import * as assert from "node:assert/strict";
import type { PdClient } from "../../../provider/pd";
import { serve, type Answer } from "../../contract/pd/server";
import { clientOf, deadUrl, done, errorOf, noLeaderFound, redirectFailed } from "./clients";

const nobodyEvicted: Answer = { status: 404, body: "404 page not found\n", contentType: "text/plain" };
const oneEvicted: Answer = { status: 200, body: '{"store-id-ranges":{"7":[]},"batch":3}' };

const repeatable: Record<string, (client: PdClient) => Promise<void>> = {
    deleteMember: (client) => client.deleteMember("pd-2"),
    deleteStore: (client) => client.deleteStore(7),
    setStoreUp: (client) => client.setStoreUp(7),
    beginLeaderEviction: (client) => client.beginLeaderEviction(7),
};
const once: Record<string, (client: PdClient) => Promise<void>> = {
    transferLeader: (client) => client.transferLeader("pd-2"),
    resignLeader: (client) => client.resignLeader(),
};

describe("PD client: changes", () => {
    for (const [name, change] of Object.entries(repeatable)) {
        it(`${name} is repeated on another member, whatever came of it at the first`, async () => {
            for (const first of ["hang", "cut", redirectFailed] as const) {
                await using doubtful = await serve(() => first);
                await using leader = await serve(() => done);
                using client = clientOf([doubtful.url, leader.url]);
                await change(client);
                assert.deepEqual([doubtful.received.length, leader.received.length], [1, 1]);
            }
        });

        it(`${name} ends after one pass`, async () => {
            await using one = await serve(() => redirectFailed);
            await using other = await serve(() => redirectFailed);
            using client = clientOf([one.url, other.url]);
            assert.equal((await errorOf(() => change(client))).code, "PD_NO_LEADER");
            assert.equal(client.calls, 2);
        });
    }

    for (const [name, change] of Object.entries(once)) {
        it(`${name} is not repeated where it may have been carried out, and the error says so`, async () => {
            for (const first of ["hang", "cut", redirectFailed] as const) {
                await using doubtful = await serve(() => first);
                await using leader = await serve(() => done);
                using client = clientOf([doubtful.url, leader.url]);
                assert.match((await errorOf(() => change(client))).message, /may have been carried out/);
                assert.equal(leader.received.length, 0);
            }
        });

        it(`${name} goes to another member where it certainly did not get through`, async () => {
            await using leaderless = await serve(() => noLeaderFound);
            await using leader = await serve(() => done);
            using client = clientOf([await deadUrl(), leaderless.url, leader.url]);
            await change(client);
            assert.deepEqual([leaderless.received.length, leader.received.length], [1, 1]);
        });

        it(`${name} does not risk a connection that was idle`, async () => {
            await using server = await serve(({ method }) =>
                method === "GET" ? { status: 200, body: '{"version":"v8.5.4"}' } : done,
            );
            using client = clientOf([server.url]);
            await client.version();
            await client.version();
            await change(client);
            assert.deepEqual(
                server.received.map(({ connection }) => connection),
                [1, 1, 2],
            );
        });
    }

    it("that may be repeated are, on a new connection, where the idle one had gone stale", async () => {
        await using server = await serve(({ method, connection }) =>
            method === "GET" ? { status: 200, body: '{"version":"v8.5.4"}' } : connection === 1 ? "cut" : done,
        );
        using client = clientOf([server.url]);
        await client.version();
        await client.deleteStore(7);
        assert.deepEqual(
            server.received.map(({ connection }) => connection),
            [1, 1, 2],
        );
    });

    it("send what PD expects", async () => {
        await using server = await serve(({ method }) => (method === "GET" ? nobodyEvicted : done));
        using client = clientOf([server.url]);
        await client.transferLeader("a b");
        await client.resignLeader();
        await client.deleteMember("pd-2");
        await client.deleteStore(7);
        await client.setStoreUp(7);
        await client.beginLeaderEviction(7);
        await client.endLeaderEviction(7);
        assert.deepEqual(
            server.received.map(({ method, path, body }) => `${method} ${path} ${body}`.trim()),
            [
                "POST /pd/api/v1/leader/transfer/a%20b",
                "POST /pd/api/v1/leader/resign",
                "DELETE /pd/api/v1/members/name/pd-2",
                "DELETE /pd/api/v1/store/7",
                "POST /pd/api/v1/store/7/state?state=Up",
                'POST /pd/api/v1/schedulers {"name":"evict-leader-scheduler","store_id":7}',
                "DELETE /pd/api/v1/schedulers/evict-leader-scheduler-7",
                "GET /pd/api/v1/scheduler-config/evict-leader-scheduler/list",
            ],
        );
    });

    it("deleteStore of a Tombstone one is done", async () => {
        await using server = await serve(() => ({
            status: 410,
            body: '"[PD:core:ErrStoreRemoved]store 7 has been removed"',
        }));
        using client = clientOf([server.url]);
        await client.deleteStore(7);
    });

    it("beginLeaderEviction that PD refuses is done where the list has the store, else refused", async () => {
        for (const [list, code] of [
            [oneEvicted, undefined],
            [nobodyEvicted, "PD_REFUSED"],
        ] as const) {
            await using server = await serve(({ method }) =>
                method === "GET" ? list : { status: 500, body: '"scheduler existed"' },
            );
            using client = clientOf([server.url]);
            const begin = () => client.beginLeaderEviction(7);
            assert.equal(code ? (await errorOf(begin)).code : await begin(), code);
        }
    });

    it("endLeaderEviction of one that is gone is done, without a further question", async () => {
        await using server = await serve(() => ({ status: 404, body: "null" }));
        using client = clientOf([server.url]);
        await client.endLeaderEviction(7);
        assert.equal(client.calls, 1);
    });

    it("endLeaderEviction takes only the list's word: gone is done, still there is an error", async () => {
        for (const acknowledged of [done, { status: 500, body: "null" }] as const) {
            let list = nobodyEvicted;
            await using server = await serve(({ method }) => (method === "GET" ? list : acknowledged));
            using client = clientOf([server.url]);
            await client.endLeaderEviction(7);
            list = oneEvicted;
            assert.match((await errorOf(() => client.endLeaderEviction(7))).message, /store 7/);
        }
    });
});
