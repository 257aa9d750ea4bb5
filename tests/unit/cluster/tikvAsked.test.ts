import * as assert from "node:assert/strict";
import type { PodAnswer, PodRequest } from "../../../provider/cluster/podCalls";
import { heartbeatsIn, leadersIn } from "../../../provider/cluster/tikvPages";
import { TikvStatus } from "../../../provider/cluster/tikvStatus";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";

const config = (region: string, store = "10s") =>
    JSON.stringify({
        raftstore: { "pd-heartbeat-tick-interval": region, "pd-store-heartbeat-tick-interval": store },
    });
const runningSince = (startedAt: number) => known({ is: "running", startedAt } as const, "the API server", 0);
const pod = (ordinal: number, more: Partial<ObservedPod> = {}): ObservedPod => ({
    name: `basic-tikv-${ordinal}`,
    ordinal,
    uid: `uid-${ordinal}`,
    resourceVersion: "1",
    revision: "new",
    ready: true,
    container: runningSince(1),
    createdAt: 0,
    terminating: false,
    ...more,
});

describe("TiKV's pods, asked one after the other", () => {
    let time: number;
    let answers: Record<string, PodAnswer | Error>;
    let asked: string[];
    let kept: string[];
    let status: TikvStatus;
    beforeEach(() => {
        [time, answers, asked, kept] = [1_000, {}, [], []];
        const call = ({ name }: { name: string }, { path }: PodRequest) => {
            asked.push(`${name} ${path}`);
            const answer = answers[name] ?? { status: 200, text: config("1m") };
            return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        };
        const keepOnly = (pods: readonly { name: string }[]) => kept.push(pods.map(({ name }) => name).join(" "));
        status = new TikvStatus({ call, keepOnly }, () => time);
    });
    const whyOf = async (pods: ObservedPod[]) => {
        const fact = await status.heartbeats(pods, false);
        return fact.known ? "known" : fact.why;
    };

    it("are asked at their own pages", async () => {
        await status.ownLeaders(["basic-tikv-0"], [pod(0)]);
        await status.heartbeats([pod(0)], false);
        assert.deepEqual(asked, ["basic-tikv-0 /metrics", "basic-tikv-0 /config"]);
    });

    it("are not asked once one of their revision has answered", async () => {
        await status.heartbeats([pod(0), pod(1), pod(2)], false);
        assert.deepEqual(asked, ["basic-tikv-0 /config"]);
    });

    it("are asked, at most two of a revision, if the first is silent", async () => {
        answers = { "basic-tikv-0": new Error("does not answer") };
        const fact = await status.heartbeats([pod(0), pod(1), pod(2)], false);
        assert.deepEqual([fact.known, asked], [true, ["basic-tikv-0 /config", "basic-tikv-1 /config"]]);
        asked = [];
        answers["basic-tikv-1"] = new Error("does not answer either");
        time += 60_000;
        assert.equal(await whyOf([pod(0), pod(1), pod(2)]), "basic-tikv-0 does not answer");
        assert.deepEqual(asked, ["basic-tikv-1 /config", "basic-tikv-0 /config"]);
    });

    it("are asked again, if one has answered before, over the connection that is open", async () => {
        await status.heartbeats([pod(1)], false);
        time += 60_000;
        await status.heartbeats([pod(0), pod(1), pod(2)], false);
        assert.deepEqual(asked, ["basic-tikv-1 /config", "basic-tikv-1 /config"]);
    });

    it("give the reason why nothing is known: all that are not Ready, and each revision's own reason", async () => {
        const [starts, goes] = [pod(0, { ready: false }), pod(1, { terminating: true })];
        assert.equal(await whyOf([starts, goes]), "none of basic-tikv-0, basic-tikv-1 is Ready");
        answers = { "basic-tikv-2": { status: 500, text: config("1m") } };
        assert.equal(
            await whyOf([starts, pod(2, { revision: "old" })]),
            "none of basic-tikv-0 is Ready; basic-tikv-2 answers 500 to /config, without how often it reports to PD",
        );
        answers["basic-tikv-2"] = { status: 200, text: "<html>" };
        assert.ok(String(await whyOf([pod(2)])).includes("basic-tikv-2 answers 200 to /config"));
    });

    it("are believed as of the oldest answer, which may be a minute old", async () => {
        const old = pod(1, { revision: "old" });
        await status.heartbeats([pod(0)], false);
        time += 30_000;
        assert.deepEqual(await status.heartbeats([pod(0), old], false), {
            known: true,
            value: { region: 60_000, store: 10_000 },
            from: "TiKV",
            at: 1_000,
        });
        time += 10_000;
        const fact = await status.heartbeats([old, pod(2, { ready: false, revision: "third" })], false);
        assert.deepEqual(fact.known && [fact.from, fact.at], ["TiKV", 31_000]);
    });

    it("are forgotten once they are gone, and one that stays is not asked again", async () => {
        await status.heartbeats([pod(0)], false);
        await status.heartbeats([pod(1)], false);
        status.keepOnly([pod(0)]);
        await status.heartbeats([pod(0)], false);
        await status.heartbeats([pod(1)], false);
        assert.deepEqual(asked, ["basic-tikv-0 /config", "basic-tikv-1 /config", "basic-tikv-1 /config"]);
        assert.deepEqual(kept, ["basic-tikv-0"]);
    });

    it("are distinguished from their predecessors by the start of their process; one with an unknown start is another", async () => {
        for (const container of [
            runningSince(1),
            runningSince(2),
            notKnown("its node does not say"),
            known({ is: "stopped" } as const, "node a", 0),
            runningSince(1),
        ]) {
            await status.heartbeats([pod(0, { container })], false);
        }
        assert.equal(asked.length, 3, "two that run, and one of which that is not known");
    });
});

