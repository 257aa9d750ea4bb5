import assert from "node:assert/strict";
import { manualClock } from "../../../sandbox/dataPlane/clock";
import type { ListenerAnswer } from "../../../sandbox/dataPlane/listener";
import { advance } from "../../../sandbox/dataPlane/model/advance";
import { answerPd } from "../../../sandbox/dataPlane/pdApi/answer";
import { parsePumps } from "../../../provider/pd/parse";
import { pdCalls } from "../../../provider/pd/calls";
import { pumpAnswer } from "../../../sandbox/dataPlane/pumpApi";
import { settledCluster } from "../../../sandbox/dataPlane/settledCluster";
import { ticdcAnswer } from "../../../sandbox/dataPlane/ticdcApi";

function played() {
    const clock = manualClock();
    const { state, cluster } = settledCluster({ ticdc: 3, pump: 2, clock });
    const pass = (milliseconds: number) => {
        clock.advance(milliseconds);
        advance(state, clock());
    };
    const url = (path: string) => new URL(path, "http://127.0.0.1");
    const read = (answer: ListenerAnswer) =>
        typeof answer === "string" ? answer : { status: answer.status, ...(JSON.parse(answer.body) as object) };
    return {
        state,
        cluster,
        pass,
        ticdc: (ordinal: number, method: string, path: string, body?: object) =>
            read(ticdcAnswer(state, `basic-ticdc-${ordinal}`, method, url(path), JSON.stringify(body ?? {}))) as Record<
                string,
                unknown
            >,
        pump: (ordinal: number, path: string) =>
            read(pumpAnswer(state, `basic-pump-${ordinal}`, "PUT", url(path))) as Record<string, unknown>,
        pumps: () => {
            const { method, path, body } = pdCalls.pumps;
            const request = { pod: "basic-pd-0", method, path, query: new URLSearchParams(), body };
            const answer = answerPd(state, request, clock());
            return typeof answer === "string" ? [] : parsePumps(answer.body);
        },
    };
}

describe("simulated TiCDC captures", () => {
    it("have one owner, which can resign in favour of another", () => {
        const { ticdc } = played();
        const owners = () => [0, 1, 2].filter((one) => ticdc(one, "GET", "/status").is_owner);
        assert.deepEqual(owners(), [0]);
        assert.equal(ticdc(1, "POST", "/api/v1/owner/resign").status, 202);
        assert.deepEqual(owners(), [0], "only the owner can");
        ticdc(0, "POST", "/api/v1/owner/resign");
        assert.deepEqual(owners(), [1]);
    });

    it("give their tables away in some time, except the owner", () => {
        const { ticdc, pass, state } = played();
        const captureId = ticdc(2, "GET", "/status").id as string;
        const drain = () => ticdc(0, "PUT", "/api/v1/captures/drain", { capture_id: captureId });
        assert.equal(drain().current_table_count, 4);
        pass(200);
        assert.equal(drain().current_table_count, 2);
        pass(300);
        assert.equal(drain().current_table_count, 0);
        assert.equal(
            [...state.captures.tables.values()].reduce((sum, one) => sum + one),
            12,
        );
        const owner = ticdc(0, "GET", "/status").id as string;
        assert.equal(ticdc(0, "PUT", "/api/v1/captures/drain", { capture_id: owner }).status, 400);
    });

    it("end with their pods, and the tables of a dead one go to others", () => {
        const { ticdc, cluster, pass, state } = played();
        cluster.stopPod("basic-ticdc-0");
        pass(20);
        assert.equal(ticdc(0, "GET", "/status"), "refused");
        assert.equal(ticdc(1, "GET", "/status").is_owner, true);
        assert.deepEqual([...state.captures.tables.keys()].sort(), ["basic-ticdc-1", "basic-ticdc-2"]);
        const [stop] = cluster.events.filter(({ kind }) => kind === "pod-stopped");
        assert.deepEqual([stop.tables, stop.ownedTicdc], [4, true]);
    });
});

describe("simulated pumps", () => {
    it("are listed in PD's etcd, and go offline on request", () => {
        const { pump, pumps, pass } = played();
        const states = () => pumps().map(({ nodeId, host, state }) => `${nodeId} ${host} ${state}`);
        assert.deepEqual(states(), [
            "basic-pump-0:8250 basic-pump-0.basic-pump:8250 online",
            "basic-pump-1:8250 basic-pump-1.basic-pump:8250 online",
        ]);
        assert.equal(pump(1, "/state/basic-pump-1%3A8250/close").code, 200);
        assert.match(states()[1], / closing$/);
        pass(600);
        assert.match(states()[1], / offline$/);
        assert.equal(pump(1, "/state/basic-pump-1%3A8250/close"), "refused", "its process has ended");
        assert.equal(pump(0, "/state/basic-pump-1%3A8250/close").code, 500, "it is another");
    });

    it("pause with their pods, and are online again with the next one", () => {
        const { cluster, pumps, pass } = played();
        cluster.stopPod("basic-pump-0");
        pass(20);
        assert.equal(pumps()[0].state, "paused");
        cluster.startPod("basic-pump-0");
        pass(20);
        assert.equal(pumps()[0].state, "online");
    });
});
