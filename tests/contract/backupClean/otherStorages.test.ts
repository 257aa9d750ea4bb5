import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { checkBr } from "../../../components/br/checkBr";
import { renderClean } from "../../../components/br/clean/cleanJob";
import type { BackupManifest } from "../../../components/br/spec";
import { type ContainerRun, type PlayedContainer, runContainer } from "../../support/recorders/runContainer";
import { containersOf, own } from "../backupSchedule/scheduleStage";

const rclone = process.env.PULUMI_TIDB_RCLONE;
/** Azurite's own account, which its documentation names (learn.microsoft.com, Azurite). */
const azuriteKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** A storage, and what a server that plays it needs besides what the container gets from its Secret. */
const storages = {
    "Google Cloud Storage": {
        at: process.env.PULUMI_TIDB_GCS,
        spec: { gcs: { projectId: "p", bucket: "backups", prefix: "nightly" } },
        variables: (at: string) => ({
            RCLONE_CONFIG_STORE_ENDPOINT: `${at}/storage/v1/`,
            RCLONE_CONFIG_STORE_ANONYMOUS: "true",
            RCLONE_CONFIG_STORE_ENV_AUTH: "false",
        }),
    },
    "Azure Blob Storage": {
        at: process.env.PULUMI_TIDB_AZURE,
        spec: { azblob: { container: "backups", prefix: "nightly", storageAccount: "devstoreaccount1" } },
        variables: (at: string) => ({
            RCLONE_CONFIG_STORE_ENDPOINT: `${at}/devstoreaccount1`,
            RCLONE_CONFIG_STORE_KEY: azuriteKey,
        }),
    },
};

for (const [name, { at, spec, variables: variablesOf }] of Object.entries(storages)) {
    if (rclone === undefined || at === undefined) {
        describe(`backups in ${name}, with a real rclone`, () => {
            it.skip("not run: PULUMI_TIDB_RCLONE, or PULUMI_TIDB_GCS and PULUMI_TIDB_AZURE, are not set");
        });
        continue;
    }
    describe(`backups in ${name}, with a real rclone`, () => {
        const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-storage-"));
        const programs = path.join(folder, "bin");
        const variables: Record<string, string> = variablesOf(at);
        const template = { br: { cluster: "basic" }, ...spec };
        const [, retention] = containersOf({ maxBackups: 1, backupTemplate: template }) as [unknown, PlayedContainer];

        before(() => {
            fs.mkdirSync(programs);
            fs.symlinkSync(rclone, path.join(programs, "rclone"));
        });
        after(() => fs.rmSync(folder, { recursive: true }));

        function call(args: string[], input = ""): string {
            const env = Object.fromEntries(retention.env.map((one) => [one.name, one.value ?? ""]));
            const all = { ...env, ...variables, RCLONE_CONFIG_STORE_NO_CHECK_CONTAINER: "false" };
            const { status, stdout, stderr } = spawnSync(rclone!, args, {
                env: { ...all, RCLONE_CONFIG_STORE_NO_CHECK_BUCKET: "false" },
                input,
                encoding: "utf8",
            });
            assert.equal(status, 0, stderr);
            return stdout;
        }
        const put = (...names: string[]): void =>
            names.forEach((one) => call(["rcat", `store:backups/nightly/${one}`], "x"));
        const left = (): string[] =>
            call(["lsf", "-R", "--files-only", "store:backups/nightly"]).trim().split("\n").sort();

        /** @param hours between which the backup was written, counted back from now. */
        function clean([from, until]: [number, number], ...end: string[]): Promise<ContainerRun> {
            const manifest = checkBr("Backup", {
                metadata: { name: "nightly", namespace: "db" },
                spec: { ...template, cleanPolicy: "OnFailure" },
            }) as BackupManifest;
            const { job } = renderClean(manifest, { name: "basic", namespace: "db", version: "v8.5.3", tls: false });
            const [container] = (job.spec as { template: { spec: { containers: PlayedContainer[] } } }).template.spec
                .containers;
            const seconds = (hours: number) => String(Math.floor(Date.now() / 1000 - hours * 3600));
            const args = [...container.args, seconds(from), seconds(until), "id1", ...end];
            return runContainer("sh", { ...container, args }, { folder, programs, variables });
        }
        const begun = ["1/2_3_default.sst", "6_7_write.sst", "backup.lock", "checkpoints/backup/checkpoint.meta"];

        it("that failed go with cleanPolicy OnFailure, unless they are complete or of another time", async () => {
            put(...begun);
            for (const hours of [
                [4, 1],
                [-0.1, -0.2],
            ] as [number, number][]) {
                const { code, output } = await clean(hours, "failed");
                assert.equal(code, 0, output);
            }
            assert.equal((await clean([4, -0.1])).code, 1);
            assert.deepEqual(left(), begun);
            put("backupmeta");
            assert.equal((await clean([4, -0.1], "failed")).code, 0);
            assert.deepEqual(left(), [...begun, "backupmeta"].sort());
            const whole = await clean([4, -0.1]);
            assert.equal(whole.code, 0, whole.output);
            put(...begun);
            const failed = await clean([4, -0.1], "failed");
            assert.match(failed.output, /deleted the backup in store:backups\/nightly/);
            assert.equal((await clean([4, -0.1], "failed")).code, 0, "nothing is there");
        });

        it("of a schedule are marked and deleted by its retention", async () => {
            const [first, second] = ["05", "06"].map((day) => `${own}2026-01-${day}t02-00-00`);
            for (const run of [first, second]) {
                put(`${run}/backup.lock`, `${run}/1/a.sst`, `${run}/backupmeta`);
                fs.writeFileSync(path.join(folder, "name"), `${run}\n`);
                const { code, output } = await runContainer("sh", retention, { folder, programs, variables });
                assert.equal(code, 0, output);
                // The storage's times have whole seconds here.
                await new Promise((resolve) => setTimeout(resolve, 1_100));
            }
            const files = ["1/a.sst", "backup.lock", "backupmeta", "pulumi-tidb.complete"];
            assert.deepEqual(left(), files.map((one) => `${second}/${one}`).sort());
        });
    });
}
