import assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { commandLine } from "../../../bin/pulumi-tidb";
import { claimOf } from "../../support/lifecycle/observations";
import { pinnedWords } from "../../support/pinned";
import { basic, type PlanCase, planOf, planOfFile } from "./livePlan";

const same = JSON.stringify(basic());
const upgraded = JSON.stringify(basic({ version: "v8.5.4" }));
const refused = JSON.stringify(basic({ tikv: { replicas: 2 } }));

describe("pulumi-tidb plan", () => {
    it("ends with 0 if nothing is refused, and on request with 2 if there is work", async () => {
        const detailedExitcode = true;
        const codes = [
            await planOfFile(same),
            await planOfFile(upgraded),
            await planOfFile(same, { options: { detailedExitcode } }),
            await planOfFile(upgraded, { options: { detailedExitcode } }),
            await planOfFile(same, { options: { detailedExitcode }, world: { lease: undefined, live: {} } }),
        ].map(({ exitCode, errors }) => [exitCode, errors]);
        assert.deepEqual(codes, [
            [0, ""],
            [0, ""],
            [0, ""],
            [2, ""],
            [2, ""],
        ]);
    });

    it("ends with 1 and one line for a refusal, and prints the plan with its reason", async () => {
        for (const detailedExitcode of [false, true]) {
            const run = await planOfFile(refused, { options: { output: "markdown", detailedExitcode } });
            assert.equal(run.exitCode, 1);
            assert.equal(run.errors.split("\n").length, 1 + 1);
            assert.ok(run.errors.includes("tikv-scale") && run.output.includes("spec.tikv.replicas: "));
        }
    });

    it("says once that the cluster cannot be reached, and prints no plan", async () => {
        const failure = new KubernetesApiError("read Lease basic-pulumi-tidb at https://k8s: no answer", undefined);
        const two = `${same}\n---\n${JSON.stringify({ ...basic(), metadata: { name: "two", namespace: "tidb" } })}`;
        const { output, errors, exitCode } = await planOfFile(two, { world: { failure } });
        assert.deepEqual([output, exitCode], ["", 1]);
        assert.equal(errors.split("\n").length, 1 + 1);
    });

    it("refuses a bad manifest before it asks any cluster", async () => {
        const bad = JSON.stringify(basic({ tikv: { replicas: -1 } }));
        const { output, errors, exitCode, world } = await planOfFile(bad);
        assert.deepEqual([output, exitCode, world.looks], ["", 1, []]);
        assert.ok(errors.includes("\n  - spec.tikv.replicas: "));
    });

    for (const address of ["localhost:2379", "foo", "http://pd:2379,pd-1", "http://pd:2379/path", ""]) {
        it(`refuses --pd-address "${address}", which is not an address of PD`, async () => {
            const program = commandLine().exitOverride();
            const plan = program.commands.find((command) => command.name() === "plan");
            plan?.exitOverride().configureOutput({ writeErr: () => undefined });
            await assert.rejects(
                program.parseAsync(["plan", "cluster.yaml", "--pd-address", address], { from: "user" }),
                { code: "commander.invalidArgument" },
            );
        });
    }

    it("passes the operations on, and refuses fields that a program's operations do not have", async () => {
        const operations = "operations.yaml";
        const run = (text: string) =>
            planOfFile(same, { options: { operations }, files: { [operations]: text } }).then(
                ({ errors, exitCode }) => ({ errors, exitCode }),
            );
        assert.deepEqual(await run("timeouts: { podReadySeconds: 60 }"), { errors: "", exitCode: 0 });
        assert.deepEqual(await run(""), { errors: "", exitCode: 0 });
        const wrong = await run("timeouts: { podReady: 60 }\noperations: {}");
        assert.equal(wrong.exitCode, 1);
        for (const field of ["operations.operations", "operations.timeouts.podReady"]) {
            assert.ok(wrong.errors.includes(`\n  - ${field} `), wrong.errors);
        }
        assert.equal((await run("{}\n---\n{}")).exitCode, 1);
        for (const path of ["nope.yaml", "-"]) {
            assert.equal((await planOfFile(same, { options: { operations: path } })).exitCode, 1);
        }
    });

    it("fails with --strict on warnings of the manifest, and prints the plan in each format with what it fails on", async () => {
        const doubtful = JSON.stringify(basic({ version: "v8.5.4", tlsCluster: { enableDiscoveryMTLS: true } }));
        const ignored = `${upgraded}\n---\n{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other"}}`;
        for (const [file, warning] of [
            [doubtful, "enableDiscoveryMTLS"],
            [ignored, "ConfigMap"],
        ] as const) {
            for (const output of ["text", "markdown", "json"] as const) {
                const lax = await planOfFile(file, { options: { output } });
                assert.equal(lax.exitCode, 0);
                assert.ok(lax.errors.startsWith("warning: "));
                const strict = await planOfFile(file, { options: { output, strict: true } });
                assert.deepEqual([strict.exitCode, strict.output], [1, lax.output], "the plan is the same");
                assert.ok(strict.output.includes("restart"));
                assert.ok(strict.errors.startsWith(`${lax.errors}error: --strict `));
                assert.ok((output === "text" ? strict.errors : strict.output).includes(warning));
            }
        }
    });

    it("fails with --strict on warnings of the plan", async () => {
        const bootstrap = basic({ pd: { config: { schedule: { "leader-schedule-limit": 8 } } } });
        const before = await planOf(bootstrap);
        assert.equal(before.warnings.length, 1);
        const after = await planOfFile(JSON.stringify(bootstrap), { options: { strict: true } });
        assert.equal(after.exitCode, 1);
    });

    it("does not count with --strict what the live cluster is like: it is a note, as in pulumi preview", async () => {
        const onOne = Object.fromEntries([0, 1, 2, 3].map((ordinal) => [ordinal, { node: "a" }]));
        const world = { live: { pd: {}, tikv: { pods: onOne }, tidb: {} } };
        const { exitCode, errors } = await planOfFile(same, { options: { strict: true }, world });
        assert.deepEqual([exitCode, errors], [0, ""]);
        const { warnings, remarks } = await planOf(basic(), { world });
        assert.deepEqual([warnings.length, remarks.length], [0, 1]);
    });

    for (const [what, change, risk] of [
        ["two PD", { pd: { replicas: 2 } }, "2 PD members tolerate the loss of none"],
        ["four PD, which tolerate as much as three", { pd: { replicas: 4 } }, undefined],
        ["one TiKV", { tikv: { replicas: 1 } }, "one store holds the only replica of each region"],
        ["a TiDB that is killed", { tidb: { terminationGracePeriodSeconds: 5 } }, "Kubernetes kills TiDB before"],
        ["a TiDB without its Pump", { tidb: { binlogEnabled: true } }, "without Pump, TiDB does not start"],
        [
            "a version of TiDB for TiProxy",
            { tiproxy: { replicas: 1, config: "" } },
            "pods of TiProxy start only if pingcap/tiproxy:v8.5.3 exists",
        ],
        [
            "a tag without v",
            { tidb: { baseImage: "example.org/tidb", version: "8.5.3" } },
            "pods start only if example",
        ],
    ] as const) {
        it(`never says that no risk was found beside a warning of the file about one: ${what}`, async () => {
            const before = basic({ ...change, version: "v8.5.3" } as Parameters<typeof basic>[0]);
            const after = JSON.stringify({
                ...before,
                spec: { ...before.spec, tidb: { ...before.spec.tidb, annotations: { team: "shop" } } },
            });
            const { pd, tikv, tiproxy } = before.spec;
            const members = { pd: { live: pd?.replicas }, tikv: { live: tikv?.replicas }, tidb: {} };
            const world = { live: { ...members, ...(tiproxy && { tiproxy: { live: tiproxy.replicas } }) } };
            const { output, errors } = await planOfFile(after, {
                options: { output: "text" },
                deployed: before,
                world,
            });
            const [headline] = output.split("\n");
            assert.ok(headline.includes("restart 2 TiDB"), errors);
            assert.equal(headline.endsWith("; no risk found"), risk === undefined, headline);
            assert.ok(headline.includes(risk ?? ""), headline);
        });
    }

    it("shows the file's warnings in a comment and in JSON: a reader of those does not see the standard error", async () => {
        const doubtful = JSON.stringify(basic({ pd: { replicas: 2 } }));
        for (const output of ["markdown", "json"] as const) {
            assert.ok(
                (await planOfFile(doubtful, { options: { output } })).output.includes("spec.pd.replicas"),
                output,
            );
        }
        const text = await planOfFile(doubtful, { options: { output: "text" } });
        assert.deepEqual(
            [text.output.includes("spec.pd.replicas"), text.errors.includes("spec.pd.replicas")],
            [false, true],
        );
    });

    it("plans every cluster of a file, or the chosen one", async () => {
        const other = { ...basic(), metadata: { name: "other", namespace: "tidb" } };
        const both = `${same}\n---\n${JSON.stringify(other)}`;
        const names = async (only?: string) =>
            (JSON.parse((await planOfFile(both, { options: { only } })).output) as { clusters: { name: string }[] })
                .clusters;
        assert.deepEqual(
            (await names()).map(({ name }) => name),
            ["basic", "other"],
        );
        assert.deepEqual(
            (await names("TidbCluster/other")).map(({ name }) => name),
            ["other"],
        );
    });

    const plan = (manifest: object, given: PlanCase = {}) => words(JSON.stringify(manifest), given);
    const words =
        (file: string, given: PlanCase = {}) =>
        async () => {
            const { output, errors } = await planOfFile(file, {
                ...given,
                options: { output: "text", ...given.options },
            });
            return `${errors}${output}`;
        };
    const operations = (text: string) =>
        words(same, { options: { operations: "operations.yaml" }, files: { "operations.yaml": text } });
    const pool = (size: number) =>
        basic({
            configUpdateStrategy: "RollingUpdate",
            tikv: { config: { raftstore: { "apply-pool-size": size } } },
        });
    const silent = { pdSilent: true };
    const left = (version?: string) => ({
        lease: undefined,
        live: { tikv: { suspended: true, claims: [claimOf("tikv", 0, { version })] } },
    });
    const onOne = Object.fromEntries([0, 1, 2, 3].map((ordinal) => [ordinal, { node: "a" }]));
    const scaled = (live: number): PlanCase => ({
        world: { live: { pd: {}, tikv: {}, tidb: { live } } },
        scaledByHand: "tidb",
    });
    const withoutTikv = basic();
    delete (withoutTikv.spec as { tikv?: unknown }).tikv;
    const tiproxy = { replicas: 1, version: "v1.3.0" };
    pinnedWords("plan-of-file", {
        "the live cluster matches the file": plan(basic()),
        "the version changes": words(upgraded),
        "kubectl has scaled TiDB in": plan(basic(), scaled(1)),
        "kubectl has scaled TiDB out": plan(basic(), scaled(4)),
        "a key of the configuration changes": plan(pool(3), { deployed: pool(2) }),
        "a key counts only at bootstrap": plan(
            basic({ pd: { config: { schedule: { "leader-schedule-limit": 8 } } } }),
            { options: { strict: true } },
        ),
        "a step is refused": words(refused),
        "a member left the file and must stay": plan(withoutTikv),
        "nothing is deployed": plan(basic(), { world: { lease: undefined, live: {} } }),
        "a claim of an earlier cluster was used by a later version": plan(basic(), { world: left("v9.1.0") }),
        "a claim of an earlier cluster does not show its version": plan(basic(), { world: left() }),
        "PD does not answer": words(upgraded, { world: { live: { pd: silent, tikv: silent, tidb: silent } } }),
        "the cluster is paused": plan(basic({ version: "v8.5.4", paused: true })),
        "the cluster is paused before a member is deployed": plan(basic({ paused: true, tiproxy })),
        "recovery mode of a cluster that is there": plan(basic({ recoveryMode: true })),
        "a member is suspended": plan(basic({ tidb: { suspendAction: { suspendStatefulSet: true } } })),
        "all pods are on one node": words(same, { world: { live: { pd: {}, tikv: { pods: onOne }, tidb: {} } } }),
        "the API server does not answer": words(same, {
            world: { failure: new KubernetesApiError("read Lease basic-pulumi-tidb: no answer", undefined) },
        }),
        "the manifest is wrong": plan(basic({ tikv: { replicas: -1 } })),
        "the manifest is doubtful, with --strict": plan(basic({ tlsCluster: { enableDiscoveryMTLS: true } }), {
            options: { strict: true },
        }),
        "operations have unknown fields": operations("timeouts: { podReady: 60 }\noperations: {}"),
        "operations have two documents": operations("{}\n---\n{}"),
        "operations are on standard input": words(same, { options: { operations: "-" } }),
        "operations cannot be read": words(same, { options: { operations: "nope.yaml" } }),
    });

    it("documents its exit codes and what the plan leaves out", () => {
        let help = "";
        const command = commandLine().commands.find((one) => one.name() === "plan");
        command?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
        assert.match(help, /\nExit codes:\n {2}0 .*\n.*1 .*\n.*2 /);
        assert.ok(help.includes("The plan does not show"));
    });
});
