import * as assert from "node:assert/strict";
import { faithfulTimings } from "../../../sandbox/dataPlane";
import { type AskedPd, askedPd } from "../../support/pdQuestions";

const open = (): AskedPd => askedPd({ stores: 6, timings: faithfulTimings });
const begin = (pd: AskedPd, store: number): number =>
    pd.ask("POST", "/pd/api/v1/schedulers", { name: "evict-leader-scheduler", store_id: store }).status;
const end = (pd: AskedPd, store: number): number =>
    pd.ask("DELETE", `/pd/api/v1/schedulers/evict-leader-scheduler-${store}`).status;
const listed = (pd: AskedPd): string[] | number => {
    const { status, body } = pd.ask("GET", "/pd/api/v1/scheduler-config/evict-leader-scheduler/list");
    return status === 200
        ? Object.keys((JSON.parse(body) as { "store-id-ranges": object })["store-id-ranges"])
        : status;
};
const kept = (pd: AskedPd): string[] => {
    const key = btoa(`/pd/${pd.state.clusterId}/scheduler_config/evict-leader-scheduler`);
    const { kvs } = pd.json<{ kvs?: { value: string }[] }>("POST", "/v3/kv/range", { key });
    return kvs === undefined
        ? []
        : Object.keys((JSON.parse(atob(kvs[0].value)) as { "store-id-ranges": object })["store-id-ranges"]);
};
const entries = (pd: AskedPd): (string[] | undefined)[] =>
    pd
        .json<{ "schedulers-v2": { type: string; args?: string[] }[] }>("GET", "/pd/api/v1/config/schedule")
        ["schedulers-v2"].filter(({ type }) => type === "evict-leader")
        .map(({ args }) => args);
/** A restarted member leads, and has not loaded its schedulers. */
const electBlind = (pd: AskedPd, member: string): void => {
    pd.restart(member);
    pd.lead(member);
};

describe("evictions of a simulated PD that has not loaded its schedulers, as in a real one", () => {
    it("are not listed, but come back within a minute", () => {
        const pd = open();
        begin(pd, 3);
        electBlind(pd, "basic-pd-1");
        assert.equal(listed(pd), 404);
        assert.deepEqual(kept(pd), ["3"]);
        pd.clock.advance(60_000);
        assert.deepEqual(listed(pd), ["3"]);
    });

    it("cannot be ended: the answer is 404 and the eviction comes back", () => {
        const pd = open();
        begin(pd, 3);
        electBlind(pd, "basic-pd-1");
        assert.equal(end(pd, 3), 404);
        pd.clock.advance(60_000);
        assert.deepEqual(listed(pd), ["3"]);
    });

    it("are erased when another one begins", () => {
        const pd = open();
        begin(pd, 3);
        electBlind(pd, "basic-pd-1");
        assert.equal(begin(pd, 1), 200);
        assert.deepEqual(kept(pd), ["1"]);
        pd.clock.advance(60_000);
        assert.deepEqual(listed(pd), ["1"], "store 3 is forgotten");
        assert.deepEqual(entries(pd), [["3"], ["1"]]);
    });

    it("return at the next change of leader even if they were ended and disappeared", () => {
        const pd = open();
        begin(pd, 3);
        electBlind(pd, "basic-pd-1");
        begin(pd, 1);
        pd.clock.advance(60_000);
        assert.equal(end(pd, 1), 200);
        assert.deepEqual([listed(pd), kept(pd), entries(pd)], [404, [], [["1"]]]);
        pd.lead("basic-pd-2");
        assert.deepEqual(listed(pd), ["1"]);
        assert.deepEqual(
            pd.cluster.events.filter(({ kind }) => kind === "eviction-loaded").map(({ storeId }) => storeId),
            [1],
        );
    });

    it("survive a change to a follower, and leave nothing behind once they are ended", () => {
        const pd = open();
        begin(pd, 1);
        begin(pd, 2);
        pd.lead("basic-pd-1");
        assert.deepEqual(listed(pd), ["1", "2"]);
        end(pd, 1);
        end(pd, 2);
        assert.deepEqual([listed(pd), kept(pd), entries(pd)], [404, [], []]);
        pd.lead("basic-pd-2");
        assert.equal(listed(pd), 404);
    });

    it("are alone in the list of schedulers, so a list that is not empty proves nothing", () => {
        const pd = open();
        electBlind(pd, "basic-pd-1");
        begin(pd, 1);
        assert.deepEqual(pd.json("GET", "/pd/api/v1/schedulers"), ["evict-leader-scheduler"]);
    });
});

describe("a store that a simulated PD keeps paused (tikv/pd#9185)", () => {
    it("gets no leader after its eviction has ended, until PD's leader changes", () => {
        const pd = askedPd({ faults: { stores: { "basic-tikv-0": { keepsPaused: true } } } });
        begin(pd, 1);
        pd.clock.advance(5_000);
        end(pd, 1);
        pd.clock.advance(60_000);
        assert.equal(pd.cluster.stores()[0].leaders, 0);
        pd.lead("basic-pd-1");
        pd.clock.advance(5_000);
        assert.equal(pd.cluster.stores()[0].leaders, 300);
    });
});
