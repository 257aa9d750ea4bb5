import * as assert from "node:assert/strict";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import { runOperation } from "../../../provider/gates/loop";
import { onItsPd } from "../../../provider/gates/sameCluster";
import { rememberUnreachable } from "../../../provider/gates/unreachable";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { record, type Faults, type Recorded } from "../../support/gates/recordedPorts";
import { now } from "../../support/lifecycle/observations";
import { failsWith } from "../../support/failsWith";

const restart: Action = { do: "delete-pod", pod: "basic-tikv-3", uid: "uid-3", resourceVersion: "1" };
const wait: Move = { kind: "wait", step: "store-up", target: "basic-tikv-3", waitingFor: "store 13", since: now };
const act: Move = { kind: "act", step: "restart", target: "basic-tikv-3", action: restart };
const done: Move = { kind: "done" };
const fail: Move = {
    kind: "fail",
    problem: {
        code: "store-up",
        step: "store-up",
        target: "basic-tikv-3",
        seen: "store 13 is Down",
        next: "look at its log",
    },
};
const openEviction = { evictions: { 13: { pod: "basic-tikv-3", beganAt: now } } } as never;

/** Ports whose watch answers as soon as it may, and the decisions of each look, by who answered. */
function watching(next: (observation: Observation) => Move, faults: Faults = {}) {
    const ports = record(faults);
    const { look } = ports;
    const answered: string[] = [];
    ports.look = async (options, lag) => {
        const mayLag = lag !== undefined;
        const seen = await look(options);
        answered.push(mayLag ? "watch" : "server");
        assert.ok(answered.length < 5_000, "the run does not end");
        return mayLag ? { ...seen, mayLag, records: { ...seen.records, evictions: {} } } : seen;
    };
    ports.sleep = (milliseconds, leastMilliseconds) => {
        answered.push(leastMilliseconds === undefined ? "sleep" : "sleep or change");
        ports.time += milliseconds;
        return Promise.resolve();
    };
    const run = () =>
        runOperation(
            { description: "roll out basic-tikv", look: { components: ["tikv"], pd: ["stores"], status: [] }, next },
            ports,
        );
    return { ports, answered, run };
}

const taken = ({ done: all }: Recorded) => all.filter((one) => one.startsWith("do "));

