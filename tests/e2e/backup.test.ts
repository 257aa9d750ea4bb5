import * as assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import {
    type OwnS3Server,
    type RecorderFault,
    startS3Server,
    writeBrRecorder,
    writeRcloneRecorder,
} from "pulumi-tidb-sandbox";
import type { PulumiOperation, PulumiRun } from "pulumi-tidb-sandbox/pulumi";
import { createAuthority } from "../support/certificates/certificates";
import { describeOnEngine } from "../support/e2e/arena";
import { withTls, writeCertificates } from "../support/e2e/clusterCertificates";
import { assertFailed, assertOk, assertUnchanged, until } from "../support/e2e/expect";
import { type ClusterChange, clusterConfig, openStack, type TestStack } from "../support/e2e/stack";
import { statusOfStack } from "../support/e2e/statusCommand";
import { writeSqlTools } from "../support/recorders/sqlTools";

const program = path.resolve(__dirname, "../fixtures/programs/backup");
const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-backup-"));
const recorder = writeBrRecorder(path.join(folder, "recorder"));
const rclone = writeRcloneRecorder(path.join(folder, "rclone"));
const sql = writeSqlTools(path.join(folder, "sql"));
/** BR stands still while this file is there, where a fault says so. */
const held = path.join(folder, "held");

const small = { pd: { replicas: 1 }, tikv: { replicas: 1 }, tidb: { replicas: 1 } };
const orders = { database: "shop", name: "orders", rows: ["1,apples", "2,pears"] };
const customers = { database: "shop", name: "customers", rows: ["1,Ann"] };

const refusal: RecorderFault = { kind: "fails", words: "ExpiredToken: The token has expired.\n\tstatus code: 400" };

function tablesOf(stack: TestStack): object[] {
    const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
    return [...stack.played().tables()].sort(byName);
}

/** The folder of this machine that holds a prefix of the bucket. */
function stored(...prefix: string[]): string {
    return path.join(folder, "s3", "s3", "data", "backups", ...prefix);
}

