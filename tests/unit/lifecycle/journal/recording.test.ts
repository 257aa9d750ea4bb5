import * as assert from "node:assert/strict";
import {
    beginRecording,
    endRecording,
    recordAction,
    recordLook,
    recordOtherRun,
    recordWait,
    type Recording,
    withoutOldest,
} from "../../../../provider/lifecycle/journal/recording";
import { estimateFrom } from "../../../../provider/lifecycle/estimates/rates";
import type { JournalEntry } from "../../../../provider/lifecycle/journal/journalOperation";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import { type Deviation, evicting, now, observed } from "../../../support/lifecycle/observations";
import type { Component } from "../../../../topology/members";

const begun = () => beginRecording({ id: "1", what: "roll out basic-tikv", holder: "ana@laptop", began: now });

/** The record after looks at clusters like these, a second apart. */
function looked(...rows: Deviation[]): Recording {
    return rows.reduce<Recording>((recording, row, index) => {
        const { observation } = observed("tikv", row);
        return recordLook(recording, { ...observation, now: now + index * 1_000 });
    }, begun());
}

const inShort = (entries: readonly JournalEntry[]) =>
    entries.map((entry) => {
        switch (entry.is) {
            case "pod":
                return `${entry.pod} ${entry.phase}${entry.why === undefined ? "" : `: ${entry.why}`}`;
            case "wait":
                return `wait ${entry.step} ${entry.target} ${entry.at - now}-${entry.until === undefined ? "" : entry.until - now}: ${entry.why}${entry.last === undefined ? "" : ` … ${entry.last}`}`;
            case "act":
                return entry.failed === undefined ? entry.do : `${entry.do} failed: ${entry.failed}`;
        }
    });
const phases = (...rows: Deviation[]) => inShort(looked(...rows).operation.entries);

describe("the record of an operation's pods", () => {
    it("has an entry only when the phase of a pod changes", () => {
        assert.deepEqual(phases({}, {}, {}), []);
        assert.deepEqual(looked({}).operation.pods.length, 4);
    });

    it("follows a restart: leaders evicted, down, Up, leaders back, and well", () => {
        const stale = { stale: [3] };
        const stopping = { ...stale, records: evicting(3), pods: { 3: { terminating: true } } };
        const starting = { records: evicting(3), pods: { 3: { ready: false, trouble: "ContainerCreating" } } };
        const registering = { records: evicting(3), stores: { 3: { state: "Disconnected" } } };
        const ended = { records: evicting(3, { endedAt: now }) };
        const gone = { records: evicting(3), pods: { 3: undefined } };
        assert.deepEqual(
            phases(stale, { ...stale, records: evicting(3) }, stopping, gone, starting, registering, ended, {}),
            [
                "basic-tikv-3 evicting",
                "basic-tikv-3 down: it is stopping",
                "basic-tikv-3 down: it does not exist",
                "basic-tikv-3 down: it is not Ready: ContainerCreating",
                "basic-tikv-3 down: store 13 is Disconnected",
                "basic-tikv-3 leaders-back",
                "basic-tikv-3 up",
            ],
        );
    });

    it("does not take a store for back that PD still calls Up from before the restart", () => {
        const stopping = { records: evicting(3), pods: { 3: { terminating: true } } };
        const asBefore = { records: evicting(3), stores: { 3: { startedAt: 1_000 } } };
        assert.deepEqual(phases(stopping, asBefore, { records: evicting(3) }), [
            "basic-tikv-3 down: it is stopping",
            "basic-tikv-3 down: store 13 has not registered since its process started",
            "basic-tikv-3 leaders-back",
        ]);
    });

    it("says what an operation finds when it begins, and nothing about the pods that are well", () => {
        assert.deepEqual(phases({ stores: { 1: { state: "Down" } } }), ["basic-tikv-1 down: store 11 is Down"]);
    });

    it("says that a store leaves", () => {
        const records = { evictions: {}, removals: { 13: { pod: "basic-tikv-3", begunAt: now } } };
        assert.deepEqual(phases({}, { records }), ["basic-tikv-3 leaving"]);
    });

    it("tells a pod that a scale-in has removed from one that is created again", () => {
        const removed = { live: 3 };
        assert.deepEqual(phases({}, removed), ["basic-tikv-3 gone"]);
        assert.deepEqual(phases({}, { pods: { 3: undefined } }), ["basic-tikv-3 down: it does not exist"]);
    });

    it("changes nothing about a pod as long as PD does not answer", () => {
        const down = { stores: { 1: { state: "Down" } } };
        assert.deepEqual(phases(down, { ...down, pdSilent: true }, {}), [
            "basic-tikv-1 down: store 11 is Down",
            "basic-tikv-1 up",
        ]);
    });

    it("does not repeat a phase whose reason differs only in its numbers", () => {
        const waiting = (seconds: number) => ({ pods: { 1: { ready: false, trouble: `restarts in ${seconds} s` } } });
        assert.equal(phases(waiting(5), waiting(4), waiting(3)).length, 1);
    });
});

