import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import {
    ClusterLock,
    noteMembers,
    noteOwner,
    notePd,
    readLease,
    requestStop,
    takeConsent,
} from "../../../provider/cluster/leaseNotes";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { OneLease } from "../../support/gates/oneLease";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { repeats } from "../../support/repeats";

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
    const recordsOf = (id: number, ordinal: number) => ({
        evictions: { [id]: { pod: `basic-tikv-${ordinal}`, begunAt: 1, leadersBefore: 7 } },
        removals: {},
    });

    beforeEach(() => {
        time = Date.parse("2026-11-21T12:00:00Z");
        world = new OneLease();
    });
    afterEach(async () => {
        world.unreachable = false;
        await Promise.all(made.splice(0).map((lock) => lock.release()));
    });

    it("says who holds it and what for, and is free again after release", async () => {
        const lock = await held();
        assert.equal((await lease()).lock.holder, "ana");
        assert.equal((await lease()).lock.operation, "roll out basic-tikv");
        assert.equal((await lease()).lock.durationSeconds, 15);
        await lock.release();
        const { holder, operation, renewedAt } = (await lease()).lock;
        assert.deepEqual([holder, operation, renewedAt], [undefined, undefined, undefined]);
    });

    it("says what its holder does now, from the next renewal on, and costs no write of its own", async () => {
        const lock = await held();
        const versions: string[] = [];
        const { patch } = world;
        world.patch = (given) => {
            versions.push(JSON.stringify(given.metadata?.annotations ?? {}));
            return patch.call(world, given);
        };
        lock.describe("roll out basic-tikv, waiting: 231 leaders");
        lock.describe(`roll out basic-tikv, waiting: ${"x".repeat(1000)}`);
        lock.describe("roll out basic-tikv, waiting: 17 leaders");
        assert.deepEqual([(await lease()).lock.operation, versions], ["roll out basic-tikv", []]);
        time += 6_000;
        await lock.confirmHeld();
        assert.equal((await lease()).lock.operation, "roll out basic-tikv, waiting: 17 leaders");
        time += 6_000;
        await lock.confirmHeld();
        assert.equal(versions.length, 2);
        assert.deepEqual(JSON.parse(versions[1]), {}, "it is written once");
        lock.describe("x".repeat(1000));
        time += 6_000;
        await lock.confirmHeld();
        assert.equal((await lease()).lock.operation?.length, 500);
    });

    it("is written with the next records, without a write of its own", async () => {
        const lock = await held();
        lock.describe("roll out basic-tikv: evict 500 leaders");
        await lock.keepRecords(noRecords());
        assert.equal((await lease()).lock.operation, "roll out basic-tikv: evict 500 leaders");
    });

    it("is not forgotten if the renewal that should write it fails", async () => {
        const lock = await held();
        lock.describe("roll out basic-pd");
        world.unreachable = true;
        time += 6_000;
        await assert.rejects(lock.confirmHeld());
        world.unreachable = false;
        await lock.confirmHeld();
        assert.equal((await lease()).lock.operation, "roll out basic-pd");
    });

    it("does not let its holder take a consent that was withdrawn, also where a renewal came between", async () => {
        const digest = "3f9c2a11d0e7";
        const consent = (at: number | undefined) =>
            world.patch({
                metadata: {
                    annotations: {
                        [`pulumi-tidb.io/approved-plan-${digest}`]:
                            at === undefined ? null : JSON.stringify({ by: "ana", at }),
                    },
                },
            });
        const take = async (lock: ClusterLock, needs?: string) => {
            await takeConsent(lock, [digest], { of: "goal" }, { [digest]: { by: "ana", at: 7 } }, needs);
            return (await lease()).approvals;
        };
        for (const renews of [false, true]) {
            consent(5);
            const lock = await held();
            consent(undefined);
            if (renews) {
                time += 6_000;
                await lock.confirmHeld();
            }
            await assert.rejects(take(lock, digest), StaleDecision);
            assert.equal((await lease()).approvals, undefined, "nothing is on record as used");
            await lock.release();
        }
        const lock = await held();
        consent(5);
        assert.deepEqual(await take(lock, digest), {
            given: {},
            goals: { of: "goal" },
            used: { [digest]: { by: "ana", at: 7 } },
        });
        assert.deepEqual((await take(lock))?.given, {}, "what this run has taken already");
    });

    it("goes to one of two runs that found it free", async () => {
        const seen = await lease();
        assert.deepEqual(await Promise.all([lockOf("ana").take(seen, "a"), lockOf("ben").take(seen, "b")]), [
            true,
            false,
        ]);
        assert.equal((await lease()).lock.holder, "ana");
    });

    it("is still held after the API server was silent, if nobody took it", async () => {
        const lock = await held();
        time += 60_000;
        await lock.confirmHeld();
        lock.assertFresh();
    });

    it("is not confirmed without a renewal, long before others may take it", async () => {
        const lock = await held();
        world.unreachable = true;
        time += 4_999;
        await lock.confirmHeld();
        lock.assertFresh();
        time += 1;
        await assert.rejects(lock.confirmHeld(), (error: Error) => {
            repeats(error.message, "basic-pulumi-tidb");
            return error.cause instanceof KubernetesApiError;
        });
        assert.throws(() => lock.assertFresh(), StaleDecision);
        world.unreachable = false;
        await lock.confirmHeld();
        lock.assertFresh();
    });

    it("is not acted on by a process that slept after confirming it", async () => {
        const lock = await held();
        await lock.confirmHeld();
        time += 30_000;
        assert.throws(
            () => lock.assertFresh(),
            /tidb\/basic \(Lease basic-pulumi-tidb\) was last renewed 30 s ago, expected less than 5 s: nothing was done/,
        );
    });

    it("is valid from the start of a renewal, not from its answer", async () => {
        const lock = await held();
        const { patch } = world;
        world.patch = (given) => {
            time += 4_000;
            return patch.call(world, given);
        };
        await lock.annotate({});
        world.patch = patch;
        time += 1_000;
        assert.throws(() => lock.assertFresh(), StaleDecision);
    });

    it("is lost for good once another run took it, and is not released in that run's name", async () => {
        const lock = await held();
        time += 15_000;
        await held("ben");
        await assert.rejects(lock.confirmHeld(), /was lost: ben holds it now/);
        await assert.rejects(lock.confirmHeld(), /was lost: ben holds it now/);
        assert.throws(() => lock.assertFresh(), /was lost: ben holds it now/);
        await lock.release();
        assert.equal((await lease()).lock.holder, "ben");
    });

    it("is lost if the Lease was created anew, because its records went with the old one", async () => {
        const lock = await held();
        world.lease.metadata!.uid = "2";
        world.lease.metadata!.resourceVersion = "77";
        await assert.rejects(lock.keepRecords(recordsOf(1, 0)), /was not written: the Lease was recreated/);
        assert.deepEqual((await lease()).records.evictions, {});
    });

    it("keeps records for the next holder", async () => {
        const lock = await held();
        await lock.keepRecords(recordsOf(1, 0));
        await lock.release();
        assert.deepEqual((await lease()).records, recordsOf(1, 0));
    });

    it("keeps the records of a run that took it while this process slept", async () => {
        const ana = await held();
        await ana.confirmHeld();
        time += 60_000;
        const ben = await held("ben");
        await ben.keepRecords(recordsOf(12, 2));
        await assert.rejects(ana.keepRecords(recordsOf(11, 1)), /was not written: ben holds it now/);
        assert.deepEqual(Object.keys((await lease()).records.evictions), ["12"]);
    });

    it("keeps its records if the other run released it meanwhile", async () => {
        const ana = await held();
        time += 60_000;
        await (await held("ben")).release();
        await assert.rejects(ana.keepRecords(recordsOf(11, 1)), /was not written: nobody holds it now/);
        assert.deepEqual((await lease()).records.evictions, {});
    });

    it("survives what others write to the Lease, such as a request to stop", async () => {
        const lock = await held();
        await requestStop(world.api, "tidb", "basic", "ben@build", "ana");
        await lock.keepRecords(recordsOf(1, 0));
        assert.deepEqual((await lease()).records, recordsOf(1, 0));
        assert.deepEqual((await lease()).stopRequest, { by: "ben@build", of: "ana" });
        await requestStop(world.api, "tidb", "basic", "ben@build", "ana");
        await lock.release();
        assert.equal((await lease()).lock.holder, undefined);
    });

    it("notes the cluster's owner, members and PD, for its holder only", async () => {
        const owner = { stack: "org/shop/production", urn: "urn:1", name: "basic", namespace: "tidb" };
        const lock = await held();
        await noteOwner(lock, owner, "", "basic-tidb.tidb.svc:4000");
        await noteMembers(lock, { tikv: { replicas: 3 } });
        await notePd(lock, "7");
        const noted = await lease();
        assert.deepEqual([noted.owner, noted.members, noted.pdClusterId], [owner, { tikv: { replicas: 3 } }, "7"]);
        await noteOwner(lock, undefined);
        await noteMembers(lock, undefined);
        assert.deepEqual([(await lease()).owner, (await lease()).members], [undefined, undefined]);
        assert.equal(
            (await lease()).sqlEndpoint,
            "basic-tidb.tidb.svc:4000",
            "where its clients connect stays on record",
        );
        time += 60_000;
        await held("ben");
        await assert.rejects(noteOwner(lock, owner), /ben holds it now/);
    });

    it("is not read if somebody broke its records by hand", async () => {
        world.lease.metadata!.annotations = { "pulumi-tidb.io/records": "{" };
        await assert.rejects(
            lease(),
            /annotation pulumi-tidb\.io\/records of Lease basic-pulumi-tidb is invalid JSON .*Restore the original text/,
        );
        world.lease.metadata!.annotations = { "pulumi-tidb.io/members": "[]" };
        await assert.rejects(
            lease(),
            /annotation pulumi-tidb\.io\/members of Lease .* holds \[\]: expected a JSON object/,
        );
    });
});
