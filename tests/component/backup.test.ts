import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as assert from "node:assert/strict";
import {
    Backup,
    type BackupArgs,
    BackupSchedule,
    CompactBackup,
    type CompactBackupArgs,
    Restore,
    type RestoreArgs,
    TidbCluster,
    TidbInitializer,
} from "../../index";
import { patienceMilliseconds, type ProgramRun, readOutput, runProgram } from "./mockProgram";
import { refusesFields } from "../support/refusedFields";
import { pinnedWords, refusalOf } from "../support/pinned";
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
    /** Which component of the program a caution or a refusal names; empty if there is none. */
    const named = (words: unknown) => / that of (.+) in the same program/.exec(words as string)?.[1] ?? words;

    it("of two Backups of one program with one storage and one path neither may begin, also where only an Output says it", async () => {
        // The first in the program may be the new one, and the second one has run.
        assert.deepEqual((await refusals(twice({}, {}))).map(named), ["Backup second", "Backup first"]);
        assert.deepEqual(await cautions(twice({}, {})), ["", ""]);
        assert.deepEqual(await refusals(twice({}, { spec: { br, s3: { ...s3, prefix: "other" } } })), ["", ""]);
        const prefix = pulumi.output(Promise.resolve("full"));
        const [, late] = await refusals(twice({}, { spec: { br, s3: { ...s3, prefix } } }));
        assert.equal(named(late), "Backup first");
        const { find } = await runProgram(() => {
            for (const name of ["first", "second"]) {
                new Backup(name, { cluster, spec: { br, s3, backupMode: "log" } });
            }
        });
        assert.equal(named(find("LogBackupGate", "second-gate").inputs.refusal), "Backup first");
    });

    it("two Backups of one Pulumi name under different parents are compared too", async () => {
        class Team extends pulumi.ComponentResource {
            constructor(type: string) {
                super(`shop:index:${type}`, "team", {});
                const spec = { br: { ...br, cluster: type }, s3 };
                new Backup("nightly", { cluster, spec }, { parent: this });
            }
        }
        const { resources } = await runProgram(() => ["Eu", "Us"].map((type) => new Team(type)));
        const gates = resources.filter(({ type }) => type.endsWith("JobGate"));
        assert.equal(gates.length, 2);
        for (const { inputs } of gates) {
            assert.equal(named(inputs.refusal), "Backup nightly");
        }
        // One alone does not meet itself.
        const alone = await runProgram(() => new Team("Eu"));
        assert.equal(alone.find("JobGate", "nightly-gate").inputs.refusal, "");
    });

    it("of two Backups whose storages may differ the gate of the second warns", async () => {
        const elsewhere = { spec: { br: { ...br, clusterNamespace: "other" }, s3 }, metadata: { namespace: "db" } };
        const inDb = { metadata: { namespace: "db" } };
        assert.deepEqual(await refusals(twice(inDb, elsewhere)), ["", ""]);
        assert.deepEqual((await cautions(twice(inDb, elsewhere))).map(named), ["", "Backup first"]);
        const { find } = await runProgram(() => {
            const provider = new k8s.Provider("another", {});
            new Backup("first", { cluster, spec: { br, s3 } });
            new Backup("second", { cluster, spec: { br, s3 } }, { provider });
        });
        assert.equal(named(find("JobGate", "second-gate").inputs.caution), "Backup first");
    });

    describe("in the path of a Restore of the program", () => {
        const program = (make: (() => unknown)[]) => runProgram(() => make.forEach((one) => one()));
        const load = (given: Partial<RestoreArgs> = {}) => new Restore("load", { cluster, spec: { br, s3 }, ...given });
        const save = (given: Partial<BackupArgs> = {}) => new Backup("save", { cluster, spec: { br, s3 }, ...given });
        const gateOf = async (make: (() => unknown)[]) => (await program(make)).find("JobGate", "save-gate").inputs;
        it("a Backup that comes after it may not begin", async () => {
            assert.equal(named((await gateOf([() => load(), () => save()])).refusal), "Restore load");
            const prefix = pulumi.output(Promise.resolve("full"));
            const late = () => save({ spec: { br, s3: { ...s3, prefix } } });
            assert.equal(named((await gateOf([() => load(), late])).refusal), "Restore load");
        });

        it("a Backup is warned of it where the storages may differ", async () => {
            const elsewhere = () => save({ spec: { br: { ...br, clusterNamespace: "other" }, s3 } });
            const { caution, refusal } = await gateOf([() => load(), elsewhere]);
            assert.deepEqual([caution, refusal].map(named), ["Restore load", ""]);
        });

        it("a Backup that comes before it may be the one that it restores, and a log goes on where it was", async () => {
            const { caution, refusal } = await gateOf([() => save(), () => load()]);
            assert.deepEqual([caution, refusal], ["", ""]);
            const log = () => save({ spec: { br, s3, backupMode: "log" } });
            const { find } = await program([() => load(), log]);
            assert.equal(find("LogBackupGate", "save-gate").inputs.refusal, "");
        });

        it("a BackupSchedule writes into folders of its own", async () => {
            const spec = { schedule: "0 2 * * *", maxBackups: 3, backupTemplate: { br, s3 } };
            const metadata = { namespace: "db" };
            const { warnings } = await program([
                () => load(),
                () => new BackupSchedule("often", { cluster, metadata, spec }),
            ]);
            assert.deepEqual(warnings, []);
        });
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
            assert.equal(
                named(find("JobGate", "nightly-gate").inputs.caution),
                `operations.backup.${when} of TidbCluster basic`,
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
        assert.deepEqual(warnings.map(named), ["Backup nightly"]);
    });

    it("two dumps are told apart by their attempts", async () => {
        const from = { from: { host: "basic-tidb.db" }, s3 };
        assert.deepEqual(await refusals(twice({ spec: from }, { spec: from, attempt: 2 })), ["", ""]);
        const [, second] = await refusals(twice({ spec: from, attempt: 2 }, { spec: from, attempt: 2 }));
        assert.equal(named(second), "Backup first");
    });

    it("a Backup at the root of its bucket is warned of by its gate before it runs", async () => {
        const caution = async (prefix: string) =>
            (await backup({ spec: { br, s3: { ...s3, prefix } } })).find("JobGate", "nightly-gate").inputs.caution;
        assert.notEqual(await caution(""), "");
        assert.equal(await caution("full"), "");
        const log = await backup({ spec: { br, s3: { ...s3, prefix: "" }, backupMode: "log" } });
        assert.notEqual(log.find("LogBackupGate", "nightly-gate").inputs.caution, "");
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
            await refusesFields(() => backup({ spec }), `spec.${name}`);
        }
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
        assert.ok(job.dependencies.includes("pulumi-nodejs:tidb:ReadyGate::basic-ready"), job.dependencies.join());
        const [{ args, image, volumeMounts }] = job.inputs.spec.template.spec.containers;
        assert.equal(image, `pingcap/br:${basicSpec().version}`);
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
        assert.ok(job.dependencies.includes("pulumi-nodejs:tidb:RestoreGate::again-restore"));
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
            assert.equal(image, `pingcap/dumpling:${basicSpec().version}`);
            assert.deepEqual(args.slice(1, 4), ["backup", url, "--host=basic-tidb.db"]);
            const gate = find("JobGate", "nightly-gate");
            assert.equal(gate.inputs.does, `dump the databases of TiDB at basic-tidb.db:4000 to ${url}`);
            assert.equal(gate.inputs.clean, undefined);
            assert.equal((await readOutput(value.url)).value, url);
        }
    });

    it("a Restore does not load what an earlier attempt of a Backup has left, wherever in the program it stands", async () => {
        const spec = { s3: { ...s3, prefix: "monday" } };
        const run = (attempt: number, prefix: string, isFirst = false) =>
            runProgram(() => {
                const load = () =>
                    new Restore("again", {
                        cluster,
                        metadata: { namespace: "db" },
                        spec: { s3: { ...s3, prefix }, to: { host: "basic-tidb.db", secretName: "sql" } },
                    });
                const dump = () =>
                    new Backup("monday", {
                        ...{ cluster, attempt, metadata: { namespace: "db" } },
                        spec: { ...spec, from: { host: "basic-tidb.db", secretName: "sql" } },
                    });
                (isFirst ? [load, dump] : [dump, load]).forEach((make) => make());
            });
        const refusal = async (...args: Parameters<typeof run>) =>
            (await run(...args)).find("JobGate", "again-gate").inputs.refusal as string;
        for (const isFirst of [false, true]) {
            assert.ok((await refusal(2, "monday", isFirst)).includes(" s3://backups/monday,"));
        }
        assert.ok((await refusal(3, "monday-2")).includes(" s3://backups/monday-2,"));
        assert.notEqual(await refusal(2, ""), "");
        for (const [attempt, prefix] of [
            [1, "monday"],
            [2, "monday-2"],
            [2, "tuesday"],
        ] as const) {
            assert.equal(await refusal(attempt, prefix), "");
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
        assert.ok(job.dependencies.includes("pulumi-nodejs:tidb:RestoreGate::again-restore"));
        assert.equal(job.inputs.metadata.namespace, "jobs");
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

    type Refused = [run: () => Promise<unknown>, ...fields: string[]];
    const lightning = { s3: { ...s3, prefix: "monday" }, to: { host: "proxy" } };
    const cleaned = { br, s3, cleanPolicy: "Delete" } as const;
    const ofOperator = { br, s3, backupMode: "volume-snapshot", from: { host: "h" } } as never;
    const asArgument = (spec: object) => ({ spec: { br, s3, ...spec } }) as never;
    const refused: Record<string, Refused> = {
        "every wrong argument at once": [
            () => backup({ attempt: 0, ...({ retries: 2 } as object), cluster: {} as never }),
            ...["retries", "cluster.version", "attempt"],
        ],
        "an argument of a Backup in its spec": [() => backup(asArgument({ attempt: 2 })), "spec.attempt"],
        "an argument of a Restore in its spec": [
            () => restore(asArgument({ allowExistingData: true })),
            "spec.allowExistingData",
        ],
        "an unknown field": [() => backup(asArgument({ retries: 2 })), "spec.retries"],
        "an argument of a Restore in a CompactBackup": [
            () => compact({ allowExistingData: true } as Partial<CompactBackupArgs>),
            "allowExistingData",
        ],
        "a CompactBackup of a version without it": [() => compact({ cluster }), "spec.tikvImage"],
        "a Restore by TiDB Lightning to a host that is no Service": [
            () => restore({ spec: lightning, allowExistingData: true }),
            "spec.to.host",
        ],
        "a Backup by Dumpling from nowhere": [() => backup({ spec: { s3, from: {} } }), "spec.from.host"],
        "a mode that is an Output": [
            () => backup({ spec: { br, s3, backupMode: pulumi.output("log") as never } }),
            "spec.backupMode",
        ],
        "a log backup that is not waited for": [
            () => backup({ spec: { br, s3, backupMode: "log" }, wait: false }),
            "wait",
        ],
        "fields of the operator that it does not do": [
            () => backup({ spec: ofOperator }),
            ...["spec.from", "spec.backupMode"],
        ],
        "cleanPolicy Delete where no gate of a cluster would carry it out": [
            () => backup({ metadata: { namespace: "db" }, spec: cleaned }),
            "spec.cleanPolicy",
        ],
        "an image for cleaning without a tag": [() => backup({ spec: cleaned, cleanImage: "rclone" }), "cleanImage"],
        "a backup of a later version than the cluster's": [() => restore({ backupVersion: "v8.5.4" }), "backupVersion"],
        "BR of a version that does not work with the cluster's": [
            () => backup({ spec: { br, s3, toolImage: "pingcap/br:v7.5.0" } }),
            "spec.toolImage",
        ],
        "a Job in another namespace than the Secret with the cluster's client certificate": [
            () => backup({ cluster: { ...cluster, tls: true }, metadata: { namespace: "elsewhere" } }),
            "metadata.namespace",
        ],
    };
    for (const [title, [run, ...fields]] of Object.entries(refused)) {
        it(`refuses ${title}`, () => refusesFields(run, ...fields));
    }

    it("takes a backup of an earlier version than the cluster's", () => restore({ backupVersion: "v8.1.0" }));

    const wordsOf = (run: () => Promise<ProgramRun<unknown>>, gate: string) => async () => {
        const { caution, refusal } = (await run()).find("JobGate", gate).inputs;
        return [caution, refusal].join("");
    };
    const inDb = { metadata: { namespace: "db" } };
    const elsewhere = { spec: { br: { ...br, clusterNamespace: "other" }, s3 }, ...inDb };
    const dump = { host: "basic-tidb.db", secretName: "sql" };
    pinnedWords("backup", {
        ...Object.fromEntries(Object.entries(refused).map(([title, [run]]) => [title, refusalOf(run)])),
        "two Backups write to one path": wordsOf(() => twice({}, {}), "second-gate"),
        "two Backups may write to one path": wordsOf(() => twice(inDb, elsewhere), "second-gate"),
        "a Backup writes to the path of a Restore": wordsOf(
            () =>
                runProgram(() => {
                    new Restore("load", { cluster, spec: { br, s3 } });
                    new Backup("save", { cluster, spec: { br, s3 } });
                }),
            "save-gate",
        ),
        "a Restore reads what an earlier attempt has left": wordsOf(
            () =>
                runProgram(() => {
                    new Backup("monday", { cluster, attempt: 2, ...inDb, spec: { s3, from: dump } });
                    new Restore("again", { cluster, ...inDb, spec: { s3, to: dump } });
                }),
            "again-gate",
        ),
        "a Backup writes to the root of its bucket": wordsOf(
            () => backup({ spec: { br, s3: { ...s3, prefix: "" } } }),
            "nightly-gate",
        ),
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
});
