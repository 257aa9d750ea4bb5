import * as assert from "node:assert/strict";
import type { PodAnswer, PodRequest } from "../../../provider/cluster/podCalls";
import { heartbeatsIn, leadersIn } from "../../../provider/cluster/tikvPages";
import { TikvStatus } from "../../../provider/cluster/tikvStatus";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import { repeats } from "../../support/repeats";

const metrics = (line: string) => `# TYPE tikv_raftstore_region_count gauge\n${line}\ntikv_other{type="leader"} 9\n`;
const config = (region: string, store = "10s") =>
    JSON.stringify({
        raftstore: { "pd-heartbeat-tick-interval": region, "pd-store-heartbeat-tick-interval": store },
    });
const ok = (text: string): PodAnswer => ({ status: 200, text });

function pod(ordinal: number, more: Partial<ObservedPod> = {}): ObservedPod {
    return {
        name: `basic-tikv-${ordinal}`,
        ordinal,
        uid: `uid-${ordinal}`,
        resourceVersion: "1",
        revision: "new",
        ready: true,
        container: known({ is: "running", startedAt: 1 }, "the API server", 0),
        createdAt: 0,
        terminating: false,
        ...more,
    };
}

describe("the leaders that a TiKV reports itself", () => {
    const lines: [title: string, text: string, leaders: number | undefined][] = [
        ["come from its gauge", metrics('tikv_raftstore_region_count{type="leader"} 500'), 500],
        ["are 0 if the gauge is 0", metrics('tikv_raftstore_region_count{type="leader"} 0'), 0],
        ["do not include all its regions", metrics('tikv_raftstore_region_count{type="region"} 1500'), undefined],
        ["are unknown, not 0, without the line", metrics(""), undefined],
        ["are unknown for an empty page", "", undefined],
        [
            "are unknown if the value is not a count",
            metrics('tikv_raftstore_region_count{type="leader"} NaN'),
            undefined,
        ],
        ["are found among other labels", metrics('tikv_raftstore_region_count{a="b",type="leader",c="d"} 7'), 7],
        [
            "are not found in another label's value",
            metrics('tikv_raftstore_region_count{x="type=leader"} 7'),
            undefined,
        ],
    ];
    for (const [title, text, leaders] of lines) {
        it(title, () => assert.equal(leadersIn(text), leaders));
    }
});

describe("how often a TiKV reports", () => {
    const rows: [region: string, milliseconds: number | undefined][] = [
        ["1m", 60_000],
        ["10s", 10_000],
        ["500ms", 500],
        ["1h", 3_600_000],
        ["1m30s", 90_000],
        ["1.5s", 1_500],
        ["2", undefined],
        ["0s", undefined],
        ["often", undefined],
    ];
    for (const [region, milliseconds] of rows) {
        it(`${region}: ${milliseconds ?? "unknown"}`, () =>
            assert.equal(heartbeatsIn(config(region))?.region, milliseconds));
    }
    it("is unknown if it answers with something else", () => {
        for (const text of ["", "<html>", "null", "{}", '{"raftstore":{"pd-heartbeat-tick-interval":"1m"}}']) {
            assert.equal(heartbeatsIn(text), undefined, text);
        }
    });
});

describe("TiKV's own status, read through the API server", () => {
    let time = 0;
    let answers: Record<string, PodAnswer | Error>;
    let asked: string[];
    let status: TikvStatus;
    beforeEach(() => {
        [answers, asked] = [{}, []];
        const call = ({ name }: { name: string }, { path }: PodRequest) => {
            asked.push(`${name} ${path}`);
            const answer = answers[name] ?? ok(config("1m"));
            return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        };
        status = new TikvStatus({ call, keepOnly: () => undefined }, () => time);
    });
    const value = async (pods: ObservedPod[], hasForeign = false) => {
        const fact = await status.heartbeats(pods, hasForeign);
        return fact.known ? fact.value : fact.why;
    };

    it("gives the leaders of the requested pods, or why they are unknown", async () => {
        answers["basic-tikv-0"] = ok(metrics('tikv_raftstore_region_count{type="leader"} 0'));
        answers["basic-tikv-1"] = new Error("does not answer: timeout of 3000ms exceeded");
        answers["basic-tikv-2"] = { status: 503, text: "" };
        answers["basic-tikv-3"] = ok("");
        time = 7;
        const names = [0, 1, 2, 3, 4].map((one) => `basic-tikv-${one}`);
        const seen = await status.ownLeaders(names, [pod(0), pod(1), pod(2), pod(3)]);
        assert.deepEqual(seen["basic-tikv-0"], { known: true, value: 0, from: "basic-tikv-0", at: 7 });
        const why = names.slice(1).map((name) => (seen[name].known ? "known" : seen[name].why));
        repeats(why[0], "basic-tikv-1", "timeout of 3000ms");
        assert.equal(why[1], "basic-tikv-2 answers 503 to /metrics");
        repeats(why[2], "basic-tikv-3", "tikv_raftstore_region_count");
        assert.equal(why[3], "there is no pod basic-tikv-4 to ask");
    });

    it("gives the longest interval of all revisions", async () => {
        answers["basic-tikv-1"] = ok(config("2m", "5s"));
        const pods = [pod(0), pod(1, { revision: "old" })];
        assert.deepEqual(await value(pods), { region: 120_000, store: 10_000 });
        assert.equal(asked.length, 2);
    });

    it("gives at least TiKV's defaults if a revision cannot be asked, or other clusters' stores share PD", async () => {
        answers["basic-tikv-0"] = ok(config("2s", "500ms"));
        assert.deepEqual(await value([pod(0)]), { region: 2_000, store: 500 });
        assert.deepEqual(await value([pod(0)], true), { region: 60_000, store: 10_000 });
        const notReady = pod(1, { revision: "old", ready: false });
        assert.deepEqual(await value([pod(0), notReady]), { region: 60_000, store: 10_000 });
    });

    it("says why nothing is known if no pod answers", async () => {
        answers["basic-tikv-0"] = new Error("does not answer");
        assert.equal(await value([pod(0)]), "basic-tikv-0 does not answer");
        assert.equal(await value([pod(0, { ready: false })]), "none of basic-tikv-0 is Ready");
        assert.equal(await value([]), "there is no pod of TiKV to ask");
    });

    it("is asked of each process once a minute, and again after a restart, which may change the configuration", async () => {
        await value([pod(0)]);
        await value([pod(0)]);
        assert.equal(asked.length, 1);
        await value([pod(0, { container: known({ is: "running", startedAt: 2 }, "the API server", 0) })]);
        assert.equal(asked.length, 2);
        time += 60_000;
        await value([pod(0)]);
        assert.equal(asked.length, 3);
    });

    it("is not asked of a process that has just started while another one of its revision answered a moment ago", async () => {
        await value([pod(0), pod(1)]);
        answers["basic-tikv-0"] = new Error("does not answer");
        const restarted = pod(0, { uid: "uid-9" });
        await value([pod(0), pod(1)]);
        assert.deepEqual(asked, ["basic-tikv-0 /config"]);
        await value([restarted, pod(1)]);
        assert.deepEqual(asked.slice(1), ["basic-tikv-0 /config", "basic-tikv-1 /config"]);
        await value([restarted, pod(1)]);
        assert.equal(asked.length, 3);
    });
});
