import * as assert from "node:assert/strict";
import { seesTerminal } from "../../../provider/gates/progress";
import { reportWaits } from "../../../provider/gates/waitReports";
import type { Progress } from "../../../provider/cluster/gatePorts";
import { failsWith } from "../../support/failsWith";

/** Reports with a clock that the test sets, in seconds, and what they say in the log. */
function reports() {
    const clock = { seconds: 1_000 };
    const log: string[] = [];
    const statuses: string[] = [];
    const progress: Progress = {
        info: (message) => void log.push(`info ${message}`),
        warn: ({ message }) => void log.push(`warn ${message}`),
        status: (message) => void statuses.push(message),
        note: (message) =>
            void log.push(`${clock.seconds - 1_000}: ${message.replace(/; fails at [\d:]{8}\)$/, "; fails at …)")}`),
    };
    let tick: (() => void) | undefined;
    const waits = reportWaits({ now: () => clock.seconds * 1_000, progress }, (act) => {
        tick = act;
        return () => (tick = undefined);
    });
    /** Lets time pass while a call is not answered. @returns whether anything still reports. */
    const pass = (seconds: number) => {
        for (let second = 0; second < seconds; second++) {
            clock.seconds += 1;
            tick?.();
        }
        return tick !== undefined;
    };
    return { clock, log, statuses, waits, pass };
}

describe("the log of a wait", () => {
    it("has a line once the wait is no longer short, every 30 s with the time left, and at the end", () => {
        const { clock, log, statuses, waits } = reports();
        for (let left = 100; left > 30; left--) {
            waits.waiting("leaders", `${left} leaders`, `waiting: ${left} leaders`);
            clock.seconds += 1;
        }
        waits.over("they have left");
        assert.deepEqual(log, [
            "2: waiting: 98 leaders",
            "32: waiting: 68 leaders",
            "62: waiting: 38 leaders",
            "70: done waiting after 70 s, because they have left; the reason was: 31 leaders",
        ]);
        assert.equal(statuses.length, 70, "the terminal has each of them");
    });

    const alternating = (second: number): string => (second % 2 === 0 ? "a" : "b");
    for (const [name, seconds, keyAt, expected] of [
        [
            "two alternating waits count as one",
            70,
            alternating,
            [
                "2: waiting: a",
                "32: waiting: a",
                "62: waiting: a",
                "70: done waiting after 70 s, because they have left; the last of several reasons was: b",
            ],
        ],
        [
            "a wait that follows another continues its clock",
            40,
            (second: number) => (second < 20 ? "a" : "b"),
            [
                "2: waiting: a",
                "32: waiting: b",
                "40: done waiting after 40 s, because they have left; the last of several reasons was: b",
            ],
        ],
        [
            "many different short waits",
            4,
            String,
            ["2: waiting: 2", "4: done waiting after 4 s, because they have left; the last of several reasons was: 3"],
        ],
        [
            "one wait",
            4,
            () => "a",
            ["2: waiting: a", "4: done waiting after 4 s, because they have left; the reason was: a"],
        ],
    ] as const) {
        it(`has a line after 2 s and then every 30 s, whatever the gate waits for: ${name}`, () => {
            const { clock, log, waits } = reports();
            for (let second = 0; second < seconds; second++) {
                const key = keyAt(second);
                waits.waiting(key, key, `waiting: ${key}`);
                clock.seconds += 1;
            }
            waits.over("they have left");
            assert.deepEqual(log, expected);
        });
    }

    it("has its own clock for each wait", () => {
        const { clock, log, waits } = reports();
        for (let round = 0; round < 100; round++) {
            waits.waiting("a", "a", "waiting: a");
            clock.seconds += 1;
            waits.over("they have left");
        }
        assert.deepEqual(log, []);
    });

    it("does not begin with what the log has already: the first line comes after 30 s, and the end is told", () => {
        const { clock, log, waits } = reports();
        waits.told();
        for (let second = 0; second < 31; second++) {
            waits.waiting("a", "a", "waiting: a");
            clock.seconds += 1;
        }
        waits.over("it is approved");
        assert.deepEqual(log.length, 2, log.join("\n"));
        waits.waiting("b", "b", "waiting: b");
        clock.seconds += 3;
        waits.waiting("b", "b", "waiting: b");
        assert.equal(log.length, 3, "the next wait is told as ever");
    });

    it("has no line for a short wait, and reports no end twice", () => {
        const { clock, log, waits } = reports();
        waits.over("they have left");
        waits.waiting("a", "a", "waiting: a");
        clock.seconds += 1;
        waits.waiting("a", "a", "waiting: a");
        waits.over("they have left");
        waits.over("they have left");
        assert.deepEqual(log, []);
    });
});

