import * as assert from "node:assert/strict";
import { serve, type Answer, type TestServer } from "../pd/server";
import { clientOf, errorOf } from "./clients";
import { answerEtcd, gatewayError, type Change, type PlayedEtcd } from "./playedEtcd";

const noGateway: Answer = { status: 404, body: "404 page not found\n", contentType: "text/plain" };
const root = "/pd/7710592187901671373";

/** A time as PD saves it. */
function timestamp(seconds: number): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(Math.round(seconds * 1000)) * 1_000_000n);
    return bytes;
}
const clusterId = () => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(7710592187901671373n);
    return bytes;
};
const leaderKey = (name: string) => `\n${String.fromCharCode(name.length)}${name}\x10\x01`;

/** pd-1 leads from revision 100 on, and saves timestamps each 5 s; pd-0 did before, until revision 90. */
function etcd(change: Partial<PlayedEtcd> = {}, timestamps: readonly Change[] = []): PlayedEtcd {
    return {
        revision: 130,
        keys: {
            "/pd/cluster_id": [[2, clusterId()]],
            [`${root}/leader`]: [
                [10, leaderKey("pd-0")],
                [95, undefined],
                [100, leaderKey("pd-1")],
            ],
            [`${root}/timestamp`]: [
                [80, timestamp(1000)],
                [90, timestamp(1005)],
                [102, timestamp(1025)],
                [110, timestamp(1030)],
                [120, timestamp(1035)],
                ...timestamps,
            ],
        },
        ...change,
    };
}

async function read(played: PlayedEtcd) {
    await using pd = await serve((request) => answerEtcd(played, request) ?? { status: 501 });
    using client = clientOf([pd.url]);
    return await client.leadership();
}

