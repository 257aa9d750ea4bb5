import * as assert from "node:assert/strict";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { pinnedWords } from "../../support/pinned";
import { healthy, now, type Seen, statusOf } from "./seenCluster";
import { halfPast, killed, resumed } from "./timeline/seenJournal";
import { messagesOf } from "../../support/repeats";

const at = (...operations: (typeof killed)[]) => ({ journal: known(operations, "the journal", now) });
const stopped = { ...killed, ended: halfPast + 63_000, outcome: "stopped" } as const;
const failed = { ...stopped, outcome: "failed" } as const;
const long = `scale basic-tikv: refused.\nNext: raise ${"x".repeat(400)}`;

/** Whether how the last operation ended is said. */
const cases: Record<string, [seen: Partial<Seen>, isSaid: boolean]> = {
    "it reached its end": [at(killed, resumed), false],
    "there is none yet": [at(), false],
    "a person stopped it": [at(stopped), true],
    "it failed": [at(failed), true],
    "it was stopped, and names the next step itself": [
        at({ ...stopped, why: "stopped at a safe point. Next: run `pulumi up` to continue from here" }),
        true,
    ],
    "it failed, and names the next step itself": [
        at({ ...failed, why: "no StatefulSet. Next: if deleted, run `pulumi up --refresh`." }),
        true,
    ],
    "it failed, and why has several lines and many words": [at({ ...failed, why: long }), true],
    "it was killed": [at(resumed, { ...killed, began: resumed.began + 1, writtenAt: resumed.began + 5_001 }), true],
    "it was stopped, and the cluster is paused": [
        { ...at({ ...stopped, why: "x. Next: run `pulumi up`" }), lease: { isPaused: true } },
        true,
    ],
    "the journal is not known": [{ journal: notKnown("the journal could not be read: forbidden") }, true],
    "a run holds the lock": [{ ...at(stopped), lease: { lock: { holder: "ana@laptop", renewedAt: now } } }, false],
};

describe("how the last operation ended", () => {
    const remarksOf = (seen: Partial<Seen>) => statusOf(healthy(seen)).remarks.slice(seen.lease?.isPaused ? 1 : 0);
    for (const [title, [seen, isSaid]] of Object.entries(cases)) {
        it(`is ${isSaid ? "" : "not "}said, if ${title}`, () => assert.equal(remarksOf(seen).length, isSaid ? 1 : 0));
    }

    pinnedWords(
        "last-operation",
        Object.fromEntries(
            Object.entries(cases).flatMap(([title, [seen, isSaid]]) =>
                isSaid ? [[title, () => messagesOf(remarksOf(seen))]] : [],
            ),
        ),
    );
});
