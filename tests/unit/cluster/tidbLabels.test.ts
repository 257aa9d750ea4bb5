import * as assert from "node:assert/strict";
import type { PodAnswer } from "../../../provider/cluster/podCalls";
import { TidbLabels } from "../../../provider/cluster/tidbLabels";
import { allowed, podCallsOf } from "../../support/cluster/podCallsOf";
import { observed } from "../../support/lifecycle/observations";

const id = { namespace: "here", cluster: "basic", instance: "basic", domain: undefined };
const pods = observed("tidb", {}).observation.members.tidb?.pods ?? [];
const host = (pod: string, namespace = "here") => `${pod}.basic-tidb-peer.${namespace}.svc`;
const list = (...servers: object[]): PodAnswer => ({
    status: 200,
    text: JSON.stringify({ all_servers_info: Object.fromEntries(servers.map((one, index) => [`id-${index}`, one])) }),
});

/** Servers that answer in turn; an Error is no answer. */
function servers(...answers: (PodAnswer | Error)[]) {
    const asked: string[] = [];
    const labels = new TidbLabels(
        podCallsOf(({ name }, { method = "GET", path, body }) => {
            asked.push([name, method, path, ...(body ? [JSON.stringify(body)] : [])].join(" "));
            const answer = answers.shift() ?? new Error("does not answer");
            return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        }),
        () => 0,
        id,
    );
    return { labels, asked };
}

describe("the labels of TiDB's servers", () => {
    it("are those of the cluster's own servers, as the first one says that answers", async () => {
        const version = "8.0.11-TiDB-v8.5.3";
        const { labels, asked } = servers(
            new Error("does not answer: reset"),
            list(
                { ip: host("basic-tidb-0"), version, labels: { zone: "a" } },
                { ip: host("basic-tidb-1"), version, labels: null },
                { ip: host("basic-tidb-0", "there"), version, labels: { zone: "x" } },
            ),
        );
        const read = await labels.read(pods);
        assert.deepEqual(read.known && read.value, [
            { podName: "basic-tidb-0", version, labels: { zone: "a" } },
            { podName: "basic-tidb-1", version, labels: {} },
        ]);
        assert.deepEqual(asked, ["basic-tidb-0 GET /info/all", "basic-tidb-1 GET /info/all"]);
    });

    it("are those of the process that runs: TiDB lists one that was killed for ten minutes more", async () => {
        const version = "8.0.11-TiDB-v8.5.3";
        const process = (start_timestamp: number | undefined, labels: object) => ({
            ip: host("basic-tidb-0"),
            version,
            start_timestamp,
            labels,
        });
        const labelsIn = async (...listed: object[]) => {
            const read = await servers(list(...listed)).labels.read(pods);
            return read.known && read.value.map(({ labels }) => labels);
        };
        const [killed, running] = [process(1_700_000_000, {}), process(1_700_000_060, { zone: "a" })];
        assert.deepEqual(await labelsIn(killed, running), [{ zone: "a" }]);
        assert.deepEqual(await labelsIn(running, killed), [{ zone: "a" }]);
        assert.deepEqual(await labelsIn(process(undefined, {}), process(undefined, { zone: "a" })), [], "not known");
    });

    it("are not known without an answer that lists servers", async () => {
        const why = async (...answers: (PodAnswer | Error)[]) => {
            const read = await servers(...answers).labels.read(pods.slice(0, 1));
            return read.known ? "known" : read.why;
        };
        assert.equal(await why(new Error("does not answer: reset")), "basic-tidb-0 does not answer: reset");
        assert.equal(
            await why({ status: 404, text: "404 page not found" }),
            "basic-tidb-0 answers 404: 404 page not found",
        );
        assert.equal(await why({ status: 200, text: "{}" }), "basic-tidb-0 answers 200: {}");
        const none = await servers().labels.read([]);
        assert.equal(none.known ? "" : none.why, "no TiDB pod is Ready");
    });

    it("are added to; a refusal is an error", async () => {
        const { labels, asked } = servers({ status: 200, text: "{}" }, { status: 500, text: "no etcd" });
        await labels.set({ name: "basic-tidb-0", uid: "a" }, { zone: "a" }, allowed);
        assert.deepEqual(asked, ['basic-tidb-0 POST /labels {"zone":"a"}']);
        await assert.rejects(
            labels.set({ name: "basic-tidb-0", uid: "a" }, { zone: "a" }, allowed),
            /TiDB in basic-tidb-0 answered POST \/labels with 500: no etcd/,
        );
    });

    it("are not set where nothing may be changed any more", async () => {
        const { labels, asked } = servers({ status: 200, text: "{}" });
        const refuse = () => {
            throw new Error("another run has the lock");
        };
        await assert.rejects(labels.set({ name: "basic-tidb-0", uid: "a" }, { zone: "a" }, refuse), /another run/);
        assert.deepEqual(asked, []);
    });
});