describe("PD's leadership", () => {
    it("begins with the leader's own first timestamp, so the time without a leader does not count", async () => {
        assert.deepEqual(await read(etcd()), {
            leader: "pd-1",
            term: "100",
            heldForMilliseconds: 10_000,
            since: new Date(1_025_000),
        });
    });

    it("is a new one if the same member leads again", async () => {
        const keys = etcd().keys;
        const again = [...keys[`${root}/leader`], [121, undefined], [125, leaderKey("pd-1")]] as const;
        const { leader, term, heldForMilliseconds } = await read(
            etcd({ keys: { ...keys, [`${root}/leader`]: again } }),
        );
        assert.deepEqual([leader, term, heldForMilliseconds], ["pd-1", "125", undefined]);
    });

    it("is not an hour old because PD's clock was set forward by an hour", async () => {
        const { heldForMilliseconds } = await read(etcd({}, [[125, timestamp(1040 + 3600)]]));
        assert.equal(heldForMilliseconds, 15_000);
    });

    it("is not older than PD's clock says if PD saves timestamps more often (before 8.5.4)", async () => {
        const often = [1, 2, 3, 4].map((count): Change => [120 + count, timestamp(1035 + 3 * count)]);
        assert.equal((await read(etcd({}, often))).heldForMilliseconds, 22_000);
    });

    it("is as old as the oldest readable revision if it began before what etcd keeps", async () => {
        const saved = Array.from(
            { length: 1000 },
            (_, index) => [130 + 2 * index, timestamp(1040 + 5 * index)] as const,
        );
        const long = etcd({ revision: 2200, compacted: 1500 }, saved);
        const { term, heldForMilliseconds } = await read(long);
        // Revision 1944 was the first that could be read: timestamp 907 of 999.
        assert.deepEqual([term, heldForMilliseconds], ["100", 92 * 5000]);
    });

    it("has an unknown age if nobody has saved a timestamp", async () => {
        const { [`${root}/timestamp`]: timestamps, ...others } = etcd().keys;
        assert.deepEqual(await read(etcd({ keys: others })), { leader: "pd-1", term: "100" });
        const before = { ...others, [`${root}/timestamp`]: timestamps.slice(0, 2) };
        assert.deepEqual(await read(etcd({ keys: before })), { leader: "pd-1", term: "100" });
        await using pd = await serve((request) => answerEtcd(etcd({ keys: before }), request) ?? { status: 501 });
        using client = clientOf([pd.url]);
        await client.leadership();
        assert.equal(client.calls, 3, "the past is not searched for what is not there now");
    });

    it("is nobody's while there is no leader", async () => {
        assert.deepEqual(await read(etcd({ revision: 97 })), { leader: undefined, term: "none" });
        assert.deepEqual(await read(etcd({ keys: {} })), { leader: undefined, term: "none" });
    });

    it("asks two questions per observation, and asks only once for what cannot change", async () => {
        let played = etcd();
        await using pd = await serve((request) => answerEtcd(played, request) ?? { status: 501 });
        using client = clientOf([pd.url]);
        await client.leadership();
        const asked = client.calls;
        played = etcd({ revision: 140 }, [[135, timestamp(1040)]]);
        assert.equal((await client.leadership()).heldForMilliseconds, 15_000);
        assert.equal(client.calls - asked, 2);
        assert.deepEqual(await client.leadership("leader"), { leader: "pd-1", term: "100" });
        assert.equal(client.calls - asked, 3, "who leads alone is one question");
    });

    it("of another member is not as old as the one before it", async () => {
        let played = etcd();
        await using pd = await serve((request) => answerEtcd(played, request) ?? { status: 501 });
        using client = clientOf([pd.url]);
        assert.equal((await client.leadership()).heldForMilliseconds, 10_000);
        played = etcd({ revision: 160 }, [
            [145, timestamp(1050)],
            [150, timestamp(1055)],
        ]);
        played.keys[`${root}/leader`] = [[140, leaderKey("pd-2")]];
        assert.deepEqual(await client.leadership(), {
            leader: "pd-2",
            term: "140",
            heldForMilliseconds: 5000,
            since: new Date(1_050_000),
        });
    });

    it("is found again if PD was created anew at the same address", async () => {
        let played = etcd();
        await using pd = await serve((request) => answerEtcd(played, request) ?? { status: 501 });
        using client = clientOf([pd.url]);
        await client.leadership();
        const id = Buffer.alloc(8, 1);
        const other = `/pd/${id.readBigUInt64BE()}`;
        played = {
            revision: 20,
            keys: { "/pd/cluster_id": [[2, id]], [`${other}/leader`]: [[5, leaderKey("new-0")]] },
        };
        assert.deepEqual(await client.leadership(), { leader: "new-0", term: "5" });
    });

    it("has the leader's name if etcd's gateway is off", async () => {
        const member = { name: "pd-2", member_id: 7 };
        const members = { status: 200, body: JSON.stringify({ members: [member], leader: member }) };
        const ask = async (answer: Answer) => {
            await using pd = await serve(({ path }) => (path.startsWith("/v3/") ? noGateway : answer));
            using client = clientOf([pd.url]);
            return await client.leadership();
        };
        assert.deepEqual(await ask(members), { leader: "pd-2", term: "name:pd-2" });
        const noLeader = { status: 503, body: "[PD:apiutil:ErrRedirectNoLeader]redirect finds no leader\n" };
        assert.deepEqual(await ask(noLeader), { leader: undefined, term: "none" });
        assert.equal((await errorOf(() => ask("cut"))).code, "PD_UNREACHABLE", "nobody says that there is no leader");
    });

    it("is an error if etcd has no quorum or answers something that it never writes", async () => {
        const ask = async (answer: Answer) => {
            await using pd: TestServer = await serve(() => answer);
            using client = clientOf([pd.url]);
            return (await errorOf(() => client.leadership())).code;
        };
        assert.equal(await ask(gatewayError(503, 14, "etcdserver: request timed out")), "PD_UNREACHABLE");
        assert.equal(await ask({ status: 200, body: '{"kvs":[]}' }), "PD_BAD_ANSWER");
        const broken = etcd();
        broken.keys[`${root}/timestamp`] = [[110, "soon"]];
        await assert.rejects(read(broken), /PD's timestamp in etcd is "736f6f6e", expected 8 bytes/);
    });
});
