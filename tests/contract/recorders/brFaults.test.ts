import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import type { PdSimulator } from "pulumi-tidb-sandbox";
import {
    type BrRun,
    type BrStage,
    customers,
    notes,
    openBrStage,
    orders,
    pdOf,
    toldOf,
} from "../../support/recorders/brStage";

describe("the recorder of br, when something goes wrong", () => {
    let stage: BrStage;
    let cluster: PdSimulator;
    let place: string;

    beforeEach(async () => {
        stage = openBrStage();
        place = path.join(stage.folder, "backups");
        cluster = await stage.startCluster();
        [orders, customers, notes].forEach((table) => cluster.putTable(table));
    });
    afterEach(() => stage.end());

    const backUp = (...args: string[]): Promise<BrRun> =>
        stage.run(["backup", "full", "-u", pdOf(cluster), "-s", `local://${place}`, ...args]);
    const saved = (): string[] => fs.readdirSync(place).filter((name) => name.endsWith(".sst"));
    const expireLock = (): void =>
        fs.writeFileSync(
            path.join(place, "checkpoints/backup/checkpoint.lock"),
            JSON.stringify({ id: 1, expireAt: 0 }),
        );

    it("killed half way, leaves what it has written, and goes on with the rest when the lock has expired", async () => {
        stage.recorder.setFault({ kind: "killed", afterTables: 2 });
        const ended = await backUp();
        assert.deepEqual([ended.code, ended.signal], [null, "SIGKILL"]);
        assert.match(toldOf(ended), /^it failed .*container \S+ of pod backup-monday-x ended with exit code 137/);
        assert.deepEqual([saved().length, fs.existsSync(path.join(place, "backupmeta"))], [2, false]);
        assert.equal(stage.recorder.calls()[0].exitCode, undefined);

        stage.recorder.setFault(undefined);
        const early = await backUp();
        assert.match(
            early.errors,
            /^Error: The existing lock will expire in \d+ seconds\. There may be another BR\(\d+\) running/,
        );
        expireLock();
        const other = await backUp("--filter", "shop.*");
        assert.match(
            other.errors,
            /because the checkpoint mode is used, but the hashs of the configs are not the same/,
        );
        const again = await backUp();
        assert.equal(again.code, 0, again.errors);
        const fresh = await stage.startCluster();
        assert.equal((await stage.run(["restore", "full", "-u", pdOf(fresh), "-s", `local://${place}`])).code, 0);
        assert.deepEqual(fresh.tables(), [orders, customers, notes]);
    });

    it("killed half way without a checkpoint, does not begin again in the same place", async () => {
        stage.recorder.setFault({ kind: "killed", afterTables: 1 });
        await backUp("--use-checkpoint=false");
        stage.recorder.setFault(undefined);
        assert.match(
            (await backUp()).errors,
            /^Error: backup lock file and sst file exist in .*, there are some backup files/,
        );
    });

    it("leaves a second backup to the same place without the lock", async () => {
        const held = path.join(stage.folder, "held");
        fs.writeFileSync(held, "");
        stage.recorder.setFault({ kind: "held", afterTables: 1, by: held });
        const first = backUp();
        const lock = path.join(place, "checkpoints/backup/checkpoint.meta");
        while (!fs.existsSync(lock)) {
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        stage.recorder.setFault(undefined);
        assert.match((await backUp()).errors, /^Error: The existing lock will expire in/);
        fs.rmSync(held);
        assert.equal((await first).code, 0);
    });

    it("writes no backupmeta when the volume is full", async () => {
        stage.recorder.setFault({ kind: "storageFull", afterTables: 1 });
        const ended = await backUp();
        const { code, errors, output } = ended;
        assert.deepEqual([code, errors], [1, "Error: write: no space left on device\n"]);
        assert.match(toldOf(ended), /"Error: write: no space left on device"; all of it: `kubectl logs /);
        assert.match(output, /\["br failed"\] \[error="write: no space left on device"\]/);
        assert.deepEqual([saved().length, fs.existsSync(path.join(place, "backupmeta"))], [1, false]);
    });

    it("writes no backupmeta when the storage is gone half way", async () => {
        stage.recorder.setFault({ kind: "storageGone", afterTables: 2 });
        const { code, errors } = await backUp();
        assert.equal(code, 1);
        assert.match(errors, /RequestError: send request failed/);
        assert.deepEqual([saved().length, fs.existsSync(path.join(place, "backupmeta"))], [2, false]);
    });

    it("ends with the code with which the storage refuses it", async () => {
        const refusal = { code: "ExpiredToken", message: "The provided token has expired.", status: 400 };
        stage.recorder.setFault({ kind: "storageRefuses", ...refusal });
        const { code, errors } = await backUp();
        assert.equal(code, 1);
        assert.match(errors, /^Error: ExpiredToken: The provided token has expired\.\n\tstatus code: 400/);
    });

    it("says so, and ends with a code that br has not, if it does not do what it is asked", async () => {
        for (const args of [
            ["--crypter.method=aes128-ctr", `--crypter.key=${"0".repeat(32)}`],
            ["--lastbackupts=1"],
            ["--storage=gcs://backups/full", "--send-credentials-to-tikv=false"],
            ["--storage=azure://backups/full?account-name=a&sas-token=b"],
        ]) {
            const { code, errors } = await backUp(...args);
            assert.equal(code, 70);
            assert.match(errors, /^recorder: /);
        }
    });
});
