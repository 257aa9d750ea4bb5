import * as assert from "node:assert/strict";
import { stopAnswer } from "../../../bin/stopAnswer";
import type { LeaseView } from "../../../provider/cluster/leaseNotes";
import type { JournalOperation } from "../../../provider/lifecycle/journal/journalOperation";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { pinnedWords } from "../../support/pinned";

const now = Date.parse("2026-11-22T17:30:00Z");
const id = { namespace: "default", cluster: "mine" };
const ana = "ana@laptop, process 4711 (3f9a1c)";
const ben = "ben@build, process 12 (77c0de)";
const wait = { digest: "3f9c2a11d0e7", of: "roll out mine-tikv", lets: "all", by: ana, since: now - 90_000 };
const approvalWaits = { a: { ...wait, at: now - 12_000 } };
const restoring: JournalOperation = {
    ...{ id: "a", what: "scale mine-tikv to 3", holder: ben, began: now - 70_000, writtenAt: now - 5_000, pods: [] },
    entries: [{ is: "wait", at: now - 60_000, step: "recovery-mode", target: "mine-tikv", why: "claims are missing" }],
};

const answer = (lease: Partial<LeaseView>, journal = known<readonly JournalOperation[]>([], "the journal", now)) =>
    stopAnswer(id, { uid: "u", resourceVersion: "1", records: noRecords(), lock: {}, ...lease }, journal, now);
const lock = { holder: ben, operation: "roll out mine-pd", renewedAt: now - 2_000 };
const dead = { ...lock, renewedAt: now - 60_000 };
const old = { approvalWaits: { a: { ...wait, at: now - 91_000 } } };
const withdraw = "kubectl annotate lease mine-pulumi-tidb --namespace default pulumi-tidb.io/stop-";

describe("the answer of pulumi-tidb stop", () => {
    it("says how to withdraw the request if no run holds the lock, also if the journal is not known", () => {
        assert.ok(answer({}).includes(withdraw));
        assert.equal(stopAnswer(id, { lock: {} } as LeaseView, notKnown("forbidden"), now), answer({}));
    });

    it("names the runs that wait for approval, or for anything else without the lock", () => {
        const text = answer({ approvalWaits }, known([restoring], "the journal", now));
        assert.ok(text.includes(ana) && text.includes(ben), text);
    });

    it("names no run that was last heard of more than 90 s ago, by the API server's clock", () => {
        assert.equal(answer(old), answer({}));
        assert.ok(answer({ ...old, asOf: now - 10_000 }).includes(ana));
    });

    it("says which waiting run a request to the holder of the lock is not meant for", () => {
        assert.ok(answer({ lock, approvalWaits }).includes(ana));
        const its = { ...lock, holder: ana };
        assert.equal(answer({ lock: its, approvalWaits }), answer({ lock: its }));
    });

    it("promises no end of a run that does not renew its lock, by the API server's clock", () => {
        assert.notEqual(answer({ lock: dead }), answer({ lock }));
        assert.equal(answer({ lock: dead, asOf: now - 50_000 }), answer({ lock }));
    });

    pinnedWords("stop", {
        "no run holds the lock": () => answer({}),
        "runs wait without the lock": () => answer({ approvalWaits }, known([restoring], "the journal", now)),
        "a run that waits was last heard of 81 s ago": () => answer({ ...old, asOf: now - 10_000 }),
        "a run holds the lock": () => answer({ lock }),
        "a run holds the lock, and another one waits": () => answer({ lock, approvalWaits }),
        "the run that holds the lock may be dead": () => answer({ lock: dead }),
    });
});
