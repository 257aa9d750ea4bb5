import assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { commandLine } from "../../../bin/pulumi-tidb";
import { basic, planOfFile } from "./livePlan";

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
            assert.equal(
                run.errors,
                "error: TidbCluster tidb/basic: the plan is refused by tikv-scale; the output says why\n",
            );
            assert.match(run.output, /> - `tikv-scale`: spec\.tikv\.replicas: /);
        }
    });

    it("says once that the cluster cannot be reached, and prints no plan", async () => {
        const failure = new KubernetesApiError("read Lease basic-pulumi-tidb at https://k8s: no answer", undefined);
        const two = `${same}\n---\n${JSON.stringify({ ...basic(), metadata: { name: "two", namespace: "tidb" } })}`;
        const { output, errors, exitCode } = await planOfFile(two, { world: { failure } });
        assert.deepEqual([output, exitCode], ["", 1]);
        assert.equal(
            errors,
            "error: TidbCluster tidb/basic: read Lease basic-pulumi-tidb at https://k8s: no answer. Next: check that the cluster runs and that this machine reaches it, or choose another one with --kubeconfig or --context\n",
        );
    });

    it("refuses a bad manifest before it asks any cluster", async () => {
        const bad = JSON.stringify(basic({ tikv: { replicas: -1 } }));
        const { output, errors, exitCode, world } = await planOfFile(bad);
        assert.deepEqual([output, exitCode, world.looks], ["", 1, []]);
        assert.match(errors, /^error: TidbCluster basic: 1 error\n {2}- spec\.tikv\.replicas: /);
    });

    for (const address of ["localhost:2379", "foo", "http://pd:2379,pd-1", "http://pd:2379/path", ""]) {
        it(`refuses --pd-address "${address}", which is not an address of PD`, async () => {
            const program = commandLine().exitOverride();
            const plan = program.commands.find((command) => command.name() === "plan");
            plan?.exitOverride().configureOutput({ writeErr: () => undefined });
            await assert.rejects(
                program.parseAsync(["plan", "cluster.yaml", "--pd-address", address], { from: "user" }),
                /--pd-address .*found ".*", expected http:\/\/host:port or https:\/\/host:port/,
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
        assert.match(
            wrong.errors,
            /^error: operations\.yaml: 2 errors\n {2}- operations\.operations is not a known field; expected timeouts/,
        );
        assert.match(
            wrong.errors,
            /\n {2}- operations\.timeouts\.podReady is not a known field; expected podReadySeconds/,
        );
        const missing = await planOfFile(same, { options: { operations: "nope.yaml" } });
        assert.match(missing.errors, /^error: --operations nope\.yaml: cannot be read: ENOENT/);
        assert.match((await run("{}\n---\n{}")).errors, /found 2 documents, expected one/);
        const twice = await planOfFile(same, { options: { operations: "-" } });
        assert.match(twice.errors, /^error: --operations: found -, expected the path of a file/);
    });

    it("fails with --strict on warnings of the manifest, and prints the plan in each format with what it fails on", async () => {
        const doubtful = JSON.stringify(basic({ version: "v8.5.4", pvReclaimPolicy: "Retain" }));
        const ignored = `${upgraded}\n---\n{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other"}}`;
        for (const [file, warning] of [
            [doubtful, /pvReclaimPolicy/],
            [ignored, /ConfigMap/],
        ] as const) {
            for (const output of ["text", "markdown", "json"] as const) {
                const lax = await planOfFile(file, { options: { output } });
                assert.equal(lax.exitCode, 0);
                assert.match(lax.errors, /^warning: .*\n$/);
                const strict = await planOfFile(file, { options: { output, strict: true } });
                assert.deepEqual([strict.exitCode, strict.output], [1, lax.output], "the plan is the same");
                assert.match(strict.output, /restart/);
                assert.match(
                    strict.errors,
                    /^warning: .*\nerror: --strict is set, and there are warnings about the manifest\n$/,
                );
                assert.match(output === "text" ? strict.errors : strict.output, warning);
            }
        }
    });

    it("fails with --strict on warnings of the plan", async () => {
        const bootstrap = basic({ pd: { config: { schedule: { "leader-schedule-limit": 8 } } } });
        const before = await planOfFile(JSON.stringify(bootstrap));
        assert.match(before.output, /used only at bootstrap/);
        const after = await planOfFile(JSON.stringify(bootstrap), { options: { strict: true } });
        assert.equal(after.exitCode, 1);
        assert.equal(
            after.errors,
            "error: --strict is set, and there are warnings about the plan of TidbCluster tidb/basic\n",
        );
    });

    it("does not count with --strict what the live cluster is like: it is a note, as in pulumi preview", async () => {
        const onOne = Object.fromEntries([0, 1, 2, 3].map((ordinal) => [ordinal, { node: "a" }]));
        const world = { live: { pd: {}, tikv: { pods: onOne }, tidb: {} } };
        const notes = {
            text: /\n {2}note: basic-tikv: node a has 4 of the 4 pods/,
            markdown: /\n> \[!NOTE\]\n> - basic-tikv: node a has 4 of the 4 pods/,
            json: /"warnings": \[\],\n\s+"remarks": \[\n\s+"basic-tikv: node a has 4 of the 4 pods/,
        };
        for (const output of ["text", "markdown", "json"] as const) {
            const run = await planOfFile(same, { options: { output, strict: true }, world });
            assert.deepEqual([run.exitCode, run.errors], [0, ""], output);
            assert.match(run.output, notes[output]);
        }
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
            assert.match(headline, /: \d+ steps?, .*restart 2 TiDB/, errors);
            if (risk === undefined) {
                assert.match(headline, /; no risk found$/);
            } else {
                assert.match(headline, /; risk: see the warning: [^;]+$/);
                assert.ok(headline.includes(`risk: see the warning: ${risk}`), headline);
            }
        });
    }

    it("shows the file's warnings in a comment and in JSON: a reader of those does not see the standard error", async () => {
        const doubtful = JSON.stringify(basic({ pd: { replicas: 2 } }));
        for (const output of ["markdown", "json"] as const) {
            assert.match(
                (await planOfFile(doubtful, { options: { output } })).output,
                /2 PD members tolerate .* as 1 does/,
                output,
            );
        }
        assert.doesNotMatch(
            (await planOfFile(doubtful, { options: { output: "text" } })).output,
            /2 PD members tolerate .* as 1 does/,
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

    it("documents its exit codes and what the plan leaves out", () => {
        let help = "";
        const command = commandLine().commands.find((one) => one.name() === "plan");
        command?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
        assert.match(help, /Exit codes:\n {2}0 .*\n.*1 .*\n.*2 /);
        assert.match(help, /The plan does not show which Kubernetes objects are created, changed or deleted/);
    });
});
