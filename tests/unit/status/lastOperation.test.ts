import * as assert from "node:assert/strict";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { healthy, now, statusOf } from "./seenCluster";
import { halfPast, killed, resumed } from "./timeline/seenJournal";

const at = (...operations: (typeof killed)[]) => ({ journal: known(operations, "the journal", now) });
const stopped = { ...killed, ended: halfPast + 63_000, outcome: "stopped" } as const;
const goesOn =
    "`pulumi up` goes on with it; `npx pulumi-tidb timeline basic --namespace tidb` shows what it did. If an update has ended well since then, nothing is left of it: an update in which no gate has a step writes no record, so this note stays until one has";

describe("how the last operation ended", () => {
    for (const [title, seen, remarks] of [
        ["is not said if it reached its end", at(killed, resumed), []],
        ["is not said before the first one", at(), []],
        [
            "is said if somebody stopped it",
            at(stopped),
            [`the last operation, roll out basic-tikv, was stopped at 2026-11-22 17:31:03 UTC. ${goesOn}`],
        ],
        [
            "is said if it failed",
            at({ ...stopped, outcome: "failed" }),
            [`the last operation, roll out basic-tikv, failed at 2026-11-22 17:31:03 UTC. ${goesOn}`],
        ],
        [
            "is said with the next step once, which a stop itself names",
            at({ ...stopped, why: "stopped at a safe point. Next: run `pulumi up` to continue from here" }),
            [
                "the last operation, roll out basic-tikv, was stopped at 2026-11-22 17:31:03 UTC: stopped at a safe point. Next: run `pulumi up` to continue from here. `npx pulumi-tidb timeline basic --namespace tidb` shows what it did. If an update has ended well since then, nothing is left of it: an update in which no gate has a step writes no record, so this note stays until one has",
            ],
        ],
        [
            "is said with the next step once, whatever comes before its command",
            at({ ...stopped, outcome: "failed", why: "no StatefulSet. Next: if deleted, run `pulumi up --refresh`." }),
            [
                "the last operation, roll out basic-tikv, failed at 2026-11-22 17:31:03 UTC: no StatefulSet. Next: if deleted, run `pulumi up --refresh`. `npx pulumi-tidb timeline basic --namespace tidb` shows what it did. If an update has ended well since then, nothing is left of it: an update in which no gate has a step writes no record, so this note stays until one has",
            ],
        ],
        [
            "is said with why, in one line",
            at({ ...stopped, outcome: "failed", why: `scale basic-tikv: refused.\nNext: raise ${"x".repeat(400)}` }),
            [
                `the last operation, roll out basic-tikv, failed at 2026-11-22 17:31:03 UTC: scale basic-tikv: refused. Next: raise ${"x".repeat(361)}…. ${goesOn}`,
            ],
        ],
        [
            "is said if it was killed, as far as anybody can know",
            at(resumed, { ...killed, began: resumed.began + 1, writtenAt: resumed.began + 5_001 }),
            [
                `the last operation, roll out basic-tikv, has not ended: it began at 2026-11-22 17:32:00 UTC, was last heard of at 2026-11-22 17:32:05 UTC, and holds no lock; if no \`pulumi up\` runs, it was interrupted. ${goesOn}`,
            ],
        ],
        [
            "is not known without the journal",
            { journal: notKnown("the journal could not be read: forbidden") },
            ["how the last operation ended is not known: the journal could not be read: forbidden"],
        ],
        [
            "is not said while a run holds the lock",
            { ...at(stopped), lease: { lock: { holder: "ana@laptop", renewedAt: now } } },
            [],
        ],
    ] as const) {
        it(title, () => assert.deepEqual(statusOf(healthy(seen as object)).remarks, remarks));
    }
});
