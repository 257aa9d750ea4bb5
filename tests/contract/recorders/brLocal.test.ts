import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { decodeMeta } from "../../../sandbox/recorders/br/subcommands/backupMeta";
import { type BrStage, customers, notes, openBrStage, orders, pdOf } from "../../support/recorders/brStage";

describe("the recorder of br, with a folder", () => {
    let stage: BrStage;
    let place: string;
    let storage: string;

    beforeEach(() => {
        stage = openBrStage();
        place = path.join(stage.folder, "backups", "first");
        storage = `local://${place}`;
    });
    afterEach(() => stage.end());

    /** A cluster with three tables, and its backup. */
    async function backUp(...args: string[]): Promise<string> {
        const cluster = await stage.startCluster();
        [orders, customers, notes].forEach((table) => cluster.putTable(table));
        const run = await stage.run(["backup", ...args, "--pd", pdOf(cluster), "--storage", storage]);
        assert.equal(run.code, 0, run.errors + run.output);
        return run.output;
    }

    it("restores into another cluster what it has backed up", async () => {
        const log = await backUp("full");
        const fresh = await stage.startCluster({ cluster: "other" });
        const run = await stage.run(["restore", "full", "--pd", pdOf(fresh), "-s", storage]);
        assert.equal(run.code, 0, run.errors);
        assert.deepEqual(fresh.tables(), [orders, customers, notes]);
        assert.match(log, /\[progress\] \[step="Full Backup"\] \[progress=33\.33%\] \[count="1 \/ 3"\]/);
        assert.match(
            log,
            /\["Full Backup success summary"\] \[total-ranges=3\] \[ranges-succeed=3\] .*\[BackupTS=\d{18}\]/,
        );
        assert.match(run.output.trimEnd().split("\n").at(-1)!, /\["Full Restore success summary"\] \[total-ranges=3\]/);
        assert.deepEqual(fs.readdirSync(place).sort(), [
            "1_shop.orders_write.sst",
            "2_shop.customers_write.sst",
            "3_diary.notes_write.sst",
            "backup.lock",
            "backupmeta",
            "checkpoints",
        ]);
        assert.deepEqual(
            stage.recorder.calls().map(({ args, exitCode }) => [args.slice(0, 2).join(" "), exitCode]),
            [
                ["backup full", 0],
                ["restore full", 0],
            ],
        );
    });

    it("takes one database, one table, or what a filter chooses", async () => {
        await backUp("full", "-f", "shop.*", "-f", "!shop.c*");
        const meta = decodeMeta(fs.readFileSync(path.join(place, "backupmeta")));
        assert.equal(meta.tables.length, 1);
        storage += "-database";
        await backUp("db", "--db", "SHOP");
        const fresh = await stage.startCluster();
        const run = await stage.run([
            "restore",
            "table",
            "--db=shop",
            "-t",
            "customers",
            "-u",
            pdOf(fresh),
            "-s",
            storage,
        ]);
        assert.equal(run.code, 0, run.errors);
        assert.deepEqual(fresh.tables(), [customers]);
        const absent = await stage.run(["restore", "db", "--db", "diary", "-u", pdOf(fresh), "-s", storage]);
        assert.match(absent.errors, /\[database: `diary`\] has not been backup.*: \[BR:Common:ErrUndefinedDbOrTable\]/);
    });

    it("refuses a place with a backup", async () => {
        await backUp("full");
        const cluster = await stage.startCluster();
        const run = await stage.run(["backup", "full", "-u", pdOf(cluster), "-s", storage]);
        assert.equal(run.code, 1);
        assert.match(
            run.errors,
            /^Error: backup meta file exists in file:.*backupmeta.*\[BR:Common:ErrInvalidArgument\]/,
        );
    });

    it("refuses to restore from a place without one, as br does", async () => {
        const cluster = await stage.startCluster();
        const run = await stage.run(["restore", "full", "-u", pdOf(cluster), "-s", storage]);
        assert.deepEqual(
            [run.code, run.errors],
            [1, `Error: load backupmeta failed: open ${place}/backupmeta: no such file or directory\n`],
        );
        assert.match(run.output, /\[ERROR\] \[main\.go:45\] \["br failed"\] \[error="load backupmeta failed/);
    });

    it("refuses to restore everything into a cluster with tables, and a table that is there", async () => {
        await backUp("full");
        const cluster = await stage.startCluster();
        cluster.putTable({ ...orders, rows: ["9,new"] });
        const full = await stage.run(["restore", "full", "-u", pdOf(cluster), "-s", storage]);
        assert.match(
            full.errors,
            /^Error: user db\/tables: shop\.orders: \[BR:Restore:ErrRestoreNotFreshCluster\]cluster is not fresh/,
        );
        assert.match(full.output, /# the target cluster is not fresh, cannot restore\./);
        const table = await stage.run(["restore", "db", "--db", "shop", "-u", pdOf(cluster), "-s", storage]);
        assert.match(
            table.errors,
            /^Error: table already exists: shop\.orders : \[BR:Restore:ErrTablesAlreadyExisted\]/,
        );
        assert.deepEqual(cluster.tables(), [{ ...orders, rows: ["9,new"] }]);
    });

    it("finds changed data by its checksum, unless it is told not to look", async () => {
        await backUp("full");
        fs.writeFileSync(path.join(place, "1_shop.orders_write.sst"), JSON.stringify(["1,stones"]));
        const restoreInto = async (...args: string[]) =>
            stage.run(["restore", "full", "-u", pdOf(await stage.startCluster()), "-s", storage, ...args]);
        const run = await restoreInto();
        assert.match(run.errors, /^Error: failed to validate checksum: \[BR:Restore:ErrRestoreChecksumMismatch\]/);
        assert.equal((await restoreInto("--checksum=false")).code, 0);
    });

    it("refuses clusters of versions that do not go together, unless it is told not to look", async () => {
        await backUp("full");
        const old = await stage.startCluster({ version: "v6.5.0" });
        stage.recorder.setVersion("v7.5.0");
        const args = ["restore", "full", "-u", pdOf(old), "-s", storage];
        assert.match(
            (await stage.run(args)).errors,
            /^Error: backup with cluster version 8\.5\.3 cannot be restored at cluster of version 6\.5\.0: major version mismatches: \[BR:Common:ErrVersionMismatch\]/,
        );
        stage.recorder.setVersion("v8.5.4");
        assert.match(
            (await stage.run(args)).errors,
            /^Error: running BR in incompatible version of cluster.*and BR v8\.5\.4 major version mismatch/,
        );
        assert.equal((await stage.run([...args, "--check-requirements=false"])).code, 0);
    });

    it("restores nothing while a log backup runs", async () => {
        await backUp("full");
        const cluster = await stage.startCluster();
        const key = btoa("/tidb/br-stream/info/pitr");
        await fetch(`${cluster.urls[0]}/v3/kv/txn`, {
            method: "POST",
            body: JSON.stringify({
                compare: [{ key, target: "CREATE", create_revision: "0" }],
                success: [{ request_put: { key, value: btoa("a task") } }],
                failure: [],
            }),
        });
        const run = await stage.run(["restore", "full", "-u", pdOf(cluster), "-s", storage]);
        assert.match(
            run.errors,
            /^Error: failed to check task exists: log backup task is running: pitr, please stop the task/,
        );
        assert.deepEqual(cluster.tables(), []);
    });

    it("refuses a PD that does not answer", async () => {
        const run = await stage.run(["backup", "full", "-u", "127.0.0.1:1", "-s", storage]);
        assert.deepEqual([run.code, run.errors], [1, "Error: [pd] failed to get cluster id\n"]);
    });

    it("finds PD by the name that the sandbox gives an address", async () => {
        const cluster = await stage.startCluster();
        const names = {
            PULUMI_TIDB_SANDBOX_ADDRESSES: JSON.stringify({ "basic-pd:2379": ["127.0.0.1:1", pdOf(cluster)] }),
        };
        const run = await stage.run(["backup", "full", "-u", "basic-pd:2379", "-s", storage], names);
        assert.equal(run.code, 0, run.errors);
        assert.match(run.output, /Nothing to backup, maybe connected to cluster for restoring/);
    });
});
