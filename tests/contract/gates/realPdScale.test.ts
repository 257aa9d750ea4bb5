import * as assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { withPdServer } from "../pd/realPd";
import { PdScenario } from "./pdScenario";

const title = "a scale-out of a real pd-server that is taken back";

withPdServer(title, (command) => {
    describe(title, function () {
        this.timeout(240_000);
        let scenario: PdScenario;
        afterEach(async function () {
            if (this.currentTest?.state === "failed") {
                const done = scenario.taken.map(({ by, action }) => `${by} does ${JSON.stringify(action)}`);
                console.log([...done, ...scenario.told, ...scenario.pods.running].join("\n"));
            }
            await scenario.close();
        });

        for (const pullMilliseconds of [500, 2_000, 5_000]) {
            it(`keeps PD's quorum and volumes from 1 to 3 and back, if the new processes start ${pullMilliseconds / 1000} s apart`, async () => {
                scenario = await PdScenario.begin(command, 1);
                const before = await scenario.untilMembers(0);
                const clusterId = await scenario.pd.client.clusterId();
                scenario.pods.pullMilliseconds = pullMilliseconds;
                await scenario.pods.setReplicas(3);
                // The update that scaled out has ended here, and its pods start. Pulumi takes a while to write the StatefulSet.
                await pause(300);
                await scenario.update("ben", 1, 3);
                assert.deepEqual(await scenario.untilMembers(0), before);
                const removed = scenario.taken.flatMap(({ action }) => ("memberId" in action ? [action.pod] : []));
                assert.deepEqual(removed.sort(), ["basic-pd-1", "basic-pd-2"]);
                const [own] = scenario.pods.claimUids;

                await scenario.update("ana", 3);
                const again = await scenario.untilMembers(0, 1, 2);
                assert.equal(again[scenario.pods.podName(0)], before[scenario.pods.podName(0)]);
                assert.ok(scenario.pods.claimUids.includes(own));
                assert.equal(await scenario.pd.client.clusterId(), clusterId);
            });
        }
    });
});
