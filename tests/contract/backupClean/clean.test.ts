import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { writeRcloneRecorder } from "pulumi-tidb-sandbox";
import { checkBr } from "../../../components/br/checkBr";
import { renderClean } from "../../../components/br/clean/cleanJob";
import type { BackupManifest } from "../../../components/br/spec";
import { startFromOneFile } from "../../support/inOneFile";
import { type ContainerRun, runContainer } from "../../support/recorders/runContainer";
import { type PlayedBackup, writeBackup } from "../backupSchedule/scheduleStage";
import { repeats } from "../../support/repeats";

const isFound = (command: string): boolean => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
const shell = isFound("dash") ? "dash" : "sh";
/** A real rclone: \`PULUMI_TIDB_RCLONE\`, or on PATH. */
const real = process.env.PULUMI_TIDB_RCLONE ?? (isFound("rclone") ? "rclone" : undefined);

const id = "6f1c";
const mark = `pulumi-tidb.deleting-${id}`;
/** What BR writes: \`backupmeta\` of version 2 has further files beside it (pingcap/tidb br/pkg/metautil). */
const whole: PlayedBackup = {
    "backup.lock": 3,
    "1/2_3_default.sst": 2.5,
    "12/4_5_write.sst": 2.5,
    "6_7_write.sst": 2.5,
    "checkpoints/backup/checkpoint.meta": 2.5,
    "backupmeta.datafile.000000001": 2,
    "backupmeta.schema.stats.000000001": 2,
    backupmeta: 2,
};

