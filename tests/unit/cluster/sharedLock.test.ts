import * as assert from "node:assert/strict";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { readLease, requestStop } from "../../../provider/cluster/leaseNotes";
import { MaintenanceTask, maintenanceTaskId } from "../../../provider/cluster/maintenanceTask";
import { PdGuards } from "../../../provider/cluster/pdGuards";
import { pdLockKey, PdLock } from "../../../provider/cluster/pdLock";
import { SharedLock } from "../../../provider/cluster/sharedLock";
import type { GuardedLock } from "../../../provider/cluster/sharedLock";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import type { PdClient, PdMaintenanceTask } from "../../../provider/pd";
import { PdError } from "../../../provider/pd/pdError";
import { OneLease } from "../../support/gates/oneLease";
import { OnePdLock } from "../../support/gates/onePdLock";

const onPdsWord = { usesPd: true, isAlone: true };
const withoutPd = { usesPd: false, isAlone: false };
type Answer = Awaited<ReturnType<SharedLock["tryTake"]>>;

const byHand: PdMaintenanceTask = { type: "tikv_upgrade", id: "store-1", description: "by hand" };

/** PD's maintenance tasks: one at a time, as tikv/pd has them. */
class OneTask {
    running: PdMaintenanceTask | undefined;
    answers: "as PD" | "unknown" | "silent" = "as PD";
    asked = 0;
    /** What happens until a connection to PD is open. */
    onConnect: () => void = () => undefined;

