import * as assert from "node:assert/strict";
import { createGate } from "../../../../provider/gates/gate";
import { recoveryGateDefinition } from "../../../../provider/gates/recoveryGate";
import type { LookOptions } from "../../../../provider/lifecycle/vocabulary/look";
import type { Action } from "../../../../provider/lifecycle/vocabulary/actions";
import type { ObservedRecovery } from "../../../../provider/lifecycle/vocabulary/observation";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { shortDigest } from "../../../../provider/lifecycle/vocabulary/shortDigest";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import { PdError } from "../../../../provider/pd/pdError";
import { PlayedRun } from "../../../support/gates/playedRun";
import { ofCluster, worldOf } from "../../../support/gates/worldOf";
import { buried, lost, region, seen } from "../../../support/lifecycle/failedStores";
import { type Deviation, now } from "../../../support/lifecycle/observations";
import { failsWith } from "../../../support/failsWith";
import { repeats } from "../../../support/repeats";
import { refusedAt } from "../../../support/gates/refusedAt";

const told = (more: object = {}): Record<string, unknown> => ({
    ...ofCluster,
    failedStores: [12, 11],
    neverComeBack: true,
    timeoutSeconds: 60,
    policy: { ...defaultPolicy, podReadyTimeoutSeconds: 60 },
    gate: "recovery",
    statusUrn: "urn",
    ...more,
});

/** A played PD. */
class Played extends PlayedRun {
    row: Deviation = lost;
    recovery: ObservedRecovery = { stage: "none", report: "No on-going recovery." };
    /** How PD's recovery ends, and how many looks later. */
    ends: ObservedRecovery["stage"] = "finished";
    looksLeft = 3;
    /** How PD refuses what it is asked. Default: it does not. */
    refuses: Error | undefined;

    protected seen(_time: number, options: LookOptions) {
        if (this.recovery.stage === "running" && (this.looksLeft -= 1) < 0) {
            this.recovery = { ...this.recovery, stage: this.ends, report: `PD ${this.ends} it` };
            if (this.ends === "finished") {
                this.row = { ...this.row, regionsOf: { stores: [11, 12], regions: [] } };
            }
        }
        const { regionsOf, ...row } = this.row;
        const asked = options.regions === undefined ? {} : { regionsOf };
        return seen({ ...row, ...asked, recovery: this.recovery });
    }

    protected does(action: Action): void {
        if (this.refuses !== undefined) {
            throw this.refuses;
        }
        if (action.do === "remove-failed-stores") {
            assert.notEqual(this.recovery.stage, "running", "PD would refuse a second one");
            assert.deepEqual(action.stores, [11, 12]);
            assert.deepEqual(this.records.unsafeRecovery?.begun?.stores, [11, 12], "it is on record before");
            this.row = { ...buried, regionsOf: this.row.regionsOf };
            this.recovery = { stage: "running", failedStores: [11, 12], report: "collecting reports" };
            this.looksLeft = 3;
        }
    }

    gate() {
        return createGate(recoveryGateDefinition, worldOf(this.ports()));
    }

    update(more: object = {}) {
        return this.gate().update("id", told(), { ...told(more), replicas: 0, plan: ["recover"], deferred: "" });
    }

    async plan(more: object = {}) {
        const { plan, inputs, refused, remarks } = await this.gate().planOf({}, told(more));
        const digest = plan.flatMap((item) => (item.is === "approval" ? [item.digest] : []));
        return { lines: inputs.plan as string[], deferred: inputs.deferred, refused, remarks, digest: digest[0] };
    }

    begun(): number {
        return this.done.filter((one) => one === "remove-failed-stores").length;
    }
}