describe("the leaders on TiKV's page", () => {
    const line = (text: string) => leadersIn(`# HELP tikv_raftstore_region_count\n${text}\n`);
    for (const [name, text, leaders] of [
        ["a gauge with a longer name that ends the same", 'my_tikv_raftstore_region_count{type="leader"} 7', undefined],
        ["more than one space", 'tikv_raftstore_region_count{type="leader"}   7', 7],
        ["spaces between labels", 'tikv_raftstore_region_count{a="b", type="leader" ,c="d"} 7', 7],
        ["a label with a longer name that ends the same", 'tikv_raftstore_region_count{subtype="leader"} 7', undefined],
        ["a value that begins the same", 'tikv_raftstore_region_count{type="leader"x} 7', undefined],
        ["a count below zero", 'tikv_raftstore_region_count{type="leader"} -1', undefined],
        ["a fraction", 'tikv_raftstore_region_count{type="leader"} 0.5', undefined],
        ["no end", 'tikv_raftstore_region_count{type="leader"} +Inf', undefined],
    ] as const) {
        it(`are ${leaders ?? "unknown"} with ${name}`, () => assert.equal(line(text), leaders));
    }
});

describe("how often TiKV reports, by its configuration", () => {
    for (const [text, milliseconds] of [
        ["1.25m", 75_000],
        ["1d", 86_400_000],
        ["1h30m", 5_400_000],
        ["2500us", 2.5],
        ["about 1m", undefined],
        ["1m or so", undefined],
        ["1m30", undefined],
        ["", undefined],
        [["1m"], undefined],
        [60, undefined],
        [null, undefined],
    ] as const) {
        it(`${JSON.stringify(text)}: ${milliseconds ?? "unknown"}`, () => {
            assert.equal(heartbeatsIn(config(text as string))?.region, milliseconds);
        });
    }

    it("is unknown if one of the two values is missing, or the page is not a configuration", () => {
        for (const text of [config("1m", "soon"), config("soon"), '{"raftstore":null}', "null", "7", "not json"]) {
            assert.equal(heartbeatsIn(text), undefined, text);
        }
    });
});
