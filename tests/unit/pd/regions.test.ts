import * as assert from "node:assert/strict";
import { parsePlacementRules } from "../../../provider/pd/placementRules";
import { parseRegionCount, parseRegions } from "../../../provider/pd/regions";

/** As PD 8.5.4 writes them, without what is not read. */
const region = (fields: object = {}) => ({
    id: 10,
    peers: [
        { id: 11, store_id: 1, role_name: "Voter" },
        { id: 12, store_id: 2, role: 1, role_name: "Learner", is_learner: true },
        { id: 13, store_id: 3, role: 2, role_name: "IncomingVoter" },
        { id: 14, store_id: 4, role: 3, role_name: "DemotingVoter" },
    ],
    leader: { id: 11, store_id: 1, role_name: "Voter" },
    ...fields,
});
const read = (...regions: unknown[]) => parseRegions(JSON.stringify({ count: regions.length, regions }));

describe("PD's regions", () => {
    it("distinguish peers that vote from peers that do not", () => {
        const [{ id, peers }] = read(region());
        assert.equal(id, 10);
        assert.deepEqual(
            peers.map(({ peerId, storeId, role }) => [peerId, storeId, role]),
            [
                [11, 1, "voter"],
                [12, 2, "learner"],
                [13, 3, "incoming"],
                [14, 4, "demoting"],
            ],
        );
    });

    it("say which peers are behind, as their leader reports it", () => {
        const [{ peers }] = read(
            region({
                pending_peers: [{ id: 13, store_id: 3, role_name: "Voter" }],
                down_peers: [{ down_seconds: 400, peer: { id: 12, store_id: 2 } }],
            }),
        );
        assert.deepEqual(
            peers.map(({ isPending }) => isPending),
            [false, false, true, false],
        );
        assert.deepEqual(
            peers.map(({ isDown }) => isDown),
            [false, true, false, false],
        );
    });

    it("say which voters are witnesses", () => {
        const [first, ...others] = region().peers;
        const [{ peers }] = read(region({ peers: [{ ...first, is_witness: true }, ...others] }));
        assert.deepEqual(
            peers.map(({ isWitness }) => isWitness),
            [true, undefined, undefined, undefined],
        );
    });

    it("have their keys and their size, if PD gives them", () => {
        const [whole, bare] = read(region({ start_key: "", end_key: "7480", approximate_size: 96 }), region());
        assert.deepEqual([whole.startKey, whole.endKey, whole.approximateMebibytes], ["", "7480", 96]);
        assert.deepEqual(Object.keys(bare), ["id", "peers"]);
        assert.throws(() => read(region({ start_key: 7 })), /regions\[0\]\.start_key is 7, expected text/);
    });

    it("are an empty list if PD says so", () => {
        assert.deepEqual(read(), []);
        assert.deepEqual(parseRegions('{"count":0,"regions":null}'), []);
    });

    it("are an error if a list was cut off or a region came without its peers", () => {
        assert.throws(() => parseRegions(JSON.stringify({ count: 2, regions: [region()] })), /2 regions, as its count/);
        assert.throws(() => parseRegions('{"count":1,"regions":null}'), /1 regions, as its count/);
        assert.throws(() => parseRegions('{"regions":[]}'), /count is nothing/);
        assert.throws(() => read(region({ peers: [] })), /regions\[0\]\.peers is \[\], expected at least one peer/);
        assert.throws(() => read(region({ peers: undefined })), /regions\[0\]\.peers is nothing, expected a list/);
    });

    it("are an error if a peer's role is unknown", () => {
        const peers = [{ id: 1, store_id: 1, role: 4 }];
        assert.throws(
            () => read(region({ peers })),
            /regions\[0\]\.peers\[0\]\.role is 4, expected a role from 0 to 3/,
        );
    });

    it("are counted with or without a list", () => {
        assert.equal(parseRegionCount('{"count":2,"regions":[{},{}]}'), 2);
        assert.equal(parseRegionCount('{"count":0,"regions":null}'), 0);
    });
});

describe("PD's placement rules", () => {
    const rule = (fields: object = {}) => ({ group_id: "pd", id: "default", role: "voter", count: 3, ...fields });
    const parse = (...rules: unknown[]) => parsePlacementRules(JSON.stringify(rules));

    it("say how many peers a key range has, and on which stores", () => {
        const constraints = [{ key: "engine", op: "in" as const, values: ["tiflash"] }];
        const tiflash = {
            group_id: "tiflash",
            id: "table-72-r",
            role: "learner",
            count: 2,
            start_key: "7480",
            end_key: "7481",
            label_constraints: constraints,
        };
        assert.deepEqual(parse(rule({ label_constraints: null }), tiflash), [
            { group: "pd", id: "default", role: "voter", count: 3, constraints: [], startKey: "", endKey: "" },
            {
                group: "tiflash",
                id: "table-72-r",
                role: "learner",
                count: 2,
                constraints,
                startKey: "7480",
                endKey: "7481",
            },
        ]);
        assert.deepEqual(parse(rule({ label_constraints: [{ key: "zone", op: "exists" }] }))[0].constraints, [
            { key: "zone", op: "exists", values: [] },
        ]);
    });

    it("may isolate: then they have the location labels down to that level", () => {
        const labels = (fields: object) => parse(rule(fields))[0].isolationLabels;
        assert.deepEqual(labels({ location_labels: ["zone", "host"], isolation_level: "zone" }), ["zone"]);
        assert.deepEqual(labels({ location_labels: ["zone", "host"], isolation_level: "host" }), ["zone", "host"]);
        assert.equal(labels({ location_labels: ["zone", "host"] }), undefined);
        assert.equal(labels({ location_labels: null, isolation_level: "zone" }), undefined);
        assert.throws(() => labels({ isolation_level: 1 }), /\[0\]\.isolation_level is 1/);
    });

    it("are an error if a role, a count or a condition is unknown", () => {
        assert.throws(() => parse(rule({ role: "witness" })), /\[0\]\.role is "witness", expected voter, leader/);
        assert.throws(() => parse(rule({ count: "2" })), /\[0\]\.count is "2", expected a whole number/);
        const odd = [{ key: "zone", op: "near" }];
        assert.throws(() => parse(rule({ label_constraints: odd })), /label_constraints\[0\]\.op is "near"/);
    });
});