describe("the RecoveryGate", () => {
    let pd: Played;
    beforeEach(() => {
        pd = new Played();
    });

    it("plans one step that names the stores, the regions and what is lost, and how to approve it", async () => {
        const { lines, digest } = await pd.plan();
        assert.deepEqual(lines, [
            "recover stores 11, 12 (store 11 (basic-tikv-1) Down, store 12 (basic-tikv-2) Down; 1 region keeps its majority and loses nothing): " +
                "make PD remove stores 11, 12 as failed, and let their regions go on without them, " +
                "wait ~120 s (every region must be reported to PD again, because PD has discarded what it knew); until PD has finished the unsafe recovery (~4 min); " +
                "risk: 2 regions have lost the majority; 1 with a replica left, which may lack the last writes; " +
                "1 with none left: all their data is lost, they come back empty; ids 1, 2; about 96 MiB as last reported, without 1 region of unknown size; " +
                "what 2 regions of them hold is not known",
            `approve: \`npx pulumi-tidb approve basic ${digest} --namespace tidb\` lets through: recover stores 11, 12`,
        ]);
        assert.deepEqual(pd.done, []);
    });

    for (const approval of [undefined, "step", "member"]) {
        it(`begins nothing without consent, with operations.approval ${approval}`, async () => {
            pd.approves = false;
            await failsWith(pd.update({ approval }), "approval-timed-out");
            assert.deepEqual(pd.done, []);
        });
        it(`takes the consent, begins once, and waits until PD has finished, with operations.approval ${approval}`, async () => {
            await pd.update({ approval });
            assert.deepEqual(pd.done, ["consent", "remove-failed-stores", "note-recovery-finished"]);
            assert.deepEqual(pd.records.unsafeRecovery, { finished: [11, 12] });
            assert.equal(pd.said.at(-1), "recover basic from the loss of stores 11, 12: PD finished it");
        });
    }

    it("needs another consent if more is lost than was approved", async () => {
        const { digest } = await pd.plan();
        pd.row = {
            ...lost,
            regionsOf: { stores: [11, 12], regions: [...lost.regionsOf!.regions, region(9, [11, 12, 13])] },
        };
        assert.notEqual((await pd.plan()).digest, digest);
    });
    it("needs no other consent while PD repairs what keeps its majority", async () => {
        const { digest } = await pd.plan();
        const regions = lost.regionsOf!.regions.filter(({ id }) => id !== 3);
        pd.row = { ...lost, regionsOf: { stores: [11, 12], regions } };
        assert.equal((await pd.plan()).digest, digest);
    });

    it("has nothing to do afterwards, asks PD nothing, and says that the setting can go", async () => {
        await pd.update();
        pd.looks = [];
        const { lines, remarks } = await pd.plan();
        assert.deepEqual([lines, pd.looks], [[], []]);
        repeats(remarks, "stores 11, 12");
        await pd.update();
        assert.equal(pd.begun(), 1);
    });
    it("has nothing to do afterwards if PD forgets the stores", async () => {
        await pd.update();
        pd.row = { stores: { 1: undefined, 2: undefined } };
        assert.deepEqual((await pd.plan()).lines, []);
    });

    it("refuses in the preview what it would refuse in the update, and begins nothing", async () => {
        pd.row = { ...lost, stores: { ...lost.stores, 1: {} } };
        const { refused, lines } = await pd.plan();
        assert.deepEqual(lines, []);
        assert.deepEqual(refusedAt(refused), ["operations.unsafeRecovery"]);
        await failsWith(pd.update(), "unsafe-recovery-refused", {
            target: "stores 11, 12",
            names: "store 11 (basic-tikv-1) is Up",
        });
        assert.deepEqual(pd.done, []);
    });
    it("refuses if a store comes back after the consent was given", async () => {
        const { noteApprovalWait } = pd.ports();
        assert.ok(noteApprovalWait);
        pd.at[4] = () => (pd.row = { ...lost, stores: { ...lost.stores, 1: {} } });
        await failsWith(pd.update(), "unsafe-recovery-refused", { names: "store 11 (basic-tikv-1) is Up" });
        assert.equal(pd.begun(), 0);
    });
    it("defers the plan while PD does not answer", async () => {
        pd.row = { ...lost, pdSilent: true };
        const { lines, deferred } = await pd.plan();
        assert.deepEqual(lines, ["recover unsafely from the loss of stores 11, 12, if PD's answers allow it"]);
        assert.equal(deferred, "deferred: PD answers 500");
    });
    it("says in the preview which evidence it lacks, and the update then fails without a step", async () => {
        pd.row = { ...lost, unknown: ["stores"] };
        assert.deepEqual((await pd.plan()).lines, [
            "held at unsafe-recovery-evidence of stores 11, 12: PD's stores are not known: PD did not answer. Next: nothing was begun: find out why this cannot be known; `pulumi up` then continues from here",
            "wait stores 11, 12 (whether PD can recover is not known) (nobody knows how long)",
        ]);
        await failsWith(pd.update(), "unsafe-recovery-evidence", { target: "stores 11, 12" });
        assert.deepEqual(pd.done, []);
    });

    it("ends in an error with PD's last report if PD gives up, and the next one plans it anew, for another consent", async () => {
        const first = (await pd.plan()).digest;
        pd.ends = "failed";
        await failsWith(pd.update(), "unsafe-recovery-failed", { names: "PD failed it" });
        assert.equal(pd.begun(), 1);
        const again = await pd.plan();
        repeats(again.lines[0], "PD failed it");
        assert.notEqual(again.digest, first);
        pd.ends = "finished";
        pd.done = [];
        await pd.update();
        assert.deepEqual(pd.done, ["consent", "remove-failed-stores", "note-recovery-finished"]);
    });

    describe("takes what is on record as begun for consent only if PD took it", () => {
        const begin = async () => {
            await pd.update();
            const record = { stores: [11, 12], at: now, risk: shortDigest(risk) };
            pd.records = { ...noRecords(), unsafeRecovery: { finished: [], begun: record } };
            pd.row = { ...buried, regionsOf: lost.regionsOf };
            pd.recovery = { stage: "none", report: "No on-going recovery." };
            pd.approves = false;
            pd.done = [];
        };
        const risk =
            "2 regions have lost the majority; 1 with a replica left, which may lack the last writes; " +
            "1 with none left: all their data is lost, they come back empty; ids 1, 2; about 96 MiB as last reported, without 1 region of unknown size; " +
            "what 2 regions of them hold is not known";
        const asks = async () => {
            await failsWith(pd.update(), "approval-timed-out");
            assert.equal(pd.begun(), 0);
        };

        it("and the same is lost", async () => {
            await begin();
            await pd.update();
            assert.deepEqual(pd.done, ["remove-failed-stores", "note-recovery-finished"]);
        });
        it("and not if more is lost than was approved", async () => {
            await begin();
            const regions = [...lost.regionsOf!.regions, region(9, [11, 12, 13])];
            pd.row = { ...pd.row, regionsOf: { stores: [11, 12], regions } };
            await asks();
        });
        it("and not if what was approved is not on record", async () => {
            await begin();
            pd.records = { ...noRecords(), unsafeRecovery: { finished: [], begun: { stores: [11, 12], at: now } } };
            await asks();
        });
        it("which buries the stores at once: one that is Down was never given up", async () => {
            await begin();
            pd.row = lost;
            await asks();
        });
        it("and one Tombstone store is not all of them", async () => {
            await begin();
            const tombstones = buried.tombstones?.slice(0, 1);
            pd.row = { ...pd.row, stores: { ...lost.stores, 1: undefined }, tombstones };
            await asks();
        });
        it("and deletes the record if PD refuses the request", async () => {
            const refusal = { code: "PD_REFUSED", call: "begin it", attempts: [], next: "" } as const;
            pd.refuses = new PdError(refusal);
            await failsWith(pd.update(), "action-failed", { step: "unsafe-recovery" });
            assert.deepEqual(pd.records, noRecords());
        });
        it("and keeps the record if PD does not answer: it may have begun", async () => {
            pd.refuses = new Error("no answer");
            await failsWith(pd.update(), "action-failed", { names: "no answer" });
            assert.deepEqual(pd.records.unsafeRecovery?.begun?.stores, [11, 12]);
        });
        it("and deletes the record if PD gives up, also in a run that only waited", async () => {
            await begin();
            pd.recovery = { stage: "running", failedStores: [11, 12], report: "collecting reports" };
            pd.looksLeft = 3;
            pd.ends = "failed";
            await failsWith(pd.update(), "unsafe-recovery-failed", { names: "PD failed it" });
            assert.deepEqual([pd.done, pd.records], [["forget-recovery"], noRecords()]);
        });
    });

    it("waits for a recovery that runs, and plans to", async () => {
        pd.row = buried;
        pd.recovery = { stage: "running", failedStores: [11, 12], report: "force leader" };
        assert.deepEqual((await pd.plan()).lines, [
            "wait stores 11, 12 (PD runs their unsafe recovery): wait: PD to finish the unsafe recovery: force leader, wait ~120 s (every region must be reported to PD again, because PD has discarded what it knew) (~2 min)",
        ]);
        await pd.update();
        assert.deepEqual(pd.done, ["note-recovery-finished"]);
        assert.equal(pd.pausedUnlocked, 0, "it holds the locks of the cluster and of PD: nobody else restarts a store");
        assert.deepEqual(pd.locks, [], "and releases them");
    });
    it("waits for a recovery of other stores with the locks too, and does not foresee what that leaves behind", async () => {
        pd.recovery = { stage: "running", failedStores: [9], report: "force leader" };
        pd.looksLeft = Infinity;
        assert.deepEqual((await pd.plan()).lines, [
            "the update is not foreseen to its end: it may be held where the plan does not say so",
            "wait stores 11, 12 (PD runs an unsafe recovery of other stores) (nobody knows how long)",
        ]);
        await failsWith(pd.update(), "unsafe-recovery-of-others", { names: "force leader" });
        assert.equal(pd.pausedUnlocked, 0);
    });

    it("continues after a kill at any call: PD never gets a second one while it runs, and each is finished", async () => {
        const whole = new Played();
        await whole.update();
        assert.ok(whole.callsAtChanges().length > 8);
        for (const call of whole.callsAtChanges()) {
            const run = new Played();
            run.at[call] = () => {
                throw new Error("killed");
            };
            await assert.rejects(run.update(), /killed/, `at call ${call}`);
            await run.update();
            assert.deepEqual([run.begun(), run.recovery.stage], [1, "finished"], `killed at call ${call}`);
            assert.deepEqual(run.records.unsafeRecovery, { finished: [11, 12] });
        }
    });

    it("begins it again, with the consent that it had, if a new leader of PD knows nothing of it", async () => {
        const whole = new Played();
        await whole.update();
        for (const call of whole.callsAroundChanges()) {
            const run = new Played();
            run.at[call] = () => {
                run.recovery = { stage: "none", report: "No on-going recovery." };
            };
            await run.update();
            assert.deepEqual(run.records.unsafeRecovery, { finished: [11, 12] }, `PD's leader changed at call ${call}`);
            assert.equal(run.done.filter((one) => one === "consent").length, 1);
            assert.ok(run.begun() <= 2);
        }
    });
});
