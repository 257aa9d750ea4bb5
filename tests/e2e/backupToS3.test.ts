import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";
import { writeBrRecorder } from "pulumi-tidb-sandbox";
import { describeOnEngine } from "../support/e2e/arena";
import { createPdClient } from "../../provider/pd";
import { assertFailed, assertOk, assertUnchanged, until } from "../support/e2e/expect";
import { openStack, type RunOptions, type TestStack } from "../support/e2e/stack";
import { tsoAt } from "../../topology/timestamps";
import { customers, orders } from "../support/recorders/brStage";

const program = path.resolve(__dirname, "../../examples/pitr");
const recorderFolder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-br-"));
const recorder = writeBrRecorder(recorderFolder);

describeOnEngine(
    "a backup to S3",
    (arena) => {
        after(() => rmSync(recorderFolder, { recursive: true }));

        const backup = { backupTo: "monday", backupAttempt: "2", logAttempt: "2" };
        const calls = (): unknown[] =>
            recorder.calls().map(({ args, exitCode }) => [args.slice(0, 2).join(" "), exitCode]);
        const options = (namespace: string, work: Record<string, string> = {}): RunOptions => ({
            skipPreview: true,
            config: { namespace, version: "v8.5.5", ...storage, ...work },
        });
        const up = (work: Record<string, string>) => first.run("up", options("kept", work));
        let storage: Record<string, string>;
        let first: TestStack;

        before(async () => {
            const s3 = arena().sandbox.s3!;
            await s3.createBucket("backups");
            storage = { bucket: "backups", endpoint: s3.endpoint, region: s3.region, ...s3.key };
            first = openStack(arena(), "kept", program, "basic");
        });

        it("fails with the words of br, and is done again when asked", async () => {
            assertOk(await up({}));
            [orders, customers].forEach((table) => first.played().putTable(table));
            assertOk(await up({ log: "start" }));
            assert.deepEqual(calls(), [["log start", 0]]);
            recorder.setFault({ kind: "fails", words: "ExpiredToken: The provided token has expired." });
            const refused = await up({ log: "start", backupTo: "monday" });
            assertFailed(refused, /ExpiredToken: The provided token has expired/);
            recorder.setFault(undefined);
            assertFailed(await up({ log: "start", backupTo: "monday" })); // It is not tried again by itself.
            assert.deepEqual(calls().slice(1), [["backup full", 1]]);
            assertOk(await up({ log: "start", ...backup, logAttempt: "1" }));
            assert.deepEqual(calls().slice(2), [["backup full", 0]]);
        });

        it("a log backup whose task is gone in PD fails `up` until it is asked for again", async () => {
            const gone = { log: "start", ...backup, logAttempt: "1" };
            const pd = arena().sandbox.dataPlane.pdUrls("kept", "basic")[0].replace("http://", "");
            // Somebody stops it by hand.
            await promisify(execFile)(recorder.file, ["log", "stop", "--task-name=log", `--pd=${pd}`], {
                env: { ...process.env, BR_LOG_TO_TERM: "1" },
            });
            const words = [
                /PD has no such task, and nothing here has stopped it\. Since then changes are not backed up/,
                /raise `attempt` from 1 to 2, which starts it again/,
            ];
            const { output } = assertOk(await first.run("preview", options("kept", gone)));
            [/fail, because of the log backup log of the cluster kept\/basic/, ...words].forEach((one) =>
                assert.match(output, one),
            );
            assertFailed(await up(gone), ...words);
            assertFailed(await up(gone), ...words);
            assert.deepEqual(calls().slice(3), [["log stop", 0]]);
            assertOk(await up({ log: "start", ...backup }));
            assertUnchanged(await up({ log: "start", ...backup }));
            assert.deepEqual(calls().slice(4), [["log start", 0]]);
        });

        it("is compacted, outlives its cluster, and is restored to a time of its log into the next one", async () => {
            const { dataPlane } = arena().sandbox;
            const since = calls().length;
            first.played().putTable({ ...orders, rows: [] }); // What the restore is to undo.
            const after = tsoAt(Date.now());
            const urls = dataPlane.pdUrls("kept", "basic");
            await until("the log is written", async () => (await writtenUntil(first, urls)) > after);
            const paused = assertOk(await up({ log: "pause", ...backup }));
            assert.match(paused.output, /pause the log backup log of the cluster kept\/basic/);
            const truncated = { ...backup, truncateUntil: "2026-01-01 00:00:00Z" };
            assertOk(await up({ log: "start", ...truncated }));
            assertOk(await up({ log: "start", ...truncated, compactUntil: String(after) }));
            const stopped = { log: "stop", ...truncated };
            assertOk(await up(stopped));
            assertUnchanged(await up(stopped));
            assert.deepEqual(calls().slice(since), [
                ["log pause", 0],
                ["log resume", 0],
                ["log truncate", 0],
                ["operator base64ify", 0],
                ["--log-level info", 0],
                ["log stop", 0],
            ]);
            const point = { restoreFrom: "monday", restoreUntil: String(after) };
            assertFailed(await up({ ...stopped, ...point }), /it holds data already: schema shop/);
            assertOk(await first.run("destroy", options("kept", stopped)));
            assert.equal(calls().length, since + 6);

            const second = openStack(arena(), "anew", program, "basic");
            assertOk(await second.run("up", options("anew")));
            assert.deepEqual(second.played().tables(), []);
            assertOk(await second.run("up", options("anew", point)));
            assert.deepEqual([...second.played().tables()].sort(byName), [customers, orders]);
            assert.deepEqual(calls().slice(since + 6), [["restore point", 0]]);
            const { args } = recorder.calls().at(-1)!;
            ["--full-backup-storage=s3://backups/monday", `--restored-ts=${after}`].forEach((one) =>
                assert.ok(
                    args.some((arg) => arg.startsWith(one)),
                    args.join(" "),
                ),
            );
        });
    },
    {
        programs: { br: recorder.file, "tikv-ctl": recorder.tikvCtl, sh: "/bin/sh" },
        s3: { region: "eu-central-1" },
    },
);

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);

/** Until when the log of a cluster is in its storage. */
async function writtenUntil({ namespace }: TestStack, urls: readonly string[]): Promise<bigint> {
    const pd = createPdClient({ endpoints: urls.map((url) => ({ name: `${namespace}-pd`, url })) });
    try {
        return (await pd.logBackups())[0].checkpointTs;
    } finally {
        pd.close();
    }
}
