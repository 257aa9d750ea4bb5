import * as assert from "node:assert/strict";
import { lookForEvictions } from "../../../provider/gates/endEvictions";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { type Faults, record, type Recorded, run } from "../../support/gates/recordedPorts";
import { PdError } from "../../../provider/pd/pdError";
import { type Deviation, evicting, now, observed, raised } from "../../support/lifecycle/observations";
import { isFailure } from "../../support/failsWith";

const fail: Move = { kind: "fail", problem: { code: "store-up", step: "s", target: "t", seen: "u", next: "v" } };
const act = (action: Action): Move => ({ kind: "act", action, step: "leaders-evicted", target: "basic-tikv-3" });
const evict = act({ do: "begin-eviction", storeId: 13, pod: "basic-tikv-3", leaders: 500 });
const restart = act({ do: "delete-pod", pod: "basic-tikv-3", uid: "uid-3", resourceVersion: "1" });
const actions = (taken: string[]) => taken.filter((one) => /^(do|warn|lock)/.test(one));
const lookedForEvictions = ({ looks }: Recorded) => looks.filter((look) => look === lookForEvictions).length;
const seen = (row: Deviation): Partial<Observation> => {
    const { pd, records } = observed("tikv", row).observation;
    return { pd, records };
};
const both = (...records: Observation["records"][]): Observation["records"] => ({
    evictions: Object.assign({}, ...records.map(({ evictions }) => evictions)) as Observation["records"]["evictions"],
    removals: {},
});
const ended = { endedAt: now - 1_000, endedUnder: "7" };