for (const rclone of [undefined, ...(real === undefined ? [] : [real])]) {
    describe(`the deletion of a backup, under ${shell}, with ${rclone === undefined ? "the recorder of rclone" : "a real rclone"}`, () => {
        let folder: string;
        let program: string;

        before(() => {
            folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-clean-"));
            program = rclone ?? writeRcloneRecorder(path.join(folder, "recorder")).file;
            if (rclone === undefined) {
                startFromOneFile(program);
            }
        });
        after(() => fs.rmSync(folder, { recursive: true }));

        /** Plays a storage with the files of the prefix \`monday\` and others, runs the deletion, and returns which of all files are left. */
        async function clean(
            files: PlayedBackup,
            { others = {}, rcloneLines = 'rclone "$@"', from = 4, until = 1.5, end = [] as string[] } = {},
        ): Promise<ContainerRun & { left: string[] }> {
            const storage = path.join(folder, "storage");
            fs.rmSync(storage, { recursive: true, force: true });
            fs.mkdirSync(storage);
            writeBackup(path.join(storage, "monday"), files);
            writeBackup(storage, others);
            return run(rcloneLines, from, until, end);
        }

        async function run(
            rcloneLines: string,
            from = 4,
            until = 1.5,
            end: string[] = [],
        ): Promise<ContainerRun & { left: string[] }> {
            const storage = path.join(folder, "storage");
            const volume = { name: "nfs" };
            const local = { volume, volumeMount: { ...volume, mountPath: storage }, prefix: "monday" };
            const manifest = checkBr("Backup", {
                metadata: { name: "monday", namespace: "db" },
                spec: { br: { cluster: "basic" }, local, cleanPolicy: "Delete" },
            }) as BackupManifest;
            const { job } = renderClean(manifest, { name: "basic", namespace: "db", version: "v8.5.3", tls: false });
            const [container] = (job.spec as { template: { spec: { containers: [Container] } } }).template.spec
                .containers;
            const seconds = (hours: number) => String(Math.floor(Date.now() / 1000 - hours * 3600));
            const programs = path.join(folder, "bin");
            fs.mkdirSync(programs, { recursive: true });
            const lines = `#!/bin/sh\nrclone() { ${program} "$@"; }\n${rcloneLines}\n`;
            fs.writeFileSync(path.join(programs, "rclone"), lines, { mode: 0o755 });
            const args = [...container.args, seconds(from), seconds(until), id, ...end];
            const ended = await runContainer(shell, { ...container, args }, { folder, programs });
            const left = fs
                .readdirSync(storage, { recursive: true, withFileTypes: true })
                .filter((entry) => entry.isFile())
                .map((entry) => path.relative(storage, path.join(entry.parentPath, entry.name)));
            return { ...ended, left: left.sort() };
        }
        const all = (files: PlayedBackup): string[] =>
            Object.keys(files)
                .map((name) => `monday/${name}`)
                .sort();

        it("deletes all that BR has written, and nothing beside the prefix", async () => {
            const others = { "monday.txt": 1, "monday-2/backupmeta": 2, "tuesday/backupmeta": 2, backupmeta: 9 };
            const { code, output, left } = await clean(whole, { others });
            assert.equal(code, 0, output);
            assert.deepEqual(left, Object.keys(others).sort());
            assert.match(output, /clean: deleted the backup in store:.*monday/);
        });

        for (const [what, file] of Object.entries({
            "a file of somebody": "notes.txt",
            "another backup within": "sub/backupmeta",
            "an SST file deeper than BR's": "1/sub/x.sst",
            "a log backup": "v1/backupmeta/0001.meta",
            "a backup of a schedule": "pulumi-tidb.complete",
            "a folder with the name of a mark": "pulumi-tidb.deleting-other/1.sst",
        })) {
            it(`deletes nothing beside ${what}`, async () => {
                const files = { ...whole, [file]: 2 };
                const { code, output, left } = await clean(files);
                assert.deepEqual([code, left], [1, all(files)], output);
                repeats(output, `${file}; nothing was deleted`);
            });
        }

        it("deletes nothing without backupmeta: the backup may still run, or it is none", async () => {
            const { backupmeta, ...begun } = whole;
            assert.equal(backupmeta, 2);
            for (const files of [begun, { "1/a.sst": 2 }]) {
                const { code, output, left } = await clean(files);
                assert.deepEqual([code, left], [1, all(files)], output);
            }
            const { code, output } = await clean({}, { others: { "tuesday/backupmeta": 2 } });
            assert.equal(code, 1, output);
        });

        it("deletes nothing of a backup that was written later, or earlier, than the one on record", async () => {
            const later = { ...whole, backupmeta: 1 };
            const one = await clean(later);
            assert.deepEqual([one.code, one.left], [1, all(later)], one.output);
            const begun = { ...whole, "1/new.sst": 0.1 };
            const two = await clean(begun);
            assert.deepEqual([two.code, two.left], [1, all(begun)], two.output);
            const three = await clean(whole, { from: 1.9 });
            assert.deepEqual([three.code, three.left], [1, all(whole)], three.output);
        });

        it("deletes nothing if the list fails, is cut off, or what judges it does not run", async () => {
            for (const lines of [
                'case "$*" in lsf*) exit 1 ;; esac\nrclone "$@"',
                'case "$*" in lsf*) rclone "$@" | head -n 2; exit 1 ;; esac\nrclone "$@"',
                'case "$*" in lsf*) exit 3 ;; esac\nrclone "$@"',
            ]) {
                const { code, left } = await clean(whole, { rcloneLines: lines });
                assert.notEqual(code, 0);
                assert.deepEqual(left, all(whole));
            }
            const awk = path.join(folder, "bin", "awk");
            fs.mkdirSync(path.dirname(awk), { recursive: true });
            fs.writeFileSync(awk, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
            const { code, left } = await clean(whole);
            fs.rmSync(awk);
            assert.deepEqual([code, left], [1, all(whole)]);
        });

        it("a list that lacks a foreign file does not let it be deleted", async () => {
            const files = { ...whole, "notes.txt": 2, "sub/1/x.sst": 2 };
            const lines = 'case "$*" in lsf*) rclone "$@" | sed "/notes/d;/sub/d" ;; *) rclone "$@" ;; esac';
            const { left } = await clean(files, { rcloneLines: lines });
            assert.deepEqual(left, ["monday/notes.txt", "monday/sub/1/x.sst"]);
        });

        for (const end of [[], ["failed"]]) {
            it(`deletes nothing that another backup writes meanwhile, ${end.join() || "succeeded"}`, async () => {
                const { backupmeta, ...begun } = whole;
                const storage = path.join(folder, "storage", "monday");
                const lines = `case "$*" in delete\\ *) echo x >"${storage}/1/new.sst"; echo x >"${storage}/backup.lock" ;; esac\nrclone "$@"`;
                const files = end.length > 0 ? begun : { ...begun, backupmeta };
                const { code, output, left } = await clean(files, { rcloneLines: lines, until: 1.5, end });
                assert.deepEqual([code, left], [1, all({ "1/new.sst": 0, "backup.lock": 0, [mark]: 0 })], output);
            });

            it(`a list that lacks a folder that is not BR's does not let it be deleted, ${end.join() || "succeeded"}`, async () => {
                const { backupmeta, ...begun } = whole;
                const files = { ...(end.length > 0 ? begun : { ...begun, backupmeta }), "1x/a.sst": 2 };
                const lines = 'case "$*" in lsf*) rclone "$@" | sed "/1x/d" ;; *) rclone "$@" ;; esac';
                const { left } = await clean(files, { rcloneLines: lines, end });
                assert.deepEqual(left, ["monday/1x/a.sst"]);
            });
        }

        it("goes on where the deletion of another attempt has ended, and clears its mark away too", async () => {
            for (const hours of [0, 2, 9]) {
                const { code, output, left } = await clean({ ...whole, "pulumi-tidb.deleting-other": hours });
                assert.deepEqual([code, left], [0, []], output);
            }
            const { backupmeta, ...begun } = whole;
            assert.equal(backupmeta, 2);
            const files = { ...begun, "pulumi-tidb.deleting-other": 1.7 };
            const { code, output, left } = await clean(files);
            assert.deepEqual([code, left], [1, all(files)], output);
            const failed = await clean(files, { end: ["failed"] });
            assert.deepEqual([failed.code, failed.left], [0, []], failed.output);
            for (const more of [{}, { [mark]: 1 }] as PlayedBackup[]) {
                const alone = await clean({ "pulumi-tidb.deleting-other": 1, ...more }, { end: ["failed"] });
                assert.deepEqual([alone.code, alone.left], [0, []], alone.output);
            }
        });

        it("does not take a list that lacks its mark for an empty folder", async () => {
            const lines = 'case "$*" in *separator*) ;; *recursive*) exit 0 ;; esac\nrclone "$@"';
            const { code, output } = await clean(whole, { rcloneLines: lines });
            assert.equal(code, 1, output);
        });

        it("goes on where it was killed, and never leaves a backup that looks whole", async () => {
            const killed = 'case "$*" in delete\\ *) exit 1 ;; esac\nrclone "$@"';
            const { code, left } = await clean(whole, { rcloneLines: killed });
            assert.equal(code, 1);
            assert.ok(!left.includes("monday/backupmeta"), left.join());
            assert.ok(left.includes(`monday/${mark}`));
            const again = await run('rclone "$@"');
            assert.deepEqual([again.code, again.left], [0, []], again.output);
        });

        it("does not go on over a backup that was written there meanwhile", async () => {
            const files = { [mark]: 0, "1/a.sst": 2.5, "2/b.sst": 0.1, "backup.lock": 0.2 };
            const { code, output, left } = await clean(files);
            assert.deepEqual([code, left], [1, all(files)], output);
        });

        it("fails while something is left, and keeps its mark", async () => {
            const lines = 'case "$*" in delete\\ *) exit 0 ;; esac\nrclone "$@"';
            const { code, output, left } = await clean(whole, { rcloneLines: lines });
            assert.equal(code, 1, output);
            assert.ok(left.includes(`monday/${mark}`));
        });

        describe("that failed", () => {
            const { backupmeta, ...begun } = whole;
            const cleanFailed = (files: PlayedBackup, more: Parameters<typeof clean>[1] = {}) =>
                clean(files, { ...more, end: ["failed"] });
            assert.equal(backupmeta, 2);

            it("deletes all that BR has written, and nothing beside the prefix", async () => {
                const others = { "monday-2/1/a.sst": 2, "tuesday/backup.lock": 2 };
                const { code, output, left } = await cleanFailed(begun, { others });
                assert.deepEqual([code, left], [0, Object.keys(others).sort()], output);
            });

            it("deletes nothing of a backup that is complete there, which is no failure", async () => {
                for (const files of [whole, { ...begun, backupmeta: 9 }, { ...begun, backupmeta: 0.1 }]) {
                    const { code, output, left } = await cleanFailed(files);
                    assert.deepEqual([code, left], [0, all(files)], output);
                    repeats(output, "; nothing was deleted");
                }
            });

            it("deletes nothing of a backup that is complete there although the list lacks its backupmeta", async () => {
                const lines = 'case "$*" in *recursive*) rclone "$@" | sed "/backupmeta$/d" ;; *) rclone "$@" ;; esac';
                const { code, output, left } = await cleanFailed(whole, { rcloneLines: lines });
                assert.deepEqual([code, left], [1, all(whole)], output);
            });

            it("keeps what was written before it, or after it, or by somebody else, and ends without an error", async () => {
                for (const [file, hours] of [
                    ["3/other.sst", 4.1],
                    ["3/other.sst", 1.4],
                    ["notes.txt", 2],
                ] as const) {
                    const files = { ...begun, [file]: hours };
                    const { code, output, left } = await cleanFailed(files);
                    assert.deepEqual([code, left], [0, all(files)], output);
                    repeats(output, file);
                    assert.match(output, /clean: store:.*; nothing was deleted$/m);
                }
            });

            it("has nothing to delete where BR has written nothing", async () => {
                const others = { "tuesday/backup.lock": 2 };
                const { code, output, left } = await cleanFailed({}, { others });
                assert.deepEqual([code, left], [0, Object.keys(others)], output);
                repeats(output, "; nothing was deleted");
            });

            it("goes on where it was killed", async () => {
                const killed = 'case "$*" in delete\\ *) exit 1 ;; esac\nrclone "$@"';
                const { code, left } = await cleanFailed(begun, { rcloneLines: killed });
                assert.equal(code, 1);
                assert.ok(left.includes(`monday/${mark}`));
                const again = await run('rclone "$@"', 4, 1.5, ["failed"]);
                assert.deepEqual([again.code, again.left], [0, []], again.output);
            });
        });
    });
}

interface Container {
    name: string;
    args: string[];
    env: { name: string; value?: string }[];
}
