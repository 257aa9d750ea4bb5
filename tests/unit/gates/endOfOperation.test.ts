import * as assert from "node:assert/strict";
import type { JournalOperation } from "../../../provider/lifecycle/journal/journalOperation";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { now } from "../../support/lifecycle/observations";
import { record, run } from "../../support/gates/recordedPorts";
import { healthy, now as readAt, statusOf } from "../status/seenCluster";

const waits: Move = {
    kind: "wait",
    step: "pod-ready",
    target: "basic-tikv-3",
    waitingFor: "basic-tikv-3 is not Ready",
    since: now,
};

/** A look that takes 12 s (many stores, a slow port-forward, PD that times out), then one short wait, then done: no lock was needed. */
async function journalOf(moves: Move[]) {
    const ports = record();
    const kept: JournalOperation[] = [];
    ports.journal = {
        holder: "ana@laptop",
        newId: () => "1",
        keep: (operation) => void kept.push(operation),
        tell: () => undefined,
        written: () => Promise.resolve(),
    };
    const { look } = ports;
    let isFirst = true;
    ports.look = (...how) => {
        ports.time += isFirst ? 12_000 : 0;
        isFirst = false;
        return look(...how);
    };
    const { error } = await run(ports, moves);
    return { kept, error };
}

describe("an operation that did all it had to, without the lock, after one slow look and one short wait", () => {
    it("is not left without an end in the journal", async () => {
        const { kept, error } = await journalOf([waits]);
        assert.equal(error, undefined);
        assert.ok(kept.length === 0 || kept.at(-1)?.outcome === "done", JSON.stringify(kept));
    });

    it("does not make status say that a finished update did not reach its end", async () => {
        const { kept } = await journalOf([waits]);
        const journal = known(
            [kept.at(-1)].flatMap((one) => (one ? [one] : [])),
            "the journal",
            readAt,
        );
        const { unfinished, conditions } = statusOf(healthy({ journal }));
        assert.deepEqual([unfinished, conditions[0].message], [null, "every pod, member and store is as wanted"]);
    });
});
