import * as pulumi from "@pulumi/pulumi";
import * as assert from "node:assert/strict";
import type { OperationsArgs } from "../../components/operations";
import { operationsProblems } from "../../components/operationsRules";
import { TidbCluster } from "../../components/tidbCluster";
import type { BeforeUpgradeProgramInputs } from "../../provider/gates/inputs";
import { patienceMilliseconds, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

const s3 = { provider: "aws", region: "us-east-1", bucket: "backups", prefix: "upgrades", secretName: "keys" };
const run = (operations: OperationsArgs) =>
    runProgram(() => new TidbCluster("basic", { spec: basicSpec(), operations }));
const problems = (beforeUpgrade: unknown) =>
    operationsProblems({ backup: { beforeUpgrade } }).map(({ field }) => field);

describe("component: the backup before an upgrade", function () {
    this.timeout(patienceMilliseconds);

    it("has a gate before every member, with the Job of a Backup, for the versions of the program", async () => {
        const made = await run({ backup: { beforeUpgrade: { spec: { s3, br: { concurrency: 8 } } } } });
        const { inputs } = made.find("BeforeUpgradeGate", "basic-before-upgrade");
        const { job, untaggedImage, url, attempt, timeoutSeconds, tags } =
            inputs as unknown as BeforeUpgradeProgramInputs;
        assert.equal(untaggedImage, "pingcap/br");
        assert.equal(url, "s3://backups/upgrades/PULUMI-TIDB-FOLDER");
        assert.deepEqual([attempt, timeoutSeconds], [1, 3600]);
        assert.deepEqual(Object.keys(tags).sort(), ["pd", "tidb", "tikv"]);
        const { args } = job.spec.template.spec.containers[0];
        assert.deepEqual(args.slice(0, 4), [
            "backup",
            "full",
            "--pd=basic-pd.default:2379",
            "--storage=s3://backups/upgrades/PULUMI-TIDB-FOLDER",
        ]);
        assert.ok(args.includes("--concurrency=8"));
        const { labels } = job.metadata as unknown as { labels: Record<string, string> };
        assert.equal(labels["tidb.pingcap.com/backup"], "before-upgrade");
        assert.equal(labels["app.kubernetes.io/component"], "backup");
        assert.equal(labels["app.kubernetes.io/instance"], "basic");
        const pd = made.find("ScaleGate", "basic-pd-scale");
        assert.ok(pd.dependencies.includes("pulumi-nodejs:tidb:BeforeUpgradeGate::basic-before-upgrade"));
        assert.ok(made.value.beforeUpgradeGate);
        const { prerequisites } = made.find("ClusterGate", "basic-cluster").inputs as {
            prerequisites: { traits: string[] };
        };
        assert.ok(prerequisites.traits.includes("backup"));
    });

    it("has a digest of what it is to be: the storage is in it, and the version is not", async () => {
        const digest = async (bucket: string, spec: object = {}) => {
            const backup = { beforeUpgrade: { spec: { s3: { ...s3, bucket }, ...spec } } };
            const { inputs } = (await run({ backup })).find("BeforeUpgradeGate", "basic-before-upgrade");
            const { metadata } = (inputs as unknown as BeforeUpgradeProgramInputs).job;
            return metadata.annotations?.["pulumi-tidb.io/job-revision"];
        };
        const first = await digest("a");
        assert.match(first ?? "", /^[0-9a-f]{12}$/);
        assert.notEqual(await digest("b"), first);
        assert.equal(await digest("a", { toolImage: "mirror/br:v8.5.1" }), first);
    });

    it("is rendered also where an Output is in the spec, and where the version is one", async () => {
        for (const late of [{ timezone: pulumi.output("UTC") }, { version: pulumi.output("v8.5.4") }]) {
            const { find } = await runProgram(
                () =>
                    new TidbCluster("basic", {
                        spec: { ...basicSpec(), ...late },
                        operations: { backup: { beforeUpgrade: { spec: { s3 } }, onDestroy: { spec: { s3 } } } },
                    }),
            );
            const { untaggedImage, tags } = find("BeforeUpgradeGate", "basic-before-upgrade")
                .inputs as unknown as BeforeUpgradeProgramInputs;
            assert.equal(untaggedImage, "pingcap/br");
            assert.equal(tags.tikv, "version" in late ? "v8.5.4" : "v8.5.3");
            assert.ok(find("ReadyGate", "basic-ready").inputs.onDestroy);
        }
    });

    it("keeps the tag of its own image", async () => {
        const made = await run({ backup: { beforeUpgrade: { spec: { s3, toolImage: "mirror/br:v8.5.1" } } } });
        const { job, untaggedImage } = made.find("BeforeUpgradeGate", "basic-before-upgrade")
            .inputs as unknown as BeforeUpgradeProgramInputs;
        assert.equal(untaggedImage, undefined);
        assert.equal(job.spec.template.spec.containers[0].image, "mirror/br:v8.5.1");
    });

    it("is not there unless the program asks for it", async () => {
        const made = await run({ backup: { duringBackup: "wait" } });
        assert.deepEqual(
            made.resources.filter(({ type }) => type.endsWith("BeforeUpgradeGate")),
            [],
        );
        assert.equal(made.value.beforeUpgradeGate, undefined);
    });

    it("is checked as a Backup, with the fields of the program", () => {
        const field = "operations.backup.beforeUpgrade";
        for (const [spec, path] of [
            [{ commitTs: "1" }, "commitTs"],
            [{ br: { timeAgo: "24h" } }, "br.timeAgo"],
            ...[
                "--storage=s3://x/y",
                "-s",
                "--backupts=1",
                "--lastbackupts=1",
                "--timeago=1h",
                "--pd=other",
                "--help",
            ].map((option) => [{ br: { options: [option] } }, "br.options[0]"] as const),
        ] as const) {
            assert.deepEqual(problems({ spec: { s3, ...spec } }), [`${field}.spec.${path}`]);
        }
        assert.deepEqual(problems({ spec: { s3 } }), []);
        for (const [given, path] of [
            [{}, "spec"],
            [{ spec: { s3, log: 1 } }, "spec.log"],
            [{ spec: {} }, "spec"],
            [{ spec: { s3 }, attempt: 0 }, "attempt"],
            [{ spec: { s3, cleanPolicy: "Delete" } }, "spec.cleanPolicy"],
            [{ spec: { s3, backupMode: "log" } }, "spec.backupMode"],
        ] as const) {
            assert.deepEqual(problems(given), [`${field}.${path}`]);
        }
    });
});
