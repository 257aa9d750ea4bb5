import * as assert from "node:assert/strict";
import { PodCalls, type PodEndpoint, type PodRequest } from "../../../provider/cluster/podCalls";
import { PodStatusPages, troubleOf } from "../../../provider/cluster/podStatus";
import { notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedMember, ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import type { Component } from "../../../topology/members";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const pod = (component: Component, ordinal: number, more: Partial<ObservedPod> = {}): ObservedPod => ({
    name: `basic-${component}-${ordinal}`,
    ordinal,
    uid: `${component}-${ordinal}`,
    resourceVersion: "1",
    ready: true,
    container: notAsked,
    createdAt: 0,
    terminating: false,
    ...more,
});
const member = (component: Component, ...pods: ObservedPod[]): ObservedMember => ({ component, pods, claims: [] });

describe("pods that report their own health", () => {
    const real = { call: PodCalls.prototype.call, keepOnly: PodCalls.prototype.keepOnly };
    let asked: string[];
    let kept: string[];
    let ways: Set<PodCalls>;
    let answers: Record<string, number | Error>;
    let texts: string[];
    beforeEach(() => {
        [asked, kept, ways, answers, texts] = [[], [], new Set(), {}, []];
        PodCalls.prototype.call = function ({ name }, { path }: PodRequest) {
            const { port, service, isUnchecked } = (this as unknown as { endpoint: PodEndpoint }).endpoint;
            asked.push(`${name} ${service}:${port}${path}${isUnchecked ? " unchecked" : ""}`);
            ways.add(this);
            const answer = answers[name] ?? 200;
            return answer instanceof Error
                ? Promise.reject(answer)
                : Promise.resolve({ status: answer, text: texts[Number(name.at(-1))] ?? "Running" });
        };
        PodCalls.prototype.keepOnly = (pods) => kept.push(pods.map(({ name }) => name).join(" "));
    });
    afterEach(() => Object.assign(PodCalls.prototype, real));
    const pages = () => new PodStatusPages({} as never, id, undefined);

    it("are asked at their member's page, behind its own Service; TiDB's own certificate is not checked", async () => {
        const seen = await pages().ask([
            member("tidb", pod("tidb", 0), pod("tidb", 1)),
            member("tiflash", pod("tiflash", 0)),
            member("tiproxy", pod("tiproxy", 0)),
        ]);
        assert.deepEqual(asked, [
            "basic-tidb-0 basic-tidb-peer:10080/status",
            "basic-tidb-1 basic-tidb-peer:10080/status",
            "basic-tiflash-0 basic-tiflash-peer:20292/tiflash/store-status",
            "basic-tiproxy-0 basic-tiproxy-peer:3080/api/debug/health unchecked",
        ]);
        assert.deepEqual(seen, {
            "basic-tidb-0": { trouble: null },
            "basic-tidb-1": { trouble: null },
            "basic-tiflash-0": { trouble: null },
            "basic-tiproxy-0": { trouble: null },
        });
    });

    it("are in trouble if they say so, or if they do not answer", async () => {
        answers = { "basic-tidb-0": 500, "basic-tidb-1": new Error("does not answer: timeout") };
        const seen = await pages().ask([member("tidb", pod("tidb", 0), pod("tidb", 1), pod("tidb", 2))]);
        assert.deepEqual(seen, {
            "basic-tidb-0": { trouble: "answers 500" },
            "basic-tidb-1": { trouble: "does not answer: timeout" },
            "basic-tidb-2": { trouble: null },
        });
    });

    it("say the version of the server, as far as TiDB says its own beside MySQL's", async () => {
        const versions = ["8.0.11-TiDB-v8.5.4", "8.0.11-TiDB-v9.0.0-alpha-12-gabc", "5.7.25-ours", undefined];
        texts = versions.map((version) => JSON.stringify({ connections: 1, version, git_hash: "None" }));
        const seen = await pages().ask([member("tidb", ...texts.map((_, ordinal) => pod("tidb", ordinal)))]);
        assert.deepEqual(
            Object.values(seen).map(({ version }) => version),
            ["v8.5.4", "v9.0.0-alpha-12-gabc", undefined, undefined],
        );
    });

    it("are asked only if they are Ready and not being deleted", async () => {
        const [starts, goes] = [pod("tidb", 0, { ready: false }), pod("tidb", 1, { terminating: true })];
        assert.deepEqual(await pages().ask([member("tidb", starts, goes)]), {
            "basic-tidb-0": { trouble: "is not Ready" },
            "basic-tidb-1": { trouble: "is not Ready" },
        });
        assert.deepEqual(asked, []);
    });

    it("are not asked if their member has no such page", async () => {
        assert.deepEqual(await pages().ask([member("pd", pod("pd", 0))]), {});
        assert.deepEqual(asked, []);
    });

    it("are reached through one forward, which is closed when the pod is gone", async () => {
        const place = pages();
        await place.ask([member("tidb", pod("tidb", 0), pod("tidb", 1))]);
        await place.ask([member("tidb", pod("tidb", 0))]);
        assert.deepEqual([kept, ways.size], [["basic-tidb-0 basic-tidb-1", "basic-tidb-0"], 1]);
    });
});

describe("the answer of a status page", () => {
    const page = { port: 1, path: "/", says: "Running" };
    it("with status 400 is trouble, whatever it says", () => {
        assert.equal(troubleOf({ status: 400, text: "Running" }, page), "answers 400");
    });
    it("is quoted in a few words", () => {
        assert.equal(
            troubleOf({ status: 200, text: "x".repeat(1_000) }, page),
            `reports ${"x".repeat(40)}, not Running`,
        );
    });
});
