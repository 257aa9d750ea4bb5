import * as assert from "node:assert/strict";
import { LeadershipTracker } from "../../../provider/cluster/leadershipTracker";
import { askPd } from "../../../provider/cluster/observePd";
import { lookForRecovery } from "../../../provider/gates/looks";
import { notForeseen } from "../../../provider/lifecycle/dryRun/planSteps";
import { dueRecovery } from "../../../provider/lifecycle/unsafeRecovery/planRecovery";
import { recoveryState } from "../../../provider/lifecycle/unsafeRecovery/recoveryState";
import type { RecoveryTarget } from "../../../provider/lifecycle/unsafeRecovery/recoveryTarget";
import { lookCloser } from "../../../provider/lifecycle/vocabulary/look";
import { nothingObserved, type Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { createPdClient, type PdClient } from "../../../provider/pd";
import { manualClock, type PdSimulator, startPdSimulator } from "../../../sandbox/dataPlane";
import { repeats } from "../../support/repeats";

const target: RecoveryTarget = { failedStores: [2, 3], neverComeBack: true, timeoutSeconds: 60, policy: defaultPolicy };

describe("an unsafe recovery with a PD behind HTTP", () => {
    let clock: ReturnType<typeof manualClock>;
    let simulator: PdSimulator;
    let client: PdClient;
    beforeEach(async () => {
        clock = manualClock();
        simulator = await startPdSimulator({
            clock,
            stores: 4,
            regions: 120,
            timings: { leaderElectionMilliseconds: 1 },
        });
        client = createPdClient({ endpoints: simulator.endpoints });
    });
    afterEach(async () => {
        client.close();
        await simulator.stop();
    });

    const watch = new LeadershipTracker();
    const observe = async (): Promise<Observation> => {
        const ask = async ({ pd: parts, regions }: typeof lookForRecovery) => {
            const id = { namespace: "tidb", cluster: "basic", instance: "basic", domain: "" };
            const look = { parts, regions, id, restarted: undefined, isFirstDeployment: false, watch, now: clock };
            const { pd } = await askPd(client, look);
            return { ...nothingObserved("basic", clock()), pd, pdClusterId: "7" };
        };
        const first = await ask(lookForRecovery);
        const state = recoveryState(first, target);
        return state.is === "look" ? ask(lookCloser(lookForRecovery, state.at)) : first;
    };
    const state = async () => recoveryState(await observe(), target);

    it("waits for PD's own time, then names what is lost, begins, follows it and knows its end", async () => {
        clock.advance(120_000);
        simulator.stopPod("basic-tikv-1");
        simulator.stopPod("basic-tikv-2");
        clock.advance(10_000);
        const early = await state();
        assert.ok(early.is === "kept" && "refused" in early.why, JSON.stringify(early));
        repeats(early.why.refused, "store 2 (basic-tikv-1)");

        clock.advance(15_000);
        const due = await state();
        assert.equal(due.is, "due", JSON.stringify(due));
        const seen = await observe();
        const [step] = notForeseen(dueRecovery(seen, target), seen);
        assert.match(
            step.risk!,
            /^\d+ regions have lost the majority; \d+ with a replica left.*; about \d+ MiB as last reported; table ids /,
        );

        await client.removeFailedStores([2, 3], 60);
        assert.equal((await state()).is, "running");
        clock.advance(10_000);
        const ended = await state();
        assert.ok(ended.is === "ended");
        assert.match(ended.report, /^Unsafe recovery Finished; affected table ids: /);

        await client.resignLeader();
        clock.advance(120_000);
        assert.equal((await state()).is, "over", "a new leader knows nothing, and no region lacks its majority");
    });

    it("is not judged by a PD whose leader was just elected", async () => {
        await client.resignLeader();
        clock.advance(3_000);
        const seen = await state();
        assert.ok(seen.is === "kept" && "lacks" in seen.why, JSON.stringify(seen));
    });
});
