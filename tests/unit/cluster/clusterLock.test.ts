import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { ClusterLock, readLease } from "../../../provider/cluster/lease";
import { OneLease } from "../../support/gates/oneLease";

describe("the lock in the Lease", () => {
    let time = 0;
    let world: OneLease;
    const made: ClusterLock[] = [];
    const lockOf = (holder: string) => {
        const lock = new ClusterLock(world.api, "tidb", "basic", holder, () => time);
        made.push(lock);
        return lock;
    };
    const lease = async () => (await readLease(world.api, "tidb", "basic"))!;
    const held = async (holder = "ana") => {
        const lock = lockOf(holder);
        assert.equal(await lock.take(await lease(), "roll out basic-tikv"), true);
        return lock;
    };

    beforeEach(() => {
        time = Date.parse("2026-11-21T12:00:00Z");
        world = new OneLease();
    });
    afterEach(async () => {
        world.silent = false;
        await Promise.all(made.splice(0).map((lock) => lock.release()));
    });

    it("says who holds it and what for, and is free again when it is given back", async () => {
        const lock = await held();
        assert.equal((await lease()).lock.holder, "ana");
        assert.equal((await lease()).lock.operation, "roll out basic-tikv");
        await lock.release();
        const { holder, operation, renewedAt } = (await lease()).lock;
        assert.deepEqual([holder, operation, renewedAt], [undefined, undefined, undefined]);
    });

    it("goes to one of two that found it free", async () => {
        const seen = await lease();
        assert.deepEqual(await Promise.all([lockOf("ana").take(seen, "a"), lockOf("ben").take(seen, "b")]), [
            true,
            false,
        ]);
        assert.equal((await lease()).lock.holder, "ana");
    });

    it("is still held after a silence of the API server, where nobody took it", async () => {
        const lock = await held();
        time += 60_000;
        await lock.confirmHeld();
    });

    it("is not confirmed while the API server is silent for longer than it lasts, and is again when it answers", async () => {
        const lock = await held();
        world.silent = true;
        time += 9_999;
        await lock.confirmHeld();
        time += 1;
        await assert.rejects(lock.confirmHeld(), (error: Error) => {
            assert.match(error.message, /Lease basic-pulumi-tidb\) was lost: the API server did not answer.*pulumi up/);
            return error.cause instanceof KubernetesApiError;
        });
        world.silent = false;
        await lock.confirmHeld();
    });

    it("is lost to who took it meanwhile, for good, and is not given back over their head", async () => {
        const lock = await held();
        time += 10_000;
        await held("ben");
        await assert.rejects(lock.confirmHeld(), /was lost: ben holds it now/);
        await assert.rejects(lock.confirmHeld(), /was lost: ben holds it now/);
        await lock.release();
        assert.equal((await lease()).lock.holder, "ben");
    });

    it("keeps records for the next holder", async () => {
        const lock = await held();
        const records = { evictions: { "1": { pod: "basic-tikv-0", begunAt: 1, leadersBefore: 7 } }, removals: {} };
        await lock.keepRecords(records);
        await lock.release();
        assert.deepEqual((await lease()).records, records);
    });
});
