import * as assert from "node:assert/strict";
import type { Action } from "../../../provider/lifecycle/move";
import { findPdServer } from "../pd/realPd";
import { assertEnded, assertNoLeaderLost, assertNothingLost, assertWaited } from "./assertions";
import * as election from "./elections";
import type { PlayedTikvOptions } from "./playedTikv";
import { basic, other, Stage, type StagedCluster } from "./stage";

const command = findPdServer();
const title = "the gate of TiKV on three real pd-server processes";

/** Shorter than TiKV's, which says them in its configuration, so that a test need not take minutes. */
const brief = { regionHeartbeatMilliseconds: 4000, storeHeartbeatMilliseconds: 1000 };
/** Long enough for PD to be blind for a while where stores do not resend. */
const blinding = { regionHeartbeatMilliseconds: 15_000, storeHeartbeatMilliseconds: 2000, reconnect: "waits" } as const;

if (command === undefined) {
    describe(title, () => {
        it.skip("not run: no pd-server found on PATH, nor by PULUMI_TIDB_PD_SERVER");
    });
} else {
    describe(title, function () {
        this.timeout(240_000);
        let stage: Stage;
        const set = async (stale: number, regions: number, tikv: Omit<PlayedTikvOptions, "hosts" | "regions">) => {
            const clusters: StagedCluster[] = [{ id: basic, replicas: 3, stale }];
            stage = await Stage.set(command, clusters, { ...tikv, regions });
            stage.keepSampling();
        };
        afterEach(async function () {
            if (this.currentTest?.state === "failed" || process.env.PULUMI_TIDB_STORY) {
                console.log(stage.story());
            }
            await stage.close();
        });

        it("restarts each store without its leaders, and leaves no eviction behind", async () => {
            await set(3, 630, brief);
            await stage.run("ana").ended;
            assert.deepEqual(
                stage.pods[0].deletions.map(({ store }) => store),
                [3, 2, 1],
            );
            assertNothingLost(stage);
            await assertEnded(stage);
        });

        for (const [how, change] of [
            ["a follower takes PD over", election.transfer],
            ["PD's leader is killed", election.kill],
        ] as const) {
            it(`keeps a store until the next leader of PD knows all leaders, where ${how} in the middle of an eviction`, async () => {
                await set(1, 630, brief);
                const { ended } = stage.run("ana");
                await stage.untilLeadersLeave(3);
                const changed = await change(stage);
                await ended;
                assertWaited(stage, changed, brief);
                assertNothingLost(stage);
                await assertEnded(stage);
            });
        }

        it("does not believe in PD's zero, where a restarted member takes PD over in the middle of an eviction", async () => {
            await set(1, 630, blinding);
            const { ended } = stage.run("ana");
            const member = await election.restartFollower(stage);
            await stage.untilLeadersLeave(3);
            const changed = await election.handTo(stage, member);
            await ended;
            const untrue = stage.samples.filter(({ seen, truth }) => seen?.leaders[3] === 0 && truth[3] > 0);
            assert.ok(untrue.length > 0, "PD was expected to say 0 of a store that leads");
            assertWaited(stage, changed, blinding);
            assertNothingLost(stage);
            await assertEnded(stage);
        });

        it("ends an eviction, and begins the next, only once a restarted member has loaded its schedulers", async () => {
            await set(2, 450, blinding);
            const { ended } = stage.run("ana");
            const member = await election.restartFollower(stage);
            await stage.until("store 3 is restarted", () => stage.pods[0].deletions.length > 0);
            const changed = await election.handTo(stage, member);
            await ended;
            const blind = stage.samples.filter(({ at, seen }) => at > changed && seen?.hasSchedulers === false);
            assert.ok(blind.length > 0, "PD was expected to lack its schedulers for a while");
            assertNothingLost(stage);
            await assertEnded(stage);
        });

        for (const step of ["begin-eviction", "end-eviction"] as const) {
            it(`waits, and does not fail, where a restarted member takes PD over right before ${step} is sent`, async () => {
                await set(1, 450, blinding);
                const member = election.restartFollower(stage);
                let changed: Promise<number> | undefined;
                const before = async (action: Action) => {
                    if (action.do === step) {
                        await (changed ??= member.then((name) => election.handTo(stage, name)));
                    }
                };
                await stage.run("ana", 0, before).ended;
                const blind = stage.samples.some(({ seen }) => seen?.hasSchedulers === false);
                assert.ok(blind, "PD was expected to lack its schedulers for a while");
                assertNoLeaderLost(stage);
                await assertEnded(stage);
            });
        }

        it("lets no second TidbCluster on the same PD act meanwhile, and tells it who does", async () => {
            // With TiKV's own intervals, which count for stores of others in any case.
            const clusters = [basic, other].map((id) => ({ id, replicas: 3, stale: 1 }));
            stage = await Stage.set(command, clusters, { regions: 600 });
            stage.keepSampling();
            let second: Promise<void> | undefined;
            const waits = () => stage.told.some((line) => /ben warn: waiting for ana \(tidb\/basic\)/.test(line));
            const first = stage.run("ana", 0, async ({ do: action }) => {
                if (action === "begin-eviction") {
                    second ??= stage.run("ben", 1).ended;
                    await stage.until("the second cluster is told", waits);
                }
            });
            await first.ended;
            const last = stage.taken.length;
            await second;
            assert.ok(stage.taken.slice(0, last).every(({ by }) => by === "ana"));
            assert.ok(stage.taken.slice(last).every(({ by }) => by === "ben"));
            assertNothingLost(stage);
            await assertEnded(stage);
        });

        it("takes up what a killed run had begun, once its locks have ended", async () => {
            await set(1, 630, brief);
            const killed = stage.run("ana");
            await stage.untilLeadersLeave(3);
            killed.kill();
            const [done, at] = [stage.taken.length, stage.now];
            await stage.run("ben").ended;
            const [first] = stage.taken.slice(done);
            assert.equal(first.by, "ben");
            assert.ok(first.at - at >= 11, `${first.at - at} s after the kill`);
            assert.deepEqual(stage.told.filter((line) => /begin-eviction|evict \d+ leaders/.test(line)).length, 1);
            assertNothingLost(stage);
            await assertEnded(stage);
        });
    });
}
