import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { GateError, runOperation } from "../../../provider/gates/loop";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { Memory } from "../../../provider/lifecycle/vocabulary/memory";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import {
    noRecords,
    type Observation,
    type ObservedPd,
    type ObservedStore,
} from "../../../provider/lifecycle/vocabulary/observation";
import { noLook } from "../../../provider/lifecycle/vocabulary/look";
import { PdError } from "../../../provider/pd/pdError";
import { type Faults, record, run } from "../../support/gates/recordedPorts";
import { mockTimers, passSeconds, withoutTime } from "../../support/gates/slowAnswers";
import { evicting, now, observed, storeOf } from "../../support/lifecycle/observations";
import { isFailure } from "../../support/failsWith";
import { repeats } from "../../support/repeats";

const evict: Action = { do: "begin-eviction", storeId: 13, pod: "basic-tikv-3", leaders: 500 };
const restart = { do: "delete-pod", pod: "basic-tikv-3", uid: "uid-3", resourceVersion: "1" } as const satisfies Action;
const note = {
    do: "note-version",
    version: "v8.5.3",
    claims: [{ name: "tikv-basic-tikv-3", uid: "claim-3" }],
} satisfies Action;
/** A healthy PD, but for this. */
const pdWith = ({ stores, evictedStores = [] }: { stores: ObservedStore[]; evictedStores?: number[] }): ObservedPd => ({
    ...observed("tikv", {}).observation.pd,
    stores: known(stores, "PD", now),
    evictedStores: known(evictedStores, "PD", now),
});
const act = (action: Action): Move => ({ kind: "act", action, step: "leaders-evicted", target: "basic-tikv-3" });
const wait = (until?: number): Move => ({
    kind: "wait",
    step: "store-up",
    target: "basic-tikv-3",
    waitingFor: "store 13 is Down",
    since: now,
    until,
});

describe("a run that is not answered", () => {
    mockTimers();

    it("says so in the log, as where a PD without a leader holds up the first look", async () => {
        const ports = record();
        const { look } = ports;
        const slowly = <T>(call: () => Promise<T>): Promise<T> => {
            passSeconds(9, (milliseconds) => (ports.time += milliseconds));
            return call();
        };
        let looks = 0;
        ports.look = (options) => (looks++ === 0 ? slowly(() => look(options)) : look(options));
        await run(ports, [act(restart)]);
        const notes = ports.done.filter((line) => line.startsWith("note ")).map(withoutTime);
        assert.deepEqual(notes, [
            "note waiting: an answer of the API server or PD (2 s; fails at …)",
            "note done waiting after 9 s, because the next step can be taken: restart basic-tikv-3; the reason was: an answer of the API server or PD",
        ]);
    });

    for (const [asked, lacks] of [
        ["the API server", "the API server"],
        ["others", "PD"],
    ] as const) {
        it(`names the one that does not answer: ${lacks}`, async () => {
            const ports = record();
            const { look } = ports;
            let looks = 0;
            ports.look = (options, _lag, tellAsked) => {
                tellAsked?.(asked);
                if (looks++ === 0) {
                    passSeconds(9, (milliseconds) => (ports.time += milliseconds));
                }
                return look(options);
            };
            await run(ports, [act(restart)]);
            const [first] = ports.done.filter((line) => line.startsWith("note ")).map(withoutTime);
            assert.equal(first, `note waiting: an answer of ${lacks} (2 s; fails at …)`);
        });
    }
});

