import * as assert from "node:assert/strict";
import { faithfulTimings } from "../../../sandbox/dataPlane";
import { patrolSeconds } from "../../../sandbox/dataPlane/facts/patrol";
import { isolationLevel } from "../../../sandbox/dataPlane/facts/isolation";
import { type AskedPd, askedPd, metric } from "../../support/pdQuestions";

const at = (zone?: string, host?: string) => ({ ...(zone ? { zone } : {}), ...(host ? { host } : {}) });
const labels = ["zone", "host"];

describe("the isolation of a region, as PD calls it", () => {
    const cases: [name: string, stores: Record<string, string>[], level: string][] = [
        ["each store is in another zone", [at("a", "1"), at("b", "2"), at("c", "3")], "zone"],
        ["zones tell them apart, whatever the hosts are called", [at("a", "1"), at("b", "1"), at("c", "1")], "zone"],
        ["two are in one zone, on two hosts", [at("a", "1"), at("a", "2"), at("c", "3")], "host"],
        ["two are on one host", [at("a", "1"), at("a", "1"), at("c", "3")], "none"],
        ["hosts of one name are in two zones", [at("a", "1"), at("a", "2"), at("b", "1")], "host"],
        ["nobody has labels", [at(), at(), at()], "none"],
        ["one store has none: it may be anywhere", [at("a", "1"), at("b", "2"), at()], "none"],
        ["only the hosts are known", [at("", "1"), at("", "2"), at("", "3")], "host"],
        ["a single store is alone", [at("a", "1")], "zone"],
    ];
    for (const [name, stores, level] of cases) {
        it(`${name}: ${level}`, () => assert.equal(isolationLevel(stores, labels), level));
    }
    it("is none without location labels", () => assert.equal(isolationLevel([at("a"), at("b")], []), "none"));
});

describe("the gauge of isolation of a simulated PD", () => {
    const level = (pd: AskedPd, label: string) => metric(pd, `pd_regions_label_level{type="${label}"}`);
    /** Six stores; the zones of the first to the last. */
    const open = (zones: string) => {
        const pd = askedPd({ stores: 6, regions: 3000, timings: { ...faithfulTimings } });
        pd.ask("POST", "/pd/api/v1/config", { "location-labels": "zone,host" });
        const ids = pd.cluster.stores().map(({ id }) => id);
        ids.forEach((id, index) =>
            pd.ask("POST", `/pd/api/v1/store/${id}/label`, { zone: zones[index], host: `h${id}` }),
        );
        pd.clock.advance(10_000);
        return pd;
    };
    it("counts all regions at the zone if each has its voters in three of them", () => {
        const pd = open("aabbcc");
        assert.deepEqual([level(pd, "zone"), level(pd, "host"), level(pd, "none")], [3000, undefined, undefined]);
    });
    it("counts those with two voters in one zone at the host", () => {
        const pd = open("ababcc");
        const [zone = 0, host = 0] = [level(pd, "zone"), level(pd, "host")];
        assert.ok(host > 0);
        assert.equal(zone + host, 3000);
    });
    it("comes with the time of one round of its checker: 10 ms for 128 regions, and 0 before the first one", () => {
        const seconds = (pd: AskedPd) => metric(pd, "pd_checker_patrol_regions_time");
        const pd = open("aabbcc");
        assert.equal(seconds(pd), 0.24);
        pd.lead("basic-pd-1");
        assert.equal(seconds(pd), 0);
        assert.deepEqual([1, 131_072, 300_000, 1_024_000].map(patrolSeconds), [0.01, 10.24, 10.28, 10.24]);
    });
    it("has no lines after an election, until PD's new leader has counted with its schedulers: 10 s, or a minute after a restart", () => {
        for (const [restarts, seconds] of [
            [false, 10],
            [true, 60],
        ] as const) {
            const pd = open("aabbcc");
            if (restarts) {
                pd.restart("basic-pd-1");
            }
            pd.lead("basic-pd-1");
            let waited = 0;
            for (; level(pd, "zone") === undefined && waited < 120; waited++) {
                pd.clock.advance(1_000);
            }
            assert.ok(Math.abs(waited - seconds) <= 1, `${waited} s, measured on a PD 8.5.4: ${seconds} s`);
            assert.equal(level(pd, "zone"), 3000, "a partial sum was never seen");
        }
    });
});
