import * as assert from "node:assert/strict";
import type { PodAnswer } from "../../../provider/cluster/podCalls";
import { TidbUpgrade } from "../../../provider/cluster/tidbUpgrade";
import { observed } from "../../support/lifecycle/observations";

const [normal, upgrading] = [
    '"The cluster state is normal.""success!"',
    '{"servers_num":2,"owner_id":"a","upgraded_percent":50,"all_servers_diff_info":[{"version":"8.0.11-TiDB-v8.5.2","ip":"x-tidb-0"},{"version":"8.0.11-TiDB-v8.5.3","ip":"y-tidb-0"}]}"success!"',
];

/** Servers that answer in turn; an Error is no answer. */
function servers(...answers: (PodAnswer | Error)[]) {
    const asked: string[] = [];
    const upgrade = new TidbUpgrade(
        {
            keepOnly: () => undefined,
            call: ({ name }, { method, path }) => {
                asked.push(`${name} ${method} ${path}`);
                const answer = answers.shift() ?? new Error("does not answer");
                return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
            },
        },
        () => 0,
    );
    return { upgrade, asked };
}
const ok = (text: string): PodAnswer => ({ status: 200, text });
const pods = observed("tidb", {}).observation.members.tidb?.pods ?? [];

describe("TiDB's state of being upgraded", () => {
    it("is what the first server says that answers", async () => {
        for (const [text, state] of [
            [normal, "normal"],
            [upgrading, "upgrading"],
        ] as const) {
            const { upgrade, asked } = servers(new Error("does not answer: reset"), ok(text));
            const read = await upgrade.read(pods);
            assert.deepEqual(read.known && [read.value.state, read.value.pod], [state, "basic-tidb-1"]);
            assert.deepEqual(asked, ["basic-tidb-0 POST /upgrade/show", "basic-tidb-1 POST /upgrade/show"]);
        }
    });

    it("comes with how many of all servers on the PD run the latest version, and which have several", async () => {
        const shown = async (text: string) => {
            const read = await servers(ok(text)).upgrade.read(pods.slice(0, 1));
            return read.known ? read.value.servers : read.why;
        };
        const list = ["x-tidb-0 (8.0.11-TiDB-v8.5.2)", "y-tidb-0 (8.0.11-TiDB-v8.5.3)"];
        assert.deepEqual(await shown(upgrading), { count: 2, percent: 50, list });
        const all =
            '{"servers_num":3,"owner_id":"a","upgraded_percent":100,"is_all_server_version_consistent":true}"success!"';
        assert.deepEqual(await shown(all), { count: 3, percent: 100, list: [] });
        assert.match(String(await shown('{"upgraded_percent":"100"}"success!"')), /^basic-tidb-0 answers 200/);
        assert.match(String(await shown('{"upgraded_percent":100')), /^basic-tidb-0 answers 200/);
    });

    it("is not known from any other answer, and not without a Ready server", async () => {
        for (const answer of [ok(""), ok('"success!"'), { status: 404, text: "404" }, { status: 500, text: normal }]) {
            const read = await servers(answer, answer).upgrade.read(pods);
            assert.equal(read.known, false, answer.text);
        }
        const none = await servers().upgrade.read(pods.map((pod) => ({ ...pod, ready: false })));
        assert.deepEqual(none, { known: false, why: "no TiDB pod is Ready" });
    });

    it("is changed through the server that was asked, and a refusal is an error with its words", async () => {
        const { upgrade, asked } = servers(ok('"success!"'), ok('"success!"'), { status: 400, text: "no owner\n" });
        await upgrade.start({ name: "basic-tidb-0", uid: "0" });
        await upgrade.finish({ name: "basic-tidb-0", uid: "0" });
        assert.deepEqual(asked, ["basic-tidb-0 POST /upgrade/start", "basic-tidb-0 POST /upgrade/finish"]);
        await assert.rejects(
            upgrade.start({ name: "basic-tidb-0", uid: "0" }),
            /POST \/upgrade\/start with 400: no owner$/,
        );
    });
});