function filesIn(place: string): string[] {
    const found = existsSync(place) ? readdirSync(place, { recursive: true, withFileTypes: true }) : [];
    return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describeOnEngine(
    "backup and restore",
    (arena) => {
        let s3: OwnS3Server;
        let source: TestStack;
        let target: TestStack;

        before(async () => {
            s3 = await startS3Server({ folder: path.join(folder, "s3") });
            await s3.createBucket("backups");
            for (const namespace of ["source", "target"]) {
                await arena().kubernetes.createNamespace(namespace);
            }
            source = openStack(arena(), "source", program, "demo");
            target = openStack(arena(), "target", program, "demo");
        });
        // What a test that failed has left must not stop the next one.
        afterEach(() => {
            recorder.setFault(undefined);
            rmSync(held, { force: true });
        });
        after(async () => {
            await s3?.down();
            rmSync(folder, { recursive: true, force: true });
        });

        /** The spec of both. Processes of this machine find PD by the address that the sandbox gives it here. */
        function spec({ namespace }: TestStack): object {
            const [pd] = arena().sandbox.dataPlane.pdUrls(namespace, "demo");
            const addresses = { [`demo-pd.${namespace}:2379`]: pd.replace(/^https?:\/\//, "") };
            return {
                s3: {
                    provider: "minio",
                    endpoint: s3.endpoint,
                    region: s3.region,
                    bucket: "backups",
                    prefix: "full",
                    secretName: "keys",
                },
                env: [{ name: "PULUMI_TIDB_SANDBOX_ADDRESSES", value: JSON.stringify(addresses) }],
            };
        }

        /** The same, with a prefix of its own. */
        function inFolder(stack: TestStack, prefix: string, more: object = {}): object {
            const { s3: storage, ...rest } = spec(stack) as { s3: object };
            return { ...rest, s3: { ...storage, prefix, ...more } };
        }

        function run(
            stack: TestStack,
            operation: PulumiOperation,
            work: object = {},
            change: ClusterChange = {},
            onLine?: (line: string) => void,
        ): Promise<PulumiRun> {
            const others = Object.entries(work).map(([name, args]) => [
                name,
                JSON.stringify({ spec: spec(stack), ...(args as object) }),
            ]);
            const config = {
                ...clusterConfig(stack.namespace, { ...small, ...change }),
                keys: JSON.stringify(s3.key),
                ...(Object.fromEntries(others) as Record<string, string>),
            };
            return stack.run(operation, { config, skipPreview: true, onLine });
        }

        const onFailure = () => ({ ...spec(source), cleanPolicy: "OnFailure" });
        /** What a failed backup is to have deleted once it has left the program. */
        const onRecord = async () =>
            (await arena().kubernetes.jobs(source.namespace))
                .filter(({ metadata }) => metadata?.name?.startsWith("clean-nightly-"))
                .map(({ spec: of }) => [of?.suspend, of?.template.spec?.containers[0].args?.at(-1)]);

        it("a backup that fails fails `up` with BR's last words, and is not tried again by itself", async () => {
            assertOk(await run(source, "up"));
            [orders, customers].forEach((table) => source.played().putTable(table));
            recorder.setFault(refusal);
            const words = [
                /back up the cluster source\/demo to s3:\/\/backups\/full: Job source\/backup-nightly: it failed/,
                /ExpiredToken: The token has expired\./,
                /Next: correct what the Job says, then raise `attempt` from 1 to 2/,
            ];
            const backup = { spec: onFailure() };
            assertFailed(await run(source, "up", { backup }), ...words);
            recorder.setFault(undefined);
            assertFailed(await run(source, "up", { backup }), ...words);
            assert.equal(recorder.calls().length, 1);
            assert.deepEqual(await onRecord(), [[true, "failed"]]);
        });

        it("a second attempt backs up to S3, once, with the arguments and the keys of the manifest", async () => {
            const backup = { attempt: 2, spec: onFailure() };
            const { output, outputs } = assertOk(await run(source, "up", { backup }));
            assert.equal(outputs.url, "s3://backups/full", output);
            assert.equal(outputs.version, "v8.5.2");
            const [, { args, variables, exitCode }, ...more] = recorder.calls();
            assert.deepEqual(more, []);
            assert.equal(exitCode, 0);
            assert.deepEqual(args, [
                "backup",
                "full",
                "--pd=demo-pd.source:2379",
                "--storage=s3://backups/full",
                `--s3.region=${s3.region}`,
                "--s3.provider=minio",
                `--s3.endpoint=${s3.endpoint}`,
            ]);
            assert.deepEqual(variables, ["AWS_ACCESS_KEY_ID", "AWS_REGION", "AWS_SECRET_ACCESS_KEY", "BR_LOG_TO_TERM"]);
            assertUnchanged(await run(source, "up", { backup }));
            assert.equal(recorder.calls().length, 2);
            assert.deepEqual(await onRecord(), []);
        });

        it("a restore brings all rows into an empty cluster, once", async () => {
            assertOk(await run(target, "up"));
            assert.deepEqual(target.played().tables(), []);
            const preview = assertOk(await run(target, "preview", { restore: { backupVersion: "v8.5.2" } }));
            assert.match(
                preview.output,
                /the restore into TidbCluster target\/demo, a plan of its own: 1 step[^]*restore only if it holds no data/,
            );
            assertOk(await run(target, "up", { restore: { backupVersion: "v8.5.2" } }));
            assert.deepEqual(tablesOf(target), [customers, orders]);
            const calls = recorder.calls().length;
            assertUnchanged(await run(target, "up", { restore: { backupVersion: "v8.5.2" } }));
            assert.equal(recorder.calls().length, calls);
        });

        it("a restore into a cluster that holds data is refused by preview and update, before BR starts", async () => {
            const calls = recorder.calls().length;
            const words =
                /TidbCluster target\/demo: it holds data already: schema shop\. Next: restore into an empty cluster, drop these schemas, or set `allowExistingData: true`/;
            assertFailed(await run(target, "preview", { restore: { attempt: 2 } }), words);
            assertFailed(await run(target, "up", { restore: { attempt: 2 } }), words);
            assert.equal(recorder.calls().length, calls);
        });

        it("what is wrong with the storage fails `up` with BR's last words, and with what to do", async () => {
            const { kubernetes, sandbox } = arena();
            const { accessKey, secretKey } = await s3.createStranger();
            await kubernetes.writeSecret(source.namespace, "stranger", {
                access_key: accessKey,
                secret_key: secretKey,
            });
            const late = { beside: { spec: inFolder(target, "late", { secretName: "late" }) } };
            assert.match(
                assertOk(await run(target, "preview", late)).output,
                /Job target\/backup-beside does not begin without[^]*- Secret target\/late: kubectl create secret generic late/,
            );
            const withoutSecret = run(target, "up", late); // It fails after a minute, in which the others run.
            // Below those that the system gives away, so no server of these runs gets it.
            const closedPort = 2;
            await kubernetes.createClaim(source.namespace, "small");
            const onVolume = (prefix: string) => ({
                local: {
                    volume: { name: "small", persistentVolumeClaim: { claimName: "small" } },
                    volumeMount: { name: "small", mountPath: "/small" },
                    prefix,
                },
            });
            const { env } = spec(source) as { env: object };
            const faults: [object, RecorderFault | undefined, RegExp][] = [
                [{ endpoint: `http://127.0.0.1:${closedPort}` }, undefined, /send request failed.*ECONNREFUSED/],
                [{ region: "eu-north-1" }, undefined, /status code: 400/],
                [{ bucket: "nobody" }, undefined, /NoSuchBucket.*status code: 404/],
                [{ secretName: "stranger" }, undefined, /status code: 403/],
                [
                    { onVolume },
                    { kind: "fails", words: "no space left on device", halfWay: true },
                    /no space left on device/,
                ],
                [{}, { kind: "killed" }, /ended with exit code 137/],
            ];
            let attempt = 3;
            for (const [wrong, fault, words] of faults) {
                recorder.setFault(fault);
                const prefix = `faults-${attempt}`;
                const of =
                    "onVolume" in wrong
                        ? { env, ...onVolume(prefix) }
                        : inFolder(source, prefix, { provider: "aws", ...wrong });
                const next = new RegExp(`Next: .*raise \`attempt\` from ${attempt} to ${attempt + 1}`);
                assertFailed(await run(source, "up", { backup: { attempt, spec: of } }), words, next);
                assert.ok(!existsSync(stored(prefix, "backupmeta")));
                attempt++;
            }
            const volume = await sandbox.dataPlane.jobs?.claimFolder(source.namespace, "small");
            const written = filesIn(volume ?? "");
            assert.ok(written.length > 0 && !written.includes("backupmeta"), written.join());
            recorder.setFault(undefined);

            const lacks =
                /Job target\/backup-beside: it does not begin: [^]*it needs Secret target\/late, which does not exist/;
            assertFailed(
                await withoutSecret,
                lacks,
                /Next: create Secret target\/late[^]*The Job then begins by itself/,
            );
            await kubernetes.writeSecret(target.namespace, "late", {
                access_key: s3.key.accessKey,
                secret_key: s3.key.secretKey,
            });
            assertOk(await run(target, "up", late));
            assert.ok(existsSync(stored("late", "backupmeta")));
            const calls = recorder.calls().length;
            const preview = (work: object) => run(source, "preview", work);
            assertFailed(
                await preview({ backup: { attempt, spec: { env, ceph: { bucket: "b" } } } }),
                /spec\.ceph is not a known field/,
            );
            assertFailed(
                await preview({ restore: { backupVersion: "v9.0.0", allowExistingData: true } }),
                /backupVersion: found "?v9\.0\.0/,
            );
            assert.equal(recorder.calls().length, calls);
        });

        it("a schedule backs up by itself, keeps its newest good backup whatever fails after it, and fails loudly without its Secret", async () => {
            const { namespace } = source;
            const { kubernetes } = arena();
            const often = (more: object = {}, s3: object = {}): object => ({
                schedule: {
                    spec: {
                        schedule: "@every 10s",
                        maxBackups: 1,
                        backupTemplate: inFolder(source, "often", s3),
                        ...more,
                    },
                },
            });
            const { outputs } = assertOk(await run(source, "up", often()));
            assert.equal(outputs.schedule, "s3://backups/often");
            const succeeded = async (): Promise<string[]> =>
                (await arena().kubernetes.jobs(namespace))
                    .filter(
                        ({ metadata, status }) =>
                            metadata?.name?.startsWith("backup-often-") && status?.succeeded === 1,
                    )
                    .map(({ metadata }) => metadata?.name ?? "");
            await until("two runs have succeeded", async () => (await succeeded()).length >= 2 || undefined, 180_000);
            assertOk(await run(source, "up", often({ pause: true })));
            await until(
                "no run is under way",
                async () => (await arena().kubernetes.cronJobs(namespace))[0].status?.active === undefined || undefined,
            );
            const complete = () =>
                readdirSync(stored("often")).filter((name) => existsSync(stored("often", name, "backupmeta")));
            const [good, ...more] = complete();
            assert.deepEqual(more, []);
            assert.match(good, /^demo-pd\.source-2379-often-\d{4}-\d\d-\d\dt\d\d-\d\d-\d\d$/);
            assert.ok(existsSync(stored("full", "backupmeta")));
            assert.ok(rclone.calls().every(({ exitCode }) => exitCode === 0));

            const { status } = await statusOfStack(source, arena().sandbox.kubeconfig);
            assert.ok(status.schedules.known);
            const [{ name, isPaused, problems, lastSuccess }] = status.schedules.value;
            assert.deepEqual([name, isPaused, problems], ["often", true, []]);
            assert.ok(lastSuccess !== null);

            const byHand = async (name: string, end: "failed" | "succeeded") => {
                await kubernetes.runNow(namespace, "backup-often", name);
                await until(`the Job ${name} has ${end}`, async () =>
                    (await kubernetes.jobs(namespace)).some(
                        ({ metadata, status }) => metadata?.name === name && status?.[end] === 1,
                    ),
                );
            };
            recorder.setFault({ kind: "killed" });
            await byHand("killed", "failed");
            recorder.setFault(refusal);
            await byHand("refused", "failed");
            recorder.setFault(undefined);
            assert.deepEqual(complete(), [good]);
            await byHand("good-again", "succeeded");
            const [newest, ...others] = complete();
            assert.deepEqual(others, []);
            assert.notEqual(newest, good);

            const missing = often({}, { secretName: "missing" });
            assert.match(
                assertOk(await run(source, "preview", missing)).output,
                /Job source\/backup-often-… does not begin without[^]*- Secret source\/missing: kubectl create secret generic missing/,
            );
            assertOk(await run(source, "up", missing));
            await until(
                "the status says what a run waits for",
                async () => {
                    const { schedules } = (await statusOfStack(source, arena().sandbox.kubeconfig)).status;
                    return schedules.known && /secret "missing" not found/.test(schedules.value[0].running ?? "")
                        ? true
                        : undefined;
                    // The CronJob's next time, its pod, and a status of several seconds each time on a busy machine.
                },
                180_000,
            );
            assertOk(await run(source, "up"));
            assert.deepEqual(await arena().kubernetes.cronJobs(namespace), []);
            assert.deepEqual(complete(), [newest]);
        });

        it("a clock that jumped over times of a schedule begins one backup, and one that was set back is said", async () => {
            // The control plane reads this machine's clock, which stays as it is. What a jump leaves is the time of the last run, far away from now.
            const { namespace } = source;
            const { kubernetes, sandbox } = arena();
            const day = 86_400_000;
            const daily = { spec: { schedule: "@every 24h", backupTemplate: inFolder(source, "daily") } };
            assertOk(await run(source, "up", { schedule: daily }));
            const cronJob = async () => (await kubernetes.cronJobs(namespace))[0];
            const { uid } = (await cronJob()).metadata ?? {};
            const runs = async () =>
                (await kubernetes.jobs(namespace)).filter(({ metadata }) =>
                    metadata?.ownerReferences?.some((owner) => owner.uid === uid),
                );
            assert.deepEqual(await runs(), []);
            await kubernetes.setLastRun(namespace, "backup-often", new Date(Date.now() - 9.5 * day));
            await until("a run has succeeded", async () =>
                (await runs()).some(({ status }) => status?.succeeded === 1),
            );
            await until(
                "Kubernetes has made up for all times",
                async () => Number((await cronJob()).status?.lastScheduleTime) > Date.now() - day,
            );
            await kubernetes.setLastRun(namespace, "backup-often", new Date(Date.now() + day));
            const { schedules } = (await statusOfStack(source, sandbox.kubeconfig)).status;
            assert.ok(schedules.known);
            assert.match(schedules.value[0].problems.join(), /which is yet to come: a clock was set back/);
            assert.equal((await runs()).length, 1);
            assert.equal(readdirSync(stored("daily")).length, 1);
            assertOk(await run(source, "up"));
        });

        it("a Backup with cleanPolicy Delete leaves, and the next update deletes its data, as its preview says", async () => {
            const of = { ...inFolder(source, "gone"), cleanPolicy: "Delete" };
            const backupmeta = stored("gone", "backupmeta");
            assertOk(await run(source, "up", { backup: { attempt: 5, spec: of } }));
            const left = assertOk(await run(source, "up"));
            assert.match(
                left.output,
                /the data of the Backup nightly at s3:\/\/backups\/gone are deleted by the next `pulumi up`/,
            );
            assert.ok(existsSync(backupmeta));
            const step =
                /delete the data of the Backup nightly, which left the program, at s3:\/\/backups\/gone, for good/;
            assert.match(assertOk(await run(source, "preview")).output, step);

            const foreign = stored("gone", "notes.txt");
            mkdirSync(stored("gone-2"));
            const beside = stored("gone-2", "backupmeta");
            writeFileSync(beside, "of another backup");
            writeFileSync(foreign, "of somebody");
            const refused = await run(source, "up");
            assertFailed(refused, /1 files are not of a full backup of BR: notes\.txt; nothing was deleted/);
            assert.ok(existsSync(backupmeta));
            rmSync(foreign);
            const { output } = assertOk(await run(source, "preview"));
            assert.match(output, /delete the data of the Backup nightly[^]*; the last attempt failed/);
            assertOk(await run(source, "up"));
            assert.deepEqual(filesIn(stored("gone")), []);
            assert.ok(existsSync(beside));
            assertUnchanged(await run(source, "up"));
        });

        /** Lets BR stand still from its next call on. @returns what lets it go on. */
        function holdBr(): () => void {
            writeFileSync(held, "");
            recorder.setFault({ kind: "held", by: held });
            return () => rmSync(held, { force: true });
        }

        it("of two backups at once in one path neither begins, or BR refuses that of another program; in two paths both succeed", async () => {
            const [one, other] = ["one", "other"].map((prefix) => ({ spec: inFolder(source, prefix) }));
            const before = recorder.calls().length;
            const codes = () =>
                recorder
                    .calls()
                    .slice(before)
                    .map(({ exitCode }) => exitCode);
            const inOne =
                /spec\.s3\.prefix: found "one", expected another path than that of Backup \w+ in the same program, which writes to s3:\/\/backups\/one/;
            assertFailed(await run(source, "preview", { backup: one, beside: one }), inOne);
            assertFailed(await run(source, "up", { backup: one, beside: one }), inOne);
            assert.deepEqual(codes(), []);

            const release = holdBr();
            const both = (attempt: number, wait: boolean) => ({
                backup: { attempt, wait, ...one },
                beside: { attempt: 2, wait, ...other },
            });
            assertOk(await run(source, "up", both(2, false)));
            await until("BR works on both", () => codes().length === 2);
            assert.deepEqual(codes(), [undefined, undefined]);
            recorder.setFault(undefined);
            const atWork =
                /Job source\/backup-nightly-3(: it)? does not begin: Job source\/backup-nightly-2, an earlier attempt, has not ended\. Next: set `attempt` back to wait for it/;
            assertFailed(await run(source, "preview", both(3, false)), atWork);
            assertFailed(await run(source, "up", both(3, false)), atWork);
            const elsewhere = (attempt: number) => ({ beside: { attempt, spec: inFolder(target, "one") } });
            const lock = /The existing lock will expire in \d+ seconds\. There may be another BR/;
            assertFailed(await run(target, "up", elsewhere(2)), lock);

            release();
            assertOk(await run(source, "up", both(2, true)));
            assert.ok(["one", "other"].every((prefix) => existsSync(stored(prefix, "backupmeta"))));
            assertFailed(
                await run(target, "up", elsewhere(3)),
                /backup meta file exists[^]*Next: choose another `prefix`/,
            );
            assert.deepEqual(codes(), [0, 0, 1, 1]);
            assertOk(await run(source, "up"));
        });

        it("an upgrade takes its own backup first, and waits for one that runs", async () => {
            const { namespace } = source;
            const release = holdBr();
            const work = { backup: { wait: false, spec: inFolder(source, "slow") } };
            assertOk(await run(source, "up", work));
            const job = async (name: string) =>
                (await arena().kubernetes.jobs(namespace)).find(({ metadata }) => metadata?.name?.startsWith(name));
            await until("BR works on the slow backup", async () =>
                Promise.resolve(
                    recorder.calls().some(({ args }) => args.some((one) => one.endsWith("/slow"))) || undefined,
                ),
            );
            recorder.setFault(undefined);
            const operations = { backup: { beforeUpgrade: { spec: inFolder(source, "upgrades") } } };
            const change = { version: "v8.5.3", operations } as ClusterChange;
            const { output } = assertOk(await run(source, "preview", work, change));
            assert.match(
                output,
                /1\. run Job source\/backup-demo-v8-5-2-v8-5-3-[0-9a-f]{12} to back up the cluster source\/demo/,
            );
            assert.match(output, /wait: Job backup-nightly backs up this cluster/);
            // The backup ends only once the update waits for it, however long the steps before that take.
            const waits = /Job backup-nightly backs up this cluster/;
            const { output: told } = assertOk(
                await run(source, "up", work, change, (line) => waits.test(line) && release()),
            );
            assert.match(told, waits);
            const [own, slow] = [await job("backup-demo-v8-5-2-v8-5-3-"), await job("backup-nightly")];
            assert.deepEqual([own?.status?.succeeded, slow?.status?.succeeded], [1, 1]);
            const pods = await arena().kubernetes.pods(namespace);
            const began = pods
                .filter(({ metadata }) => /^demo-(pd|tikv)-0$/.test(metadata?.name ?? ""))
                .map(({ metadata }) => Number(metadata?.creationTimestamp));
            // The Job's own status follows later: on a busy machine, after the next pod has begun.
            const ended = pods
                .filter(({ metadata }) => metadata?.name?.startsWith("backup-"))
                .flatMap(({ status }) => status?.containerStatuses ?? [])
                .map(({ state }) => Number(state?.terminated?.finishedAt));
            assert.equal(began.length, 2);
            assert.ok(ended.length >= 2, JSON.stringify(ended));
            assert.ok(Math.min(...began) >= Math.max(...ended), `${began.join()} and ${ended.join()}`);
            assertUnchanged(await run(source, "up", work, change));
        });

        it("a destroy takes a last backup first, and deletes nothing if that fails", async () => {
            const { namespace } = source;
            const onDestroy = { spec: inFolder(source, "last") };
            const change = { version: "v8.5.3", operations: { backup: { onDestroy } } } as ClusterChange;
            const note = /a destroy takes a last backup to s3:\/\/backups\/last\/destroy-… before it deletes anything/;
            assert.match(assertOk(await run(source, "preview", {}, change)).output, note);
            assertOk(await run(source, "up", {}, change));
            assertUnchanged(await run(source, "up", {}, change));

            const pods = async () =>
                (await arena().kubernetes.pods(namespace))
                    .map(({ metadata }) => metadata?.uid ?? "")
                    .filter((uid) => members.includes(uid));
            const members = (await arena().kubernetes.pods(namespace))
                .filter(({ metadata }) => /^demo-(pd|tikv|tidb)-0$/.test(metadata?.name ?? ""))
                .map(({ metadata }) => metadata?.uid ?? "");
            recorder.setFault(refusal);
            assertFailed(
                await run(source, "destroy", {}, change),
                /ExpiredToken: The token has expired\./,
                /Nothing of the cluster was deleted\. To destroy it without a last backup: kubectl annotate lease demo-pulumi-tidb/,
            );
            assert.equal(members.length, 3);
            assert.deepEqual(await pods(), members);

            recorder.setFault(undefined);
            const calls = recorder.calls().length;
            const { output } = assertOk(await run(source, "destroy", {}, change));
            const place = /the last backup of the cluster source\/demo is at s3:\/\/backups\/(last\/destroy-\S+)/.exec(
                output,
            );
            assert.ok(place, output);
            assert.equal(recorder.calls().length, calls + 1);
            assert.ok(existsSync(stored(place[1], "backupmeta")));
            assert.deepEqual(await arena().kubernetes.leases(namespace), []);
        });

        it("a cluster with TLS is restored into and backed up, by BR with the certificates of its Secret", async () => {
            await arena().kubernetes.createNamespace("secure");
            await writeCertificates(arena(), "secure", await createAuthority("tidb"));
            const secure = openStack(arena(), "secure", program, "demo");
            const change = { spec: withTls };
            assertOk(await run(secure, "up", {}, change));
            const [url] = arena().sandbox.dataPlane.pdUrls("secure", "demo");
            assert.match(url, /^https:/);
            await assert.rejects(fetch(`${url}/pd/api/v1/health`), "PD hears nobody without a certificate");
            const backup = { spec: inFolder(secure, "secure") };
            const before = recorder.calls().length;
            assertOk(await run(secure, "up", { restore: {} }, change));
            assert.deepEqual(tablesOf(secure), [customers, orders]);
            assertOk(await run(secure, "up", { restore: {}, backup }, change));
            const calls = recorder.calls().slice(before);
            assert.deepEqual(
                calls.map(({ args, exitCode }) => [args[0], exitCode]),
                [
                    ["restore", 0],
                    ["backup", 0],
                ],
            );
            for (const { args } of calls) {
                const files = args
                    .filter((one) => /^--(ca|cert|key)=/.test(one))
                    .map((one) => one.replace(/\/.*\//, "…"));
                assert.deepEqual(files, ["--ca=…ca.crt", "--cert=…tls.crt", "--key=…tls.key"]);
            }
        });

        it("a dump by Dumpling outlives its cluster, and TiDB Lightning loads it into the next one, once", async () => {
            const { namespace } = target;
            const { kubernetes, sandbox } = arena();
            const local = {
                volume: { name: "dumps", persistentVolumeClaim: { claimName: "dumps" } },
                volumeMount: { name: "dumps", mountPath: "/dumps" },
                prefix: "monday",
            };
            const dump = { spec: { local, from: { secretName: "sql" } } };
            const load = { spec: { local, to: { secretName: "sql" } } };
            const reach = (password: string) =>
                sql.setTidb({
                    ...{ host: `demo-tidb.${namespace}`, port: 4000, user: "root", password },
                    tables: sandbox.dataPlane.pdUrls(namespace, "demo")[0],
                });
            await kubernetes.createClaim(namespace, "dumps");
            await kubernetes.writeSecret(namespace, "sql", { password: "of-root" });
            reach("another");
            const refused = await run(target, "up", { backup: dump });
            assertFailed(refused, /Access denied for user 'root'/, /raise `attempt` from 1 to 2/);
            reach("of-root");
            const again = { ...dump, attempt: 2 };
            const { output, outputs } = assertOk(await run(target, "up", { backup: again }));
            assert.equal(outputs.url, "local:///dumps/monday-2");
            assertUnchanged(await run(target, "up", { backup: again }));

            assertOk(await run(target, "destroy"));
            for (const { metadata } of await kubernetes.claims(namespace)) {
                if (/^(pd|tikv)-demo-/.test(metadata?.name ?? "")) {
                    await kubernetes.deleteClaim(namespace, metadata?.name ?? "");
                }
            }
            assertOk(await run(target, "up"));
            assert.deepEqual(target.played().tables(), []);
            reach("of-root");
            const restore = { spec: { ...load.spec, local: { ...local, prefix: "monday-2" } } };
            const restored = assertOk(await run(target, "up", { restore }));
            assert.deepEqual(tablesOf(target), [customers, orders]);
            assertUnchanged(await run(target, "up", { restore }));
            assertFailed(
                await run(target, "preview", { restore: { ...restore, attempt: 2 } }),
                /it holds data already: schema shop/,
            );
            assert.ok([output, restored.output, refused.output].every((text) => !text.includes("of-root")));
        });
    },
    {
        programs: {
            ...{ br: recorder.file, rclone: rclone.file, sh: "/bin/sh" },
            ...Object.fromEntries(["dumpling", "tidb-lightning"].map((name) => [name, path.join(sql.programs, name)])),
        },
    },
);
