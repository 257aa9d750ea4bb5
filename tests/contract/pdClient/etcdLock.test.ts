import * as assert from "node:assert/strict";
import type { PdClient, PdError } from "../../../provider/pd";
import { serve, type Answer, type Received } from "../pd/server";
import { clientOf, errorOf } from "./clients";
import { gatewayError, json } from "./playedEtcd";
import { repeats } from "../../support/repeats";

const header = { cluster_id: "9650620939426766469", member_id: "16324755047494634589", revision: "57", raft_term: "2" };
const noLease = gatewayError(404, 5, "etcdserver: requested lease not found");
const key = "/pulumi-tidb/lock";

/** As etcd's gateway in PD 8.5.4 writes a key. */
const held = (value: string, lease: string) => ({
    key: btoa(key),
    create_revision: "57",
    mod_revision: "57",
    version: "1",
    value: Buffer.from(value).toString("base64"),
    lease,
});
const there = (value: string, lease: string) => ({
    header,
    responses: [{ response_range: { header: { revision: "57" }, kvs: [held(value, lease)], count: "1" } }],
});

async function on<T>(answer: Answer, act: (client: PdClient, received: Received[]) => Promise<T>): Promise<T> {
    await using pd = await serve(() => answer);
    using client = clientOf([pd.url]);
    return await act(client, pd.received);
}

describe("the lock in PD's etcd", () => {
    it("is written only if nobody holds it, and disappears with its lease", () =>
        on(json(200, { header, succeeded: true, responses: [{ response_put: {} }] }), async (client, received) => {
            assert.deepEqual(await client.putIfAbsent(key, "ä", "5502732444520718630"), { held: true });
            assert.equal(received[0].path, "/v3/kv/txn");
            assert.deepEqual(JSON.parse(received[0].body), {
                compare: [{ key: btoa(key), target: "CREATE", result: "EQUAL", create_revision: "0" }],
                success: [{ request_put: { key: btoa(key), value: "w6Q=", lease: "5502732444520718630" } }],
                failure: [{ request_range: { key: btoa(key) } }],
            });
        }));

    it("has one holder, whom a second run learns", () =>
        on(json(200, there('{"holder":"ä"}', "77")), async (client) => {
            const taken = { held: false, value: '{"holder":"ä"}', leaseId: "77" };
            assert.deepEqual(await client.putIfAbsent(key, "mine", "78"), taken);
            // An answer that got lost: the call is repeated, and finds its own key.
            assert.deepEqual(await client.putIfAbsent(key, "mine", "77"), { held: true });
        }));

    it("is not held if the answer says neither yes nor who holds it", async () => {
        for (const answer of [{ header }, { header, responses: [{ response_range: { header } }] }]) {
            const error = await on(json(200, answer), (client) => errorOf(() => client.putIfAbsent(key, "mine", "77")));
            assert.equal(error.code, "PD_BAD_ANSWER");
        }
    });

    it("is neither held nor kept by a lease that has ended", async () => {
        const error = await on(noLease, (client) => errorOf(() => client.putIfAbsent(key, "mine", "77")));
        assert.equal(error.code, "PD_NOT_FOUND");
        repeats(error.message, "lease 77", "requested lease not found");
        const kept = (result: object) => on(json(200, { result }), (client) => client.keepLeaseAlive("77"));
        assert.equal(await kept({ header, ID: "77", TTL: "15" }), true);
        assert.equal(await kept({ header, ID: "77" }), false);
        await assert.rejects(kept({ header, ID: "78", TTL: "15" }), /result\.ID is "78", expected 77/);
    });

    it("has leases that can be created and ended twice", async () => {
        const lease = { header, ID: "5502732444520718389", TTL: "15" };
        await on(json(200, lease), async (client, received) => {
            assert.equal(await client.grantLease(15), "5502732444520718389");
            assert.deepEqual(
                received.map(({ path, body }) => `${path} ${body}`),
                ['/v3/lease/grant {"TTL":"15"}'],
            );
        });
        await on(json(200, { header }), (client) => client.revokeLease("77"));
        await on(noLease, (client) => client.revokeLease("77"));
    });

    it("is read as free or with its holder", async () => {
        assert.equal(await on(json(200, { header }), (client) => client.readKey(key)), undefined);
        const range = { header, kvs: [held("mine", "77")], count: "1" };
        assert.deepEqual(await on(json(200, range), (client) => client.readKey(key)), { value: "mine", leaseId: "77" });
    });

    it("cannot be kept if PD does not serve its etcd over HTTP, which the error says", async () => {
        const off: Answer = { status: 404, body: "404 page not found\n", contentType: "text/plain" };
        const calls: ((client: PdClient) => Promise<unknown>)[] = [
            (client) => client.grantLease(15),
            (client) => client.keepLeaseAlive("77"),
            (client) => client.revokeLease("77"),
            (client) => client.putIfAbsent(key, "mine", "77"),
            (client) => client.readKey(key),
            (client) => client.pumps(),
        ];
        for (const call of calls) {
            const error: PdError = await on(off, (client) => errorOf(() => call(client)));
            assert.equal(error.code, "PD_NO_GATEWAY");
            repeats(error.message, "enable-grpc-gateway");
        }
    });
});
