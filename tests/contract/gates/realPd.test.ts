import * as assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { findPdServer } from "../pd/realPd";
import { basic, Stage } from "./stage";
import { assertEnded, assertNothingLost } from "./assertions";

const command = findPdServer();
const title = "the gate of TiKV on three real pd-server processes";

if (command === undefined) {
    describe(title, () => {
        it.skip("not run: no pd-server found on PATH, nor by PULUMI_TIDB_PD_SERVER");
    });
} else {
    describe(title, function () {
        this.timeout(300_000);
        let stage: Stage;
        afterEach(async function () {
            if (this.currentTest?.state === "failed" || process.env.PULUMI_TIDB_STORY) {
                console.log(stage.story());
            }
            await stage.close();
        });

        it("restarts each store without its leaders, and leaves no eviction behind", async () => {
            stage = await Stage.set(command, [{ id: basic, replicas: 4, stale: 4 }], {
                regions: 840,
                regionHeartbeatMilliseconds: 4000,
                storeHeartbeatMilliseconds: 1000,
            });
            stage.keepSampling();
            await stage.run("ana").ended;
            assert.deepEqual(stage.pods[0].deletions.map(({ store }) => store), [4, 3, 2, 1]);
            assertNothingLost(stage);
            await assertEnded(stage);
            await pause(0);
        });
    });
}
