import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { writeBrRecorder } from "pulumi-tidb-sandbox";
import { describeOnEngine } from "../support/e2e/arena";
import { assertFailed, assertOk } from "../support/e2e/expect";
import { clusterConfig, openStack, type RunOptions, type TestStack } from "../support/e2e/stack";
import { customers, orders } from "../support/recorders/brStage";

const program = path.resolve(__dirname, "../fixtures/clusters/backup");
const recorderFolder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-br-"));
const recorder = writeBrRecorder(recorderFolder);
const small = { pd: { replicas: 1 }, tikv: { replicas: 3 }, tidb: { replicas: 1 } };

describeOnEngine(
    "a backup to S3",
    (arena) => {
        after(() => rmSync(recorderFolder, { recursive: true }));

        it("fails with the words of br, is done again when asked, outlives its cluster, and is restored into the next one", async () => {
            const { kubernetes, sandbox } = arena();
            const { endpoint, key, region } = sandbox.s3!;
            await sandbox.s3!.createBucket("backups");
            const s3 = { provider: "aws", bucket: "backups", prefix: "nightly", endpoint, region, secretName: "s3" };
            const open = async (namespace: string): Promise<TestStack> => {
                await kubernetes.createNamespace(namespace);
                await kubernetes.writeSecret(namespace, "s3", { access_key: key.accessKey, secret_key: key.secretKey });
                return openStack(arena(), namespace, program, "demo");
            };
            const options = (namespace: string, attempt = 1, ...jobs: ("backup" | "restore")[]): RunOptions => {
                const job = JSON.stringify({ metadata: { namespace }, spec: { s3 }, attempt });
                const config = Object.fromEntries(jobs.map((name) => [name, job]));
                return { skipPreview: true, config: { ...clusterConfig(namespace, small), ...config } };
            };
            const calls = (): unknown[] =>
                recorder.calls().map(({ args, exitCode }) => [args.slice(0, 2).join(" "), exitCode]);

            const first = await open("kept");
            assertOk(await first.run("up", options("kept")));
            [orders, customers].forEach((table) => first.played().putTable(table));
            const refusal = { code: "ExpiredToken", message: "The provided token has expired.", status: 400 };
            recorder.setFault({ kind: "storageRefuses", ...refusal });
            const refused = await first.run("up", options("kept", 1, "backup"));
            assertFailed(refused, /ExpiredToken: The provided token has expired/);
            recorder.setFault(undefined);
            assertFailed(await first.run("up", options("kept", 1, "backup"))); // It is not tried again by itself.
            assert.deepEqual(calls(), [["backup full", 1]]);
            assertOk(await first.run("up", options("kept", 2, "backup")));
            assert.deepEqual(calls().slice(1), [["backup full", 0]]);
            assertFailed(await first.run("up", options("kept", 2, "backup", "restore"))); // It holds tables.
            assert.equal(calls().length, 2);
            assertOk(await first.run("destroy", options("kept", 2, "backup")));

            const second = await open("anew");
            assertOk(await second.run("up", options("anew")));
            assert.deepEqual(second.played().tables(), []);
            assertOk(await second.run("up", options("anew", 1, "restore")));
            assert.deepEqual(second.played().tables(), [orders, customers]);
            assert.deepEqual(calls().slice(2), [["restore full", 0]]);
        });
    },
    undefined,
    {},
    { br: recorder.file },
    { region: "eu-central-1" },
);