describe("What a watch knows", () => {
    const wrappers: [string, (ports: GatePorts) => GatePorts][] = [
        ["compare the PD that answers with the cluster's", onItsPd],
        ["remember what did not answer", (ports) => rememberUnreachable(ports, {}, "urn:pulumi:dev::mine::x::gate")],
    ];
    for (const [what, wrap] of wrappers) {
        it(`also reaches a run through ports that ${what}`, async () => {
            const { ports, answered } = watching(() => done);
            const look = { components: ["tikv"], pd: [], status: [] } as const;
            assert.equal((await wrap(ports).look(look, {})).mayLag, true);
            assert.equal((await wrap(ports).look(look)).mayLag, undefined);
            assert.deepEqual(answered, ["watch", "server"]);
        });
    }

    it("answers for the API server only while something is waited for, and ends the pause", async () => {
        const moves = [act, act, wait, wait, done, done];
        const { answered, run } = watching(() => moves.shift() ?? done);
        await run();
        assert.deepEqual(answered, [
            ...["server", "server", "server", "sleep or change"],
            ...["watch", "sleep or change", "watch", "server"],
        ]);
    });

    it("is never acted on: what the API server says is decided from, and the watch had lagged behind", async () => {
        const seen: string[] = [];
        const { ports, run } = watching(({ mayLag }) => {
            seen.push(mayLag ? "watch" : "server");
            // The watch has not heard yet that the pod must not be restarted.
            return mayLag ? act : seen.length > 8 ? done : wait;
        });
        await run();
        assert.deepEqual(taken(ports), []);
        assert.deepEqual(seen.slice(0, 5), ["server", "watch", "server", "watch", "server"]);
    });

    it("neither ends an operation nor fails it", async () => {
        for (const early of [done, fail]) {
            let looks = 0;
            const { answered, run } = watching(({ mayLag }) => (mayLag ? early : ++looks > 2 ? done : wait));
            await run();
            assert.deepEqual(answered.filter((one) => one === "server").length, 3);
        }
    });

    it("prolongs only the wait that the API server confirmed: one that is behind waits for what is over", async () => {
        // The pod has started long ago. The watch has stalled before that, and its wait would never end.
        const behind: Move = { ...wait, step: "pod-created", waitingFor: "pod basic-tikv-3 is missing" };
        const { answered, run } = watching(({ mayLag, now: at }) => {
            const since = { since: now, until: now + 60_000 };
            const over: Move = {
                kind: "fail",
                problem: { code: "store-up", step: "store-up", seen: "store 13 is Down", next: "-" },
            };
            return mayLag ? behind : at < now + 60_000 ? { ...wait, ...since } : over;
        });
        await failsWith(run(), "store-up");
        const asked = answered.filter((one) => !one.startsWith("sleep"));
        assert.deepEqual([...new Set(asked.filter((_, n) => n % 2 === 0))], ["server"]);
        assert.ok(asked.filter((one) => one === "server").length > 20, "the API server's wait goes on, pause by pause");
    });

    it("prolongs no wait of the same step with another timeout", async () => {
        // The eviction was begun and is listed. What is used again is from before: the wait for its begin, which would fail.
        const begun: Move = { ...wait, step: "leaders-evicted", waitAs: "eviction-begun" };
        const listed: Move = { ...wait, step: "leaders-evicted" };
        let looks = 0;
        const { answered, run } = watching(({ mayLag }) => (mayLag ? begun : ++looks > 2 ? done : listed));
        await run();
        const asked = answered.filter((one) => !one.startsWith("sleep"));
        assert.deepEqual(asked, ["server", "watch", "server", "watch", "server"]);
    });

    it("may ask for more: nothing is done by that", async () => {
        const closer: Move = { kind: "look", at: { parts: ["placement"] } };
        const moves = [wait, closer, wait, done, done];
        const { answered, ports, run } = watching(() => moves.shift() ?? done);
        await run();
        const asked = answered.filter((one) => !one.startsWith("sleep"));
        assert.deepEqual(asked, ["server", "watch", "watch", "watch", "server"]);
        assert.deepEqual(
            ports.looks.map(({ pd }) => pd.length),
            [1, 1, 2, 2, 2],
        );
    });

    it("is asked for no more than the wait needs: what an earlier wait needed is not observed any more", async () => {
        const closer: Move = { kind: "look", at: { ownLeadersOf: "basic-tikv-3" } };
        const restarted: Move = { ...wait, step: "pod-created" };
        const moves = [closer, wait, wait, restarted, restarted, restarted, done, done];
        const { ports, run } = watching(() => moves.shift() ?? done);
        await run();
        // The fourth look is behind and waits for something else, so it is made again. From the pause after that on, less is observed.
        const isCloser = ports.looks.map(({ ownLeadersOf }) => ownLeadersOf !== undefined);
        assert.deepEqual(isCloser, [false, true, true, true, true, false, false, false]);
    });

    it("stops a run only after the API server has confirmed that this is a safe point", async () => {
        let looks = 0;
        const { ports, answered, run } = watching(() => wait);
        const { look } = ports;
        ports.look = async (options, lag) => ({
            ...(await look(options, lag)),
            stopRequest: ++looks > 1 ? "ben@build" : undefined,
        });
        await failsWith(run(), "stopped", { names: "ben@build" });
        assert.deepEqual(answered, ["server", "sleep or change", "watch", "server"]);
    });

    it("is confirmed every five minutes: it may have stalled without a sign", async () => {
        const { ports, answered, run } = watching(() => (ports.time - now > 700_000 ? done : wait));
        await run();
        // At the start, after 5 and 10 minutes, and for the end.
        assert.equal(answered.filter((one) => one === "server").length, 4);
        assert.ok(answered.filter((one) => one === "watch").length > 300);
    });

    it("is not asked in the last minute of a wait for a pod: the pod must be seen Ready for some time", async () => {
        const until = now + 200_000;
        const step = "pod-available";
        const notReady: Move = { ...wait, step, until, endedBy: "kubernetes" };
        const overdue: Move = {
            kind: "fail",
            problem: { code: step, step, seen: "it was not Ready for long enough", next: "-" },
        };
        // The pod is Ready from the start, and the watch never hears of it.
        let readySince: number | undefined;
        const { run } = watching(({ mayLag, now: at }) => {
            if (mayLag || at < now + 100_000) {
                return at < until ? notReady : overdue;
            }
            readySince ??= at;
            return at - readySince >= 30_000 ? done : at < until ? notReady : overdue;
        });
        await run();
    });

    it("is told what alone ends the wait, as the last look found it, and nothing once the wait is over", async () => {
        const [store, pod] = [
            { ...wait, endedBy: { storeIds: [13] } },
            { ...wait, endedBy: "kubernetes" as const },
        ];
        const moves: Move[] = [store, store, pod, wait, store, { ...store, steadyAt: now }, store, act, done, done];
        const { ports, run } = watching(() => moves.shift() ?? done);
        const { look } = ports;
        const asked: unknown[] = [];
        ports.look = (options, lag) => {
            asked.push(lag === undefined ? "everything" : (lag.endedBy ?? "not known"));
            return look(options, lag);
        };
        await run();
        assert.deepEqual(asked, [
            ...["everything", { storeIds: [13] }, { storeIds: [13] }, "kubernetes", "not known"],
            // The condition was found, and must be found again: whether it has held is never left to earlier answers.
            ...[{ storeIds: [13] }, "everything", { storeIds: [13] }, "everything"],
        ]);
    });

    it("does not tell whether a condition has held all the time: the API server is asked each time", async () => {
        const steady: Move = { ...wait, steadyAt: now };
        const moves = [steady, steady, wait, steady, steady, done];
        const { answered, run } = watching(() => moves.shift() ?? done);
        await run();
        const asked = answered.filter((one) => !one.startsWith("sleep"));
        // The watch finds the condition after the third look, and the API server must say so.
        assert.deepEqual(asked, ["server", "server", "server", "watch", "server", "server"]);
    });

    it("does not hide an eviction that is on record: a run that fails ends it", async () => {
        let looks = 0;
        const { ports, run } = watching(() => {
            looks += 1;
            if (looks === 3) {
                throw new Error("a fault while it waits");
            }
            return wait;
        });
        ports.records = { ...ports.records, ...(openEviction as object) };
        await assert.rejects(run(), /a fault while it waits/);
        assert.ok(ports.done.length > 3, ports.done.join("\n"));
        assert.ok(
            ports.looks.some(({ pd }) => pd.includes("evicted-stores")),
            "it looked for evictions to end",
        );
    });
});
