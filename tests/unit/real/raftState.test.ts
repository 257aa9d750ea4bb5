import * as assert from "node:assert/strict";
import { type Answer, leadersByRaft, regionIds, roleIn, stopsOf } from "../../support/real/raftState";

const ok = (body: unknown): Answer => ({ status: 200, body: JSON.stringify(body) });
const inRegion = (id: number, raft_state: string) =>
    ok({ raft_status: { soft_state: { leader_id: 7, raft_state } }, region_state: { id } });
const none = (id: number): Answer => ({ status: 404, body: `region(${id}) not found` });

describe("the regions that PD lists", () => {
    it("are counted by their ids", () => {
        assert.deepEqual(regionIds(ok({ count: 2, regions: [{ id: 4 }, { id: 8 }] })), [4, 8]);
    });

    for (const [what, answer] of Object.entries({
        "an error": { status: 500, body: JSON.stringify({ count: 1, regions: [{ id: 4 }] }) },
        "no regions": ok({ count: 0, regions: [] }),
        "regions without a list": ok({ count: 2 }),
        "fewer than it counts": ok({ count: 2, regions: [{ id: 4 }] }),
        "regions without ids": ok({ count: 1, regions: [{ start_key: "" }] }),
        "no JSON": { status: 200, body: "not ready" },
    })) {
        it(`are not known if it answers with ${what}`, () => {
            assert.throws(() => regionIds(answer));
        });
    }
});

describe("what a TiKV is in a region", () => {
    it("is what its raft state says, and nothing where it has no peer of the region", () => {
        assert.equal(roleIn(4, inRegion(4, "Leader")), "Leader");
        assert.equal(roleIn(4, inRegion(4, "Follower")), "Follower");
        assert.equal(roleIn(4, none(4)), undefined);
    });

    for (const [what, answer] of Object.entries({
        "an error": { ...inRegion(4, "Follower"), status: 500 },
        "another region": inRegion(5, "Follower"),
        "that another region is not found": none(5),
        "that the path is not known": { status: 404, body: "path not found" },
        "no raft state": ok({ raft_status: {}, region_state: { id: 4 } }),
        "a state of another kind": inRegion(4, "Observer"),
        "no JSON": { status: 200, body: "" },
    })) {
        it(`is not known if it answers with ${what}`, () => {
            assert.throws(() => roleIn(4, answer));
        });
    }
});

describe("the leaders of a TiKV", () => {
    const states: Record<string, Answer> = {
        "pd/pd/api/v1/regions": ok({ count: 4, regions: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }] }),
        "tikv/region/1": inRegion(1, "Leader"),
        "tikv/region/2": inRegion(2, "Follower"),
        "tikv/region/3": none(3),
        "tikv/region/4": inRegion(4, "Leader"),
    };
    const answer =
        (answers: Record<string, Answer>) =>
        (url: string): Promise<Answer> =>
            Object.hasOwn(answers, url) ? Promise.resolve(answers[url]) : Promise.reject(new Error("ECONNREFUSED"));

    it("are counted among the regions that have a peer on it", async () => {
        assert.deepEqual(await leadersByRaft(answer(states), "pd", "tikv"), { leaders: 2, regions: 3 });
    });

    it("are not known if one question has no answer, whether PD's or TiKV's", async () => {
        for (const missing of Object.keys(states)) {
            const others = Object.fromEntries(Object.entries(states).filter(([url]) => url !== missing));
            await assert.rejects(leadersByRaft(answer(others), "pd", "tikv"), missing);
        }
    });
});

describe("what was seen when TiKVs were stopped", () => {
    it("belongs to the pod with the same UID, and is not known of any other", () => {
        const seen = [{ pod: "demo-tikv-0", uid: "a", leaders: 0, regions: 3 }];
        const gone = [
            { pod: "demo-tikv-0", uid: "a" },
            { pod: "demo-tikv-0", uid: "b" },
        ];
        assert.deepEqual(stopsOf(gone, seen), [seen[0], { pod: "demo-tikv-0", uid: "b", leaders: "not known" }]);
    });
});
