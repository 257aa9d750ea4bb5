import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { parse, stringify } from "lossless-json";
import { decodeWire, encodeWire } from "../../../provider/pd/json";
import {
    parseByteSize,
    parseClusterId,
    parseEvictedStores,
    parseMark,
    parseMembers,
    parsePumps,
    parseReplication,
    parseStore,
} from "../../../provider/pd/parse";
import { anyCharacter } from "../../support/plainValues";

describe("PD's JSON", () => {
    it("keeps every digit of a 64-bit integer", () => {
        assert.equal(parseClusterId('{"id":18446744073709551615}'), "18446744073709551615");
        assert.equal(parseClusterId('{"id":9007199254740993}'), "9007199254740993");
        assert.equal(parseClusterId('{"id":0}'), "0");
        fc.assert(
            fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (id) => {
                assert.equal(parseClusterId(`{"id":${id}}`), String(id));
            }),
        );
    });

    it("is refused if an id does not have 64 bits", () => {
        for (const id of ["18446744073709551616", "-1", "1.5", '"7"', "null"]) {
            assert.throws(() => parseClusterId(`{"id":${id}}`), /id is .*expected an unsigned 64-bit number/);
        }
    });

    it("is written as it was read", () => {
        fc.assert(
            fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
                const text = JSON.stringify(value);
                assert.deepEqual(JSON.parse(encodeWire(decodeWire(text))), JSON.parse(text));
            }),
        );
        assert.equal(encodeWire({ member_id: 12889598287873352826n }), '{"member_id":12889598287873352826}');
    });
});

describe("PD's indented JSON, which the engine's parser reads", () => {
    /** Every number as the library reads it, without the engine's parser. */
    const lossless = (text: string) =>
        parse(text, undefined, (digits) =>
            /^-?\d+$/.test(digits) && !Number.isSafeInteger(Number(digits)) ? BigInt(digits) : Number(digits),
        );
    const isRead = (text: string) => assert.deepEqual(decodeWire(text), lossless(text));

    it("has the same values as the library reads, in each form", () => {
        const long = fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n });
        const text = fc.string({
            unit: fc.constantFrom("1234567890", "9", "-", ".", ",", "\n", '"', "\\", " ", "\ue000"),
        });
        const leaf = fc.oneof(long, text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null));
        const { value } = fc.letrec((tie) => ({
            value: fc.oneof(
                leaf,
                fc.array(tie("value")),
                fc.dictionary(fc.constantFrom("a", "1234567890123456789"), tie("value")),
            ),
        }));
        fc.assert(
            fc.property(value, fc.constantFrom(undefined, 2), (made, indent) =>
                isRead(stringify(made, undefined, indent)!),
            ),
        );
    });

    for (const [title, text] of [
        ["a long number at the end of a line", '{\n  "id": 1795262459950122941,\n  "next": 1795262459950122942\r\n}'],
        ["a long number within a line", '{"id": 1795262459950122941, "a": [1795262459950122941]\n}'],
        [
            "a text that ends in many digits",
            '{\n  "name": "node 1795262459950122941",\n  "of": "1795262459950122941"\n}',
        ],
        ["a fraction with many digits", '{\n  "score": 0.1234567890123456789,\n  "of": 12345678901234567890.5\n}'],
        ["a power of ten", '{\n  "score": 1e21,\n  "of": 1795262459950122941e3\n}'],
        ["a negative number", '{\n  "id": -1795262459950122941\n}'],
        ["a text with the mark", '{\n  "id": "\ue0001795262459950122941",\n  "of": 1795262459950122941\n}'],
        ["an escaped mark", '{\n  "id": "\\ue0001795262459950122941"\n}'],
    ]) {
        it(`keeps ${title}`, () => isRead(text));
    }
});

