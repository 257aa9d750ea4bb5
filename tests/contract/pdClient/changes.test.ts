import * as assert from "node:assert/strict";
import type { PdClient } from "../../../provider/pd";
import { serve } from "../pd/server";
import { clientOf, deadUrl, done, errorOf, noLeaderFound, redirectFailed } from "./clients";

const repeatable: Record<string, (client: PdClient) => Promise<void>> = {
    deleteMember: (client) => client.deleteMember("pd-2"),
    deleteStore: (client) => client.deleteStore(7),
    setStoreUp: (client) => client.setStoreUp(7),
    setStoreLabels: (client) => client.setStoreLabels(7, { zone: "a" }),
    setConfig: (client) => client.setConfig({ "schedule.leader-schedule-limit": 8 }),
    deleteMemberById: (client) => client.deleteMemberById("12889598287873352826"),
};
const once: Record<string, (client: PdClient) => Promise<void>> = {
    transferLeader: (client) => client.transferLeader("pd-2"),
    resignLeader: (client) => client.resignLeader(),
};

describe("PD client: changes", () => {
    for (const [name, change] of Object.entries(repeatable)) {
        it(`${name} is repeated on another member, however the first one failed`, async () => {
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
        it(`${name} is not repeated if it may have been carried out, and the error says so`, async () => {
            for (const first of ["hang", "cut", redirectFailed] as const) {
                await using doubtful = await serve(() => first);
                await using leader = await serve(() => done);
                using client = clientOf([doubtful.url, leader.url]);
                assert.match((await errorOf(() => change(client))).message, /may have carried it out/);
                assert.equal(leader.received.length, 0);
            }
        });

        it(`${name} goes to another member if it certainly did not arrive`, async () => {
            await using leaderless = await serve(() => noLeaderFound);
            await using leader = await serve(() => done);
            using client = clientOf([await deadUrl(), leaderless.url, leader.url]);
            await change(client);
            assert.deepEqual([leaderless.received.length, leader.received.length], [1, 1]);
        });

        it(`${name} does not use an idle connection`, async () => {
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

    it("that may be repeated are repeated on a new connection if the idle one was stale", async () => {
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
        await using server = await serve(() => done);
        using client = clientOf([server.url]);
        await client.transferLeader("a b");
        await client.resignLeader();
        await client.deleteMember("pd-2");
        await client.deleteStore(7);
        await client.setStoreUp(7);
        await client.deleteMemberById("12889598287873352826");
        assert.deepEqual(
            server.received.map(({ method, path, body }) => `${method} ${path} ${body}`.trim()),
            [
                "POST /pd/api/v1/leader/transfer/a%20b",
                "POST /pd/api/v1/leader/resign",
                "DELETE /pd/api/v1/members/name/pd-2",
                "DELETE /pd/api/v1/store/7",
                "POST /pd/api/v1/store/7/state?state=Up",
                "DELETE /pd/api/v1/members/id/12889598287873352826",
            ],
        );
    });

    it("deleteMemberById succeeds if the member is gone", async () => {
        const body = '"[PD:etcd:ErrEtcdMemberRemove]etcdserver: member not found: etcdserver: member not found"';
        await using server = await serve(() => ({ status: 500, body }));
        using client = clientOf([server.url]);
        await client.deleteMemberById("5");
    });

    it("deleteStore succeeds if the store is a Tombstone", async () => {
        await using server = await serve(() => ({
            status: 410,
            body: '"[PD:core:ErrStoreRemoved]store 7 has been removed"',
        }));
        using client = clientOf([server.url]);
        await client.deleteStore(7);
    });
});
