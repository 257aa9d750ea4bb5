import * as pulumi from "@pulumi/pulumi";
import * as assert from "node:assert/strict";
import { TidbCluster, TidbInitializer, type TidbInitializerArgs } from "../../index";
import { refusesFields } from "../support/refusedFields";
import { pinnedWords, refusalOf } from "../support/pinned";
import { patienceMilliseconds, runProgram } from "./mockProgram";

const members = {
    pd: { replicas: 3, requests: { storage: "1Gi" }, config: {} },
    tikv: { replicas: 3, requests: { storage: "1Gi" }, config: {} },
};

describe("component: TidbInitializer", function () {
    this.timeout(patienceMilliseconds);
    const spec = { passwordSecret: "passwords", initSql: "create database app;" };
    const clusterOf = (tidb: object = {}): TidbCluster =>
        new TidbCluster("basic", {
            metadata: { namespace: "db" },
            spec: { version: "v8.5.3", ...members, tidb: { replicas: 2, config: {}, ...tidb } },
        });
    const run = (args: Partial<TidbInitializerArgs>, tidb?: object) =>
        runProgram(() => new TidbInitializer("init", { tidbCluster: clusterOf(tidb), spec, ...args }));

    it("creates a suspended Job once the cluster is ready, and a gate that starts it", async () => {
        const { find } = await run({});
        const job = find("Job", "init");
        assert.equal(job.inputs.metadata.name, "basic-tidb-initializer");
        assert.equal(job.inputs.metadata.namespace, "db");
        assert.equal(job.inputs.metadata.annotations["pulumi.com/skipAwait"], "true");
        assert.equal(job.inputs.spec.suspend, true);
        assert.equal(job.inputs.spec.backoffLimit, 0);
        assert.deepEqual(job.ignoreChanges, ["metadata", "spec"]);
        assert.ok(
            job.dependencies.some((one) => one.endsWith("ReadyGate::basic-ready")),
            job.dependencies.join(),
        );
        assert.ok(job.dependencies.some((one) => one.endsWith("ConfigMap::init")));
        assert.equal(job.protect ?? false, false);
        const gate = find("JobGate", "init-gate");
        const { namespace, does, attempt, attemptField, wait, timeoutSeconds, runs } = gate.inputs;
        assert.deepEqual(
            { job: gate.inputs.job, namespace, does, attempt, attemptField, wait, timeoutSeconds, runs },
            {
                job: "basic-tidb-initializer",
                namespace: "db",
                does: "initialize TidbCluster basic",
                attempt: 1,
                attemptField: "attempt",
                wait: true,
                timeoutSeconds: 3600,
                runs: ["mysqlclient (tnir/mysqlclient)"],
            },
        );
        const record = find("JobRecord", "init-record");
        assert.ok(record.dependencies.some((one) => one.endsWith("Job::init")));
        assert.ok(gate.dependencies.some((one) => one.endsWith("JobRecord::init-record")));
        assert.deepEqual(
            [record.inputs.namespace, record.inputs.job, record.inputs.jobUid],
            [namespace, gate.inputs.job, gate.inputs.jobUid],
        );
        assert.equal(record.protect, false);
    });

    it("gives its gate the Job that its record has, so a Job that was made again is not started", async () => {
        const state = (type: string, inputs: object) =>
            type.endsWith("JobRecord") ? { ...inputs, began: "uid-of-the-first" } : undefined;
        const program = () => new TidbInitializer("init", { tidbCluster: clusterOf(), spec });
        const { find, value } = await runProgram(program, { state });
        assert.equal(find("JobGate", "init-gate").inputs.began, "uid-of-the-first");
        assert.deepEqual(["plan" in value.gate, "replicas" in value.gate], [true, false]);
    });

    it("runs another attempt as another resource with another name and its own ConfigMap", async () => {
        const { resources, find } = await run({ attempt: 2, wait: false, timeoutSeconds: 5 });
        const job = find("Job", "init-2");
        assert.equal(job.inputs.metadata.name, "basic-tidb-initializer-2");
        assert.equal(find("ConfigMap", "init-2").inputs.metadata.name, "basic-tidb-initializer-2");
        assert.equal(find("JobRecord", "init-2-record").inputs.job, "basic-tidb-initializer-2");
        const names = job.inputs.spec.template.spec.volumes.map(
            ({ configMap }: { configMap?: { name: string } }) => configMap?.name,
        );
        assert.deepEqual(names, ["basic-tidb-initializer-2", undefined, "basic-tidb-initializer-2"]);
        const { attempt, wait, timeoutSeconds } = find("JobGate", "init-gate").inputs;
        assert.deepEqual({ attempt, wait, timeoutSeconds }, { attempt: 2, wait: false, timeoutSeconds: 5 });
        assert.deepEqual(
            resources.filter(({ name }) => name === "init" && !name.includes("gate")).map(({ type }) => type),
            ["tidb:index:TidbInitializer"],
        );
    });

    it("takes the port and TLS from its cluster", async () => {
        const { find } = await run({}, { service: { type: "ClusterIP", port: 3306 }, tlsClient: { enabled: true } });
        const { command } = find("Job", "init").inputs.spec.template.spec.containers[0];
        assert.ok(
            command.includes("--port=3306") && command.includes("--tls=/var/lib/tidb-client-tls"),
            command.join(" "),
        );
    });

    it("takes Outputs for texts", async () => {
        const { find } = await run({
            spec: { passwordSecret: pulumi.output("later"), initSql: pulumi.secret("select 1;") },
        });
        const [, password] = find("Job", "init").inputs.spec.template.spec.volumes;
        assert.deepEqual(password, { name: "password", secret: { secretName: "later" } });
        assert.equal(find("ConfigMap", "init").inputs.data["init-sql"], "select 1;");
    });

    it("initializes a cluster of another program by its name", async () => {
        const { find } = await runProgram(
            () =>
                new TidbInitializer("init", {
                    metadata: { namespace: "db" },
                    spec: { ...spec, cluster: { name: "basic" } },
                }),
        );
        assert.ok(find("Job", "init").inputs.spec.template.spec.containers[0].command.includes("--host=basic-tidb"));
    });

    const refused: [why: string, args: object, field: string, tidb?: object][] = [
        ["a cluster with createPassword", {}, "tidbCluster", { initializer: { createPassword: true } }],
        ["nothing to do", { spec: {} }, "spec"],
        ["another name than that of the cluster", { spec: { ...spec, cluster: { name: "b" } } }, "spec.cluster.name"],
        ["another namespace", { metadata: { namespace: "x" } }, "metadata.namespace"],
        ["an attempt that is no number", { attempt: "2" }, "attempt"],
        ["a misspelt argument", { atempt: 2 }, "atempt"],
        ["an argument inside the spec", { spec: { ...spec, attempt: 2 } }, "spec.attempt"],
        ["a cluster without TiDB", {}, "tidbCluster", { replicas: 0 }],
    ];
    for (const [why, args, field, tidb] of refused) {
        it(`refuses ${why}, before anything of it is created`, () => refusesFields(() => run(args, tidb), field));
    }
    pinnedWords(
        "initializer",
        Object.fromEntries(refused.map(([why, args, , tidb]) => [why, refusalOf(() => run(args, tidb))])),
    );
});
