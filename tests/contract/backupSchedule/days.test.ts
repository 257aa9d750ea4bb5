import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { type OwnS3Server, type PdSimulator, startS3Server, writeRcloneRecorder } from "pulumi-tidb-sandbox";
import { startFromOneFile } from "../../support/inOneFile";
import { type BrStage, openBrStage, orders, pdOf } from "../../support/recorders/brStage";
import { runContainer } from "../../support/recorders/runContainer";
import { containersOf, own } from "./scheduleStage";

const shell = spawnSync("sh", ["-c", "command -v dash"]).status === 0 ? "dash" : "sh";
const realRclone = process.env.PULUMI_TIDB_RCLONE;
const buildMilliseconds = 600_000;

/**
 * The containers of each run are processes with the real shell, the recorder of br and a real S3. A program `date` says which day it
 * is, and the server's own files get the time of that day.
 */
describe(`a schedule with retention over simulated days, to S3, under ${shell}`, () => {
    let stage: BrStage;
    let server: OwnS3Server;
    let cluster: PdSimulator;
    let programs: string;

    before(async function () {
        this.timeout(buildMilliseconds);
        stage = openBrStage();
        server = await startS3Server({ folder: path.join(stage.folder, "s3"), log: console.log });
        await server.createBucket("backups");
        cluster = await stage.startCluster();
        cluster.putTable(orders);
        programs = path.join(stage.folder, "bin");
        fs.mkdirSync(programs);
        const rclone = realRclone ?? writeRcloneRecorder(path.join(stage.folder, "rclone")).file;
        if (realRclone === undefined) {
            startFromOneFile(rclone);
        }
        fs.symlinkSync(rclone, path.join(programs, "rclone"));
        fs.symlinkSync(stage.recorder.file, path.join(programs, "br"));
        fs.writeFileSync(
            path.join(programs, "date"),
            '#!/bin/sh\ncase $* in *%s) echo "$SIMULATED_SECONDS" ;; *) echo "$SIMULATED_DATE" ;; esac\n',
            { mode: 0o755 },
        );
    });
    after(async () => {
        await server?.down();
        await stage?.end();
    });

    const bucket = (): string => path.join(stage.folder, "s3", "s3", "data", "backups");
    const nightly = (): string => path.join(bucket(), "nightly");
    const name = (day: number): string => `${own}2026-03-${String(day).padStart(2, "0")}t02-00-00`;
    const left = (): string[] => fs.readdirSync(nightly()).sort();

    /** Runs a day: the containers one after the other, as kubelet does. */
    async function run(
        day: number,
        limit: object = { maxBackups: 2 },
    ): Promise<{ codes: (number | null)[]; output: string }> {
        const s3 = { provider: "minio", endpoint: server.endpoint, region: server.region, bucket: "backups" };
        const containers = containersOf({
            ...limit,
            backupTemplate: {
                br: { cluster: "basic" },
                s3: { ...s3, prefix: "nightly", secretName: "keys" },
            },
        });
        const variables = {
            AWS_ACCESS_KEY_ID: server.key.accessKey,
            AWS_SECRET_ACCESS_KEY: server.key.secretKey,
            SIMULATED_DATE: name(day).slice(own.length),
            SIMULATED_SECONDS: String(Date.parse(`2026-03-${String(day).padStart(2, "0")}T02:10:00Z`) / 1000),
        };
        const ended = { codes: [] as (number | null)[], output: "" };
        for (const container of containers) {
            // Its processes do not find PD by the name of its Service.
            const args = container.args.map((argument) => argument.replace(/^--pd=.*/, `--pd=${pdOf(cluster)}`));
            const { code, output } = await runContainer(
                shell,
                { ...container, args },
                {
                    folder: stage.folder,
                    programs,
                    variables,
                },
            );
            ended.codes.push(code);
            ended.output += output;
            if (fs.existsSync(path.join(nightly(), name(day)))) {
                atTime(
                    path.join(nightly(), name(day)),
                    Date.parse(`2026-03-${String(day).padStart(2, "0")}T02:10:00Z`) / 1000,
                );
            }
            if (code !== 0) {
                break;
            }
        }
        return ended;
    }

    it("keeps the newest two, whichever nights failed, and what else is in the bucket", async () => {
        fs.mkdirSync(path.join(nightly(), "by hand"), { recursive: true });
        fs.writeFileSync(path.join(nightly(), "by hand", "backupmeta"), "x");
        for (const day of [1, 2, 3]) {
            const { codes, output } = await run(day);
            assert.deepEqual(codes, [0, 0], output);
        }
        assert.deepEqual(left(), [name(2), name(3), "by hand"]);

        // A night fails half way: nothing is deleted, not even by the limit.
        stage.recorder.setFault({ kind: "killed" });
        const { codes } = await run(4);
        stage.recorder.setFault(undefined);
        assert.equal(codes.length, 1);
        assert.notEqual(codes[0], 0);
        assert.deepEqual(left(), [name(2), name(3), name(4), "by hand"]);

        // The next success counts good ones only. The unfinished one may still run.
        const fifth = await run(5);
        assert.deepEqual(fifth.codes, [0, 0], fifth.output);
        assert.deepEqual(left(), [name(3), name(4), name(5), "by hand"], fifth.output);

        // Two weeks later it cannot run any more.
        await run(21);
        assert.deepEqual(left(), [name(5), name(21), "by hand"]);
        assert.ok(fs.existsSync(path.join(nightly(), name(21), "backupmeta")));
    });

    it("by age, keeps what is young enough, and always the newest", async () => {
        const { codes, output } = await run(22, { maxReservedTime: "48h" });
        assert.deepEqual(codes, [0, 0], output);
        assert.deepEqual(left(), [name(21), name(22), "by hand"]);
        await run(29, { maxReservedTime: "48h" });
        assert.deepEqual(left(), [name(29), "by hand"]);
    });
});

/** Gives every file in a folder a time. */
function atTime(folder: string, seconds: number): void {
    for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (entry.isFile()) {
            fs.utimesSync(path.join(entry.parentPath, entry.name), seconds, seconds);
        }
    }
}
