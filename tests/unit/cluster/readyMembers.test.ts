import * as assert from "node:assert/strict";
import { askPd } from "../../../provider/cluster/observePd";
import { notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import { lookAtPd, pdError, pdThat } from "./playedPd";

const pod = (ordinal: number): ObservedPod => ({
    name: `basic-pd-${ordinal}`,
    ordinal,
    uid: `pd-${ordinal}`,
    resourceVersion: "1",
    ready: true,
    container: notAsked,
    createdAt: 0,
    terminating: false,
});
const health = (...named: [name: string, healthy?: boolean][]) =>
    named.map(([name, healthy = true], index) => ({ name, memberId: String(index), clientUrls: [], healthy }));
const readyOf = async (members: unknown, ready: (name: string) => unknown, ...restarted: ObservedPod[]) => {
    const { client, asked } = pdThat({ health: () => members, memberReady: ready });
    const { readyMembers } = (await askPd(client, lookAtPd(["ready-members"], { restarted }))).pd;
    return { ready: readyMembers, asked };
};

describe("restarted members of PD that report their own readiness", () => {
    it("are ready if they say so and are healthy, by their own names or their full ones", async () => {
        const members = health(["basic-pd-0"], ["basic-pd-1.basic-pd-peer.tidb.svc.one.example"], ["basic-pd-2"]);
        const { ready, asked } = await readyOf(members, (name) => name !== "basic-pd-2", pod(0), pod(1), pod(2));
        assert.deepEqual(ready, { known: true, value: ["basic-pd-0", "basic-pd-1"], from: "PD's members", at: 1_000 });
        assert.deepEqual(asked, [
            "health",
            "memberReady basic-pd-0",
            "memberReady basic-pd-1",
            "memberReady basic-pd-2",
        ]);
    });

    it("are not asked before the others call them healthy, because the process may not serve yet", async () => {
        const members = health(["basic-pd-0", false], ["basic-pd-10"], ["more.basic-pd-2."]);
        const { ready, asked } = await readyOf(members, () => true, pod(0), pod(1), pod(2));
        assert.deepEqual([ready.known && ready.value, asked], [[], ["health"]]);
    });

    it("are not ready if they do not answer, which does not make PD silent", async () => {
        const answer = (name: string) => (name === "basic-pd-0" ? pdError("PD_UNREACHABLE") : true);
        const { ready } = await readyOf(health(["basic-pd-0"], ["basic-pd-1"]), answer, pod(0), pod(1));
        assert.deepEqual(ready.known && ready.value, ["basic-pd-1"]);
    });

    it("are unknown if PD does not say who is healthy, with PD's own reason", async () => {
        const { ready, asked } = await readyOf(pdError("PD_REFUSED"), () => true, pod(0));
        assert.ok(!ready.known && ready.why.includes("PD_REFUSED"));
        assert.deepEqual(asked, ["health"]);
    });
});
