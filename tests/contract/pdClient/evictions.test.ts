import * as assert from "node:assert/strict";
import type { PdClient } from "../../../provider/pd";
import { serve, type Answer, type Received } from "../pd/server";
import { clientOf, done, errorOf } from "./clients";
import { answerEtcd, json } from "./playedEtcd";
import { repeats } from "../../support/repeats";

const loaded = ["balance-region-scheduler", "balance-leader-scheduler"];

/** A PD as far as evictions go, faults and all: what it lists, what it keeps in etcd, and its configuration. */
interface PlayedPd {
    schedulers: string[];
    listed: number[];
    kept: number[];
    configured: number[];
    gateway: boolean;
    /** What it does with a change. Default: what PD does that has loaded its schedulers. */
    change?: (method: string, store: number) => Answer | undefined;
}

function start(played: PlayedPd) {
    const ranges = (stores: readonly number[]) => ({
        "store-id-ranges": Object.fromEntries(stores.map((store) => [store, []])),
    });
    const notThere: Answer = { status: 404, body: "404 page not found\n", contentType: "text/plain" };
    const list = (stores: readonly number[]) => (stores.length > 0 ? json(200, ranges(stores)) : notThere);
    return serve((request): Answer => {
        const { method, path, body } = request;
        const store = Number(/\d+$/.exec(path)?.[0] ?? /"store_id":(\d+)/.exec(body)?.[1] ?? 0);
        if (path.startsWith("/v3/")) {
            const key = "/pd/9/scheduler_config/evict-leader-scheduler";
            const change = played.kept.length > 0 ? JSON.stringify(ranges(played.kept)) : undefined;
            const etcd = { revision: 9, keys: { [key]: [[5, change]] as const } };
            return (played.gateway ? answerEtcd(etcd, request) : undefined) ?? notThere;
        }
        if (method !== "GET") {
            const instead = played.change?.(method, store);
            if (instead) {
                return instead;
            }
            return method === "POST" ? begin(played, store) : end(played, store);
        }
        return path.endsWith("/cluster")
            ? json(200, { id: 9 })
            : path.endsWith("/list")
              ? list(played.listed)
              : path.endsWith("/config/schedule")
                ? json(200, { "schedulers-v2": played.configured.map(toConfigured) })
                : json(200, played.schedulers);
    });
}

const toConfigured = (store: number) => ({ type: "evict-leader", args: [String(store)], disable: false });

function begin(played: PlayedPd, store: number): Answer {
    played.configured = played.listed.length === 0 ? [...new Set([...played.configured, store])] : played.configured;
    played.kept = played.listed = [...new Set([...played.listed, store])];
    return done;
}

/** The configuration loses the first entry with the last store, whichever it is (tikv/pd server/config). */
function end(played: PlayedPd, store: number): Answer {
    if (!played.listed.includes(store)) {
        return { status: 404, body: "null" };
    }
    played.kept = played.listed = played.listed.filter((one) => one !== store);
    played.configured = played.listed.length === 0 ? played.configured.slice(1) : played.configured;
    return done;
}

function pd(change: Partial<PlayedPd> = {}): PlayedPd {
    return { schedulers: loaded, listed: [], kept: [], configured: [], gateway: true, ...change };
}

async function on<T>(played: PlayedPd, act: (client: PdClient, received: Received[]) => Promise<T>): Promise<T> {
    await using server = await start(played);
    using client = clientOf([server.url]);
    return await act(client, server.received);
}

const changesOf = (received: Received[]) =>
    received.filter(({ method, path }) => method !== "GET" && !path.startsWith("/v3/")).map(({ method }) => method);

describe("PD client: evictions that a guard forbids", () => {
    /** A guard that lets so many changes through, as a process that slept after that finds its lock too old. */
    const until = (changes: number) => {
        let seen = 0;
        return () => {
            if (++seen > changes) {
                throw new Error("the lock is old");
            }
        };
    };

    it("do not begin after the questions that come first", () =>
        on(pd(), async (client, received) => {
            await assert.rejects(client.guardedBy(until(0)).beginLeaderEviction(7), /the lock is old/);
            assert.deepEqual(changesOf(received), []);
            assert.ok(received.length > 0, "the questions are asked");
        }));
    it("do not end, because the eviction may be a successor's", () =>
        on(pd({ listed: [7], kept: [7] }), async (client, received) => {
            await assert.rejects(client.guardedBy(until(0)).endLeaderEviction(7), /the lock is old/);
            assert.deepEqual(changesOf(received), []);
        }));
    it("do not begin again while a leftover is cleared", () =>
        on(pd({ listed: [7], kept: [7], configured: [7, 7] }), async (client, received) => {
            await assert.rejects(client.guardedBy(until(1)).endLeaderEviction(7), /the lock is old/);
            assert.deepEqual(changesOf(received), ["DELETE"]);
        }));
    it("change if the guard allows it", () =>
        on(pd(), async (client) => {
            const guarded = client.guardedBy(until(2));
            await guarded.beginLeaderEviction(7);
            await guarded.endLeaderEviction(7);
            assert.equal(await client.evictedStores(), undefined);
        }));
});