describe("a failed run and its evictions", () => {
    it("ends an eviction whose start failed, because PD may have started it", async () => {
        const { taken } = await run(record({ failOn: "begin-eviction" }), [evict]);
        assert.deepEqual(actions(taken), ["lock", "do begin-eviction", "do end-eviction", "do forget-eviction"]);
    });

    it("does not ask PD if it started no eviction and none was on record", async () => {
        const ports = record({ failOn: "delete-pod" });
        await run(ports, [restart]);
        assert.equal(lookedForEvictions(ports), 0);
    });

    it("does not ask PD if the recorded eviction was ended before", async () => {
        const ports = record({ observe: { records: evicting(3, ended) } });
        await run(ports, [fail]);
        assert.equal(lookedForEvictions(ports), 0);
    });

    it("ends an eviction that lasts beside one that was ended, and forgets both once PD dropped them", async () => {
        const observe = { records: both(evicting(3, ended), evicting(2)) };
        const ports = record({ observe });
        await run(ports, [fail]);
        assert.deepEqual(ports.records.evictions, {});
    });

    it("keeps the record of an ended eviction that PD's next leader would bring back", async () => {
        const records = both(evicting(3, ended), evicting(2));
        const ports = record({ observe: { ...seen({ evicted: [], persisted: [13] }), records } });
        const { taken } = await run(ports, [fail]);
        assert.deepEqual(Object.keys(ports.records.evictions), ["13"]);
        assert.equal(taken.filter((one) => one === "do forget-eviction").length, 1, "the other one");
    });

    it("observes again before each step", async () => {
        const ports = record({ observe: { records: evicting(3) } });
        await run(ports, [fail]);
        assert.equal(lookedForEvictions(ports), 3);
    });

    const says = (rest: string) =>
        `warn leaders may still be evicted from a store; the next \`pulumi up\` ends the eviction: ${rest}`;
    const again = "Next: run `pulumi up` again: it continues from the cluster's current state. [action-failed]";
    for (const [name, faults, why] of [
        [
            "another run has the lock by then",
            { heldBy: { holder: "ana@laptop", until: Infinity } },
            "ana@laptop holds the lock (roll out basic-pd)",
        ],
        ["the Lease is gone", { noLease: true }, "the cluster's Lease is gone"],
        [
            "PD does not end it",
            { failOn: "end-eviction" },
            `eviction-ended: basic-tikv-3: could not end the eviction of store 13 (basic-tikv-3): PD answers 500. ${again}`,
        ],
        [
            "it cannot be forgotten",
            { failOn: "forget-eviction" },
            `eviction-forgotten: basic-tikv-3: could not delete the record of the finished eviction of store 13: PD answers 500. ${again}`,
        ],
    ] as [string, Faults, string][]) {
        it(`says that evictions may last, and why, if ${name}; and fails with its own error`, async () => {
            const { error, taken } = await run(record({ ...faults, observe: { records: evicting(3) } }), [fail]);
            assert.ok(taken.includes(says(why)), taken.join("\n"));
            isFailure(error, "store-up", { step: "s", target: "t" });
        });
    }

    const stale = new StaleDecision("the lock of PD had expired and was taken again");
    const notEnded = `could not end the eviction of store 13 (basic-tikv-3): ${stale.message}`;
    for (const [name, times, secondsPerLook, outcome, seconds] of [
        ["three times until it succeeds", 3, 0, "do end-eviction", 3],
        ["for 10 s until it gives up", Infinity, 0, says(`eviction-ended: basic-tikv-3: ${notEnded}. ${again}`), 10],
        ["once, if that took a minute", Infinity, 61, says(`eviction-ended: basic-tikv-3: ${notEnded}. ${again}`), 61],
    ] as const) {
        it(`observes again if a decision is stale, ${name}; and fails with its own error`, async () => {
            const ports = record({ observe: { records: evicting(3) }, actionsFail: { times, error: stale } });
            const { look } = ports;
            ports.look = (options) => {
                ports.time += secondsPerLook * 1000;
                return look(options);
            };
            const { error, taken } = await run(ports, [fail]);
            assert.ok(taken.includes(outcome), taken.join("\n"));
            isFailure(error, "store-up", { step: "s", target: "t" });
            // The loop's own observation comes before.
            assert.equal(ports.time - now, (seconds + secondsPerLook) * 1000);
        });
    }

    it("waits up to 10 s for a PD that is electing a leader", async () => {
        const { pd } = observed("tikv", {}).observation;
        const electing = { ...pd, evictedStores: notKnown("PD has no leader") };
        const ports = record({ observe: { records: evicting(3) } });
        const { look } = ports;
        ports.look = async (options) => {
            const observation = await look(options);
            return ports.time - now < 3_000 ? { ...observation, pd: electing } : observation;
        };
        await run(ports, [fail]);
        assert.deepEqual(ports.records.evictions, {});
    });

    const limits = { "leader-schedule-limit": 64 };
    const raise = act({
        do: "raise-limits",
        pod: "basic-tikv-3",
        changes: { "leader-schedule-limit": { from: 4, to: 64 } },
        record: raised().raisedLimits!,
    });

    it("puts back raised limits, also if it began no eviction", async () => {
        const ports = record({ observe: seen({ limits }) });
        const { taken } = await run(ports, [raise, fail]);
        assert.deepEqual(actions(taken), ["lock", "do raise-limits", "do put-back-limits"]);
        assert.deepEqual(ports.records, { evictions: {}, removals: {} });
    });

    it("puts back limits that it may have raised, although PD's answer was lost", async () => {
        const ports = record({ failOn: "raise-limits", observe: seen({ limits }) });
        const { taken } = await run(ports, [raise]);
        assert.deepEqual(actions(taken), ["lock", "do raise-limits", "do put-back-limits"]);
    });

    it("puts back limits that an earlier run has raised", async () => {
        const ports = record({ observe: seen({ records: raised(), limits }) });
        const { taken } = await run(ports, [fail]);
        assert.deepEqual(actions(taken), ["lock", "do put-back-limits"]);
    });

    it("puts back limits although the eviction must stay, because the store is down", async () => {
        const row = {
            evicted: [13],
            records: raised(undefined, evicting(3)),
            stores: { 3: { state: "Down" } },
            limits,
        };
        const { taken } = await run(record({ observe: seen(row) }), [fail]);
        assert.deepEqual(actions(taken), [
            "lock",
            "do put-back-limits",
            "warn leaders are still evicted from basic-tikv-3 (store 13 is Down): the next `pulumi up` ends the eviction",
        ]);
    });

    it("says so if PD does not say its limits for 10 s", async () => {
        const ports = record({ observe: seen({ records: raised(), limits: null }) });
        const { taken } = await run(ports, [fail]);
        assert.deepEqual(actions(taken), [
            "warn PD's limits of moving leaders are still raised (PD did not answer): the next `pulumi up` puts back what was there before",
        ]);
        assert.equal(ports.time - now, 10_000);
        assert.ok(ports.records.raisedLimits);
    });

    const refusal = new PdError({ code: "PD_REFUSED", call: "set it", attempts: [], next: "Correct the value." });

    it("says so if PD refuses to put them back, and keeps the record", async () => {
        const observe = seen({ records: raised(), limits });
        const ports = record({ observe, actionsFail: { times: Infinity, error: refusal } });
        const { error, taken } = await run(ports, [fail]);
        assert.ok(taken.some((one) => one.startsWith("warn ") && one.includes(refusal.message)));
        assert.ok(ports.records.raisedLimits);
        isFailure(error, "store-up", { step: "s", target: "t" });
    });

    it("is not failed by a PD that refuses to raise them: the run goes on at PD's own rate, and says so", async () => {
        const ports = record({
            observe: seen({ limits: { "leader-schedule-limit": 4 } }),
            actionsFail: { times: 1, error: refusal },
        });
        const { error, taken } = await run(ports, [raise, restart, { kind: "done" }]);
        assert.equal(error, undefined);
        assert.deepEqual(
            actions(taken).filter((one) => one.startsWith("do ")),
            ["do delete-pod"],
        );
        assert.ok(taken.some((one) => one.startsWith("warn ") && one.includes("leader-schedule-limit")));
    });

    it("does nothing if PD no longer says which stores it evicts", async () => {
        const { pd } = observed("tikv", {}).observation;
        const observe = {
            records: evicting(3),
            pd: { ...pd, evictedStores: notKnown("PD has not loaded its schedulers") },
        };
        const { taken } = await run(record({ observe }), [fail]);
        assert.deepEqual(taken, [
            "warn leaders are still evicted from basic-tikv-3 (PD has not loaded its schedulers): the next `pulumi up` ends the eviction",
        ]);
    });
});
