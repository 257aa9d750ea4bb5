import * as assert from "node:assert/strict";
import { type Standstill, standstillOf, stuckReason } from "../../../controller/stuck";
import { unreachablePd } from "../../../provider/lifecycle/vocabulary/observation";
import { healthy, now, type Seen, statusOf, suspended } from "../status/seenCluster";

const minute = 60_000;
const after = (seen: Partial<Seen>, before?: Standstill, at = now) => standstillOf(statusOf(healthy(seen)), before, at);

const storeDown: Partial<Seen> = { stores: { "basic-tikv-0": { state: "Down" } } };
const lockOf = (renewedAt: number): Partial<Seen> => ({
    lease: { lock: { holder: "ana@laptop", operation: "roll out basic-pd", renewedAt } },
});

describe("a cluster that stands still", () => {
    it("does not while it is as wanted", () => {
        assert.equal(after({}), undefined);
    });

    it("does if it is not as wanted and nobody works on it", () => {
        assert.deepEqual(after(storeDown), { reason: "NobodyWorksOnIt", since: now });
    });

    it("does not while a run works on it", () => {
        assert.equal(after({ ...storeDown, ...lockOf(now) }), undefined);
    });

    it("does if the run no longer renews its lock", () => {
        assert.deepEqual(after(lockOf(now - minute)), { reason: "RunIsDead", since: now });
    });

    it("does while a run waits for approval", () => {
        const { approvals, ...others } = statusOf(healthy({}));
        assert.deepEqual(approvals, []);
        const waiting = {
            digest: "a1b2c3d4",
            of: "roll out basic-pd",
            lets: "",
            change: null,
            by: "ci",
            since: "",
            heardAt: "",
            command: "",
        };
        assert.deepEqual(standstillOf({ ...others, approvals: [waiting] }, undefined, now), {
            reason: "WaitsForApproval",
            since: now,
        });
    });

    it("does not because the program suspends members", () => {
        const members: Seen["members"] = { pd: 3, tikv: 3, tidb: 2 };
        assert.equal(after(suspended(members, "tidb")), undefined);
        assert.deepEqual(after({ ...suspended(members, "tidb"), ...storeDown }), {
            reason: "NobodyWorksOnIt",
            since: now,
        });
    });

    it("keeps its beginning while the reason stays, and begins anew with another reason", () => {
        const before: Standstill = { reason: "NobodyWorksOnIt", since: now - minute };
        assert.deepEqual(after(storeDown, before), before);
        assert.deepEqual(after(lockOf(now - minute), before), { reason: "RunIsDead", since: now });
    });

    it("neither begins nor ends because PD does not answer", () => {
        const silent: Partial<Seen> = unreachablePd("it does not answer");
        const before: Standstill = { reason: "NobodyWorksOnIt", since: now - minute };
        assert.equal(after(silent), undefined);
        assert.deepEqual(after(silent, before), before);
    });
});

describe("a cluster that is stuck", () => {
    it("has stood still for 10 minutes", () => {
        const standstill: Standstill = { reason: "RunIsDead", since: now };
        assert.equal(stuckReason(standstill, now + 10 * minute - 1), undefined);
        assert.equal(stuckReason(standstill, now + 10 * minute), "RunIsDead");
        assert.equal(stuckReason(undefined, now + 10 * minute), undefined);
    });
});