describe("PD client: evictions", () => {
    for (const gateway of [true, false]) {
        const where = gateway ? "" : ", where etcd's gateway is off";
        it(`begin, are listed and end${where}`, () =>
            on(pd({ gateway }), async (client, received) => {
                assert.equal(await client.evictedStores(), undefined);
                await client.beginLeaderEviction(7);
                await client.beginLeaderEviction(3);
                assert.deepEqual(await client.evictedStores(), [3, 7]);
                assert.deepEqual(await client.persistedEvictions(), [3, 7]);
                await client.endLeaderEviction(7);
                await client.endLeaderEviction(3);
                await client.endLeaderEviction(3);
                assert.equal(await client.evictedStores(), undefined);
                assert.deepEqual(await client.persistedEvictions(), []);
                const sent = received.find(({ method, path }) => method === "POST" && path.endsWith("/schedulers"));
                assert.equal(sent?.body, '{"name":"evict-leader-scheduler","store_id":7}');
            }));
    }

    it("of others are not erased by one that begins before PD has loaded its schedulers", async () => {
        const cases = [
            { schedulers: [], kept: [3] },
            { schedulers: ["evict-leader-scheduler"], kept: [3] },
            { schedulers: ["evict-leader-scheduler"], kept: [3], gateway: false },
            { schedulers: [] },
        ];
        for (const notLoaded of cases) {
            await on(pd(notLoaded), async (client, received) => {
                assert.equal((await errorOf(() => client.beginLeaderEviction(7))).code, "PD_NOT_READY");
                assert.deepEqual(changesOf(received), []);
            });
        }
    });

    it("do not wait for PD if only a leftover of an old one is in PD's configuration", async () => {
        const played = pd({ configured: [5] });
        await on(played, (client) => client.beginLeaderEviction(7));
        assert.deepEqual(played.listed, [7]);
    });

    it("of others are not erased by a PD that lists its schedulers but has not loaded them", () =>
        on(pd({ listed: [], kept: [3] }), async (client, received) => {
            assert.equal((await errorOf(() => client.beginLeaderEviction(7))).code, "PD_NOT_READY");
            assert.equal((await errorOf(() => client.endLeaderEviction(3))).code, "PD_NOT_READY");
            assert.deepEqual(changesOf(received), []);
        }));

    it("do not come back after an end that PD called done before it loaded them", async () => {
        const played = pd({ schedulers: [], kept: [7], configured: [7] });
        await on(played, async (client, received) => {
            assert.equal((await errorOf(() => client.endLeaderEviction(7))).code, "PD_NOT_READY");
            assert.deepEqual(changesOf(received), []);
        });
    });

    it("that were lost when another one began are reported", async () => {
        const played = pd({ listed: [3], kept: [3], configured: [3] });
        played.change = (_, store) => {
            played.kept = played.listed = [store];
            return done;
        };
        const { message } = await on(played, (client) => errorOf(() => client.beginLeaderEviction(7)));
        repeats(message, "store 7", "store 3");
    });

    it("have begun only if the list has the store, whatever PD said", async () => {
        const said = await on(pd({ change: () => done }), (client) => errorOf(() => client.beginLeaderEviction(7)));
        repeats(said.message, "store 7");
    });

    it("that PD refuses to begin have begun if the list has the store, and are otherwise refused", async () => {
        const change = () => ({ status: 500, body: '"scheduler existed"' });
        const there = { change, listed: [7], kept: [7], configured: [7] };
        await on(pd(there), (client) => client.beginLeaderEviction(7));
        const refused = await on(pd({ change }), (client) => errorOf(() => client.beginLeaderEviction(7)));
        assert.equal(refused.code, "PD_REFUSED");
        const unknown = { status: 500, body: '"[PD:core:ErrStoreNotFound]store 7 not found"' };
        const error = await on(pd({ change: () => unknown }), (client) => errorOf(() => client.beginLeaderEviction(7)));
        assert.equal(error.code, "PD_NOT_FOUND");
    });

    it("are repeated on another member, however the first one failed", async () => {
        const played = pd();
        await using pdServer = await start(played);
        await using doubtful = await serve(() => "cut");
        using client = clientOf([doubtful.url, pdServer.url]);
        await client.beginLeaderEviction(7);
        assert.deepEqual(played.listed, [7]);
    });

    it("have ended only if the list says so, whatever PD said", async () => {
        for (const answer of [done, { status: 500, body: "null" }, { status: 404, body: "null" }]) {
            const played = pd({ listed: [7], kept: [7], configured: [7], change: () => answer });
            const { message } = await on(played, (client) => errorOf(() => client.endLeaderEviction(7)));
            repeats(message, "store 7");
        }
    });

    it("that began twice, once before PD loaded its schedulers, do not return at PD's next election", async () => {
        // As a real PD was seen: begun before it had loaded store 3's, whose entry the end of store 1's took away.
        const played = pd({ listed: [1], kept: [1], configured: [3, 1] });
        await on(played, (client) => client.endLeaderEviction(1));
        assert.deepEqual([played.listed, played.kept, played.configured], [[], [], []]);
    });

    it("of others are not erased by an end during which another leader takes over", async () => {
        const played = pd({ listed: [1, 3], kept: [1, 3], configured: [1] });
        played.change = (method) => {
            [played.schedulers, played.listed] = [[], []];
            assert.equal(method, "DELETE", "nothing is begun");
            return { status: 404, body: "null" };
        };
        const error = await on(played, (client) => errorOf(() => client.endLeaderEviction(1)));
        assert.equal(error.code, "PD_NOT_READY");
        assert.deepEqual(played.kept, [1, 3]);
    });

    it("that PD keeps for its next leader come from etcd, or else from its configuration", async () => {
        const persisted = (played: PlayedPd) => on(played, (client) => client.persistedEvictions());
        assert.deepEqual(await persisted(pd({ kept: [9, 10, 2], configured: [1] })), [2, 9, 10]);
        assert.deepEqual(await persisted(pd({ configured: [4, 1, 4] })), [1, 4]);
    });

    it("that PD keeps are unknown without etcd until PD has loaded them", async () => {
        const played = pd({ gateway: false, schedulers: [] });
        assert.equal((await on(played, (client) => errorOf(() => client.persistedEvictions()))).code, "PD_NOT_READY");
    });
});