    readonly client: PdClient = {
        guardedBy: (check: () => void) => {
            const { beginMaintenance, endMaintenance } = this.client;
            this.onConnect();
            check();
            return { beginMaintenance, endMaintenance };
        },
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

describe("the lock that the gates of one process share", () => {
    let time = 0;
    let world: OneLease;
    let pd: OneTask;
    let etcd: OnePdLock;
    const given: GuardedLock[] = [];
    const processOf = (holder: string, id = "tidb.basic") => {
        const now = () => time;
        const self = { holder, namespace: "tidb", cluster: "basic" };
        const task = new MaintenanceTask(id, { ask: (call) => call(pd.client) });
        const lock = new PdLock({ ask: (call) => call(etcd.client) }, self, now);
        return new SharedLock(world.api, self, new PdGuards(lock, task), holder, now, now);
    };
    const lease = async () => (await readLease(world.api, "tidb", "basic"))!;
    const take = async (shared: SharedLock, operation = "roll out basic-tikv"): Promise<Answer> => {
        const answer = await shared.tryTake(await lease(), operation);
        if ("lock" in answer) {
            given.push(answer.lock);
        }
        return answer;
    };
    const lockOf = (answer: Answer): GuardedLock => {
        assert.ok("lock" in answer, JSON.stringify(answer));
        return answer.lock;
    };

    beforeEach(() => {
        time = Date.parse("2026-11-21T12:00:00Z");
        world = new OneLease();
        pd = new OneTask();
        etcd = new OnePdLock(() => time);
    });

    it("is released when the last gate releases it", async () => {
        const ana = processOf("ana");
        const [one, two] = [lockOf(await take(ana)), lockOf(await take(ana))];
        await one.release();
        assert.equal((await lease()).lock.holder, "ana");
        assert.equal(pd.running?.id, "tidb.basic");
        await two.release();
        assert.equal((await lease()).lock.holder, undefined);
        assert.equal(pd.running, undefined);
    });

    it("is released before it is taken again, so a gate that observed in between observes once more", async () => {
        const ana = processOf("ana");
        const first = lockOf(await take(ana));
        const [, second] = await Promise.all([first.release(), take(ana)]);
        assert.deepEqual(second, {
            heldBy: "another run",
            operation: "took the lock at the same moment",
            expiresAt: time + 1_000,
        });
        const third = lockOf(await take(ana));
        await third.confirmHeld(onPdsWord);
        assert.equal((await lease()).lock.holder, "ana");
    });

    it("names its holder, and is taken over once the holder gave no sign of life for its duration", async () => {
        lockOf(await take(processOf("ana")));
        const ben = processOf("ben");
        const expiresAt = time + 15_000;
        assert.deepEqual(await take(ben), { heldBy: "ana", operation: "roll out basic-tikv", expiresAt });
        assert.equal(ben.operatedBy(await lease()), "ana operates the cluster: roll out basic-tikv");
        time += 14_999;
        assert.ok("heldBy" in (await take(ben)));
        time += 1;
        await lockOf(await take(ben)).release();
    });

    it("describes PD's task so that a stranger knows what to do", async () => {
        await lockOf(await take(processOf("ana"))).confirmHeld(onPdsWord);
        assert.equal(
            pd.running?.description,
            "roll out basic-tikv; `pulumi up` of that cluster continues and ends it, or `pulumi-tidb sweep` if no run is left",
        );
    });

    it("is not taken while PD has somebody else's maintenance task, and the Lease is released", async () => {
        pd.running = byHand;
        assert.deepEqual(await take(processOf("ana")), {
            heldBy: "PD's maintenance task tikv_upgrade/store-1",
            operation: "by hand",
        });
        assert.equal((await lease()).lock.holder, undefined);
        assert.deepEqual(pd.running, byHand);
    });

    it("takes up the task of an earlier run on this cluster, not on another", async () => {
        pd.running = { type: "pulumi-tidb", id: "tidb.basic", description: "left" };
        assert.ok("heldBy" in (await take(processOf("ben", "tidb.other"))));
        await lockOf(await take(processOf("ben"))).release();
        assert.equal(pd.running, undefined);
    });

    it("works without the task if PD does not support tasks, and asks once", async () => {
        pd.answers = "unknown";
        const lock = lockOf(await take(processOf("ana")));
        await lock.confirmHeld(onPdsWord);
        await lock.release();
        assert.equal(pd.asked, 1);
    });

    it("asks again before each action while PD is silent, and stops if PD then has another's task", async () => {
        pd.answers = "silent";
        const lock = lockOf(await take(processOf("ana")));
        await lock.confirmHeld(onPdsWord);
        Object.assign(pd, { answers: "as PD", running: byHand });
        await assert.rejects(
            lock.confirmHeld(onPdsWord),
            /held by PD's maintenance task tikv_upgrade\/store-1 \(by hand\).*again/,
        );
        await lock.release();
        assert.deepEqual(pd.running, byHand);
    });

    it("has a different task for another cluster, and the same for a cluster whose Lease was created anew", () => {
        const basic = { namespace: "tidb", cluster: "basic" };
        const ids = [basic, { ...basic, domain: "one.example" }, { ...basic, namespace: "other" }].map(
            maintenanceTaskId,
        );
        assert.deepEqual(ids, ["tidb.basic", "tidb.basic.one.example", "other.basic"]);
    });

    it("is not taken while another TidbCluster works on the PD, and the Lease is released", async () => {
        const value = JSON.stringify({ holder: "ben", namespace: "else", cluster: "where", operation: "scale in" });
        etcd.keys[pdLockKey] = { value };
        const answer = { heldBy: "ben (else/where)", operation: "scale in" };
        assert.deepEqual(await take(processOf("ana")), answer);
        assert.equal((await lease()).lock.holder, undefined);
        assert.equal(pd.asked, 0);
    });

    it("stops a step of a run that began while PD was silent once another TidbCluster works on the PD", async () => {
        etcd.trouble = "PD_UNREACHABLE";
        const lock = lockOf(await take(processOf("ana")));
        await assert.rejects(lock.confirmHeld(onPdsWord), StaleDecision);
        await lock.confirmHeld(withoutPd);
        lock.assertFresh();
        etcd.trouble = undefined;
        etcd.keys[pdLockKey] = { value: "by hand" };
        await assert.rejects(
            lock.confirmHeld(onPdsWord),
            /PD is locked by an unknown holder of .*: by hand\. Nothing more/,
        );
    });

    it("works without PD's part only if PD has none and lists no other cluster's stores and members", async () => {
        etcd.trouble = "PD_NO_GATEWAY";
        const lock = lockOf(await take(processOf("ana")));
        await lock.confirmHeld(onPdsWord);
        lock.assertFresh();
        await assert.rejects(
            lock.confirmHeld({ usesPd: true, isAlone: false }),
            /PD cannot be locked against the other clusters .*set enable-grpc-gateway to true/,
        );
    });

    it("is confirmed with PD's part if the step was decided with PD's answers", async () => {
        const lock = lockOf(await take(processOf("ana")));
        await lock.confirmHeld(onPdsWord);
        time += 3_000;
        await lock.keepRecords(noRecords()); // It renews the Lease, and not PD's part.
        time += 3_000;
        assert.throws(() => lock.assertFresh(), /the lock of PD .* may have expired/);
        await lock.confirmHeld(withoutPd);
        lock.assertFresh();
    });

    it("is not used by a gate that released it while another gate of the process still has it", async () => {
        const ana = processOf("ana");
        const [one, two] = [lockOf(await take(ana)), lockOf(await take(ana))];
        await one.release();
        assert.throws(() => one.assertFresh(), /already released/);
        await one.release();
        await two.confirmHeld(onPdsWord);
        assert.equal((await lease()).lock.holder, "ana");
    });

    it("keeps a request to stop that came after a gate's last look, for the next gate of the process and no later one", async () => {
        const ana = processOf("ana");
        assert.equal(ana.stopRequest(await lease()), undefined);
        const lock = lockOf(await take(ana, "roll out basic-pd"));
        await requestStop(world.api, "tidb", "basic", "eva@laptop", (await lease()).lock.holder);
        await lock.release();
        const after = await lease();
        assert.equal(ana.stopRequest(after), "eva@laptop");
        assert.equal(processOf("ana again").stopRequest(after), undefined);
    });

    it("knows a request to stop that was given between two gates, while nobody held it, and a later process ignores it", async () => {
        const ana = processOf("ana");
        ana.stopRequest(await lease());
        await lockOf(await take(ana, "roll out basic-pd")).release();
        await requestStop(world.api, "tidb", "basic", "eva@laptop", (await lease()).lock.holder);
        assert.equal(ana.stopRequest(await lease()), "eva@laptop");
        const later = processOf("ana again");
        assert.equal(later.stopRequest(await lease()), undefined);
        await lockOf(await take(later)).release();
        assert.equal(later.stopRequest(await lease()), undefined);
    });

    it("keeps a request to stop if the API server released the lock, but its answer was lost", async () => {
        const ana = processOf("ana");
        ana.stopRequest(await lease());
        const lock = lockOf(await take(ana, "roll out basic-pd"));
        await requestStop(world.api, "tidb", "basic", "eva@laptop", (await lease()).lock.holder);
        // The gate's last look, which finds that all is done: the request is for the gates that follow.
        assert.equal(ana.stopRequest(await lease()), "eva@laptop");
        const { patchLease } = world.api;
        world.api.patchLease = async (...patch) => {
            await patchLease(...patch);
            world.api.patchLease = patchLease;
            throw new KubernetesApiError("could not reach the API server: no answer within 8 s", undefined);
        };
        await lock.release().catch(() => undefined);
        assert.equal(ana.stopRequest(await lease()), "eva@laptop");
    });

    it("keeps a request to stop that this process saw between two gates, also if a waiting run takes and releases the lock", async () => {
        const [ana, ben] = [processOf("ana"), processOf("ben")];
        ana.stopRequest(await lease());
        ben.stopRequest(await lease());
        await lockOf(await take(ana, "roll out basic-pd")).release();
        // Nobody holds the lock: "An update that is under way ends before its next step".
        await requestStop(world.api, "tidb", "basic", "eva@laptop", (await lease()).lock.holder);
        const second = lockOf(await take(ben, "scale basic-tidb"));
        // ana's next gate waits for the lock, and reads the Lease.
        assert.equal(ana.stopRequest(await lease()), "eva@laptop");
        assert.equal(ben.stopRequest(await lease()), "eva@laptop", "ben's run stops");
        await second.release();
        assert.equal(ana.stopRequest(await lease()), "eva@laptop", "and ana's run too");
    });

    it("ends an update that was asked between two gates, also if a run that began later takes and releases the lock first", async () => {
        const ana = processOf("ana");
        ana.stopRequest(await lease());
        await lockOf(await take(ana, "roll out basic-pd")).release();
        await requestStop(world.api, "tidb", "basic", "eva@laptop", (await lease()).lock.holder);
        // A sweep, or another update, that begins after the request: it is not meant for it.
        const later = processOf("sweep");
        assert.equal(later.stopRequest(await lease()), undefined);
        await lockOf(await take(later, "sweep tidb/basic")).release();
        assert.equal(ana.stopRequest(await lease()), "eva@laptop");
    });

    it("stops only the run that held the lock when the request was given, and not one that waits for it", async () => {
        const [ana, ben] = [processOf("ana"), processOf("ben")];
        ana.stopRequest(await lease());
        ben.stopRequest(await lease());
        const lock = lockOf(await take(ana, "roll out basic-pd"));
        await requestStop(world.api, "tidb", "basic", "eva@laptop", (await lease()).lock.holder);
        assert.equal(ben.stopRequest(await lease()), undefined);
        assert.equal(ana.stopRequest(await lease()), "eva@laptop");
        await lock.release();
    });

    it("leaves no maintenance task in a PD that the run has ended: another cluster on it would wait for ever", async () => {
        const ana = processOf("ana");
        const lock = lockOf(await take(ana, "suspend basic-pd"));
        await lock.endMaintenance(() => undefined);
        lock.noteEndOfPd();
        await lock.release();
        // PD is back: its data, with the task, were on its volumes.
        assert.deepEqual(pd.running, undefined);
    });

    it("is released without PD by a run that has ended PD, and a later gate of the process does not ask for it either", async () => {
        const ana = processOf("ana");
        const lock = lockOf(await take(ana, "suspend basic-pd"));
        lock.noteEndOfPd();
        Object.assign(etcd, { trouble: "PD_UNREACHABLE", calls: [] });
        pd.answers = "silent";
        await lock.release();
        assert.deepEqual([(await lease()).lock.holder, etcd.calls], [undefined, []]);
        await lockOf(await take(ana, "suspend basic-tso")).release();
        assert.ok(!etcd.calls.includes("revokeLease"));
    });

    it("is released with an error if PD does not answer and this run has not ended it", async () => {
        const lock = lockOf(await take(processOf("ana")));
        etcd.trouble = "PD_UNREACHABLE";
        await assert.rejects(lock.release(), /PD_UNREACHABLE/);
        assert.equal((await lease()).lock.holder, undefined);
    });

    it("leaves PD's maintenance task to its successor if it may have been lost while PD was reached: both have the same id", async () => {
        const lock = lockOf(await take(processOf("ana")));
        pd.onConnect = () => (time += 20_000);
        await assert.rejects(lock.release(), StaleDecision);
        assert.equal(pd.running?.id, "tidb.basic");
        pd.onConnect = () => undefined;
        const ending = lockOf(await take(processOf("ana")));
        const lost = () => {
            throw new StaleDecision("the observation is old");
        };
        await assert.rejects(ending.endMaintenance(lost), /the observation is old/);
        assert.equal(pd.running?.id, "tidb.basic");
    });

    it("begins no maintenance task in PD once it may have been lost", async () => {
        pd.onConnect = () => (time += 20_000);
        await assert.rejects(take(processOf("ana")), StaleDecision);
        assert.equal(pd.running, undefined);
        pd.onConnect = () => undefined;
    });

    it("is released in all its parts if PD refuses one", async () => {
        pd.client.beginMaintenance = () => {
            throw new PdError({ code: "PD_REFUSED", call: "begin", attempts: [], next: "" });
        };
        await assert.rejects(take(processOf("ana")), /PD_REFUSED/);
        assert.equal((await lease()).lock.holder, undefined);
        assert.deepEqual(etcd.keys, {});
    });

    afterEach(() => Promise.allSettled(given.splice(0).map((lock) => lock.release())));
});