/** The pod with ordinal 1 is deleted at 1 s. At 2 s it is still listed as it was; at 5 s as the rows say, a second apart. */
function restarted(component: Component, ...rows: Deviation[]): Recording {
    const { observation } = observed(component, {});
    const target = `basic-${component}-1`;
    const action = { do: "delete-pod", pod: target, uid: "uid-1", resourceVersion: "1" } as const;
    const deleted = recordAction(
        recordLook(begun(), observation),
        { action, step: "pod-restarted", target },
        observation,
        now + 1_000,
    );
    const after = rows.reduce(
        (recording, row, index) =>
            recordLook(recording, { ...observed(component, row).observation, now: now + 5_000 + index * 1_000 }),
        recordLook(deleted, { ...observation, now: now + 2_000 }),
    );
    return endRecording(after, now + 9_000, "done");
}

describe("the record of a restart that is over before anybody looks", () => {
    const another = { pods: { 1: { uid: "another" } } };
    const ratesOf = ({ operation }: Recording, component: Component) => {
        const { ready, well, restRestart } = estimateFrom([operation], "basic", component);
        return [ready, well, restRestart].map((one) => (one.known ? one.value : undefined));
    };

    for (const component of ["pd", "tikv", "tiflash", "tidb", "tiproxy"] as const) {
        it(`has the new pod of ${component} by its uid, and from its deletion until then the time that it took`, () => {
            const recording = restarted(component, another, another);
            assert.deepEqual(inShort(recording.operation.entries), ["delete-pod", `basic-${component}-1 up`]);
            assert.deepEqual(ratesOf(recording, component), [4, 0, 4]);
        });
    }

    it("has how long a pod took to be well that nobody saw as not Ready", () => {
        const unhealthy = restarted("pd", { ...another, unhealthy: [1] }, another);
        assert.deepEqual(inShort(unhealthy.operation.entries).slice(1), [
            "basic-pd-1 down: PD calls it unhealthy",
            "basic-pd-1 up",
        ]);
        assert.deepEqual(ratesOf(unhealthy, "pd"), [4, 1, 3]);
    });

    it("has none while only the old pod is listed, and so no time of it", () => {
        const recording = restarted("pd", {}, {});
        assert.deepEqual(inShort(recording.operation.entries), ["delete-pod"]);
        assert.deepEqual(ratesOf(recording, "pd"), [undefined, undefined, undefined]);
    });

    it("has the new pod once PD answers, and then only once", () => {
        const silent = { ...another, pdSilent: true };
        const { entries } = restarted("tikv", silent, another, another).operation;
        assert.deepEqual(
            entries.flatMap((entry) => (entry.is === "pod" ? [[entry.at - now, entry.isNew]] : [])),
            [[6_000, true]],
        );
    });

    it("takes no pod for another one that was there at the first look, or is first read later", () => {
        const silent = recordLook(begun(), observed("tikv", { pdSilent: true }).observation);
        assert.deepEqual(recordLook(silent, observed("tikv", {}).observation).operation.entries, []);
        const { observation } = observed("tikv", {});
        const { members } = observed("pd", {}).observation;
        const later = recordLook(silent, { ...observation, members: { ...observation.members, ...members } });
        assert.ok(later.operation.entries.every((entry) => entry.is === "pod" && entry.isNew === undefined));
    });
});

