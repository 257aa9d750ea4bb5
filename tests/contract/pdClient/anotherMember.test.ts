import * as assert from "node:assert/strict";
import { serve } from "../pd/server";
import { clientOf, deadUrl, done, errorOf, noLeaderFound, redirectFailed, version } from "./clients";
import { repeats } from "../../support/repeats";

/** The attempts that share what is left of a call's time: each about as much, the exact number is the clock's. */
function shared(attempts: readonly { endpoint: string; problem: string }[], about: number): string[] {
    return attempts.map(({ endpoint, problem }) => {
        const milliseconds = Number(/within (\d+) ms/.exec(problem)?.[1]);
        assert.ok(Math.abs(milliseconds - about) < 50, problem);
        return `${endpoint.slice(0, 4)}: no answer within ${milliseconds} ms`;
    });
}

describe("PD client: another member", () => {
    it("is asked if nobody listens at the first one, and is then asked first", async () => {
        await using alive = await serve(() => version);
        using client = clientOf([await deadUrl(), alive.url]);
        assert.equal(await client.version(), "v8.5.4");
        assert.equal(client.calls, 2);
        await client.version();
        assert.equal(client.calls, 3);
    });

    it("is asked if the first one does not answer in time", async () => {
        await using silent = await serve(() => "hang");
        await using alive = await serve(() => version);
        using client = clientOf([silent.url, alive.url]);
        const begun = Date.now();
        assert.equal(await client.version(), "v8.5.4");
        assert.ok(Date.now() - begun < 1500);
    });

    it("is asked after each silent one, in twice the time of one, and the last one has time to answer", async () => {
        await using first = await serve(() => "hang");
        await using second = await serve(() => "hang");
        await using third = await serve(() => "hang");
        using client = clientOf([first.url, second.url, third.url], { timeoutMilliseconds: 400 });
        const begun = Date.now();
        const error = await errorOf(() => client.version());
        assert.ok(Date.now() - begun < 1000, `took ${Date.now() - begun} ms`);
        assert.deepEqual(
            error.attempts.map(({ endpoint, problem }) => `${endpoint.slice(0, 4)}: ${problem}`),
            ["pd-0: no answer within 400 ms", ...shared(error.attempts.slice(1), 200)],
        );
    });

    for (const [name, answer] of Object.entries({ redirectFailed, noLeaderFound })) {
        it(`is asked if the first one has no leader: ${name}`, async () => {
            await using lost = await serve(() => answer);
            await using leader = await serve(() => version);
            using client = clientOf([lost.url, leader.url]);
            assert.equal(await client.version(), "v8.5.4");
            assert.equal(lost.received.length, 1);
        });
    }

    it("is the one that a redirect points to", async () => {
        await using other = await serve(() => version);
        await using leader = await serve(() => version);
        const headers = { location: `${leader.url}/pd/api/v1/version` };
        await using follower = await serve(() => ({ status: 307, headers }));
        using client = clientOf([follower.url, other.url, leader.url]);
        assert.equal(await client.version(), "v8.5.4");
        assert.deepEqual(
            [follower, other, leader].map(({ received }) => received.length),
            [1, 0, 1],
        );
    });

    it("is the leader once members() named it", async () => {
        const member = (index: number) =>
            `{"name":"pd-${index}","member_id":${index},"peer_urls":[],"client_urls":["http://pd-${index}:2379"]}`;
        const members = { status: 200, body: `{"members":[${member(0)},${member(1)}],"leader":${member(1)}}` };
        await using follower = await serve(() => members);
        await using leader = await serve(() => version);
        using client = clientOf([follower.url, leader.url]);
        await client.members();
        await client.version();
        assert.deepEqual([follower.received.length, leader.received.length], [1, 1]);
    });

    it("is not asked for something that PD refused", async () => {
        await using one = await serve(() => ({ status: 500, body: '"no valid pd to transfer etcd leader"' }));
        await using other = await serve(() => done);
        using client = clientOf([one.url, other.url]);
        const error = await errorOf(() => client.transferLeader("pd-7"));
        assert.equal(error.code, "PD_REFUSED");
        assert.equal(error.status, 500);
        repeats(error.message, "pd-7", "no valid pd to transfer etcd leader");
        assert.equal(other.received.length, 0);
    });

    it("is asked once, and the question is repeated once; then the error names every member", async () => {
        await using one = await serve(() => redirectFailed);
        await using two = await serve(() => redirectFailed);
        await using three = await serve(() => redirectFailed);
        using client = clientOf([one.url, two.url, three.url]);
        const error = await errorOf(() => client.stores());
        assert.equal(error.code, "PD_NO_LEADER");
        assert.equal(error.call, "list the stores (GET /pd/api/v1/stores)");
        assert.equal(client.calls, 4);
        assert.deepEqual(
            error.attempts.map(({ endpoint }) => endpoint),
            [`pd-0 (${one.url})`, `pd-1 (${two.url})`, `pd-2 (${three.url})`, `pd-0 (${one.url})`],
        );
        for (const name of ["pd-0", "pd-1", "pd-2", "redirect failed", "more than half"]) {
            assert.ok(error.message.includes(name), `${error.message} says ${name}`);
        }
    });

    it("may lead when a question is repeated", async () => {
        let asked = 0;
        await using member = await serve(() => (asked++ === 0 ? noLeaderFound : version));
        using client = clientOf([member.url]);
        assert.equal(await client.version(), "v8.5.4");
    });

    it("is not found if nobody listens, which is reported as unreachable without a retry", async () => {
        using client = clientOf([await deadUrl(), await deadUrl()]);
        const error = await errorOf(() => client.version());
        assert.equal(error.code, "PD_UNREACHABLE");
        assert.equal(client.calls, 2);
        repeats(error.message, "pd-0", "pd-1", "ECONNREFUSED");
    });

    it("is not asked by memberReady, because only the member itself knows", async () => {
        await using other = await serve(() => ({ status: 200 }));
        using client = clientOf([other.url, await deadUrl()]);
        assert.equal((await errorOf(() => client.memberReady("pd-1"))).code, "PD_UNREACHABLE");
        assert.equal(other.received.length, 0);
        assert.equal(await client.memberReady("pd-0"), true);
        assert.equal(other.received[0].path, "/pd/api/v2/ready");
        repeats((await errorOf(() => client.memberReady("pd-9"))).message, "pd-9", "pd-0", "pd-1");
    });
});