describe("a gate's run", () => {
    it("takes the lock before its first action, observes again, acts, and releases the lock", async () => {
        const ports = record();
        await run(ports, [act(restart)]);
        assert.deepEqual(ports.done, [
            "look",
            "lock",
            "look",
            "info restart basic-tikv-3",
            "do delete-pod",
            "look",
            "release",
        ]);
    });

    it("says that it begins a batch, and keeps its other records without a word in the log", async () => {
        const stores = { "basic-tikv-3": 13, "basic-tikv-1": 11 };
        const ports = record();
        await run(ports, [act({ do: "begin-batch", component: "tikv", stores }), act({ do: "forget-limits" })]);
        assert.deepEqual(
            ports.done.filter((line) => line.startsWith("info ")),
            ["info begin a batch: restart basic-tikv-3, basic-tikv-1 side by side"],
        );
    });

    it("notes with the lock what it does and waits for, so a status can tell it without the run's terminal", async () => {
        const ports = record();
        await run(ports, [wait(now + 60_000), act(restart), wait(now + 60_000)]);
        assert.deepEqual(ports.described, [
            "roll out basic-tikv: restart basic-tikv-3",
            "roll out basic-tikv, waiting: store 13 is Down",
        ]);
    });

    it("takes no lock if it only waits", async () => {
        const { taken } = await run(record(), [wait(now + 60_000), wait(now + 60_000)]);
        assert.deepEqual(taken, []);
    });

    it("says who else operates the cluster if it only waits", async () => {
        const statuses: string[] = [];
        const operatedBy = "ana@laptop, process 7 operates the cluster: roll out basic-tikv";
        const ports = record({ observe: { operatedBy } });
        ports.progress.status = (message) => statuses.push(message);
        await run(ports, [wait(now + 60_000)]);
        repeats(statuses[0], "store 13 is Down", operatedBy);
    });

    it("waits for another holder, names it once, and takes the lock over when it expires", async () => {
        const ports = record({ heldBy: { holder: "ana@laptop, process 7", until: now + 15_000 } });
        const { taken } = await run(ports, [act(restart)]);
        assert.deepEqual(taken, [
            "warn waiting for ana@laptop, process 7: roll out basic-pd",
            "note waiting for ana@laptop, process 7 (roll out basic-pd); its lock expires in 13 s unless it is renewed",
            "lock",
            "note done waiting after 15 s, because this run has the lock now; the reason was: ana@laptop, process 7 (roll out basic-pd)",
            "do delete-pod",
            "release",
        ]);
        assert.ok(ports.time >= now + 15_000);
    });

    it("starts its waits anew when it gets the lock, because the last holder may have changed everything", async () => {
        const memories: Memory[] = [];
        const moves = [wait(now + 60_000), act(restart), act(restart)];
        const operation = {
            description: "roll out basic-tikv",
            look: { components: [], pd: [], status: [] },
            next: (_: Observation, memory: Memory): Move => moves[memories.push(memory) - 1] ?? { kind: "done" },
        };
        await runOperation(operation, record());
        assert.deepEqual(
            memories.map((memory) => Object.keys(memory.waits)),
            [[], ["store-up basic-tikv-3"], [], ["leaders-evicted basic-tikv-3"]],
        );
    });

    it("counts no time from before it had the lock for a wait that needs it, because another run may have acted meanwhile", async () => {
        const memories: Memory[] = [];
        const steady: Move = { ...wait(now + 60_000), steadyAt: now, goesOnAt: now + 10_000, needsLock: true } as Move;
        const moves = [steady, steady];
        const operation = {
            description: "roll out basic-tikv",
            look: { components: [], pd: [], status: [] },
            next: (_: Observation, memory: Memory): Move => moves[memories.push(memory) - 1] ?? { kind: "done" },
        };
        const ports = record({ heldBy: { holder: "ana@laptop, process 7", until: now + 15_000 } });
        await runOperation(operation, ports);
        assert.deepEqual(
            memories.map(({ waits }) => Object.keys(waits)),
            [[], [], ["store-up basic-tikv-3"]],
            "the observation from before the lock is no part of the wait",
        );
        const looks = ports.done.slice(ports.done.indexOf("lock")).filter((one) => one === "look");
        assert.equal(looks.length, 2, ports.done.join("\n"));
    });

    it("gives up on a holder after an hour, and names it", async () => {
        const { error, taken } = await run(record({ heldBy: { holder: "ana@laptop", until: Infinity } }), [
            act(restart),
        ]);
        isFailure(error, "lock-held", { target: "roll out basic-tikv", names: "ana@laptop" });
        assert.ok(!taken.includes("do delete-pod"));
    });

    it("says what to do if the Lease is gone", async () => {
        const { error } = await run(record({ noLease: true }), [act(restart)]);
        isFailure(error, "lease-gone", { target: "roll out basic-tikv" });
    });

    it("does nothing more once the lock is lost", async () => {
        const { error, taken } = await run(record({ lostAfter: 1 }), [act(restart), act({ ...restart, uid: "other" })]);
        assert.notEqual(error, undefined);
        assert.deepEqual(taken, ["lock", "do delete-pod", "release"]);
    });

    it("ends at the next safe point when somebody asks it to, and names them", async () => {
        const { error, taken } = await run(record({ stopAfter: 1 }), [act(restart), act({ ...restart, uid: "other" })]);
        isFailure(error, "stopped", { step: "roll out basic-tikv", names: "ben@build" });
        assert.deepEqual(taken, ["lock", "do delete-pod", "release"]);
    });

    it("records what runs before it ends on request: nobody may look at these pods again", async () => {
        const { error, taken } = await run(record({ stopAfter: 1 }), [act(restart), act(note), act(restart)]);
        isFailure(error, "stopped", { names: "ben@build" });
        assert.deepEqual(taken, ["lock", "do delete-pod", "do note-version", "release"]);
    });

    it("takes no lock for that: a run that did nothing ends at once", async () => {
        const { error, taken } = await run(record({ stopAfter: 0 }), [wait(now + 60_000), act(note)]);
        isFailure(error, "stopped", { names: "ben@build" });
        assert.deepEqual(taken, []);
    });

    for (const status of [400, 401, 403, 404, 422]) {
        it(`goes on if the API server refuses a record with ${status}, and warns once, with what to do`, async () => {
            const refusal = new KubernetesApiError(`the API server answered ${status}: no`, status);
            const ports = record({ actionsFail: { times: 2, error: refusal } });
            const { error, taken } = await run(ports, [act(note), act({ ...note, version: "v8.5.4" }), act(restart)]);
            assert.equal(error, undefined);
            const [lock, warned, ...rest] = taken;
            assert.deepEqual([lock, rest], ["lock", ["do delete-pod", "release"]]);
            assert.ok(
                warned.startsWith(
                    `warn could not record v8.5.3 on tikv-basic-tikv-3: the API server answered ${status}`,
                ),
            );
            assert.equal(warned.includes("verbs: [list, patch]"), status === 403);
            assert.ok(ports.done.some((one) => one.startsWith("info could not record v8.5.4 on tikv-basic-tikv-3: ")));
        });
    }

    it("does not go on if anything but a record is refused, or if a record fails for another reason", async () => {
        const refusal = new KubernetesApiError("the API server answered 403", 403);
        const { error } = await run(record({ actionsFail: { times: 1, error: refusal } }), [
            act(restart),
            act(restart),
        ]);
        isFailure(error, "action-failed", { names: ["restart basic-tikv-3", refusal.message] });
        const lost = await run(record({ failOn: "note-version" }), [act(note), act(note)]);
        isFailure(lost.error, "action-failed", { names: ["record v8.5.3", "PD answers 500"] });
        const busy = new KubernetesApiError("the API server answered 429", 429);
        const again = await run(record({ actionsFail: { times: 1, error: busy } }), [act(note), act(note), act(note)]);
        assert.ok(again.taken.includes("do note-version"), again.taken.join());
        assert.deepEqual(
            again.taken.filter((one) => one.startsWith("warn ")),
            [],
        );
        const conflict = new KubernetesApiError("the API server answered 409", 409);
        const changed = await run(record({ actionsFail: { times: 1, error: conflict } }), [act(note), act(note)]);
        isFailure(changed.error, "action-failed", { names: ["record v8.5.3", conflict.message] });
    });

    it("ends on request while it only waits too", async () => {
        const { error, taken } = await run(record({ stopAfter: 0 }), [wait(now + 60_000), wait(now + 60_000)]);
        isFailure(error, "stopped", { step: "roll out basic-tikv", names: "ben@build" });
        assert.deepEqual(taken, []);
    });

    it("does nothing if the update was asked to stop before this gate began, not even if it has nothing to do", async () => {
        for (const moves of [[act(restart)], [wait(now + 60_000)], []]) {
            const { error, taken } = await run(record({ stopBefore: "ben@build" }), moves);
            isFailure(error, "stopped", { step: "roll out basic-tikv", names: "ben@build" });
            assert.deepEqual(taken, []);
        }
    });

    it("is done if everything is done and nothing follows, although the update was asked to stop", async () => {
        const ports = record({ stopBefore: "ben@build" });
        const operation = {
            description: "wait for basic",
            look: noLook,
            next: (): Move => ({ kind: "done" }),
            isLast: true,
        };
        await runOperation(operation, ports);
    });

    it("does not end on request before an eviction that an earlier gate left behind is ended", async () => {
        const observe: Partial<Observation> = {
            records: evicting(3),
            pd: pdWith({ stores: [storeOf(3, { state: "Disconnected" })] }),
        };
        const { taken } = await run(record({ stopBefore: "ben@build", observe }), [act(restart)]);
        assert.ok(taken.includes("do delete-pod"));
    });

    it("ends when Pulumi was killed and nobody hears it", async () => {
        const ports = record();
        Object.assign(ports.progress, { abandoned: true });
        const { error } = await run(ports, [wait(now + 60_000)]);
        isFailure(error, "stopped", { step: "roll out basic-tikv" });
    });

    it("does not end between a store's restart and the end of its eviction", async () => {
        const observe: Partial<Observation> = {
            records: evicting(3),
            pd: pdWith({ stores: [storeOf(3, { state: "Disconnected" })] }),
        };
        const { error, taken } = await run(record({ stopAfter: 1, observe }), [
            act(restart),
            act({ ...restart, uid: "2" }),
        ]);
        assert.equal(error, undefined);
        assert.deepEqual(taken, ["lock", "do delete-pod", "do delete-pod", "release"]);
    });

    it("says to its decisions that it is to stop, also when Pulumi has gone", async () => {
        const observe: Partial<Observation> = {
            records: evicting(3),
            pd: pdWith({ stores: [storeOf(3, { state: "Disconnected" })] }),
        };
        const asked: (string | undefined)[] = [];
        for (const isGone of [true, false]) {
            const ports = record({ observe });
            Object.assign(ports.progress, { abandoned: isGone });
            const next = ({ stopRequest }: Observation): Move => (asked.push(stopRequest), { kind: "done" });
            const operation = { description: "roll out basic-tikv", look: noLook, next, isLast: true };
            await runOperation(operation, ports);
        }
        assert.deepEqual(asked, ["Pulumi has exited, so the run stopped at a safe point", undefined]);
    });

    it("records an eviction before it begins it", async () => {
        const ports = record();
        await run(ports, [act(evict)]);
        const steps = ports.done.filter((one) => /^(keep|do)/.test(one));
        const begun = { "13": { pod: "basic-tikv-3", begunAt: now, leadersBefore: 500 } };
        assert.deepEqual(steps, [`keep ${JSON.stringify(begun)}`, "do begin-eviction"]);
    });

    it("observes in more detail once if the decision asks for it", async () => {
        const ports = record();
        await run(ports, [{ kind: "look", at: { parts: ["region-status"] } }]);
        assert.deepEqual(
            ports.looks.map((one) => one.pd),
            [["stores"], ["stores", "region-status"]],
        );
    });

    const endings: [string, Faults, Move[]][] = [
        ["done", {}, [act(restart)]],
        [
            "a failure",
            {},
            [
                act(restart),
                { kind: "fail", problem: { code: "store-up", step: "s", target: "t", seen: "u", next: "v" } },
            ],
        ],
        ["a refused action", { failOn: "delete-pod" }, [act(restart)]],
        ["a failed observation", { lookFailsAt: 3 }, [act(restart)]],
        ["a lost lock", { lostAfter: 0 }, [act(restart)]],
        ["a stop", { stopAfter: 1 }, [act(restart), act(restart)]],
    ];
    for (const [name, faults, moves] of endings) {
        it(`releases the lock after ${name}`, async () => {
            const ports = record(faults);
            await run(ports, moves);
            assert.equal(ports.done.at(-1), "release");
            assert.equal(ports.done.filter((one) => one === "release").length, 1);
        });
    }

    it("keeps its own error if the lock cannot be released", async () => {
        const ports = record({ failOn: "delete-pod", releaseFails: true });
        const { error } = await run(ports, [act(restart)]);
        isFailure(error, "action-failed", { names: "PD answers 500" });
        repeats(ports.done.at(-1), "warn ", "no API server");
    });

    it("fails with the step, the target, what was seen and what to do next", async () => {
        const problem = {
            code: "store-up",
            step: "store-up",
            target: "basic-tikv-3",
            seen: "store 13 is Down, for 600 s",
            next: "look at its log",
        } as const;
        const { error } = await run(record(), [{ kind: "fail", problem }]);
        assert.ok(error instanceof GateError);
        assert.equal(error.message, "store-up: basic-tikv-3: store 13 is Down, for 600 s. Next: look at its log.");
    });

    it("names the step and the action that was refused, and keeps the cause", async () => {
        const { error } = await run(record({ failOn: "begin-eviction" }), [act(evict)]);
        isFailure(error, "action-failed", {
            step: "leaders-evicted",
            target: "basic-tikv-3",
            names: ["evict 500 leaders from store 13 (basic-tikv-3)", "PD answers 500"],
        });
        assert.equal((error?.cause as Error).message, "PD answers 500");
    });
});

