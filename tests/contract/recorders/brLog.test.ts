import * as assert from "node:assert/strict";
import { createPdClient } from "../../../provider/pd";
import { millisecondsOf } from "../../../topology/timestamps";
import { type BrStage, openBrStage, pdOf } from "../../support/recorders/brStage";

describe("the recorder of br, with a log backup", function () {
    this.timeout(120_000);
    let stage: BrStage;
    before(() => (stage = openBrStage()));
    after(() => stage.end());

    it("is seen by the gates in every state, with its storage and its checkpoint", async () => {
        const cluster = await stage.startCluster();
        const storage = `local://${stage.folder}/log`;
        const log = async (step: string, ...args: string[]) => {
            const { code, errors } = await stage.run(["log", step, "--task-name=b1", "--pd", pdOf(cluster), ...args]);
            return code === 0 ? "" : errors;
        };
        const pd = createPdClient({ endpoints: cluster.endpoints });
        try {
            assert.match(await log("stop"), /^Error: no such task b1: \[BR:PiTR:ErrTaskNotFound\]task not found$/m);
            assert.equal(await log("start", "--storage", storage), "");
            const [begun] = await pd.logBackups();
            const { startTs } = begun;
            assert.deepEqual(begun, {
                ...{ name: "b1", storage, startTs },
                checkpointTs: startTs,
                paused: false,
                errors: [],
            });
            assert.ok(Math.abs(millisecondsOf(startTs) - Date.now()) < 60_000);
            assert.match(await log("start", "--storage", storage), /allow only one running task/);
            cluster.flushLog();
            const [written] = await pd.logBackups();
            assert.ok(written.checkpointTs > startTs);
            assert.equal(await log("pause"), "");
            cluster.flushLog();
            assert.deepEqual(await pd.logBackups(), [{ ...written, paused: true }]);
            assert.equal(await log("resume"), "");
            assert.deepEqual(await pd.logBackups(), [written]);
            assert.equal(await log("stop"), "");
            assert.deepEqual(await pd.logBackups(), []);
        } finally {
            pd.close();
        }
    });
});
