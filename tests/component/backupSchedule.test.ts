import * as pulumi from "@pulumi/pulumi";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { Backup, BackupSchedule, type BackupScheduleArgs, TidbCluster } from "../../index";
import { refusesFields } from "../support/refusedFields";
import { pinnedWords, refusalOf } from "../support/pinned";
import { patienceMilliseconds, readOutput, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

const s3 = {
    provider: "minio",
    endpoint: "http://minio:9000",
    bucket: "backups",
    prefix: "nightly",
    secretName: "keys",
};
const cluster = { version: "v8.5.3" };
const br = { cluster: "basic", clusterNamespace: "db" };
const spec = { schedule: "0 2 * * *", maxBackups: 7, backupTemplate: { br, s3 } };

const schedule = (args: Partial<BackupScheduleArgs>) =>
    runProgram(() => new BackupSchedule("nightly", { cluster, spec, ...args }));

const suspended = { suspendAction: { suspendStatefulSet: true } };
const warned = async (cluster: object, pause = false, tidb: object = {}) => {
    const { warnings } = await runProgram(() => {
        const basic = basicSpec();
        const own = new TidbCluster("basic", {
            metadata: { namespace: "db" },
            spec: { ...basic, ...cluster, tidb: { ...(basic.tidb as { replicas: number }), ...tidb } },
        });
        return new BackupSchedule("nightly", {
            cluster: own,
            spec: { ...spec, pause, backupTemplate: { s3 } },
        });
    });
    return warnings.filter((one) => one.includes("spec.pause"));
};
const both = (prefix: string, first: "Backup" | "BackupSchedule") =>
    runProgram(() => {
        const make = {
            Backup: () => new Backup("full", { cluster, spec: { br, s3: { ...s3, prefix } } }),
            BackupSchedule: () => new BackupSchedule("nightly", { cluster, spec }),
        };
        make[first]();
        make[first === "Backup" ? "BackupSchedule" : "Backup"]();
    });

describe("component: BackupSchedule", function () {
    this.timeout(patienceMilliseconds);

    it("is a CronJob, with a gate that knows the Secrets of its runs", async () => {
        const { value, find } = await schedule({ metadata: { namespace: "db" }, timeZone: "Europe/Berlin" });
        const { metadata, spec: found } = find("CronJob", "nightly").inputs;
        assert.deepEqual([metadata.name, metadata.namespace], ["backup-nightly", "db"]);
        assert.deepEqual([found.schedule, found.timeZone, found.suspend], ["0 2 * * *", "Europe/Berlin", false]);
        assert.equal((await readOutput(value.url)).value, "s3://backups/nightly");
        const { namespace, job, secrets } = find("ScheduleGate", "nightly-gate").inputs;
        const from = ["--from-literal=access_key=…", "--from-literal=secret_key=…"];
        assert.deepEqual([namespace, job, secrets], ["db", "backup-nightly-…", [{ name: "keys", from }]]);
        const paused = await schedule({ spec: { ...spec, pause: true } });
        assert.deepEqual(paused.find("ScheduleGate", "nightly-gate").inputs.secrets, []);
    });

    it("waits for the TidbCluster of the program, and takes its name, namespace, version and TLS", async () => {
        const { find } = await runProgram(() => {
            const basic = new TidbCluster("basic", {
                metadata: { namespace: "db" },
                spec: { ...basicSpec(), tlsCluster: { enabled: true } },
            });
            return new BackupSchedule("nightly", { cluster: basic, spec: { ...spec, backupTemplate: { s3 } } });
        });
        const job = find("CronJob", "nightly");
        assert.equal(job.inputs.metadata.namespace, "db");
        assert.ok(job.dependencies.includes("pulumi-nodejs:tidb:ReadyGate::basic-ready"), job.dependencies.join());
        const pod = job.inputs.spec.jobTemplate.spec.template.spec;
        assert.ok(pod.initContainers[0].args.includes("--pd=basic-pd.db:2379"));
        assert.ok(pod.initContainers[0].args.includes("--ca=/var/lib/cluster-client-tls/ca.crt"));
        assert.equal(pod.containers[0].args[3], "basic-pd.db-2379-nightly-");
    });

    it("looks into the Kubernetes cluster of its TidbCluster, unless it has an access of its own", async () => {
        for (const [own, expected] of [
            [{}, { kubeconfig: "/kube/one", context: "prod" }],
            [{ context: "other" }, { context: "other" }],
            [{ kubeconfig: "/kube/two" }, { kubeconfig: "/kube/two" }],
        ] as const) {
            const { find } = await runProgram(() => {
                const basic = new TidbCluster("basic", {
                    spec: basicSpec(),
                    kubeconfig: "/kube/one",
                    context: "prod",
                });
                return new BackupSchedule("nightly", {
                    cluster: basic,
                    spec: { ...spec, backupTemplate: { s3 } },
                    ...own,
                });
            });
            assert.deepEqual(find("ScheduleGate", "nightly-gate").inputs.access, expected);
        }
    });

    it("warns while PD or TiKV of its cluster is suspended, unless it is paused", async () => {
        assert.equal((await warned(suspended)).length, 1);
        const { tikv } = basicSpec();
        assert.equal((await warned({ tikv: { ...(tikv as object), ...suspended } })).length, 1);
        assert.deepEqual(await warned({}, false, suspended), []);
        assert.deepEqual(await warned(suspended, true), []);
        assert.deepEqual(await warned({}), []);
    });

    it("whose folders are in the path of a Backup of the program warns, whichever of the two comes first", async () => {
        const after = await both("nightly", "Backup");
        assert.equal(after.warnings.length, 1);
        assert.ok(after.warnings[0].startsWith("spec.backupTemplate.s3.prefix: "));
        const before = await both("nightly", "BackupSchedule");
        assert.ok(before.find("JobGate", "full-gate").inputs.caution.includes("BackupSchedule nightly"));
        assert.deepEqual(before.warnings, []);
        assert.deepEqual((await both("other", "Backup")).warnings, []);
    });

    it("takes Outputs, and checks them once they are known", async () => {
        const bucket = pulumi.output("late");
        const late = { ...spec, backupTemplate: { br, s3: { ...s3, bucket } } };
        const { find } = await schedule({ spec: late, startingDeadlineSeconds: pulumi.output(600) });
        const { startingDeadlineSeconds, jobTemplate } = find("CronJob", "nightly").inputs.spec;
        assert.equal(startingDeadlineSeconds, 600);
        assert.ok(jobTemplate.spec.template.spec.initContainers[0].args.includes("s3://late/nightly/"));
    });

    const nested = (more: object) => ({ spec: { ...spec, ...more } });
    const refused: Record<string, [args: object, ...fields: string[]]> = {
        "every wrong argument at once": [{ cluster: {}, wait: false }, "wait", "cluster.version"],
        "a schedule that is none": [nested({ schedule: "never" }), "spec.schedule"],
        "a time zone that is none": [{ timeZone: "Mars" }, "timeZone"],
        "an argument in its spec": [nested({ timeZone: "Etc/UTC" }), "spec.timeZone"],
        "an argument of a Backup in its template": [
            nested({ backupTemplate: { ...spec.backupTemplate, attempt: 2 } }),
            "spec.backupTemplate.attempt",
        ],
    };
    for (const [title, [args, ...fields]] of Object.entries(refused)) {
        it(`refuses ${title}, before anything is created`, () => refusesFields(() => schedule(args), ...fields));
    }

    pinnedWords("backup-schedule", {
        ...Object.fromEntries(
            Object.entries(refused).map(([title, [args]]) => [title, refusalOf(() => schedule(args))]),
        ),
        "its folders are in the path of a Backup": async () => (await both("nightly", "Backup")).warnings.join("\n"),
        "a Backup is in the path of its folders": async () =>
            (await both("nightly", "BackupSchedule")).find("JobGate", "full-gate").inputs.caution as string,
        "PD is suspended": async () => (await warned(suspended)).join("\n"),
    });

    it("comes from a manifest of tidb-operator", async () => {
        const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-schedule-"));
        const file = path.join(folder, "schedule.yaml");
        const metadata = { name: "daily", namespace: "db" };
        const object = { apiVersion: "pingcap.com/v1alpha1", kind: "BackupSchedule", metadata, spec };
        writeFileSync(file, `kind: ConfigMap\n---\n${JSON.stringify(object)}\n`);
        const { find } = await runProgram(() => BackupSchedule.fromYaml("nightly", file, { cluster }));
        rmSync(folder, { recursive: true });
        assert.equal(find("CronJob", "nightly").inputs.metadata.name, "backup-daily");
    });
});