describe("a run with trouble that may pass", () => {
    const unreachable = new KubernetesApiError("the API server did not delete pod: no answer", undefined);
    const leaderless = new PdError({ code: "PD_NO_LEADER", call: "delete store 6", attempts: [], next: "" });
    const refused = new PdError({ code: "PD_REFUSED", call: "delete store 6", attempts: [], next: "" });

    it("continues if the API server was silent for less than five minutes, and says so meanwhile", async () => {
        const statuses: string[] = [];
        const ports = record({ unreachableFrom: { look: 2, milliseconds: 290_000 } });
        ports.progress.status = (message) => statuses.push(message);
        const { error, taken } = await run(ports, [act(restart)]);
        assert.equal(error, undefined);
        const notes = taken.filter((line) => line.startsWith("note "));
        assert.deepEqual(
            taken.filter((line) => !notes.includes(line)),
            ["lock", "do delete-pod", "release"],
        );
        assert.equal(notes.length, 11, "at the beginning, every 30 s, and at the end");
        assert.equal(
            notes.at(-1),
            "note done waiting after 290 s, because the call was answered; the reason was: the API server did not answer",
        );
        assert.match(statuses[30], /^waiting: the API server did not answer \(30 s; fails at \d\d:\d\d:\d\d\)$/);
    });
    it("ends after five minutes of silence", async () => {
        const ports = record({ unreachableFrom: { look: 2, milliseconds: 1e9 } });
        const { error } = await run(ports, [act(restart)]);
        repeats(error, "the API server did not answer");
        assert.ok(ports.time - now >= 300_000 && ports.time - now < 302_000);
    });
    it("ends at once if nobody ever answered", async () => {
        const ports = record({ unreachableFrom: { look: 1, milliseconds: 5_000 } });
        const { error } = await run(ports, [act(restart)]);
        repeats(error, "the API server did not answer");
        assert.equal(ports.time, now);
    });
    for (const [name, fault] of [
        ["the API server does not answer", unreachable],
        ["PD elects a leader", leaderless],
    ] as const) {
        it(`repeats an action after another observation if ${name}`, async () => {
            const ports = record({ actionsFail: { times: 1, error: fault } });
            const { error, taken } = await run(ports, [act(restart), act(restart)]);
            assert.equal(error, undefined);
            assert.deepEqual(taken, ["lock", "do delete-pod", "release"]);
            assert.equal(ports.looks.length, 4);
        });
    }
    it("does not repeat an action that PD refused", async () => {
        const { error, taken } = await run(record({ actionsFail: { times: 1, error: refused } }), [act(restart)]);
        assert.ok(error instanceof GateError);
        assert.deepEqual(taken, ["lock", "release"]);
    });
});

