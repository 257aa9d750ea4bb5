import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as assert from "node:assert/strict";
import {
    Backup,
    type BackupArgs,
    BackupSchedule,
    CompactBackup,
    type CompactBackupArgs,
    ManifestError,
    Restore,
    type RestoreArgs,
    TidbCluster,
    TidbInitializer,
} from "../../index";
import { patienceMilliseconds, readOutput, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

const s3 = { provider: "minio", endpoint: "http://minio:9000", bucket: "backups", prefix: "full", secretName: "keys" };
const cluster = { version: "v8.5.3" };
const br = { cluster: "basic", clusterNamespace: "db" };

const backup = (args: Partial<BackupArgs>) =>
    runProgram(() => new Backup("nightly", { cluster, spec: { br, s3 }, ...args }));
const restore = (args: Partial<RestoreArgs>) =>
    runProgram(() => new Restore("again", { cluster, spec: { br, s3 }, ...args }));

const compact = (args: Partial<CompactBackupArgs>) =>
    runProgram(
        () =>
            new CompactBackup("week", {
                cluster: { version: "v8.5.5" },
                spec: { br, s3, startTs: "2026-05-04 00:00:00Z", endTs: "2026-05-11 00:00:00Z" },
                ...args,
            }),
    );

function refuses(run: () => Promise<unknown>, message: RegExp): Promise<void> {
    return assert.rejects(run, (error: unknown) => {
        assert.ok(error instanceof ManifestError, String(error));
        assert.match(error.message, message);
        return true;
    });
}

describe("component: Backup and Restore", function () {
    this.timeout(patienceMilliseconds);

    it("a Backup is a suspended Job that nothing but its gate starts", async () => {
        const { value, find } = await backup({ metadata: { namespace: "db" } });
        const job = find("Job", "nightly");
        assert.equal(job.inputs.spec.suspend, true);
        assert.equal(job.inputs.metadata.name, "backup-nightly");
        assert.equal(job.inputs.metadata.namespace, "db");
        const [container] = job.inputs.spec.template.spec.containers;
        assert.equal(container.image, "pingcap/br:v8.5.3");
        assert.deepEqual(container.args.slice(0, 4), [
            "backup",
            "full",
            "--pd=basic-pd.db:2379",
            "--storage=s3://backups/full",
        ]);
        const gate = find("JobGate", "nightly-gate");
        assert.ok(gate.dependencies.includes("kubernetes:batch/v1:Job::nightly"));
        assert.deepEqual(gate.inputs.secrets, [
            { name: "keys", from: ["--from-literal=access_key=…", "--from-literal=secret_key=…"] },
        ]);
        assert.deepEqual(
            [gate.inputs.does, gate.inputs.wait, gate.inputs.attempt],
            ["back up the cluster db/basic to s3://backups/full", true, 1],
        );
        assert.equal((await readOutput(value.url)).value, "s3://backups/full");
        assert.equal((await readOutput(value.clusterVersion)).value, "v8.5.3");
    });

    const twice = (one: Partial<BackupArgs>, two: Partial<BackupArgs>) =>
        runProgram(() => {
            new Backup("first", { cluster, spec: { br, s3 }, ...one });
            new Backup("second", { cluster, spec: { br, s3 }, ...two });
        });
    const cautions = async (run: ReturnType<typeof twice>) => {
        const { find } = await run;
        return ["first-gate", "second-gate"].map((gate) => find("JobGate", gate).inputs.caution);
    };
    const refusals = async (run: ReturnType<typeof twice>) => {
        const { find } = await run;
        return ["first-gate", "second-gate"].map((gate) => find("JobGate", gate).inputs.refusal);
    };
    const both = /^spec\.s3\.prefix: found "full", .*Backup first in the same program.*Ignore this if/;
    const surely = /^spec\.s3\.prefix: found "full", .*Backup first in the same program.*in its path$/;

    it("of two Backups of one program with one storage and one path neither may begin, also where only an Output says it", async () => {
        const theFirst = new RegExp(surely.source.replace("Backup first", "Backup second"));
        const [first, second] = await refusals(twice({}, {}));
        // The first in the program may be the new one, and the second one has run.
        assert.match(first as string, theFirst);
        assert.match(second as string, surely);
        assert.deepEqual(await cautions(twice({}, {})), ["", ""]);
        assert.deepEqual(await refusals(twice({}, { spec: { br, s3: { ...s3, prefix: "other" } } })), ["", ""]);
        const prefix = pulumi.output(Promise.resolve("full"));
        const [, late] = await refusals(twice({}, { spec: { br, s3: { ...s3, prefix } } }));
        assert.match(late as string, surely);
        const { find } = await runProgram(() => {
            for (const name of ["first", "second"]) {
                new Backup(name, { cluster, spec: { br, s3, backupMode: "log" } });
            }
        });
        assert.match(find("LogBackupGate", "second-gate").inputs.refusal as string, surely);
    });

    it("of two Backups whose storages may differ the gate of the second warns", async () => {
        const elsewhere = { spec: { br: { ...br, clusterNamespace: "other" }, s3 }, metadata: { namespace: "db" } };
        const inDb = { metadata: { namespace: "db" } };
        assert.deepEqual(await refusals(twice(inDb, elsewhere)), ["", ""]);
        const [first, second] = await cautions(twice(inDb, elsewhere));
        assert.equal(first, "");
        assert.match(second as string, both);
        const { find } = await runProgram(() => {
            const provider = new k8s.Provider("another", {});
            new Backup("first", { cluster, spec: { br, s3 } });
            new Backup("second", { cluster, spec: { br, s3 } }, { provider });
        });
        assert.match(find("JobGate", "second-gate").inputs.caution as string, both);
    });

    it("Backups of programs that one process runs one after the other are not compared", async () => {
        // Two programs in one process, as in the unit tests of users.
        for (const { find } of [await backup({}), await backup({})]) {
            assert.equal(find("JobGate", "nightly-gate").inputs.refusal, "");
        }
    });

    it("a backup before an upgrade, or before a destroy, in the path of a Backup is warned of by that one's gate", async () => {
        for (const when of ["beforeUpgrade", "onDestroy"]) {
            const ofGate = (prefix: string) =>
                runProgram(() => {
                    const operations = { backup: { [when]: { spec: { s3: { ...s3, prefix } } } } };
                    const own = new TidbCluster("basic", {
                        metadata: { namespace: "db" },
                        spec: basicSpec(),
                        operations,
                    });
                    new Backup("nightly", { cluster: own, spec: { s3 } });
                });
            const { find, warnings } = await ofGate("full/of-gate");
            assert.match(
                find("JobGate", "nightly-gate").inputs.caution as string,
                new RegExp(`than that of operations\\.backup\\.${when} of TidbCluster basic in the same program`),
            );
            assert.deepEqual(warnings, []);
            assert.equal((await ofGate("other")).find("JobGate", "nightly-gate").inputs.caution, "");
        }
    });

    it("a TidbCluster that is known after the Backup in whose path its gates write warns itself", async () => {
        const { warnings, find } = await runProgram(() => {
            new Backup("nightly", { cluster, spec: { br, s3 } });
            const operations = { backup: { beforeUpgrade: { spec: { s3 } } } };
            const timezone = pulumi.output(new Promise<string>((resolve) => setTimeout(() => resolve("UTC"), 50)));
            new TidbCluster("basic", { metadata: { namespace: "db" }, spec: { ...basicSpec(), timezone }, operations });
        });
        assert.equal(find("JobGate", "nightly-gate").inputs.caution, "");
        assert.equal(warnings.length, 1);
        assert.match(warnings[0], /operations\.backup\.beforeUpgrade\.spec\.s3\.prefix: .*than that of Backup nightly/);
    });

    it("two dumps are told apart by their attempts", async () => {
        const from = { from: { host: "basic-tidb.db" }, s3 };
        assert.deepEqual(await refusals(twice({ spec: from }, { spec: from, attempt: 2 })), ["", ""]);
        const [, second] = await refusals(twice({ spec: from, attempt: 2 }, { spec: from, attempt: 2 }));
        assert.match(second as string, /"full-2", .*Backup first/);
    });

    it("a Backup at the root of its bucket is warned of by its gate before it runs", async () => {
        const caution = async (prefix: string) =>
            (await backup({ spec: { br, s3: { ...s3, prefix } } })).find("JobGate", "nightly-gate").inputs
                .caution as string;
        assert.match(await caution(""), /^`spec\.s3\.prefix` is not set/);
        assert.equal(await caution("full"), "");
        const log = await backup({ spec: { br, s3: { ...s3, prefix: "" }, backupMode: "log" } });
        assert.match(log.find("LogBackupGate", "nightly-gate").inputs.caution as string, /is not set/);
    });

    describe("beside a TidbCluster of the program", () => {
        const access = { kubeconfig: "~/elsewhere", context: "prod" };
        const range = { startTs: "2026-05-04 00:00:00Z", endTs: "2026-05-11 00:00:00Z" };
        const template = { maxBackups: 3, schedule: "0 2 * * *", backupTemplate: { s3: { ...s3, prefix: "nightly" } } };
        const all = (given: object, opts: pulumi.ComponentResourceOptions = {}, isExplicit = true) =>
            runProgram(() => {
                const provider = isExplicit ? new k8s.Provider("elsewhere", {}) : undefined;
                const own = new TidbCluster(
                    "basic",
                    { metadata: { namespace: "db" }, spec: { ...basicSpec(), version: "v8.5.5" }, ...access },
                    { provider },
                );
                const args = { cluster: own, ...given };
                const log = { ...s3, prefix: "log" };
                new Backup("nightly", { ...args, spec: { s3 } }, opts);
                new Backup("log", { ...args, spec: { s3: log, backupMode: "log" } }, opts);
                new Restore("again", { ...args, spec: { s3 } }, opts);
                new CompactBackup("compacted", { ...args, spec: { s3: log, ...range } }, opts);
                new BackupSchedule("often", { ...args, spec: template }, opts);
                new TidbInitializer("init", { tidbCluster: own, ...given, spec: { initSql: "SELECT 1" } }, opts);
            });
        const gates: [string, string][] = [
            ["JobGate", "nightly-gate"],
            ["LogBackupGate", "log-gate"],
            ["RestoreGate", "again-restore"],
            ["JobGate", "again-gate"],
            ["JobGate", "compacted-gate"],
            ["ScheduleGate", "often-gate"],
            ["JobGate", "init-gate"],
        ];
        const objects = [
            ["Job", "nightly"],
            ["Job", "again"],
            ["Job", "compacted"],
            ["CronJob", "often"],
            ["Job", "init"],
            ["ConfigMap", "init"],
        ];
        const differs =
            /is not that of its TidbCluster\. Both must lead to one Kubernetes cluster: pass it the same `provider`, `kubeconfig` and `context`$/;

        it("components with its provider reach Kubernetes as that does", async () => {
            const { find, warnings } = await all({}, {}, false);
            gates.forEach(([type, name]) => assert.deepEqual(find(type, name).inputs.access, access, name));
            objects.forEach(([type, name]) => assert.equal(find(type, name).provider, undefined, name));
            assert.deepEqual(warnings, []);
        }).timeout(patienceMilliseconds);

        it("objects keep their own provider, because a Job that moves is made anew and does its work again; that it differs is warned of", async () => {
            const { find, warnings } = await all({});
            gates.forEach(([type, name]) => assert.deepEqual(find(type, name).inputs.access, {}, name));
            objects.forEach(([type, name]) => assert.equal(find(type, name).provider, undefined, name));
            assert.equal(warnings.filter((line) => differs.test(line)).length, 6);
        }).timeout(patienceMilliseconds);

        it("what a component says itself counts, and that it differs is warned of", async () => {
            const { find, warnings } = await all({ kubeconfig: "~/own" });
            gates.forEach(([type, name]) =>
                assert.deepEqual(find(type, name).inputs.access, { kubeconfig: "~/own" }, name),
            );
            assert.equal(warnings.filter((line) => differs.test(line)).length, 6);
            assert.deepEqual((await all(access, {}, false)).warnings, [], "the same is no difference");
            const other = await runProgram(() => {
                const provider = new k8s.Provider("elsewhere", {});
                const own = new TidbCluster("basic", { spec: basicSpec() }, { provider });
                new Backup("nightly", { cluster: own, spec: { s3 } }, { provider: new k8s.Provider("own", {}) });
            });
            assert.equal(other.find("Job", "nightly").provider, "own");
            assert.equal(other.warnings.filter((line) => differs.test(line)).length, 1);
        }).timeout(patienceMilliseconds);
    });

    it("an argument inside the spec is refused with the place where it belongs", async () => {
        for (const name of ["attempt", "wait", "timeoutSeconds", "cluster", "cleanImage", "kubeconfig", "context"]) {
            const spec = { br, s3, [name]: 2 } as BackupArgs["spec"];
            const message = new RegExp(
                `spec\\.${name}: found it inside \`spec\`, expected \`${name}\` next to \`spec\`, as an argument of Backup in a program`,
            );
            await refuses(() => backup({ spec }), message);
        }
        await refuses(
            () => restore({ spec: { br, s3, allowExistingData: true } as RestoreArgs["spec"] }),
            /`allowExistingData` next to `spec`, as an argument of Restore/,
        );
        await refuses(
            () => backup({ spec: { br, s3, retries: 2 } as BackupArgs["spec"] }),
            /spec\.retries is not a known field/,
        );
    });

    it("waits for the TidbCluster of the program, and takes its name, namespace, version and TLS", async () => {
        const { find } = await runProgram(() => {
            const basic = new TidbCluster("basic", {
                metadata: { namespace: "db" },
                spec: { ...basicSpec(), tlsCluster: { enabled: true } },
            });
            return new Backup("nightly", { cluster: basic, spec: { s3 } });
        });
        const job = find("Job", "nightly");
        assert.equal(job.inputs.metadata.namespace, "db");
        assert.ok(
            job.dependencies.includes("pulumi-nodejs:dynamic/tidb:ReadyGate::basic-ready"),
            job.dependencies.join(),
        );
        const [{ args, image, volumeMounts }] = job.inputs.spec.template.spec.containers;
        assert.match(image, /^pingcap\/br:v\d/);
        assert.ok(args.includes("--pd=basic-pd.db:2379"));
        assert.ok(args.includes("--ca=/var/lib/cluster-client-tls/ca.crt"));
        assert.deepEqual(volumeMounts, [
            { name: "cluster-client-tls", mountPath: "/var/lib/cluster-client-tls", readOnly: true },
        ]);
    });

    it("a further attempt is another Job, and the gate knows its number", async () => {
        const { find } = await backup({ attempt: 2, wait: false, timeoutSeconds: 60 });
        assert.equal(find("Job", "nightly-2").inputs.metadata.name, "backup-nightly-2");
        const { attempt, wait, timeoutSeconds } = find("JobGate", "nightly-gate").inputs;
        assert.deepEqual([attempt, wait, timeoutSeconds], [2, false, 60]);
    });

    it("a CompactBackup is a suspended Job that nothing but its gate starts", async () => {
        const { value, find } = await compact({ metadata: { namespace: "db" }, attempt: 2 });
        const job = find("Job", "week-2");
        assert.equal(job.inputs.spec.suspend, true);
        assert.deepEqual([job.inputs.metadata.name, job.inputs.metadata.namespace], ["compactbackup-week-2", "db"]);
        const gate = find("JobGate", "week-gate");
        assert.ok(gate.dependencies.includes("kubernetes:batch/v1:Job::week-2"));
        assert.deepEqual(
            [gate.inputs.does, gate.inputs.runs, gate.inputs.attempt],
            [
                "compact the log s3://backups/full of the cluster db/basic from 2026-05-04 00:00:00Z until 2026-05-11 00:00:00Z",
                ["BR (pingcap/br:v8.5.5)", "tikv-ctl (pingcap/tikv:v8.5.5)"],
                2,
            ],
        );
        assert.equal((await readOutput(value.url)).value, "s3://backups/full");
        await refuses(
            () => compact({ cluster }),
            /spec\.tikvImage: found pingcap\/tikv:v8\.5\.3, expected v8\.5\.5 or later/,
        );
        await refuses(() => compact({ allowExistingData: true } as Partial<CompactBackupArgs>), /allowExistingData/);
    });

    it("the Job of a Restore is created only after its gate saw that the cluster holds no data", async () => {
        const { find } = await restore({ cluster: { ...cluster, tls: false, instance: "mine" } });
        const gate = find("RestoreGate", "again-restore");
        const { namespace, cluster: name, instance, allowData, attempt, does } = gate.inputs;
        assert.deepEqual(
            [namespace, name, instance, allowData, attempt, does],
            ["db", "basic", "mine", false, 1, "restore s3://backups/full into the cluster db/basic"],
        );
        const job = find("Job", "again");
        assert.ok(job.dependencies.includes("pulumi-nodejs:dynamic/tidb:RestoreGate::again-restore"));
        assert.equal(job.inputs.spec.suspend, true);
        assert.ok(find("JobGate", "again-gate").dependencies.includes("kubernetes:batch/v1:Job::again"));
    });

    it("passes on that the program allows a cluster with data", async () => {
        const { find } = await restore({ allowExistingData: true });
        assert.equal(find("RestoreGate", "again-restore").inputs.allowData, true);
    });

    it("takes Outputs, also for the storage, and checks them once they are known", async () => {
        const bucket = pulumi.output("late");
        const { find } = await backup({ spec: { br, s3: { ...s3, bucket } } });
        assert.ok(
            find("Job", "nightly").inputs.spec.template.spec.containers[0].args.includes("--storage=s3://late/full"),
        );
        const token = pulumi.secret("sig");
        const azblob = { container: "c", storageAccount: "account", sasToken: token };
        const secret = await backup({ spec: { br, azblob } });
        assert.ok(secret.find("Job", "nightly").secrets.includes("spec"));
    });

    it("a Backup by Dumpling takes what it can from the TidbCluster, and each attempt has a prefix of its own", async () => {
        const run = (attempt: number) =>
            runProgram(() => {
                const basic = new TidbCluster("basic", { metadata: { namespace: "db" }, spec: basicSpec() });
                const spec = { s3: { ...s3, prefix: "monday/" }, from: { secretName: "sql" } };
                return new Backup("nightly", { cluster: basic, spec, attempt });
            });
        for (const [attempt, url, name] of [
            [1, "s3://backups/monday", "backup-nightly"],
            [2, "s3://backups/monday-2", "backup-nightly-2"],
        ] as const) {
            const { value, resources, find } = await run(attempt);
            const { metadata, spec } = resources.find(({ type }) => type === "kubernetes:batch/v1:Job")?.inputs ?? {};
            assert.deepEqual([metadata.name, metadata.namespace, spec.suspend], [name, "db", true]);
            const [{ image, args }] = spec.template.spec.containers;
            assert.match(image, /^pingcap\/dumpling:v\d/);
            assert.deepEqual(args.slice(1, 4), ["backup", url, "--host=basic-tidb.db"]);
            const gate = find("JobGate", "nightly-gate");
            assert.equal(gate.inputs.does, `dump the databases of TiDB at basic-tidb.db:4000 to ${url}`);
            assert.equal(gate.inputs.clean, undefined);
            assert.equal((await readOutput(value.url)).value, url);
        }
    });

    it("a Restore by TiDB Lightning has the gate of any restore, which asks the cluster whose Service its host is", async () => {
        const spec = { s3: { ...s3, prefix: "monday" }, to: { host: "shop-tidb.stores", secretName: "sql" } };
        const { find } = await restore({ spec, attempt: 2, metadata: { namespace: "jobs" } });
        const {
            namespace,
            cluster: name,
            instance,
            allowData,
            attempt,
            does,
        } = find("RestoreGate", "again-restore").inputs;
        assert.deepEqual(
            [namespace, name, instance, allowData, attempt, does],
            [
                "stores",
                "shop",
                "shop",
                false,
                2,
                "load the dump s3://backups/monday into TiDB at shop-tidb.stores:4000",
            ],
        );
        const job = find("Job", "again-2");
        assert.ok(job.dependencies.includes("pulumi-nodejs:dynamic/tidb:RestoreGate::again-restore"));
        assert.equal(job.inputs.metadata.namespace, "jobs");
        await refuses(
            () => restore({ spec: { ...spec, to: { host: "proxy" } }, allowExistingData: true }),
            /spec\.to\.host: found "proxy", expected <cluster>-tidb\.<namespace>/,
        );
        await refuses(
            () => backup({ spec: { s3, from: {} } }),
            /spec\.from\.host: found nothing, expected the host of TiDB/,
        );
    });

    it("a log backup has no Job in the program: its gate gets the commands, and makes the Jobs", async () => {
        const spec = { br, s3: { ...s3, prefix: "log" }, backupMode: "log", logSubcommand: "log-pause" } as const;
        const { value, resources, find } = await backup({ metadata: { namespace: "db" }, spec, attempt: 3 });
        assert.equal(value.job, undefined);
        assert.ok(!resources.some(({ type }) => type === "kubernetes:batch/v1:Job"));
        const { inputs } = find("LogBackupGate", "nightly-gate");
        const { namespace, cluster: name, of, task, storage, endpoint, wanted, attempt, timeoutSeconds } = inputs;
        assert.deepEqual(
            [namespace, name, of, task, storage, endpoint, wanted, attempt, timeoutSeconds],
            ["db", "basic", "db/basic", "nightly", "s3://backups/log", "http://minio:9000", "paused", 3, 3600],
        );
        assert.deepEqual(inputs.commands.pause, ["log", "pause", "--task-name=nightly"]);
        assert.equal(inputs.job.metadata.name, "backup-nightly-log");
        assert.equal(inputs.job.spec.template.spec.containers[0].args[0], "--pd=basic-pd.db:2379");
    });

    it("refuses a mode that is an Output, and a log backup that is not waited for", async () => {
        await refuses(
            () => backup({ spec: { br, s3, backupMode: pulumi.output("log") as never } }),
            /spec\.backupMode: found .*, expected snapshot or log, not an Output: it decides which resources exist/,
        );
        await refuses(
            () => backup({ spec: { br, s3, backupMode: "log" }, wait: false }),
            /wait: found false, expected true with spec\.backupMode log/,
        );
    });

    it("refuses every wrong argument at once, before anything is created", async () => {
        await refuses(
            () => backup({ attempt: 0, ...({ retries: 2 } as object), cluster: {} as never }),
            /^Backup nightly: 3 errors\n {2}- retries is not a known field.*\n {2}- cluster\.version: found nothing.*\n {2}- attempt: found 0/,
        );
    });

    it("refuses fields of the operator that it does not do, by name and with the reason", async () => {
        await refuses(
            () =>
                backup({
                    spec: {
                        br,
                        s3,
                        backupMode: "volume-snapshot",
                        from: { host: "h" },
                    } as never,
                }),
            /spec\.from: found a map, expected no such field; BR does not need it; only a Backup or Restore of its own, without `br`[^]*spec\.backupMode: found "volume-snapshot"/,
        );
    });

    it("with cleanPolicy Delete, its gate gets the Job that deletes its data, which has rclone in the place of BR", async () => {
        const run = (args: Partial<BackupArgs>) =>
            runProgram(() => {
                const spec = { ...basicSpec(), tlsCluster: { enabled: true } };
                const basic = new TidbCluster("basic", { metadata: { namespace: "db" }, spec });
                return new Backup("nightly", { cluster: basic, spec: { s3, cleanPolicy: "Delete" }, ...args });
            });
        const { clean } = (await run({})).find("JobGate", "nightly-gate").inputs;
        const { backup: name, url, cluster: of, storage, job, leaseUid } = clean;
        assert.deepEqual([name, url, of, typeof leaseUid], ["nightly", "s3://backups/full", "basic", "string"]);
        assert.deepEqual(storage, [
            "--storage=s3://backups/full",
            "--s3.provider=minio",
            "--s3.endpoint=http://minio:9000",
        ]);
        assert.deepEqual([job.metadata.name, job.metadata.namespace], ["clean-nightly", "db"]);
        assert.equal(job.metadata.labels["app.kubernetes.io/component"], "clean");
        assert.equal(job.spec.backoffLimit, 0);
        const [{ image, command, args, volumeMounts }] = job.spec.template.spec.containers;
        assert.deepEqual([image, command, volumeMounts], ["rclone/rclone:1.75.1", ["/bin/sh", "-c"], undefined]);
        assert.deepEqual(args.slice(1), ["clean", "store:backups/full"]);
        const mirrored = await run({ cleanImage: pulumi.output("mirror/rclone:1.70.0") });
        const gate = mirrored.find("JobGate", "nightly-gate").inputs;
        assert.equal(gate.clean.job.spec.template.spec.containers[0].image, "mirror/rclone:1.70.0");
        assert.equal(gate.clean.onFailure, undefined);
        const failing = await run({ spec: { s3, cleanPolicy: "OnFailure" } });
        assert.equal(failing.find("JobGate", "nightly-gate").inputs.clean.onFailure, true);
        const retained = await run({ spec: { s3, cleanPolicy: "Retain" } });
        assert.equal(retained.find("JobGate", "nightly-gate").inputs.clean, undefined);
    });

    it("refuses cleanPolicy Delete where no gate of a cluster would carry it out", async () => {
        const spec = { br, s3, cleanPolicy: "Delete" } as const;
        await refuses(
            () => backup({ metadata: { namespace: "db" }, spec }),
            /spec\.cleanPolicy: found Delete, expected Retain, unless `cluster` is a TidbCluster of the program, whose gates delete the data/,
        );
        await refuses(
            () => backup({ spec, cleanImage: "rclone" }),
            /cleanImage: found "rclone", expected an image with its tag, such as rclone/,
        );
    });

    it("refuses a backup of a later version than the cluster's", async () => {
        await refuses(
            () => restore({ backupVersion: "v8.5.4" }),
            /^Restore again: 1 error\n {2}- backupVersion: found v8\.5\.4, expected no later version than the cluster's: TiKV of basic has v8\.5\.3; upgrade the cluster first/,
        );
        await restore({ backupVersion: "v8.1.0" });
    });

    it("refuses BR of a version that does not work with the cluster's", async () => {
        await refuses(
            () => backup({ spec: { br, s3, toolImage: "pingcap/br:v7.5.0" } }),
            /spec\.toolImage: found pingcap\/br:v7\.5\.0, expected BR of TiKV's own version; TiKV of basic has v8\.5\.3; BR refuses this pair/,
        );
    });

    it("refuses a Job in another namespace than the Secret with the cluster's client certificate", async () => {
        await refuses(
            () => backup({ cluster: { ...cluster, tls: true }, metadata: { namespace: "elsewhere" } }),
            /metadata\.namespace: found "elsewhere", expected db, the namespace of the cluster/,
        );
    });
});
