import * as assert from "node:assert/strict";
import type { OperationsArgs } from "../../components/operations";
import { operationsProblems } from "../../components/operationsRules";
import { TidbCluster } from "../../components/tidbCluster";
import type { GateBackup } from "../../provider/gates/inputs";
import { refusesFields } from "../support/refusedFields";
import { pinnedWords, refusalOf } from "../support/pinned";
import { patienceMilliseconds, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

const s3 = { provider: "aws", region: "us-east-1", bucket: "backups", prefix: "last", secretName: "keys" };
const run = (operations: OperationsArgs, spec: object = {}) =>
    runProgram(() => new TidbCluster("basic", { spec: { ...basicSpec(), ...spec }, operations }));
const onDestroy = { spec: { s3 } };
const problems = (given: unknown) => operationsProblems({ backup: { onDestroy: given } });
const refused: Record<string, [path: string, given: object]> = {
    "no spec": ["spec", {}],
    "an argument of a Backup of its own": ["attempt", { ...onDestroy, attempt: 1 }],
    "no time": ["timeoutSeconds", { ...onDestroy, timeoutSeconds: 0 }],
    "an unknown field": ["spec.log", { spec: { s3, log: 1 } }],
    "a log backup": ["spec.backupMode", { spec: { s3, backupMode: "log" } }],
    "a backup that is deleted": ["spec.cleanPolicy", { spec: { s3, cleanPolicy: "Delete" } }],
    "a backup that is deleted on failure": ["spec.cleanPolicy", { spec: { s3, cleanPolicy: "OnFailure" } }],
};
const backupOf = ({ inputs }: { inputs: object }) => (inputs as { onDestroy?: GateBackup }).onDestroy;

describe("component: the last backup before a destroy", function () {
    this.timeout(patienceMilliseconds);

    it("is in the last gate, and in the one before TiKV's StatefulSet is deleted", async () => {
        const made = await run({ backup: { onDestroy } });
        const backup = backupOf(made.find("ReadyGate", "basic-ready"));
        assert.ok(backup);
        const { job, untaggedImage, url, timeoutSeconds } = backup;
        assert.deepEqual(
            [untaggedImage, url, timeoutSeconds],
            ["pingcap/br", "s3://backups/last/PULUMI-TIDB-FOLDER", 3600],
        );
        assert.deepEqual(job.spec.template.spec.containers[0].args.slice(0, 4), [
            "backup",
            "full",
            "--pd=basic-pd.default:2379",
            "--storage=s3://backups/last/PULUMI-TIDB-FOLDER",
        ]);
        const { labels, annotations } = job.metadata as typeof job.metadata & { labels: Record<string, string> };
        assert.equal(labels["tidb.pingcap.com/backup"], "on-destroy");
        assert.equal(labels["app.kubernetes.io/component"], "backup");
        assert.equal(labels["app.kubernetes.io/instance"], "basic");
        assert.match(annotations?.["pulumi-tidb.io/job-revision"] ?? "", /^[0-9a-f]{12}$/);
        assert.deepEqual(backupOf(made.find("RolloutGate", "basic-tikv-rollout")), backup);
        for (const other of ["pd", "tidb"]) {
            assert.equal(backupOf(made.find("RolloutGate", `basic-${other}-rollout`)), undefined);
        }
        const { prerequisites } = made.find("ClusterGate", "basic-cluster").inputs as {
            prerequisites: { traits: string[] };
        };
        assert.ok(prerequisites.traits.includes("backup"));
    });

    it("does not change with the version of the cluster, and does with its storage", async () => {
        const ofRun = async (operations: OperationsArgs, spec?: object) =>
            backupOf((await run(operations, spec)).find("ReadyGate", "basic-ready"));
        const backup = await ofRun({ backup: { onDestroy } });
        assert.deepEqual(await ofRun({ backup: { onDestroy } }, { version: "v8.5.5" }), backup);
        const other = await ofRun({ backup: { onDestroy: { spec: { s3: { ...s3, bucket: "other" } } } } });
        const revision = (of: GateBackup | undefined) => of?.job.metadata.annotations?.["pulumi-tidb.io/job-revision"];
        assert.notEqual(revision(other), revision(backup));
    });

    it("comes before everything of the cluster: nothing is deleted beside the gate", async () => {
        const made = await run({ disruptionBudgets: "gates" });
        const { dependencies } = made.find("ReadyGate", "basic-ready");
        for (const [type, end] of [
            ["PodDisruptionBudget", "basic-tikv"],
            ["Service", "basic-pd"],
        ]) {
            assert.ok(
                dependencies.some((one) => one.includes(`:${type}::${end}`)),
                `${type} ${end}: ${dependencies.join()}`,
            );
        }
    });

    it("is not there unless the program asks for it", async () => {
        const made = await run({});
        assert.ok(made.resources.every((one) => backupOf(one) === undefined));
    });

    it("is checked as a Backup, with the fields of the program", () => {
        const field = "operations.backup.onDestroy";
        assert.deepEqual(problems(onDestroy), []);
        for (const [path, given] of Object.values(refused)) {
            assert.deepEqual(
                problems(given).map((one) => one.field),
                [`${field}.${path}`],
            );
        }
    });

    const { pd, tikv, ...others } = basicSpec() as { pd: object; tikv: object } & object;
    const joined = { ...others, cluster: { name: "first" } };
    const cluster = (spec: object) => () =>
        runProgram(() => new TidbCluster("basic", { spec, operations: { backup: { onDestroy } } } as never));
    pinnedWords("backup-on-destroy", {
        ...Object.fromEntries(
            Object.entries(refused).map(([title, [, given]]) => [
                title,
                () =>
                    problems(given)
                        .map(({ message }) => message)
                        .join("\n"),
            ]),
        ),
        "a cluster without a PD of its own": refusalOf(cluster({ ...joined, tikv })),
        "a cluster without TiKV": refusalOf(cluster({ ...joined, pd })),
    });

    it("is refused for a cluster without a PD or a TiKV of its own", async () => {
        for (const spec of [
            { ...joined, tikv },
            { ...joined, pd },
        ]) {
            await refusesFields(cluster(spec), "operations.backup.onDestroy.spec");
        }
    });
});