describe("a run that fails after it began an eviction", () => {
    const fail: Move = { kind: "fail", problem: { code: "store-up", step: "s", target: "t", seen: "u", next: "v" } };

    it("ends and forgets the eviction if the store is Up", async () => {
        const ports = record();
        const { taken } = await run(ports, [act(evict), fail]);
        assert.deepEqual(
            taken.filter((one) => one.startsWith("do ")),
            ["do begin-eviction", "do end-eviction", "do forget-eviction"],
        );
        assert.deepEqual(ports.records, noRecords());
        assert.equal(ports.done.at(-1), "release");
    });

    it("ends an eviction that an earlier run left, even if it has done nothing itself yet", async () => {
        const ports = record({ observe: { records: evicting(3) } });
        const { taken } = await run(ports, [fail]);
        assert.deepEqual(
            taken.filter((one) => !one.startsWith("keep")),
            ["lock", "do end-eviction", "do forget-eviction", "release"],
        );
    });

    it("leaves the eviction to the next run if the store is not Up, and says so", async () => {
        const observe = { records: evicting(3), pd: pdWith({ stores: [storeOf(3, { state: "Down" })] }) };
        const { taken } = await run(record({ observe }), [fail]);
        assert.deepEqual(taken, [
            "warn leaders are still evicted from basic-tikv-3 (store 13 is Down): the next `pulumi up` ends the eviction",
        ]);
    });

    it("leaves somebody else's eviction alone", async () => {
        const { taken } = await run(
            record({ observe: { pd: pdWith({ stores: [storeOf(3)], evictedStores: [13] }) } }),
            [fail],
        );
        assert.deepEqual(taken, []);
    });

    it("reports its own error, not that of cleaning up", async () => {
        const ports = record({ observe: { records: evicting(3) }, failOn: "end-eviction" });
        const { error, taken } = await run(ports, [fail]);
        isFailure(error, "store-up", { step: "s", target: "t" });
        assert.ok(taken.some((one) => /^warn leaders may still be evicted.*PD answers 500/.test(one)));
    });
});
