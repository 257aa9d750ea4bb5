import * as assert from "node:assert/strict";
import type { ApprovalWait } from "../../../provider/lifecycle/vocabulary/approvals";
import { approvalWait, healthy, now, type Seen, statusOf } from "./seenCluster";

const seen = (more: Partial<ApprovalWait> = {}): Partial<Seen> => ({
    lease: { approvalWaits: { 1: { ...approvalWait, ...more } } },
});

describe("a run that waits for approval", () => {
    it("is in the status with the command that consents, and how the plan has changed", () => {
        const { digest, of, lets, by } = approvalWait;
        const expected = {
            ...{ digest, of, lets, by, change: null },
            since: "2026-11-22T17:29:00.000Z",
            heardAt: "2026-11-22T17:29:50.000Z",
            command: "npx pulumi-tidb approve basic 3f9c2a11d0e7 --namespace tidb",
        };
        assert.deepEqual(statusOf(healthy(seen())).approvals, [expected]);
        const change = "without restart basic-tikv-0";
        assert.deepEqual(statusOf(healthy(seen({ change }))).approvals, [{ ...expected, change }]);
    });

    it("is forgotten once it no longer says so: it was killed", () => {
        assert.deepEqual(statusOf(healthy(seen({ at: now - 90_000 }))).approvals, []);
        assert.deepEqual(statusOf(healthy()).approvals, []);
    });

    it("is forgotten at once if the consent was used after it last said so, and not if it said so later", () => {
        const used = (at: number) => ({
            approvals: { given: {}, goals: {}, used: { "3f9c2a11d0e7": { by: "ana", at } } },
        });
        const of = (at: number) => statusOf(healthy({ lease: { ...seen().lease, ...used(at) } })).approvals.length;
        assert.deepEqual([of(now - 9_000), of(now - 10_000), of(now - 11_000)], [0, 1, 1]);
    });

    it("is one of several, the longest first", () => {
        const other = { ...approvalWait, of: "roll out basic-pd", since: now - 90_000 };
        const { approvals } = statusOf(healthy({ lease: { approvalWaits: { 1: approvalWait, 2: other } } }));
        assert.deepEqual(
            approvals.map(({ of }) => of),
            ["roll out basic-pd", "roll out basic-tikv"],
        );
    });

    it("is judged by the API server's clock, if that is known", () => {
        const lease = { ...seen().lease, asOf: now + 3_600_000 };
        assert.deepEqual(statusOf(healthy({ lease })).approvals, []);
        const late = { approvalWaits: { 1: { ...approvalWait, at: now + 3_600_000 } }, asOf: now + 3_601_000 };
        assert.equal(statusOf(healthy({ lease: late })).approvals.length, 1);
    });
});

describe("a consent that no run has used", () => {
    it("is in the status, and says whether it still counts", () => {
        const given = {
            "3f9c2a11d0e7": { by: "ana@laptop", at: now - 60_000 },
            "000000000000": { by: "ben@build", at: now - 8 * 86_400_000 },
        };
        assert.deepEqual(statusOf(healthy({ lease: { approvals: { given, goals: {} } } })).consents, [
            { digest: "000000000000", by: "ben@build", at: "2026-11-14T17:30:00.000Z", counts: false },
            { digest: "3f9c2a11d0e7", by: "ana@laptop", at: "2026-11-22T17:29:00.000Z", counts: true },
        ]);
    });
});