describe("the record of an operation's waits", () => {
    const wait = (step: string, waitingFor: string) => ({ step, target: "basic-tikv-3", waitingFor });
    const waited = (...waits: [at: number, step: string, words: string][]) =>
        waits.reduce((recording, [at, step, words]) => recordWait(recording, wait(step, words), now + at), begun());
    const entries = ({ operation }: Recording) => inShort(operation.entries);

    it("is one entry as long as only the numbers of the reason change", () => {
        const recording = waited(
            [0, "evicted", "store 13 holds 500 leaders"],
            [2_000, "evicted", "store 13 holds 9 leaders"],
        );
        assert.deepEqual(entries(endRecording(recording, now + 3_000, "done")), [
            "wait evicted basic-tikv-3 0-3000: store 13 holds 500 leaders … store 13 holds 9 leaders",
        ]);
    });

    it("begins a new entry when the reason changes", () => {
        const recording = waited([0, "up", "it is not Ready"], [2_000, "up", "it is not Ready: ImagePullBackOff"]);
        assert.deepEqual(entries(recording), [
            "wait up basic-tikv-3 0-2000: it is not Ready",
            "wait up basic-tikv-3 2000-: it is not Ready: ImagePullBackOff",
        ]);
    });

    it("has one entry for each of two waits that alternate", () => {
        const turns = Array.from(
            { length: 20 },
            (_, turn) => [turn * 500, turn % 2 ? "b" : "a", "…"] as [number, string, string],
        );
        assert.deepEqual(entries(endRecording(waited(...turns), now + 10_000, "done")), [
            "wait a basic-tikv-3 0-9500: … … …",
            "wait b basic-tikv-3 500-10000: … … …",
        ]);
    });

    it("leaves out a wait of less than a second, and one for another run", () => {
        assert.deepEqual(entries(endRecording(waited([0, "up", "…"]), now + 900, "done")), []);
        assert.deepEqual(entries(recordOtherRun(begun(), "roll out", now, now + 900)), []);
        assert.deepEqual(entries(recordOtherRun(begun(), "roll out", now, now + 1_000)), [
            "wait lock roll out 0-1000: another run to end",
        ]);
    });
});

describe("the record of an action", () => {
    const stale = { stale: [3], records: evicting(3), evicted: [13], stores: { 3: { leaderCount: { reported: 0 } } } };
    const ownLeaders = { 3: 0 };

    it("has what was done, the conditions that held when it was decided, and what was seen", () => {
        const { observation, target } = observed("tikv", { ...stale, ownLeaders });
        const move = nextRolloutMove(observation, target, emptyMemory);
        assert.ok(move.kind === "act" && move.action.do === "delete-pod");
        const { operation } = recordAction(begun(), move, observation, now + 1);
        const [entry] = operation.entries;
        assert.ok(entry.is === "act");
        assert.deepEqual(entry.held, [
            "pod-stopped",
            "volumes-stay",
            "no-backup-runs",
            "stores-listed",
            "other-stores-up",
            "no-foreign-eviction",
            "no-eviction-by-pd",
            "leaders-can-move",
            "majorities-stay",
            "batch-decided",
            "limits-raised",
            "leaders-evicted",
            "majorities-stay",
        ]);
        assert.deepEqual(entry.seen, [
            "basic-tikv-3 Ready, on old, wanted new (basic-tikv)",
            "store 13 Up, leaders 0 by PD and 0 by itself, regions 1500",
            "PD members healthy 3 of 3",
            "PD led by basic-pd-0",
            "stores Up 4 of 4",
            "pending peers 0",
            "regions with a missing peer 0, a down peer 0, a pending peer 0",
            "stores under eviction: 13",
        ]);
        assert.deepEqual(
            [entry.at, entry.words, entry.step, entry.target],
            [now + 1, "restart basic-tikv-3", "pod-restarted", "basic-tikv-3"],
        );
    });

    it("names what is not well, and says that PD does not answer", () => {
        const action = { do: "end-eviction", storeId: 13, pod: "basic-tikv-3" } as const;
        const seenOf = (row: Deviation) => {
            const { observation } = observed("tikv", row);
            const move = { action, step: "eviction-ended", target: "basic-tikv-3" };
            const [entry] = recordAction(begun(), move, observation, now).operation.entries;
            return entry.is === "act" ? entry.seen : [];
        };
        assert.ok(seenOf({ stores: { 1: { state: "Down" } } }).includes("stores Up 3 of 4 (not basic-tikv-1)"));
        assert.ok(seenOf({ pdSilent: true }).includes("PD does not answer: PD answers 500"));
    });

    it("has the error of an action that failed, and ends a wait", () => {
        const { observation } = observed("tikv", {});
        const waiting = recordWait(begun(), { step: "up", target: "basic-tikv-3", waitingFor: "…" }, now);
        const action = { do: "end-eviction", storeId: 13, pod: "basic-tikv-3" } as const;
        const move = { action, step: "eviction-ended", target: "basic-tikv-3" };
        const { operation } = recordAction(waiting, move, observation, now + 5_000, "PD answers 500");
        assert.deepEqual(inShort(operation.entries), [
            "wait up basic-tikv-3 0-5000: …",
            "end-eviction failed: PD answers 500",
        ]);
    });

    it("drops the oldest entries when there are too many, and counts them", () => {
        const { operation } = looked({}, { stores: { 1: { state: "Down" } } }, {});
        const { dropped, entries } = withoutOldest(withoutOldest(operation, 0.5), 0);
        assert.deepEqual([dropped, inShort(entries)], [1, ["basic-tikv-1 up"]]);
    });
});
