import * as assert from "node:assert/strict";
import { readLease } from "../../../provider/cluster/lease";
import { MaintenanceTask } from "../../../provider/cluster/maintenanceTask";
import { SharedLock } from "../../../provider/cluster/sharedLock";
import type { HeldLock, LockAnswer } from "../../../provider/gates/ports";
import type { PdClient, PdMaintenanceTask } from "../../../provider/pd";
import { PdError } from "../../../provider/pd/pdError";
import { OneLease } from "../../support/gates/oneLease";

const byHand: PdMaintenanceTask = { type: "tikv_upgrade", id: "store-1", description: "by hand" };

/** PD's maintenance tasks: one at a time, as tikv/pd has them. */
class OneTask {
    running: PdMaintenanceTask | undefined;
    answers: "as PD" | "unknown" | "silent" = "as PD";
    asked = 0;

    readonly client = {
        beginMaintenance: (task: PdMaintenanceTask) => {
            this.asked += 1;
            if (this.answers === "silent") {
                return Promise.reject(new PdError({ code: "PD_UNREACHABLE", call: "begin", attempts: [], next: "" }));
            }
            if (this.answers === "unknown") {
                return Promise.resolve("unknown" as const);
            }
            this.running ??= task;
            return Promise.resolve(this.running.id === task.id ? ("begun" as const) : this.running);
        },
        endMaintenance: ({ id }: { id: string }) => {
            assert.equal(this.running?.id, id);
            this.running = undefined;
            return Promise.resolve();
        },
    } as unknown as PdClient;
}

describe("the lock that gates of one process share", () => {
    let time = 0;
    let world: OneLease;
    let pd: OneTask;
    const given: HeldLock[] = [];
    const processOf = (holder: string, id = "tidb.basic.1") => {
        const task = new MaintenanceTask(id, { ask: (call) => call(pd.client) });
        const cluster = { namespace: "tidb", cluster: "basic", instance: "basic" };
        return new SharedLock(world.api, cluster, task, holder, () => time);
    };
    const lease = async () => (await readLease(world.api, "tidb", "basic"))!;
    const take = async (shared: SharedLock, operation = "roll out basic-tikv"): Promise<LockAnswer> => {
        const answer = await shared.tryTake(await lease(), operation);
        if ("lock" in answer) {
            given.push(answer.lock);
        }
        return answer;
    };
    const lockOf = (answer: LockAnswer): HeldLock => {
        assert.ok("lock" in answer, JSON.stringify(answer));
        return answer.lock;
    };

    beforeEach(() => {
        time = Date.parse("2026-11-21T12:00:00Z");
        world = new OneLease();
        pd = new OneTask();
    });

    it("is given back with the last part of it, and only then", async () => {
        const ana = processOf("ana");
        const [one, two] = [lockOf(await take(ana)), lockOf(await take(ana))];
        await one.release();
        assert.equal((await lease()).lock.holder, "ana");
        assert.equal(pd.running?.id, "tidb.basic.1");
        await two.release();
        assert.equal((await lease()).lock.holder, undefined);
        assert.equal(pd.running, undefined);
    });

    it("is given back before it is taken again: who looked in between looks once more", async () => {
        const ana = processOf("ana");
        const first = lockOf(await take(ana));
        const [, second] = await Promise.all([first.release(), take(ana)]);
        assert.deepEqual(second, {
            heldBy: "another run",
            operation: "took the lock at the same moment",
            expiresAt: time + 1_000,
        });
        const third = lockOf(await take(ana));
        await third.confirmHeld();
        assert.equal((await lease()).lock.holder, "ana");
    });

    it("names who has it, and is taken over once they gave no sign of life for as long as it lasts", async () => {
        lockOf(await take(processOf("ana")));
        const ben = processOf("ben");
        const expiresAt = time + 10_000;
        assert.deepEqual(await take(ben), { heldBy: "ana", operation: "roll out basic-tikv", expiresAt });
        assert.equal(ben.operatedBy(await lease()), "ana operates the cluster: roll out basic-tikv");
        time += 10_000;
        await lockOf(await take(ben)).release();
    });

    it("describes PD's task so that a stranger knows what to do", async () => {
        await lockOf(await take(processOf("ana"))).confirmHeld();
        assert.equal(pd.running?.description, "roll out basic-tikv; `pulumi up` goes on and ends it");
    });

    it("is not taken while PD has somebody else's maintenance task, and the Lease is given back", async () => {
        pd.running = byHand;
        assert.deepEqual(await take(processOf("ana")), {
            heldBy: "PD's maintenance task tikv_upgrade/store-1",
            operation: "by hand",
            expiresAt: time + 5_000,
        });
        assert.equal((await lease()).lock.holder, undefined);
        assert.deepEqual(pd.running, byHand);
    });

    it("takes up the task that a run before it left: on this cluster, not on another", async () => {
        pd.running = { type: "pulumi-tidb", id: "tidb.basic.1", description: "left" };
        assert.ok("heldBy" in (await take(processOf("ben", "tidb.other.2"))));
        await lockOf(await take(processOf("ben"))).release();
        assert.equal(pd.running, undefined);
    });

    it("does without where PD has no such thing, and asks once", async () => {
        pd.answers = "unknown";
        const lock = lockOf(await take(processOf("ana")));
        await lock.confirmHeld();
        await lock.release();
        assert.equal(pd.asked, 1);
    });

    it("asks again before each action while PD is silent, and stops where it then has another's task", async () => {
        pd.answers = "silent";
        const lock = lockOf(await take(processOf("ana")));
        await lock.confirmHeld();
        Object.assign(pd, { answers: "as PD", running: byHand });
        await assert.rejects(
            lock.confirmHeld(),
            /held by PD's maintenance task tikv_upgrade\/store-1 \(by hand\).*again/,
        );
        await lock.release();
        assert.deepEqual(pd.running, byHand);
    });

    afterEach(() => Promise.allSettled(given.splice(0).map((lock) => lock.release())));
});
