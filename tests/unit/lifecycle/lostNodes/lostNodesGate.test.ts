import * as assert from "node:assert/strict";
import { createGate } from "../../../../provider/gates/gate";
import { lostNodesGateDefinition } from "../../../../provider/gates/lostNodesGate";
import type { LookOptions } from "../../../../provider/lifecycle/vocabulary/look";
import type { Action } from "../../../../provider/lifecycle/vocabulary/actions";
import { noRecords, type ObservedClaim } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import { PlayedRun } from "../../../support/gates/playedRun";
import { ofCluster, worldOf } from "../../../support/gates/worldOf";
import { downFor, goneNode, minutes, unscheduled } from "../../../support/lifecycle/deaths";
import { claimAt, onGoneNode, onNode, recordedLoss, seenLoss } from "../../../support/lifecycle/lostVolumes";
import { claimOf, type Deviation, storeOf } from "../../../support/lifecycle/observations";
import { failsWith, isFailure } from "../../../support/failsWith";
import { codesOf, repeats } from "../../../support/repeats";

const told = (more: object = {}): Record<string, unknown> => ({
    ...ofCluster,
    nodes: ["node-1"],
    policy: { ...defaultPolicy, podReadyTimeoutSeconds: 60 },
    gate: "lost-nodes",
    statusUrn: "urn",
    ...more,
});

/** A played cluster whose store 11 (basic-tikv-1) was on node-1, with what PD and Kubernetes do about each step. */
class Played extends PlayedRun {
    store: "Up" | "Down" | "Offline" | "Tombstone" = "Down";
    offlineFor = 3;
    isNodeGone = true;
    /** Whether Kubernetes makes the claims of a pod that waits for them again (since 1.27). */
    remakesClaims = false;
    /** Its pod: waiting for its volume, still on the lost node, or on another one. */
    pod: { uid: string; on?: string } = { uid: "uid-1" };
    claim: "old" | "ending" | "new" | "none" = "old";
    changes: Deviation = {};

    protected seen(_time: number, options: LookOptions) {
        if (this.store === "Offline" && (this.offlineFor -= 1) < 0) {
            this.store = "Tombstone";
        }
        return seenLoss("tikv", this.row(options));
    }

    private row({ regions }: LookOptions): Deviation {
        const { uid, on } = this.pod;
        const pod = on === undefined ? unscheduled() : { ...goneNode(), node: on };
        const place = this.isNodeGone ? onGoneNode : onNode;
        const old = { old: [claimAt("tikv", 1, place)], ending: [claimAt("tikv", 1, place, { terminating: true })] };
        const made: ObservedClaim[] = this.claim === "new" ? [claimOf("tikv", 1, { uid: "claim-new" })] : [];
        return {
            pods: { 1: { ...pod, uid } },
            claims: this.claim === "old" || this.claim === "ending" ? old[this.claim] : made,
            stores: {
                1:
                    this.store === "Tombstone"
                        ? undefined
                        : this.store === "Up"
                          ? {}
                          : { ...downFor(minutes), state: this.store, regionCount: 7 },
            },
            tombstones: this.store === "Tombstone" ? [storeOf(1, { state: "Tombstone" })] : [],
            ...(regions === undefined ? {} : { regionsOf: { stores: [11], regions: [] } }),
            ...this.changes,
        };
    }

    protected does(action: Action): void {
        const record = this.records.lostVolumes?.["basic-tikv-1"];
        assert.ok(record, "it is on record before, with what is given up");
        if (action.do === "remove-store") {
            assert.deepEqual([action.storeId, this.store, this.isNodeGone], [11, "Down", true]);
            this.store = "Offline";
        } else if (action.do === "bring-store-back") {
            assert.equal(this.store, "Offline");
            this.store = "Down";
        } else if (action.do === "delete-claims") {
            assert.deepEqual(action.claims, [{ name: "tikv-basic-tikv-1", uid: "claim-1", resourceVersion: "1" }]);
            assert.deepEqual([this.store, this.isNodeGone], ["Tombstone", true], "nobody writes to it any more");
            this.claim = this.pod.on === undefined ? (this.remakesClaims ? "new" : "none") : "ending";
            if (this.claim === "new") {
                this.pod = { ...this.pod, on: "node-2" };
            }
        } else if (action.do === "delete-pod") {
            assert.notEqual(this.pod.on, "node-2", "it runs with its new volume");
            assert.ok(this.claim === "none" || this.claim === "ending", "no pod gets hold of the old volume");
            this.pod = { uid: "uid-2" };
            this.claim = "new";
        } else {
            assert.ok(["note-lost-volumes", "forget-lost-volumes"].includes(action.do));
        }
    }

