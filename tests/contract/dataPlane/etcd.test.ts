import * as assert from "node:assert/strict";
import { createPdClient } from "../../../provider/pd";
import { manualClock, startPdSimulator } from "../../../sandbox/dataPlane";
import { type AskedPd, askedPd } from "../../support/pdQuestions";

const key = btoa("/pulumi-tidb/lock");
const lock = (lease: string, value: string): object => ({
    compare: [{ key, target: "CREATE", result: "EQUAL", create_revision: "0" }],
    success: [{ request_put: { key, value: btoa(value), lease } }],
    failure: [{ request_range: { key } }],
});
const grant = (pd: AskedPd, seconds: number): { ID: string; TTL: string } =>
    pd.json("POST", "/v3/lease/grant", { TTL: String(seconds) });
const read = (pd: AskedPd, name: string): { create_revision: string; value: string; lease?: string } | undefined =>
    pd.json<{ kvs?: [never] }>("POST", "/v3/kv/range", { key: btoa(name) }).kvs?.[0];

describe("the gateway of a simulated PD's etcd, compared with a real one", () => {
    it("writes a key once, and tells the second writer who has it", () => {
        const pd = askedPd();
        const mine = grant(pd, 15);
        assert.equal(pd.json<{ succeeded?: boolean }>("POST", "/v3/kv/txn", lock(mine.ID, "ana")).succeeded, true);
        const refused = pd.json<{
            succeeded?: boolean;
            responses: { response_range: { kvs: { value: string; lease: string }[] } }[];
        }>("POST", "/v3/kv/txn", lock(grant(pd, 15).ID, "ben"));
        assert.equal(refused.succeeded, undefined);
        const [held] = refused.responses[0].response_range.kvs;
        assert.deepEqual([atob(held.value), held.lease], ["ana", mine.ID]);
    });

    it("drops the keys of a lease that nobody keeps alive, and keeps the others", () => {
        const pd = askedPd();
        const { ID } = grant(pd, 15);
        pd.ask("POST", "/v3/kv/txn", lock(ID, "ana"));
        pd.clock.advance(14_000);
        const kept = pd.json<{ result: { TTL?: string } }>("POST", "/v3/lease/keepalive", { ID });
        assert.equal(kept.result.TTL, "15");
        pd.clock.advance(14_000);
        assert.ok(read(pd, "/pulumi-tidb/lock"));
        pd.clock.advance(2_000);
        assert.equal(read(pd, "/pulumi-tidb/lock"), undefined);
        const ended = pd.json<{ result: { ID: string; TTL?: string } }>("POST", "/v3/lease/keepalive", { ID });
        assert.deepEqual([ended.result.ID, ended.result.TTL], [ID, undefined]);
        assert.equal(pd.ask("POST", "/v3/kv/txn", lock(ID, "ana")).status, 404);
    });

    it("gives a lease its whole time again when the leader changes", () => {
        const pd = askedPd();
        pd.ask("POST", "/v3/kv/txn", lock(grant(pd, 15).ID, "ana"));
        pd.clock.advance(10_000);
        pd.lead("basic-pd-1");
        pd.clock.advance(10_000);
        assert.ok(read(pd, "/pulumi-tidb/lock"));
        pd.clock.advance(6_000);
        assert.equal(read(pd, "/pulumi-tidb/lock"), undefined);
    });

    it("ends a lease on demand, once, on either path", () => {
        const pd = askedPd();
        for (const path of ["/v3/lease/revoke", "/v3/kv/lease/revoke"]) {
            const { ID } = grant(pd, 15);
            pd.ask("POST", "/v3/kv/txn", lock(ID, "ana"));
            assert.equal(pd.ask("POST", path, { ID }).status, 200);
            assert.equal(read(pd, "/pulumi-tidb/lock"), undefined);
            const again = pd.ask("POST", path, { ID });
            assert.equal(again.status, 404);
            assert.match(again.body, /"code":5,"message":"etcdserver: requested lease not found"/);
        }
    });

    it("grants no lease below 5 s", () => assert.equal(grant(askedPd(), 1).TTL, "5"));

    it("has a new leader key for each leadership, even of the same member, and none without a leader", () => {
        const pd = askedPd();
        const leaderKey = `/pd/${pd.state.clusterId}/leader`;
        const terms = ["basic-pd-1", "basic-pd-0", "basic-pd-1"].map((member) => {
            pd.lead(member);
            const found = read(pd, leaderKey);
            assert.ok(atob(found!.value).includes(member));
            return found!.create_revision;
        });
        assert.equal(new Set(terms).size, 3);
        pd.cluster.stopPod("basic-pd-1");
        pd.clock.advance(20);
        assert.equal(read(pd, leaderKey), undefined);
        pd.clock.advance(1_000);
        assert.ok(read(pd, leaderKey));
    });

    it("forgets revisions after an hour, and does not know future ones", () => {
        const pd = askedPd({ ledForMilliseconds: 3_580_000 });
        const { create_revision: revision } = read(pd, `/pd/${pd.state.clusterId}/leader`)!;
        const at = (asked: string) => pd.ask("POST", "/v3/kv/range", { key, revision: asked });
        assert.equal(at(revision).status, 200);
        assert.match(at("9999999").body, /required revision is a future revision/);
        pd.clock.advance(60_000);
        assert.equal(at(revision).status, 400);
        assert.match(at(revision).body, /"etcdserver: mvcc: required revision has been compacted"/);
    });

    it("answers nothing without a quorum, or if a fault turns it off", () => {
        const pd = askedPd();
        pd.cluster.faults.etcdGatewayOff = true;
        assert.equal(pd.ask("POST", "/v3/kv/range", { key }).status, 404);
        pd.cluster.faults.etcdGatewayOff = false;
        pd.cluster.stopPod("basic-pd-1");
        pd.cluster.stopPod("basic-pd-2");
        assert.equal(pd.ask("POST", "/v3/kv/range", { key }).status, 503);
    });
});

describe("the age of a simulated PD's leadership, as PD's client reads it", () => {
    for (const [what, ledForMilliseconds, least, most] of [
        ["longer ago than etcd remembers", 7_200_000, 70_000, 7_200_000],
        ["a minute ago", 60_000, 50_000, 60_000],
    ] as const) {
        it(`is high if it was elected ${what}, and starts anew at the next election`, async () => {
            const clock = manualClock();
            await using simulator = await startPdSimulator({ clock, ledForMilliseconds });
            const client = createPdClient({ endpoints: simulator.endpoints });
            const before = await client.leadership();
            assert.equal(before.leader, "basic-pd-0");
            assert.ok(before.heldForMilliseconds! >= least, String(before.heldForMilliseconds));
            assert.ok(before.heldForMilliseconds! <= most, String(before.heldForMilliseconds));
            await client.transferLeader("basic-pd-1");
            clock.advance(1_000);
            const after = await client.leadership();
            assert.equal(after.leader, "basic-pd-1");
            assert.notEqual(after.term, before.term);
            assert.ok((after.heldForMilliseconds ?? 0) <= 1_000, String(after.heldForMilliseconds));
            clock.advance(20_000);
            const later = await client.leadership();
            assert.equal(later.term, after.term);
            assert.ok(later.heldForMilliseconds! > 15_000, String(later.heldForMilliseconds));
            client.close();
        });
    }
});
