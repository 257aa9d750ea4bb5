import * as assert from "node:assert/strict";
import { runOperation } from "../../../provider/gates/loop";
import type { Memory } from "../../../provider/lifecycle/vocabulary/memory";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { record, run, watched } from "../../support/gates/recordedPorts";
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

/** Decides so at each time, in seconds since the run began. */
const deciding = (next: (seconds: number, observation: Observation, memory: Memory) => Move) => ({
    description: "roll out basic-tikv",
    look,
    next: (observation: Observation, memory: Memory) => next((observation.now - now) / 1000, observation, memory),
});

describe("the report of a wait", () => {
    for (const [name, more, operatedBy, said] of [
        ["when it fails", { until: now + 600_000 }, undefined, `(10 s; fails at ${clock(now + 600_000)})`],
        [
            "when it goes on by itself",
            { until: now + 600_000, goesOnAt: now + 150_000 },
            undefined,
            `(10 s; goes on at ${clock(now + 150_000)} if this stays so)`,
        ],
        [
            "when it goes on instead of failing",
            { until: now + 60_000, goesOnAt: now + 60_000 },
            undefined,
            `(10 s; goes on at ${clock(now + 60_000)} if this stays so)`,
        ],
        [
            "when it fails, if that is before it would go on",
            { until: now + 60_000, goesOnAt: now + 150_000 },
            undefined,
            `(10 s; fails at ${clock(now + 60_000)})`,
        ],
        [
            "when it fails, with the date if it is another day",
            { until: now + 86_400_000 },
            undefined,
            `(10 s; fails at ${new Date(now + 86_400_000).toLocaleDateString("sv-SE")} ${clock(now)})`,
        ],
        [
            "that it goes on while there is progress",
            { until: now + 600_000, left: 40 },
            undefined,
            `(10 s without progress; fails at ${clock(now + 600_000)} unless there is any)`,
        ],
        ["for how long, if nothing ends it", {}, undefined, "(10 s)"],
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

    it("is a line in the log at the start, every half minute, and at the end", async () => {
        const { ports, statuses } = watched(10_000);
        const told: string[] = [];
        ports.progress.note = (message) => told.push(`${(ports.time - now) / 1000}: ${message}`);
        await runOperation(
            deciding((seconds) => (seconds < 100 ? waitSince(now) : { kind: "done" })),
            ports,
        );
        assert.deepEqual(told, [
            "10: waiting: store 13 is Down (10 s)",
            "40: waiting: store 13 is Down (40 s)",
            "70: waiting: store 13 is Down (70 s)",
            "100: done waiting after 100 s, because nothing is left to wait for; the reason was: store 13 is Down",
        ]);
        assert.equal(statuses.length, 10);
    });

    it("ends when something is done too", async () => {
        const { ports } = watched(10_000);
        const told: string[] = [];
        ports.progress.note = (message) => told.push(message);
        await run(ports, [waitSince(now), waitSince(now), { kind: "act", action: restart, step: "a", target: "b" }]);
        assert.equal(
            told.at(-1),
            "done waiting after 20 s, because the next step can be taken: restart basic-tikv-3; the reason was: store 13 is Down",
        );
    });

    it("goes on while only what runs is recorded: PD may never have answered", async () => {
        const { ports } = watched(10_000);
        const told: string[] = [];
        ports.progress.note = (message) => told.push(message);
        const action: Action = { do: "note-version", version: "v8.5.3", claims: [] };
        await run(ports, [
            waitSince(now),
            waitSince(now),
            { kind: "act", action, step: "a", target: "b" },
            waitSince(now),
        ]);
        assert.deepEqual(
            told.filter((line) => line.startsWith("done")),
            ["done waiting after 30 s, because nothing is left to wait for; the reason was: store 13 is Down"],
        );
    });

    it("is a line every half minute if each wait is short but another one follows", async () => {
        const { ports } = watched(1_900);
        let step = 0;
        await runOperation(
            deciding((seconds) => (seconds < 100 ? waitSince(now, { step: `step ${step++}` }) : { kind: "done" })),
            ports,
        );
        assert.deepEqual(
            ports.done.filter((one) => one !== "look"),
            [
                ...[4, 34, 65, 95].map((seconds) => `note waiting: store 13 is Down (${seconds} s)`),
                "note done waiting after 101 s, because nothing is left to wait for; the last of several reasons was: store 13 is Down",
            ],
        );
    });

    it("is no line for short waits with actions in between, however many", async () => {
        const { ports } = watched(1_900);
        const told: string[] = [];
        ports.progress.note = (message) => told.push(message);
        const act: Move = { kind: "act", action: restart, step: "a", target: "b" };
        await run(ports, Array.from({ length: 30 }, () => [waitSince(now), act]).flat());
        assert.deepEqual(told, []);
    });

    it("is a line with everything that the status says", async () => {
        const { ports, statuses } = watched(30_000);
        await runOperation(
            deciding((seconds) => (seconds < 60 ? waitSince(now, { until: now + 90_000 }) : { kind: "done" })),
            ports,
        );
        assert.ok(ports.done.includes(`note waiting: store 13 is Down (30 s; fails at ${clock(now + 90_000)})`));
        assert.equal(statuses.length, 2);
    });
});

describe("the observation of a run", () => {
    const act: Move = { kind: "act", action: restart, step: "restarted", target: "basic-tikv-3" };
    const forget: Move = { ...act, action: { do: "forget-removal", of: "13" } };
    const closer: Move = { kind: "look", at: { parts: ["region-status"] } };
    for (const [name, move, last] of [
        ["is not more detailed than before after an action, because each part is a call of PD", act, ["stores"]],
        ["stays detailed if only a record was tidied", forget, ["stores", "region-status"]],
    ] as const) {
        it(name, async () => {
            const ports = record();
            await run(ports, [closer, move]);
            assert.deepEqual(ports.looks.at(-1)?.pd, last);
        });
    }

    it("asks for long lists of regions every three seconds at most", async () => {
        const { ports, pauses } = watched();
        await run(ports, [waitSince(now), { kind: "look", at: { regions: "short" } }, waitSince(now)]);
        assert.deepEqual(pauses, [150, 3_000]);
    });

    it("includes the actions done before, so that nothing is done twice before its effect shows", async () => {
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
    it("succeeds if nothing is left to do", async () => {
        const act: Move = { kind: "act", action: restart, step: "restarted", target: "basic-tikv-3" };
        const { error } = await run(record({ stopAfter: 1 }), [act]);
        assert.equal(error, undefined);
    });
});
