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
const none = "no run holds the lock of default/mine now.";
const later =
    "The request is recorded for an update that is under way, such as between two members: it ends before its next step. An update whose first gate reads the cluster later is not stopped, so the next `pulumi up` runs as usual. To withdraw the request: `kubectl annotate lease mine-pulumi-tidb --namespace default pulumi-tidb.io/stop-`";
const approval = `${ana} (roll out mine-tikv waits for approval of 3f9c2a11d0e7, last heard of 12 s ago)`;

describe("the answer of pulumi-tidb stop", () => {
    it("says that no run holds the lock, what the request is for then, and how to withdraw it", () => {
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
        const lock = { holder: ben, operation: "roll out mine-pd", renewedAt: now - 2_000 };
        const asked = `asked ${ben} to stop (roll out mine-pd); it ends at its next safe point`;
        assert.equal(answer({ lock }), asked);
        assert.equal(
            answer({ lock, approvalWaits }),
            `${asked}. It is not meant for ${approval}: run \`stop\` again once nobody holds the lock`,
        );
        assert.equal(answer({ lock: { ...lock, holder: ana }, approvalWaits }).includes("not meant"), false);
    });

    it("promises no end of a run that does not renew its lock", () => {
        const lock = { holder: ben, operation: "roll out mine-pd", renewedAt: now - 60_000 };
        const dead =
            "its lock was last renewed at 17:29:00Z, so the run may be dead (or its clock differs): the next `pulumi up` takes over and continues";
        assert.equal(answer({ lock }), `asked ${ben} to stop (roll out mine-pd); ${dead}`);
        assert.match(answer({ lock, asOf: now - 50_000 }), /it ends at its next safe point$/);
    });
});
