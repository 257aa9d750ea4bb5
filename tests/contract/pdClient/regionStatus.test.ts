import * as assert from "node:assert/strict";
import { serve, type TestServer } from "../pd/server";
import { clientOf, errorOf } from "./clients";
import { json } from "./playedEtcd";
import { repeats } from "../../support/repeats";

/** As PD 8.5.4 writes them, among thousands of other lines. */
const gauge = (missing: number) => `# HELP pd_regions_status Status of the regions.
# TYPE pd_regions_status gauge
pd_regions_status{type="down-peer-region-count"} 2
pd_regions_status{type="empty-region-count"} 7
pd_regions_status{type="miss-peer-region-count"} ${missing}
pd_regions_status{type="pending-peer-region-count"} 1.234567e+06
`;
const etcd = (leads: number) => `# TYPE etcd_server_is_leader gauge\netcd_server_is_leader ${leads}\n`;
const role = (leads: number) => `# TYPE service_member_role gauge\nservice_member_role{service="PD"} ${leads}\n`;

const members = (leader: string | undefined, urls: string[]) => {
    const all = urls.map((url, index) => ({ name: `pd-${index}`, member_id: index + 1, client_urls: [url] }));
    return json(200, { members: all, leader: all.find(({ name }) => name === leader) ?? null });
};

/** Two members, of which pd-1 leads. @param checked how many regions each check lists. */
async function ask(metrics: [string, string], name = "pd-1", checked: Record<string, number> = {}) {
    const urls: string[] = [];
    const answer = (own: string) => (own === "cut" ? own : { status: 200, body: own });
    const start = (own: string) =>
        serve(({ path }) => {
            const [, check] = /\/regions\/check\/(.*)$/.exec(path) ?? [];
            const listed = () => json(200, { count: checked[check], regions: Array(checked[check]).fill({}) });
            return check ? listed() : path === "/metrics" ? answer(own) : members(name, urls);
        });
    await using one: TestServer = await start(metrics[0]);
    await using other: TestServer = await start(metrics[1]);
    urls.push(one.url, other.url);
    using client = clientOf(urls);
    return await client.regionStatus();
}

describe("PD's gauge of regions", () => {
    it("comes from the leader, because a follower's zeros count nothing", async () => {
        const follower = gauge(0) + etcd(0);
        assert.deepEqual(await ask([follower, gauge(3) + etcd(1) + role(1)]), {
            missPeer: 3,
            downPeer: 2,
            pendingPeer: 1_234_567,
        });
    });

    it("is unknown if the address leads to a member that does not lead", async () => {
        assert.equal(await ask([gauge(0) + etcd(0), gauge(0) + etcd(0)]), undefined);
        assert.equal(await ask([gauge(0) + etcd(0), gauge(0) + etcd(1) + role(0)]), undefined);
        assert.equal(await ask([gauge(0) + etcd(0), gauge(0)]), undefined);
    });

    it("is asked only of the leader, and of nobody else if it does not answer", async () => {
        const error = await errorOf(() => ask([gauge(0) + etcd(1) + role(1), "cut"]));
        assert.equal(error.code, "PD_UNREACHABLE");
        repeats(error.message, "pd-1");
    });

    it("is known from a version that names only etcd's leader", async () => {
        assert.equal((await ask([gauge(0) + etcd(0), gauge(5) + etcd(1)]))?.missPeer, 5);
    });

    it("is unknown, not zero, if a line is missing", async () => {
        const lines = gauge(0).split("\n");
        for (const kind of ["down-peer", "miss-peer", "pending-peer"]) {
            const without = lines.filter((line) => !line.includes(kind)).join("\n");
            assert.equal(await ask(["", without + etcd(1) + role(1)]), undefined, kind);
        }
    });

    it("is counted from PD's lists where PD runs as microservices: its leader does not count, and shows zeros", async () => {
        // Measured on a PD 8.5.4 of services `api`, `tso` and `scheduling`: zeros for six minutes, with 50 regions in the list.
        const api = '# TYPE service_member_role gauge\nservice_member_role{service="API Service"} 1\n';
        const zeros = gauge(0).replace(/ [1-9]\S*$/gm, " 0");
        const counts = await ask(["", zeros + etcd(1) + api], "pd-1", {
            "miss-peer": 1,
            "down-peer": 0,
            "pending-peer": 50,
        });
        assert.deepEqual(counts, { missPeer: 1, downPeer: 0, pendingPeer: 50 });
        const error = await errorOf(() => ask(["", zeros + etcd(1) + api]));
        assert.equal(error.code, "PD_BAD_ANSWER", "without the lists nothing is known");
    });

    it("says how many regions are isolated at which location label, also those that it counts to 0", async () => {
        // As in the real answers of a PD 8.5.4 with 3,000 regions, of which 10 had two voters in one zone.
        const levels = `# HELP pd_regions_label_level Number of regions in the different label level.
# TYPE pd_regions_label_level gauge
pd_regions_label_level{type="host"} 10
pd_regions_label_level{type="none"} 0
pd_regions_label_level{type="zone"} 2990
`;
        const leads = etcd(1) + role(1);
        const isolation = { host: 10, none: 0, zone: 2990 };
        assert.deepEqual((await ask(["", levels + gauge(0) + leads]))?.isolation, isolation);
        assert.deepEqual((await ask(["", gauge(0) + leads + levels]))?.isolation, isolation);
        assert.equal((await ask(["", gauge(0) + leads]))?.isolation, undefined, "no lines are not zeros");
        assert.equal(await ask(["", levels + gauge(0) + etcd(0)]), undefined, "a former leader's are old");
        const patrol = (seconds: string) =>
            ask([
                "",
                `# TYPE pd_checker_patrol_regions_time gauge\npd_checker_patrol_regions_time ${seconds}\n${levels}${gauge(0)}${leads}`,
            ]);
        assert.equal((await patrol("1.0483e+01"))?.patrolSeconds, 10.483);
        assert.equal((await patrol("0"))?.patrolSeconds, undefined, "before the first round");
        const odd = levels.replace(" 2990", " many");
        assert.equal((await errorOf(() => ask(["", odd + gauge(0) + leads]))).code, "PD_BAD_ANSWER");
    });

    it("is unknown without a leader, and an error if the answer is not metrics", async () => {
        assert.equal(await ask([gauge(0), gauge(0) + role(1)], "nobody"), undefined);
        const error = await errorOf(() => ask(["", "ok"]));
        assert.equal(error.code, "PD_BAD_ANSWER");
        const odd = gauge(0).replace('miss-peer-region-count"} 0', 'miss-peer-region-count"} NaN');
        assert.equal((await errorOf(() => ask(["", odd + role(1)]))).code, "PD_BAD_ANSWER");
    });
});
