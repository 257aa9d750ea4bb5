import * as assert from "node:assert/strict";
import { stopAnswer } from "../../../bin/stopAnswer";
import type { LeaseView } from "../../../provider/cluster/leaseNotes";
import type { JournalOperation } from "../../../provider/lifecycle/journal/journalOperation";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";

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
const none = "recorded a stop request for default/mine; no run holds the lock now.";
const later =
    "An update whose first gate has read the cluster ends before its next step; one that comes to its first gate later is not stopped";
const approval = `${ana} (roll out mine-tikv waits for approval of 3f9c2a11d0e7, last heard of 12 s ago)`;

describe("the answer of pulumi-tidb stop", () => {
    it("says that no run holds the lock", () => {
        assert.equal(answer({}), `${none} ${later}`);
        assert.equal(stopAnswer(id, { lock: {} } as LeaseView, notKnown("forbidden"), now), `${none} ${later}`);
    });

    it("names the runs that wait for approval, or for anything else without the lock", () => {
        const other = `${ben} (scale mine-tikv to 3 waits for mine-tikv: claims are missing, last heard of 5 s ago)`;
        assert.equal(
            answer({ approvalWaits }, known([restoring], "the journal", now)),
            `${none} What waits ends soon, if it still lives: ${approval}; ${other}. ${later}`,
        );
    });

    it("names no run that was last heard of more than 90 s ago, by the API server's clock", () => {
        const old = { approvalWaits: { a: { ...wait, at: now - 91_000 } } };
        assert.equal(answer(old), `${none} ${later}`);
        assert.match(answer({ ...old, asOf: now - 10_000 }), /last heard of 81 s ago\)/);
    });

    it("says which waiting run a request to the holder of the lock is not meant for", () => {
        const lock = { holder: ben, operation: "roll out mine-pd" };
        const asked = `asked ${ben} to stop (roll out mine-pd); it ends at its next safe point`;
        assert.equal(answer({ lock }), asked);
        assert.equal(
            answer({ lock, approvalWaits }),
            `${asked}. It is not meant for ${approval}: run \`stop\` again once nobody holds the lock`,
        );
        assert.equal(answer({ lock: { ...lock, holder: ana }, approvalWaits }).includes("not meant"), false);
    });
});
