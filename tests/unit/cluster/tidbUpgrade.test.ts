import * as assert from "node:assert/strict";
import type { PodAnswer } from "../../../provider/cluster/podCalls";
import { TidbUpgrade } from "../../../provider/cluster/tidbUpgrade";
import { allowed, podCallsOf } from "../../support/cluster/podCallsOf";
import { observed } from "../../support/lifecycle/observations";
import { repeats } from "../../support/repeats";

const [normal, upgrading] = [
    '"The cluster state is normal.""success!"',
    '{"servers_num":2,"owner_id":"a","upgraded_percent":50,"all_servers_diff_info":[{"version":"8.0.11-TiDB-v8.5.2","ip":"x-tidb-0"},{"version":"8.0.11-TiDB-v8.5.3","ip":"y-tidb-0"}]}"success!"',
];
/** The answer of `/info/all`. */
const infos = (...ips: string[]) =>
    ok(
        JSON.stringify({
            servers_num: ips.length,
            all_servers_info: Object.fromEntries(
                ips.map((ip, index) => [`id-${index}`, { version: "8.0.11-TiDB-v8.5.2", ip, listening_port: 4000 }]),
            ),
        }),
    );

/** Servers that answer in turn; an Error is no answer. */
function servers(...answers: (PodAnswer | Error)[]) {
    const asked: string[] = [];
    const upgrade = new TidbUpgrade(
        podCallsOf(({ name }, { method = "GET", path }) => {
            asked.push(`${name} ${method} ${path}`);
            const answer = answers.shift() ?? new Error("does not answer");
            return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        }),
        () => 0,
        { namespace: "here", cluster: "basic", instance: "basic", domain },
    );
    return { upgrade, asked };
}
const ok = (text: string): PodAnswer => ({ status: 200, text });
const domain = "cluster.one";
const pods = observed("tidb", {}).observation.members.tidb?.pods ?? [];

describe("TiDB's state of being upgraded", () => {
    it("is what the first server says that answers", async () => {
        for (const [text, state, ...more] of [
            [normal, "normal"],
            [upgrading, "upgrading", "basic-tidb-1 GET /info/all"],
        ] as const) {
            const { upgrade, asked } = servers(new Error("does not answer: reset"), ok(text), infos("x-tidb-0"));
            const read = await upgrade.read(pods);
            assert.deepEqual(read.known && [read.value.state, read.value.pod], [state, "basic-tidb-1"]);
            assert.deepEqual(asked, ["basic-tidb-0 POST /upgrade/show", "basic-tidb-1 POST /upgrade/show", ...more]);
        }
    });

    const shown = async (show: string, all: PodAnswer = infos("x-tidb-0")) => {
        const read = await servers(ok(show), all).upgrade.read(pods.slice(0, 1));
        return !read.known ? read.why : read.value.state === "upgrading" ? read.value.servers : read.value.state;
    };

    it("comes with how many percent of all servers on the PD run the latest version, as TiDB says it", async () => {
        const all =
            '{"servers_num":3,"owner_id":"a","upgraded_percent":100,"is_all_server_version_consistent":true}"success!"';
        const list = [{ address: "x-tidb-0", version: "8.0.11-TiDB-v8.5.2", isOurs: false }];
        assert.deepEqual(await shown(upgrading), { percent: 50, list });
        assert.deepEqual(await shown(all), { percent: 100, list });
        for (const odd of ['{"upgraded_percent":"100"}"success!"', '{"upgraded_percent":100']) {
            repeats((await shown(odd)) as string, "basic-tidb-0", "200");
        }
    });

    it("comes with which of the servers have the address of a pod of this cluster, also of one that is gone", async () => {
        const ours = async (ip: string) => {
            const found = await shown(upgrading, infos(ip));
            return typeof found === "string" ? found : found.list[0].isOurs;
        };
        for (const ip of [
            "basic-tidb-0.basic-tidb-peer.here.svc",
            "basic-tidb-7.basic-tidb-peer.here.svc",
            "basic-tidb-1.basic-tidb-peer.here.svc.cluster.one",
        ]) {
            assert.equal(await ours(ip), true, ip);
        }
        for (const ip of [
            "basic-tidb-0.basic-tidb-peer.elsewhere.svc",
            "basic-tidb-0.basic-tidb-peer.here.svc.cluster.two",
            "other-tidb-0.other-tidb-peer.here.svc",
            "basic-tidb-0",
            "10.0.0.1",
            "",
        ]) {
            assert.equal(await ours(ip), false, ip);
        }
    });

    it("is not known while the servers are not", async () => {
        for (const all of [ok("{}"), infos(), ok("not JSON"), { status: 500, text: infos("x-tidb-0").text }]) {
            repeats((await shown(upgrading, all)) as string, "basic-tidb-0");
        }
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
        await upgrade.start({ name: "basic-tidb-0", uid: "0" }, allowed);
        await upgrade.finish({ name: "basic-tidb-0", uid: "0" }, allowed);
        assert.deepEqual(asked, ["basic-tidb-0 POST /upgrade/start", "basic-tidb-0 POST /upgrade/finish"]);
        await assert.rejects(
            upgrade.start({ name: "basic-tidb-0", uid: "0" }, allowed),
            /POST \/upgrade\/start with 400: no owner$/,
        );
    });
});