describe("PD's answers", () => {
    const store = (fields: object, status: object = {}) =>
        parseStore(JSON.stringify({ store: { id: 1, address: "a:20160", state_name: "Up", ...fields }, status }));

    it("is new, not Down, before its first heartbeat, and Down if it sent one", () => {
        const down = (status: object) => store({ state_name: "Down" }, status).state;
        assert.equal(down({ last_heartbeat_ts: "1970-01-01T00:00:00Z" }), "New");
        assert.equal(down({}), "New");
        assert.equal(down({ last_heartbeat_ts: "2026-01-31T12:00:00Z" }), "Down");
        assert.equal(store({ state_name: "Offline" }, {}).state, "Offline");
        assert.equal(store({}, { capacity: "0B", available: "0B" }).capacityBytes, undefined);
    });
    it("have no heartbeat and counts of zero for a store that never reported", () => {
        assert.deepEqual(store({}), {
            id: 1,
            address: "a:20160",
            state: "Up",
            labels: {},
            version: undefined,
            leaderCount: 0,
            regionCount: 0,
            lastHeartbeat: undefined,
            capacityBytes: undefined,
            availableBytes: undefined,
            usedBytes: undefined,
            pendingPeerCount: 0,
            startedAt: undefined,
        });
        assert.equal(store({}, { last_heartbeat_ts: "1970-01-01T00:00:00Z" }).lastHeartbeat, undefined);
        assert.equal(store({}, { last_heartbeat_ts: "0001-01-01T00:00:00Z" }).lastHeartbeat, undefined);
    });

    it("may contain a store label without a value, and count pending peers", () => {
        assert.deepEqual(store({ labels: [{ key: "zone" }] }).labels, { zone: "" });
        assert.equal(store({}, { pending_peer_count: 3 }).pendingPeerCount, 3);
    });

    it("give the start time of a store's process, or none if it is missing", () => {
        assert.deepEqual(store({ start_timestamp: 1795262140 }).startedAt, new Date("2026-11-21T11:55:40Z"));
        assert.equal(store({ start_timestamp: 0 }).startedAt, undefined);
    });

    it("with an invalid field end in an error with the field, what was found and what was expected", () => {
        assert.throws(() => store({ id: "1" }), /store\.id is "1", expected a whole number/);
        assert.throws(() => store({}, { leader_count: -1 }), /status\.leader_count is -1, expected a whole number/);
        assert.throws(() => store({ state_name: 0 }), /store\.state_name is 0, expected text/);
        assert.throws(() => store({}, { last_heartbeat_ts: "now" }), /last_heartbeat_ts is "now", expected a time/);
        assert.throws(() => parseStore("[]"), /store is \[\], expected an object/);
    });

    it("give sizes in bytes", () => {
        const sizes = { "0B": 0, "512B": 512, "1KiB": 1024, "1.5MiB": 1572864, "1TiB": 1099511627776 };
        for (const [text, bytes] of Object.entries(sizes)) {
            assert.equal(parseByteSize(text, "capacity"), bytes, text);
        }
        for (const text of ["", "1", "GiB", "1 GiB", "1GB", "-1B"]) {
            assert.throws(() => parseByteSize(text, "capacity"), /capacity is .*expected a size/, text);
        }
    });

    it("have location labels as a list, which may be empty", () => {
        const labels = (text: string) =>
            parseReplication(
                JSON.stringify({ "max-replicas": 3, "location-labels": text, "enable-placement-rules": "false" }),
            );
        assert.deepEqual(labels("").locationLabels, []);
        assert.deepEqual(labels("zone, rack,host").locationLabels, ["zone", "rack", "host"]);
        assert.equal(labels("").enablePlacementRules, false);
    });

    it("have the labels down to the isolation level", () => {
        const labels = (level?: string, locations = "region,zone,host") =>
            parseReplication(
                JSON.stringify({
                    "max-replicas": 3,
                    "location-labels": locations,
                    "isolation-level": level,
                    "enable-placement-rules": "true",
                }),
            ).isolationLabels;
        assert.deepEqual(labels("zone"), ["region", "zone"]);
        assert.deepEqual(labels("rack"), ["region"], "PD takes an unknown one for the first");
        assert.equal(labels(""), undefined);
        assert.equal(labels(), undefined);
        assert.equal(labels("zone", ""), undefined);
    });

    it("list evicted stores in the order of their ids", () => {
        assert.deepEqual(parseEvictedStores('{"store-id-ranges":{"10":[],"9":[],"1":[]},"batch":3}'), [1, 9, 10]);
        assert.throws(() => parseEvictedStores('{"store-id-ranges":{"x":[]}}'), /store-id-ranges is "x"/);
    });

    it("have no leader if it is missing, null or without a name", () => {
        for (const leader of ["", ',"leader":null', ',"leader":{"name":"","member_id":0}']) {
            assert.equal(parseMembers(`{"members":[]${leader}}`).leader, undefined);
        }
    });

    it("have no name and no addresses for a member that joined and never started", () => {
        const [member] = parseMembers('{"members":[{"member_id":5,"peer_urls":["http://a:2380"]}]}').members;
        assert.deepEqual(member, { name: "", memberId: "5", peerUrls: ["http://a:2380"], clientUrls: [] });
    });

    it("list pumps from a key range of PD's etcd, as a real PD 8.5.4 writes it", () => {
        const header =
            '"header":{"cluster_id":"18126410644363892606","member_id":"4776639847118839820","revision":"12"}';
        const value = "eyJub2RlSWQiOiJhOjgyNTAiLCJob3N0IjoiYS5iOjgyNTAiLCJzdGF0ZSI6Im9ubGluZSJ9";
        const kvs = `"kvs":[{"key":"L3RpZGItYmlubG9nL3YxL3B1bXBzL2E6ODI1MA==","version":"1","value":"${value}"}]`;
        assert.deepEqual(parsePumps(`{${header},${kvs},"count":"1"}`), [
            { nodeId: "a:8250", host: "a.b:8250", state: "online" },
        ]);
        assert.deepEqual(parsePumps(`{${header}}`), []);
    });
});

describe("PD's mark", () => {
    it("is read as PD writes it, and nothing else counts as cleared", () => {
        assert.equal(parseMark('{\n  "marked": true\n}'), true);
        assert.equal(parseMark('{\n  "marked": false\n}'), false);
        for (const body of ["{}", "null", '{"marked": null}', '{"marked": 0}', "[]", '"marked"']) {
            assert.throws(() => parseMark(body), /expected/, body);
        }
    });
});