    gate() {
        return createGate(lostNodesGateDefinition, worldOf(this.ports()));
    }

    update(more: object = {}) {
        return this.gate().update("id", told(), { ...told(more), replicas: 0, plan: ["give up"], deferred: "" });
    }

    async plan(more: object = {}) {
        const { plan, inputs, remarks, warnings } = await this.gate().planOf({}, told(more));
        const digest = plan.flatMap((item) => (item.is === "approval" ? [item.digest] : []))[0];
        return { lines: inputs.plan as string[], deferred: inputs.deferred, remarks, warnings, digest };
    }

    assertDone(message?: string): void {
        assert.deepEqual(this.records, noRecords(), message);
        assert.deepEqual([this.store, this.claim], ["Tombstone", "new"], message);
    }
}
const all = ["consent", "note-lost-volumes", "remove-store", "delete-claims", "delete-pod", "forget-lost-volumes"];

describe("the LostNodesGate", function () {
    this.timeout(60_000);
    let played: Played;
    beforeEach(() => {
        played = new Played();
    });

    it("plans a step for each pod that says what is lost, and how to approve it; it changes nothing", async () => {
        const { lines, digest } = await played.plan();
        repeats(lines[0], "volumes of basic-tikv-1", "pv-1", "node-1", "store 11");
        const lets = "lets through: give up the volumes of basic-tikv-1";
        assert.deepEqual(lines.slice(1), [
            `approve: \`npx pulumi-tidb approve basic ${digest} --namespace tidb\` ${lets}`,
        ]);
        assert.deepEqual([played.done, played.records], [[], noRecords()]);
    });

    for (const approval of [undefined, "step", "member"]) {
        it(`begins nothing without consent, with operations.approval ${approval}`, async () => {
            played.approves = false;
            await failsWith(played.update({ approval }), "approval-timed-out");
            assert.deepEqual([played.done, played.records], [[], noRecords()]);
        });
        it(`removes the store, then the claims, then the pod, with operations.approval ${approval}`, async () => {
            await played.update({ approval });
            assert.deepEqual(played.done, all);
            played.assertDone();
        });
    }
    it("deletes the pod on the lost node too, whose claims end only with it", async () => {
        played.pod = { uid: "uid-1", on: "node-1" };
        await played.update();
        assert.deepEqual(played.done, all);
    });
    it("leaves a pod alone that Kubernetes has given new claims, and that runs elsewhere", async () => {
        played.remakesClaims = true;
        await played.update();
        assert.deepEqual(
            played.done,
            all.filter((one) => one !== "delete-pod"),
        );
        played.assertDone();
    });
    it("follows a pod that is made anew while PD moves the regions", async () => {
        played.pod = { uid: "uid-1", on: "node-1" };
        const { does } = played as unknown as { does: (action: Action) => void };
        Object.assign(played, {
            does(action: Action) {
                does.call(played, action);
                if (action.do === "remove-store") {
                    played.pod = { uid: "uid-1b" };
                }
            },
        });
        await played.update();
        assert.deepEqual(played.done, [...all.slice(0, 3), "note-lost-volumes", ...all.slice(3)]);
        played.assertDone();
    });

    it("has nothing to do afterwards, and says that the setting can go", async () => {
        await played.update();
        const { lines, remarks } = await played.plan();
        assert.deepEqual(lines, []);
        repeats(remarks, "operations.lostNodes");
        played.done = [];
        await played.update();
        assert.deepEqual(played.done, []);
    });
    it("keeps a pod whose conditions do not hold, says why, and lets the update go on: failover may add a store", async () => {
        played.changes = { maxReplicas: 4 };
        const { lines, remarks, warnings } = await played.plan();
        assert.deepEqual([lines, remarks], [[], []]);
        repeats(warnings, "basic-tikv-1", "3 Up TiKV stores");
        await played.update();
        assert.deepEqual(played.done, []);
    });
    it("lets the update go on without a store that PD does not empty in its time, and says so; the next update goes on with it", async () => {
        const policy = { ...defaultPolicy, podReadyTimeoutSeconds: 60, storeRemovalTimeoutSeconds: 600 };
        const left =
            "PD has not yet emptied store 11, with 7 regions left: it needs free space on others. After 600 s the update goes on without it";
        played.offlineFor = Infinity;
        await played.update({ policy });
        assert.deepEqual([played.done, played.store], [all.slice(0, 3), "Offline"]);
        assert.equal(played.said.filter((one) => one === left).length, 1);
        assert.deepEqual(codesOf((await played.plan({ policy })).remarks), ["store-left-behind"]);
        played.offlineFor = 3;
        played.approves = false;
        await played.update({ policy });
        assert.deepEqual(played.done, all);
        played.assertDone();
    });
    it("plans to delete a record of what is not given up any more, and does", async () => {
        played.records = recordedLoss("tikv");
        played.store = "Up";
        const { lines, digest } = await played.plan();
        assert.deepEqual(lines, [
            "clean up basic-tikv-1 (its volumes are not given up): delete the record that volumes of basic-tikv-1 are given up (~1 s)",
        ]);
        assert.equal(digest, undefined, "nobody needs to consent");
        await played.update();
        assert.deepEqual([played.done, played.records], [["forget-lost-volumes"], noRecords()]);
    });
    it("defers the plan while something is not known, and the update waits, then fails", async () => {
        played.changes = { claims: [claimAt("tikv", 1, "could not read volume pv-1: 403")] };
        const { lines, deferred } = await played.plan();
        assert.deepEqual([lines, deferred], [[], "deferred: could not read volume pv-1: 403"]);
        await failsWith(played.update(), "lost-volumes", {
            target: "basic",
            names: "could not read volume pv-1: 403",
        });
        assert.deepEqual(played.done, []);
    });

    it("continues after a kill at any call, without another consent once PD was asked to remove anything", async () => {
        for (const remakesClaims of [false, true]) {
            const whole = new Played();
            whole.remakesClaims = remakesClaims;
            await whole.update();
            assert.ok(whole.callsAtChanges().length > 12);
            for (const call of whole.callsAtChanges()) {
                const run = new Played();
                run.remakesClaims = remakesClaims;
                run.at[call] = () => {
                    throw new Error("killed");
                };
                await assert.rejects(run.update(), /killed/, `at call ${call}`);
                run.approves = run.store === "Down";
                await run.update();
                run.assertDone(`killed at call ${call}`);
                assert.ok(run.done.filter((one) => one === "remove-store").length <= 2);
            }
        }
    });
    it("asks again where a record is of a loss that never reached PD: a consent ends with the loss that it was for", async () => {
        played.records = recordedLoss("tikv");
        const { lines, digest } = await played.plan();
        repeats(lines[0], "volumes of basic-tikv-1", "pv-1", "node-1");
        assert.match(digest ?? "", /^[0-9a-f]{12}$/);
        played.approves = false;
        await failsWith(played.update(), "approval-timed-out");
        assert.deepEqual(played.done, []);
    });
    it("takes the removal back if the node exists again at any call before PD has dropped the store", async () => {
        const whole = new Played();
        await whole.update();
        for (const call of whole.callsAroundChanges()) {
            const run = new Played();
            run.at[call] = () => (run.isNodeGone = false);
            // What it decided from before that is on its way. Then it sees the node.
            const { does } = run as unknown as { does: (action: Action) => void };
            Object.assign(run, {
                does(action: Action) {
                    const { isNodeGone } = run;
                    run.isNodeGone = true;
                    does.call(run, action);
                    run.isNodeGone = isNodeGone;
                },
            });
            const failure = await run.update().then(
                () => undefined,
                (error: Error) => error,
            );
            if (run.store === "Tombstone" && run.claim === "old") {
                isFailure(failure, "lost-claims-gone", { names: "node node-1" });
            } else {
                assert.equal(failure, undefined, `at call ${call}`);
                assert.deepEqual(run.records, noRecords(), `at call ${call}`);
                assert.notEqual(run.store, "Offline", `at call ${call}`);
            }
        }
    });
    it("begins nothing for a store that comes back after the consent", async () => {
        for (let call = 1; call <= 6; call += 1) {
            const run = new Played();
            run.at[call] = () => (run.store = "Up");
            await run.update();
            assert.ok(!run.done.includes("delete-claims"), `back at call ${call}`);
            assert.deepEqual([run.store, run.records], ["Up", noRecords()], `back at call ${call}`);
        }
    });
});
