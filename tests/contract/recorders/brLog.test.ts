import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { startPdSimulator, type PdSimulator } from "pulumi-tidb-sandbox";
import { createPdClient } from "../../../provider/pd";
import { millisecondsOf } from "../../../topology/timestamps";
import { runBr } from "../../../sandbox/recorders/br/run";
import { customers, notes, orders, pdOf } from "../../support/recorders/brStage";

describe("the recorder of br, with a log backup", function () {
    this.timeout(60_000);
    let folder: string;
    let log: string;
    let full: string;
    let source: PdSimulator;
    const clusters: PdSimulator[] = [];

    beforeEach(async () => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-log-"));
        [log, full] = [`local://${folder}/log`, `local://${folder}/full`];
        source = await started("basic");
        source.putTable(notes);
    });
    afterEach(async () => {
        await Promise.all(clusters.splice(0).map((cluster) => cluster.stop()));
        fs.rmSync(folder, { recursive: true });
    });

    async function started(cluster: string): Promise<PdSimulator> {
        clusters.push(await startPdSimulator({ cluster, members: 1 }));
        return clusters.at(-1)!;
    }

    /** Runs `br` in this process. Returns the exit code, and what it said. */
    async function br(...args: string[]): Promise<{ code: number; said: string; logged: string }> {
        const [said, logged]: [string[], string[]] = [[], []];
        const code = await runBr(
            args,
            {
                environment: { BR_LOG_TO_TERM: "1" },
                brVersion: "v8.5.4",
                fault: undefined,
                kill: () => assert.fail("nothing is to be killed"),
                now: Date.now,
            },
            {
                out: (line) => logged.push(line),
                err: (line) => said.push(line),
                append: () => assert.fail("no log file"),
            },
        );
        return { code, said: said.join("\n"), logged: logged.join("\n") };
    }
    const ok = async (...args: string[]) => {
        const { code, said, logged } = await br(...args);
        assert.equal(code, 0, said);
        return logged;
    };
    const refusal = async (...args: string[]) => (await br(...args)).said;
    const start = (name = "b1", storage = log, cluster = source) =>
        br("log", "start", `--task-name=${name}`, "--pd", pdOf(cluster), "--storage", storage);
    const to = (step: string, name = "b1") => ["log", step, `--task-name=${name}`, "--pd", pdOf(source)];

    /** What the gates read of a cluster. */
    async function seen(cluster = source) {
        const pd = createPdClient({ endpoints: cluster.endpoints });
        try {
            return await pd.logBackups();
        } finally {
            pd.close();
        }
    }
    const later = () => new Promise((resolve) => setTimeout(resolve, 5));

    it("is seen by the gates in every state, with its storage and its checkpoint", async () => {
        assert.deepEqual(await seen(), []);
        await ok(...to("status").slice(0, 2), "--pd", pdOf(source));
        assert.equal((await start()).code, 0);
        const [begun] = await seen();
        const { startTs } = begun;
        assert.deepEqual(begun, {
            name: "b1",
            storage: `local://${folder}/log`,
            startTs,
            checkpointTs: startTs,
            paused: false,
            errors: [],
        });
        assert.ok(Math.abs(millisecondsOf(startTs) - Date.now()) < 60_000);
        await later();
        await source.flushLog();
        const [written] = await seen();
        assert.ok(written.checkpointTs > startTs);
        await ok(...to("pause"));
        assert.deepEqual(await seen(), [{ ...written, paused: true }]);
        await source.flushLog();
        assert.deepEqual(await seen(), [{ ...written, paused: true }]);
        await ok(...to("resume"));
        assert.deepEqual(await seen(), [written]);
        await ok(...to("stop"));
        assert.deepEqual(await seen(), []);
    });

    it("is refused as BR refuses it", async () => {
        const missing = /^Error: no such task b1: \[BR:PiTR:ErrTaskNotFound\]task not found$/;
        for (const step of ["pause", "resume", "stop"]) {
            assert.match(await refusal(...to(step)), missing);
        }
        assert.equal((await start()).code, 0);
        assert.match(await refusal(...to("resume")), /^Error: The task b1 is active already\.: \[BR:KV:ErrKVUnknown\]/);
        await ok(...to("pause"));
        assert.match(await refusal(...to("pause")), /^Error: The task b1 is paused already\.: \[BR:KV:ErrKVUnknown\]/);
        assert.match(
            (await start("other", `${log}2`)).said,
            /^Error: failed to start the log backup, allow only one running task: \[BR:Stream:ErrStreamLogTaskExist\]/,
        );
        assert.match(
            await refusal("log", "start", "--task-name=x", "--start-ts=2026-01-01 00:00:00", "--pd", pdOf(source)),
            /^Error: must set timezone when using datetime format ts/,
        );
        assert.match(
            await refusal("restore", "full", "--pd", pdOf(source), "--storage", full),
            /log backup task is running: b1/,
        );
    });

    it("refuses a storage with a full backup, or with the log of another cluster", async () => {
        await ok("backup", "full", "--pd", pdOf(source), "--storage", full);
        assert.match(
            (await start("b1", full)).said,
            /the storage has been used for full backup: \[BR:ExternalStorage:/,
        );
        assert.equal((await start()).code, 0);
        const other = await started("other");
        assert.match(
            (await start("b1", log, other)).said,
            /the stream log files from cluster ID:\d+ and current cluster ID:/,
        );
    });

    it("goes on from the end of its log when it was stopped and is started again", async () => {
        assert.equal((await start()).code, 0);
        await later();
        await source.flushLog();
        const [{ checkpointTs }] = await seen();
        await ok(...to("stop"));
        source.putTable(orders);
        assert.equal((await start()).code, 0);
        assert.equal((await seen())[0].startTs, checkpointTs);
    });

    it("is paused with TiKV's error when its storage cannot be written", async () => {
        assert.equal((await start()).code, 0);
        fs.rmSync(`${folder}/log`, { recursive: true });
        fs.writeFileSync(`${folder}/log`, "no folder");
        await later();
        await source.flushLog();
        const [{ paused, errors }] = await seen();
        assert.equal(paused, true);
        assert.match(errors.join(), /^mkdir .*\/log: /);
    });

    it("restores to a point in time: the full backup, and what the log has until then", async () => {
        assert.equal((await start()).code, 0);
        await ok("backup", "full", "--pd", pdOf(source), "--storage", full);
        await later();
        source.putTable(orders);
        const grown = { ...orders, rows: [...orders.rows, "4,figs"] };
        await later();
        const until = String(BigInt(Date.now()) << 18n);
        await later();
        [grown, customers].forEach((table) => source.putTable(table));
        await later();
        await source.flushLog();

        const point = async (cluster: PdSimulator, ...more: string[]) =>
            br("restore", "point", "--pd", pdOf(cluster), "--storage", log, "--full-backup-storage", full, ...more);
        const target = await started("target");
        assert.equal((await point(target, `--restored-ts=${until}`)).code, 0);
        assert.deepEqual(target.tables(), [notes, orders]);
        assert.match((await point(target)).said, /databases diary,shop existed in restored cluster, please drop them/);
        const last = await started("last");
        assert.equal((await point(last)).code, 0);
        assert.deepEqual(last.tables(), [notes, grown, customers]);

        const tooLate = `--restored-ts=${BigInt(Date.now() + 60_000) << 18n}`;
        const empty = await started("empty");
        assert.match(
            (await point(empty, tooLate)).said,
            /^Error: restore log from \d+\(.*but the current existed log from/,
        );
        await ok("log", "truncate", `--until=${until}`, "--storage", log);
        assert.match((await point(empty)).said, /^Error: it has gap between full backup ts:\d+.* and log backup ts:/);
        assert.deepEqual(empty.tables(), []);
    });

    it("deletes what is older than the time of a truncation, and remembers the time", async () => {
        assert.equal((await start()).code, 0);
        await later();
        source.putTable(orders);
        await later();
        await source.flushLog();
        const files = () => fs.readdirSync(`${folder}/log/v1/backupmeta`).length;
        assert.equal(files(), 1);
        await ok("log", "truncate", "--until=2026-01-01 00:00:00Z", "--storage", log);
        assert.equal(files(), 1);
        await ok("log", "truncate", `--until=${BigInt(Date.now()) << 18n}`, "--storage", log);
        assert.equal(files(), 0);
        const logged = await ok("log", "truncate", "--until=2026-01-01 00:00:00Z", "--storage", log);
        assert.match(logged, /you have truncated log backup data before/);
        assert.match(await refusal("log", "truncate", "--storage", log), /please provide the `--until` ts/);
    });
});