describe("the log of a call", () => {
    const answer = "an answer of PD";
    const asking = (seconds: number, { waits, pass }: ReturnType<typeof reports>) =>
        waits.during(answer, () => Promise.resolve(pass(seconds)));

    it("that is not answered for long has the lines of a wait", async () => {
        const all = reports();
        assert.equal(await asking(40, all), true);
        all.waits.over("nothing is left to wait for");
        assert.deepEqual(all.log, [
            "2: waiting: an answer of PD (2 s; fails at …)",
            "32: waiting: an answer of PD (32 s; fails at …)",
            "40: done waiting after 40 s, because nothing is left to wait for; the reason was: an answer of PD",
        ]);
        assert.equal(all.pass(5), false, "nothing is reported of a call that has ended");
    });

    it("fails after ten minutes, though its answer may still come", async () => {
        const all = reports();
        const silent = all.waits.during(answer, () => {
            all.pass(600);
            return new Promise(() => undefined);
        });
        await failsWith(silent, "no-answer", { target: "an answer of PD", names: "600 s" });
        assert.equal(all.pass(1), false);
    });

    it("does not count the time in which the process stood still", async () => {
        const all = reports();
        const answered = all.waits.during(answer, () => {
            all.clock.seconds += 3_600;
            all.pass(1);
            return Promise.resolve("late");
        });
        assert.equal(await answered, "late");
    });

    it("that is soon answered has none, however many there are", async () => {
        const all = reports();
        for (let round = 0; round < 20; round++) {
            await asking(1, all);
            all.waits.over("the next step can be taken");
        }
        assert.deepEqual(all.log, []);
    });

    it("within a wait has that wait's words, no more often", async () => {
        const all = reports();
        for (let round = 0; round < 10; round++) {
            all.waits.waiting("leaders", "leaders", "waiting: leaders");
            await asking(4, all);
        }
        all.waits.over("they have left");
        assert.deepEqual(all.log, [
            "2: waiting: leaders",
            "32: waiting: leaders",
            "40: done waiting after 40 s, because they have left; the reason was: leaders",
        ]);
    });

    it("that fails and is made again goes on as one wait", async () => {
        const all = reports();
        for (let round = 0; round < 4; round++) {
            const failing = all.waits.during(answer, () => Promise.reject(new Error(`${all.pass(3)}`)));
            await assert.rejects(failing, /^Error: true$/);
        }
        all.waits.over("the call was answered");
        assert.deepEqual(all.log, [
            "2: waiting: an answer of PD (2 s; fails at …)",
            "12: done waiting after 12 s, because the call was answered; the reason was: an answer of PD",
        ]);
    });
});

describe("the terminal of a run", () => {
    const none = () => {
        throw new Error("ENXIO");
    };
    for (const [name, environment, open, sees] of [
        ["is found if the process has one", { TERM: "xterm-256color" }, () => undefined, true],
        ["is not found if the process has none, as under cron", { TERM: "xterm" }, none, false],
        ["does not count if it cannot replace a line", { TERM: "dumb" }, () => undefined, false],
        ["does not count in a CI system", { CI: "true" }, () => undefined, false],
        ["counts if CI is set to an empty text", { CI: "" }, () => undefined, true],
    ] as const) {
        it(name, () => assert.equal(seesTerminal(environment, open), sees));
    }
});
