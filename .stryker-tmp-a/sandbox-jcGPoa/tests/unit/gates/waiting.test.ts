import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { runOperation, takeLock } from "../../../provider/gates/loop";
import type { LockAnswer } from "../../../provider/gates/ports";
import type { Memory } from "../../../provider/lifecycle/memory";
import type { Action, Move } from "../../../provider/lifecycle/move";
import type { Observation } from "../../../provider/lifecycle/observation";
import { record, type Recorded, run } from "../../support/gates/recordedPorts";
import { now } from "../../support/lifecycle/observations";

const clock = (time: number) => new Date(time).toTimeString().slice(0, 8);
const look = { components: [], pd: ["stores"], status: [] } as const;
const restart: Action = { do: "delete-pod", pod: "basic-tikv-3", uid: "uid-3", resourceVersion: "1" };
const waitSince = (since: number, more: object = {}): Move => ({
    kind: "wait",
    step: "store-up",
    target: "basic-tikv-3",
    waitingFor: "store 13 is Down",
    since,
    ...more,
});

/** Ports whose statuses and pauses are written down, and which pause so long each time. */
function watched(pause?: number): { ports: Recorded; statuses: string[]; pauses: number[] } {
    const [ports, statuses, pauses] = [record(), [] as string[], [] as number[]];
    ports.progress.status = (message) => statuses.push(message);
    ports.sleep = (milliseconds) => {
        pauses.push(milliseconds);
        ports.time += pause ?? milliseconds;
        return Promise.resolve();
    };
    return { ports, statuses, pauses };
}

/** Decides so at each time, in seconds since the run began. */
const deciding = (next: (seconds: number, observation: Observation, memory: Memory) => Move) => ({
    description: "roll out basic-tikv",
    look,
    next: (observation: Observation, memory: Memory) => next((observation.now - now) / 1000, observation, memory),
});

describe("what is said of a wait", () => {
    for (const [name, more, operatedBy, said] of [
        ["until when", { until: now + 600_000 }, undefined, `(10 s, until ${clock(now + 600_000)} at most)`],
        [
            "that it goes on while there is progress",
            { until: now + 600_000, left: 40 },
            undefined,
            `(10 s without progress, fails at ${clock(now + 600_000)} without any)`,
        ],
        ["for how long, where nothing ends it", {}, undefined, "(10 s)"],
        ["for how long, though something is left", { left: 40 }, undefined, "(10 s)"],
        ["who else is at work", {}, "ana@laptop operates it", "(10 s); meanwhile ana@laptop operates it"],
    ] as const) {
        it(`is ${name}`, async () => {
            const { ports, statuses } = watched();
            const { look: seen } = ports;
            ports.look = async (options) => ({ ...(await seen(options)), operatedBy });
            await run(ports, [waitSince(now - 10_000, more)]);
            assert.deepEqual(statuses, [`waiting: store 13 is Down ${said}`]);
        });
    }

    it("is said again in a line that stays every half minute: an hour of waiting would leave no trace in a log", async () => {
        const { ports, statuses } = watched(10_000);
        const told: number[] = [];
        ports.progress.info = () => told.push((ports.time - now) / 1000);
        await runOperation(
            deciding((seconds) => (seconds < 100 ? waitSince(now) : { kind: "done" })),
            ports,
        );
        assert.deepEqual(told, [30, 60, 90]);
        assert.equal(statuses.length, 10);
    });

    it("is no line that stays for waits that are short, however many come one after the other", async () => {
        const { ports } = watched(10_000);
        await runOperation(
            deciding((seconds, { now: at }) => (seconds < 100 ? waitSince(at - 20_000) : { kind: "done" })),
            ports,
        );
        assert.deepEqual(
            ports.done.filter((one) => one !== "look"),
            [],
        );
    });

    it("is a line that stays with all that the status says", async () => {
        const { ports, statuses } = watched(30_000);
        await runOperation(
            deciding((seconds) => (seconds < 60 ? waitSince(now, { until: now + 90_000 }) : { kind: "done" })),
            ports,
        );
        assert.ok(ports.done.includes(`info waiting: store 13 is Down (30 s, until ${clock(now + 90_000)} at most)`));
        assert.equal(statuses.length, 2);
    });
});

