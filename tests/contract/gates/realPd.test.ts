import * as assert from "node:assert/strict";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import { withPdServer } from "../pd/realPd";
import { assertEnded, assertNoLeaderLost, assertNothingLost, assertWaited } from "./assertions";
import * as election from "./elections";
import type { PlayedTikvOptions } from "./playedTikv";
import { basic, other, Scenario, type PlayedCluster } from "./scenario";
import { isFarTooLow, storyOf } from "./story";

const title = "the gate of TiKV on three real pd-server processes";

/** Shorter than TiKV's, which says them in its configuration, so that a test need not take minutes. */
const brief = { regionHeartbeatMilliseconds: 4000, storeHeartbeatMilliseconds: 1000 };
/** Long enough for PD to be blind for a while where stores do not resend. */
const blinding = { regionHeartbeatMilliseconds: 10_000, storeHeartbeatMilliseconds: 2000, reconnect: "waits" } as const;

withPdServer(title, (command) => {
    describe(title, function () {
        this.timeout(240_000);
        let scenario: Scenario;
        let isBegun = false;
        const play = async (clusters: readonly PlayedCluster[], tikv: Omit<PlayedTikvOptions, "hosts">) => {
            isBegun = false;
            scenario = await Scenario.begin(command, clusters, tikv);
            isBegun = true;
            scenario.keepSampling();
        };
        const playBasic = (stale: number, regions: number, tikv: Omit<PlayedTikvOptions, "hosts" | "regions">) =>
            play([{ id: basic, replicas: 3, stale }], { ...tikv, regions });
        afterEach(async function () {
            if (isBegun) {
                await scenario.close();
            }
            if (isBegun && (this.currentTest?.state === "failed" || process.env.PULUMI_TIDB_STORY)) {
                console.log(storyOf(scenario));
            }
        });

        it("restarts each store without its leaders, and leaves no eviction behind", async () => {
            await playBasic(3, 630, brief);
            await scenario.run("ana").ended;
            assert.deepEqual(
                scenario.pods[0].deletions.map(({ store }) => store),
                [3, 2, 1],
            );
            assertNothingLost(scenario);
            await assertEnded(scenario);
        });

        for (const [how, change] of [
            ["a follower becomes PD's leader", election.transfer],
            ["PD's leader is killed", election.kill],
        ] as const) {
            it(`keeps a store until PD's next leader knows all leaders if ${how} during an eviction`, async () => {
                await playBasic(1, 630, brief);
                const { ended } = scenario.run("ana");
                await scenario.untilLeadersLeave(3);
                const changed = await change(scenario);
                await ended;
                assertWaited(scenario, changed, brief);
                assertNothingLost(scenario);
                await assertEnded(scenario);
            });
        }

        it("does not believe PD's count of leaders if a restarted member becomes PD's leader during an eviction", async () => {
            await playBasic(1, 630, blinding);
            const { ended } = scenario.run("ana");
            const member = await election.restartFollower(scenario);
            await scenario.untilLeadersLeave(3);
            const changed = await election.handTo(scenario, member);
            await ended;
            const untrue = scenario.samples.filter((sample) => sample.at > changed && isFarTooLow(sample, 3));
            assert.ok(untrue.length > 1, "PD was expected to count far fewer leaders than there are, for a while");
            assertWaited(scenario, changed, blinding);
            assertNothingLost(scenario);
            await assertEnded(scenario);
        });

        it("ends an eviction, and begins the next, only once a restarted member has loaded its schedulers", async () => {
            await playBasic(2, 450, blinding);
            const { ended } = scenario.run("ana");
            const member = await election.restartFollower(scenario);
            await scenario.until("store 3 is restarted", () => scenario.pods[0].deletions.length > 0);
            const changed = await election.handTo(scenario, member);
            await ended;
            const blind = scenario.samples.filter(({ at, seen }) => at > changed && seen?.hasSchedulers === false);
            assert.ok(blind.length > 0, "PD was expected to lack its schedulers for a while");
            assertNothingLost(scenario);
            await assertEnded(scenario);
        });

        for (const step of ["begin-eviction", "end-eviction"] as const) {
            it(`waits, and does not fail, if a restarted member becomes PD's leader right before ${step} is sent`, async () => {
                await playBasic(1, 450, blinding);
                const member = election.restartFollower(scenario);
                let changed: Promise<number> | undefined;
                const before = async (action: Action) => {
                    if (action.do === step) {
                        await (changed ??= member.then((name) => election.handTo(scenario, name)));
                    }
                };
                await scenario.run("ana", 0, before).ended;
                const at = await changed;
                assert.ok(at, `${step} was not sent`);
                const blind = scenario.samples.filter(
                    (sample) => sample.at > at && sample.seen?.hasSchedulers === false,
                );
                assert.ok(blind.length > 0, "PD was expected to lack its schedulers for a while");
                assertNoLeaderLost(scenario);
                await assertEnded(scenario);
            });
        }

        it("keeps a second TidbCluster on the same PD from acting, and tells it who acts", async () => {
            // With TiKV's own intervals, which count for stores of others in any case.
            const clusters = [basic, other].map((id) => ({ id, replicas: 3, stale: 1 }));
            await play(clusters, { regions: 600 });
            let second: Promise<void> | undefined;
            const waits = () => scenario.told.some((line) => /ben warn: waiting for ana \(tidb\/basic\)/.test(line));
            const first = scenario.run("ana", 0, async ({ do: action }) => {
                if (action === "begin-eviction") {
                    second ??= scenario.run("ben", 1).ended;
                    await scenario.until("the second cluster is told", waits);
                }
            });
            await first.ended;
            const last = scenario.taken.length;
            await second;
            assert.ok(scenario.taken.slice(0, last).every(({ by }) => by === "ana"));
            assert.ok(scenario.taken.slice(last).every(({ by }) => by === "ben"));
            assertNothingLost(scenario);
            await assertEnded(scenario);
        });

        it("continues what a killed run had begun, once its locks have ended, and puts PD's limits back", async () => {
            await playBasic(1, 630, brief);
            const limit = async () => (await scenario.pd.client.leaderLimits())["leader-schedule-limit"];
            const before = await limit();
            const killed = scenario.run("ana");
            await scenario.untilLeadersLeave(3);
            killed.kill();
            const raised = await limit();
            assert.ok(raised > before, `${raised} leaders move at once, ${before} before`);
            const [done, at] = [scenario.taken.length, scenario.now];
            await scenario.run("ben").ended;
            const [first] = scenario.taken.slice(done);
            assert.equal(first.by, "ben");
            assert.ok(first.at - at >= 11, `${first.at - at} s after the kill`);
            assert.deepEqual(scenario.told.filter((line) => /begin-eviction|evict \d+ leaders/.test(line)).length, 1);
            assert.equal(await limit(), before);
            assertNothingLost(scenario);
            await assertEnded(scenario);
        });
    });
});