describe("the look of a run", () => {
    const act: Move = { kind: "act", action: restart, step: "restarted", target: "basic-tikv-3" };
    const forget: Move = { ...act, action: { do: "forget-removal", of: "13" } };
    const closer: Move = { kind: "look", at: { parts: ["region-status"] } };
    for (const [name, move, last] of [
        ["is no closer than before once something was done: each part is a call of PD", act, ["stores"]],
        ["stays as close where only a record was tidied", forget, ["stores", "region-status"]],
    ] as const) {
        it(name, async () => {
            const ports = record();
            await run(ports, [closer, move]);
            assert.deepEqual(ports.looks.at(-1)?.pd, last);
        });
    }

    it("is at long lists of regions every three seconds at most", async () => {
        const { ports, pauses } = watched();
        await run(ports, [waitSince(now), { kind: "look", at: { regions: "short" } }, waitSince(now)]);
        assert.deepEqual(pauses, [150, 3_000]);
    });

    it("is decided from with what was done before: nothing is done twice before its effect shows", async () => {
        const acted: string[][] = [];
        const moves = [act, act];
        await runOperation(
            deciding((_seconds, _observation, memory) => {
                acted.push(Object.keys(memory.actedAt));
                return moves[acted.length - 1] ?? { kind: "done" };
            }),
            record(),
        );
        assert.deepEqual(acted, [[], [], ["delete-pod uid-3"]]);
    });
});

describe("a run that is asked to end", () => {
    it("is done where nothing is left to do: it would fail at its last step", async () => {
        const act: Move = { kind: "act", action: restart, step: "restarted", target: "basic-tikv-3" };
        const { error } = await run(record({ stopAfter: 1 }), [act]);
        assert.equal(error, undefined);
    });
});

describe("waiting for the lock of another run", () => {
    const lock = { release: () => Promise.resolve() } as Extract<LockAnswer, { lock: unknown }>["lock"];
    const held = (expiresAt?: number): LockAnswer => ({
        heldBy: "ana@laptop",
        operation: "roll out basic-pd",
        expiresAt,
    });
    const take = async (answers: (LockAnswer | Error)[]) => {
        const { ports, statuses, pauses } = watched();
        ports.tryLock = () => {
            const answer = answers.shift() ?? { lock };
            return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        };
        const taken = await takeLock({ description: "destroy basic" }, ports);
        return { taken, statuses, pauses, ports };
    };

    for (const [left, pause, seconds] of [
        [14_500, 1_000, 15],
        [700, 700, 1],
        [20, 100, 1],
        [-300, 100, 0],
    ] as const) {
        it(`says when it ends, and asks again after ${pause} ms where ${left} ms are left`, async () => {
            const { statuses, pauses, taken } = await take([held(now + left)]);
            assert.deepEqual(pauses, [pause]);
            assert.deepEqual(statuses, [
                `waiting for ana@laptop (roll out basic-pd); without a sign of life its lock ends in ${seconds} s`,
            ]);
            assert.equal(taken, lock);
        });
    }

    it("leaves PD's lock alone for five seconds, which does not say when it ends", async () => {
        const { statuses, pauses } = await take([held()]);
        assert.deepEqual([statuses, pauses], [["waiting for ana@laptop (roll out basic-pd)"], [5_000]]);
    });

    it("outlasts an API server that is silent for a moment, once it has answered", async () => {
        const silent = new KubernetesApiError("the API server did not answer", undefined);
        const { taken, ports } = await take([silent, held(now + 500), silent]);
        assert.equal(taken, lock);
        assert.ok(ports.time > now);
    });

    it("outlasts one that does not say which Lease there is, once it has", async () => {
        const { ports } = watched();
        const { lease } = ports;
        const silent = new KubernetesApiError("the API server did not answer", undefined);
        const answers = [lease, () => Promise.reject(silent), lease];
        ports.lease = () => answers.shift()!();
        ports.tryLock = () => Promise.resolve(answers.length > 0 ? held(now + 500) : { lock });
        assert.equal(await takeLock({ description: "destroy basic" }, ports), lock);
    });

    it("fails at once where nobody answers at all", async () => {
        const { ports } = watched();
        ports.lease = () => Promise.reject(new KubernetesApiError("the API server did not answer", undefined));
        await assert.rejects(takeLock({ description: "destroy basic" }, ports), /did not answer/);
        assert.equal(ports.time, now);
    });

    it("ends after an hour, or where the Lease is gone, and says what to do", async () => {
        const { ports } = watched();
        ports.tryLock = () => Promise.resolve(held(Infinity));
        await assert.rejects(takeLock({ description: "destroy basic" }, ports), {
            message:
                "lock: destroy basic: ana@laptop has held the lock for an hour (roll out basic-pd). Next: wait until that run has ended, or end it.",
        });
        await assert.rejects(takeLock({ description: "destroy basic" }, record({ noLease: true })), {
            message:
                "lock: destroy basic: the cluster's Lease is gone. Next: run `pulumi refresh`, then `pulumi up`: the Lease is made again.",
        });
    });
});
