import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { ManifestError, specError } from "../../components/problem";
import { TidbCluster } from "../../components/tidbCluster";
import type { TidbClusterArgs } from "../../components/tidbClusterArgs";
import { refusesFields } from "../support/refusedFields";
import { patienceMilliseconds, readOutput, runProgram, unknown } from "./mockProgram";
import { basicSpec } from "./programs";

/** An Output whose value is not known before the update. */
function later<T>(value: T): pulumi.Output<T> {
    const resource = new k8s.core.v1.ConfigMap("later", { data: { value: JSON.stringify(value) } });
    return resource.id.apply(() => value);
}

function cluster(spec: object, more: Partial<TidbClusterArgs> = {}): TidbCluster {
    return new TidbCluster("basic", { ...more, spec: { ...basicSpec(), ...spec } as TidbClusterArgs["spec"] });
}

describe("component: arguments beside the spec in plain JavaScript", function () {
    this.timeout(patienceMilliseconds);
    /** The message of the one error that a program ends in. */
    const refusal = async (program: () => unknown): Promise<string> => {
        let message = "";
        await runProgram(() => {
            assert.throws(program, (error) => {
                message = (error as Error).message;
                return error instanceof ManifestError;
            });
        });
        return message;
    };

    it("are refused by name, together with the errors in operations and in the spec", async () => {
        const wrong = {
            kubeConfig: "~/.kube/config",
            pd: { adress: "http://pd:2379" },
            operations: { timeout: {} },
            only: "TidbCluster/basic",
        };
        assert.equal(
            await refusal(() => cluster({ version: 8 }, wrong as Partial<TidbClusterArgs>)),
            [
                "TidbCluster basic: 5 errors",
                "  - kubeConfig is not a known field; did you mean kubeconfig?",
                "  - only is not a known field; expected metadata, spec, pd, kubeconfig, context, operations",
                "  - pd.adress is not a known field; did you mean address?",
                "  - operations.timeout is not a known field; did you mean timeouts?",
                "  - spec.version: found 8, expected text; TiDB's tags begin with v, such as v8.0.0",
            ].join("\n"),
        );
    });

    it("are refused at once if the spec has Outputs, whose values are checked later", async () => {
        const spec = { version: pulumi.output("v8.5.3") };
        const wrong = { pd: "http://pd:2379" } as unknown as Partial<TidbClusterArgs>;
        assert.equal(
            await refusal(() => cluster(spec, wrong)),
            'TidbCluster basic: 1 error\n  - pd: found the text "http://pd:2379", expected a map',
        );
    });

    it("are refused together with the errors of a file, which has no spec beside it", async () => {
        const folder = mkdtempSync(path.join(tmpdir(), "arguments-"));
        try {
            const file = path.join(folder, "cluster.yaml");
            writeFileSync(file, "kind: TidbCluster\nspec: { version: 8 }\n");
            const message = await refusal(() => TidbCluster.fromYaml("basic", file, { spec: {} } as object));
            assert.deepEqual(
                message.split("\n").map((line) => line.trim().split(" ")[1]),
                ["basic:", "spec", "spec.version:"],
            );
        } finally {
            rmSync(folder, { recursive: true });
        }
    });
});

describe("component: a number of replicas that a preview does not know", function () {
    this.timeout(patienceMilliseconds);
    it("hides nothing else of the StatefulSet: Pulumi shows what changes in the pod template", async () => {
        const inputsOf = async (replicas: unknown) => {
            const state = (type: string, inputs: Record<string, unknown>) =>
                type.endsWith(":ScaleGate") ? { ...inputs, replicas, plan: [], deferred: "" } : undefined;
            const { find } = await runProgram(() => cluster({}), { preview: true, state });
            return find("StatefulSet", "basic-tikv").inputs;
        };
        const [known, held] = [await inputsOf(3), await inputsOf(unknown)];
        assert.equal(known.spec.replicas, 3);
        assert.deepEqual(held, { ...known, spec: { ...known.spec, replicas: unknown } });
    });
});

describe("component: Outputs in a spec", function () {
    this.timeout(patienceMilliseconds);
    it("take the namespace from a Namespace resource, which comes first", async () => {
        const { find } = await runProgram(() => {
            const namespace = new k8s.core.v1.Namespace("ns", { metadata: { name: "tidb" } });
            return cluster({}, { metadata: { namespace: namespace.metadata.name } });
        });
        for (const [type, name] of [
            ["Lease", "basic-lease"],
            ["StatefulSet", "basic-tikv"],
            ["Service", "basic-tidb"],
        ]) {
            const { inputs, dependencies } = find(type, name);
            assert.equal(inputs.metadata.namespace, "tidb", `${type} ${name}`);
            assert.ok(dependencies.includes("kubernetes:core/v1:Namespace::ns"), `${type} ${name}`);
        }
        assert.equal(find("ScaleGate", "basic-pd-scale").inputs.namespace, "tidb");
    });

    it("set an image version, labels and part of the configuration", async () => {
        const { find, value } = await runProgram(() =>
            cluster({
                version: pulumi.output("v8.5.4"),
                labels: pulumi.output({ team: "data" }),
                tikv: {
                    replicas: 3,
                    requests: { storage: pulumi.output("50Gi") },
                    config: { log: { level: pulumi.output("warn") } },
                },
            }),
        );
        const { spec } = find("StatefulSet", "basic-tikv").inputs;
        assert.equal(spec.template.spec.containers[0].image, "pingcap/tikv:v8.5.4");
        assert.equal(spec.template.metadata.labels.team, "data");
        assert.equal(spec.volumeClaimTemplates[0].spec.resources.requests.storage, "50Gi");
        assert.ok(find("ConfigMap", "basic-tikv").inputs.data["config-file"].includes('level = "warn"'));
        assert.deepEqual(await readOutput(value.images), {
            value: { pd: "pingcap/pd:v8.5.4", tikv: "pingcap/tikv:v8.5.4", tidb: "pingcap/tidb:v8.5.4" },
            known: true,
            secret: false,
        });
    });

    it("make the same resources if they are unknown in a preview", async () => {
        const program = (): TidbCluster => cluster({ version: later("v8.5.4") });
        const update = await runProgram(program);
        const preview = await runProgram(program, { preview: true });
        const names = (run: typeof update): string[] => run.resources.map(({ type, name }) => `${type} ${name}`).sort();
        assert.deepEqual(names(preview), names(update));
        assert.equal(update.find("ConfigMap", "basic-pd").inputs.metadata.name, "basic-pd");
        assert.equal(preview.find("StatefulSet", "basic-tikv").inputs.spec.template, unknown);
        assert.equal((await readOutput(preview.value.images)).known, false);
    });

    it("are refused by field if they decide which resources exist", async () => {
        const tikv = { replicas: 3, requests: { storage: "1Gi" } };
        const cases: [string, object][] = [
            ["spec.tikv", { tikv: pulumi.output(tikv) }],
            ["spec.paused", { paused: pulumi.output(true) }],
            ["spec.suspendAction", { suspendAction: pulumi.output({ suspendStatefulSet: true }) }],
            [
                "spec.tikv.suspendAction.suspendStatefulSet",
                { tikv: { ...tikv, suspendAction: { suspendStatefulSet: pulumi.output(true) } } },
            ],
            ["spec.tidb.service", { tidb: { replicas: 2, service: pulumi.output({ type: "ClusterIP" }) } }],
        ];
        for (const [field, spec] of cases) {
            await assert.rejects(
                runProgram(() => cluster(spec)),
                (error: Error) =>
                    pulumi.RunError.isInstance(error) && error.message.startsWith(`${field}: found an Output`),
                field,
            );
        }
    });

    it("are refused by field as a whole spec", async () => {
        const spec = pulumi.output({ version: "v8.5.3" }) as unknown as TidbClusterArgs["spec"];
        await assert.rejects(
            runProgram(() => new TidbCluster("basic", { spec })),
            (error: Error) => error.message.startsWith("spec: found an Output"),
        );
    });
});

describe("component: a wrong or doubtful spec", function () {
    this.timeout(patienceMilliseconds);
    it("is an error in the constructor, with every field", async () => {
        const wrong = {
            pd: { replicas: -1, requests: { storage: "10Gi" } },
            tikv: { replicas: 3, requests: { storage: "ten" } },
        };
        await assert.rejects(
            runProgram(() => cluster(wrong)),
            (error: Error) => {
                assert.ok(error instanceof ManifestError, String(error));
                // Pulumi prints the message of a RunError only, without stack and source.
                assert.ok(pulumi.RunError.isInstance(error));
                assert.deepEqual(error.problems.map(({ field }) => field).sort(), [
                    "spec.pd.replicas",
                    "spec.tikv.requests.storage",
                ]);
                for (const { message } of error.problems) {
                    assert.ok(error.message.includes(message));
                }
                return true;
            },
        );
    });

    it("is refused for an unknown field, with the nearest known one: the cluster would keep three stores", async () => {
        const misspelt = { tikv: { ...basicTikv(), replica: 4 } };
        await refusesFields(() => runProgram(() => cluster(misspelt)), "spec.tikv.replica");
    });

    it("shows its warnings beside its errors, once each, and a required field under another name as one error", async () => {
        const wrong = { tikv: { config: {}, replica: 3, requests: { storage: "ten" } }, paused: true };
        const { warnings } = await runProgram(() =>
            assert.throws(
                () => cluster(wrong),
                ({ problems }: ManifestError) =>
                    problems.filter(({ severity }) => severity === "error").length === 2 &&
                    problems.some(({ field }) => field === "spec.tikv.replica"),
            ),
        );
        assert.deepEqual(warnings, [
            "spec.paused is true: updates do not change this cluster, except to suspend members",
        ]);
    });

    it("is not reported if the spec is valid", async () => {
        assert.deepEqual((await runProgram(() => cluster({}))).warnings, []);
    });
});

describe("component: a cluster from YAML", function () {
    this.timeout(patienceMilliseconds);
    let folder: string;
    before(() => {
        folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-yaml-"));
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    const write = (text: string): string => {
        const file = path.join(folder, "cluster.yaml");
        writeFileSync(file, text);
        return file;
    };

    it("is the manifest that tidb-operator's users have", async () => {
        const file = write(`apiVersion: pingcap.com/v1alpha1
kind: TidbCluster
metadata:
  name: shop
  namespace: prod
spec:
  version: v8.5.3
  pd: { baseImage: pingcap/pd, replicas: 1, requests: { storage: 1Gi } }
  tikv: { baseImage: pingcap/tikv, replicas: 1, requests: { storage: 1Gi } }
`);
        const { find } = await runProgram(() => TidbCluster.fromYaml("basic", file));
        const { inputs } = find("StatefulSet", "basic-tikv");
        assert.equal(inputs.metadata.name, "shop-tikv");
        assert.equal(inputs.metadata.namespace, "prod");
        assert.equal(inputs.spec.template.spec.containers[0].image, "pingcap/tikv:v8.5.3");
    });

    const small = `apiVersion: pingcap.com/v1alpha1
kind: TidbCluster
metadata: { name: shop }
spec:
  version: v8.5.3
  pd: { replicas: 3, requests: { storage: 1Gi } }
  tikv: { replicas: 3, requests: { storage: 1Gi } }
`;

    it("gets one warning for each unknown field of an object that an API server has returned, also outside spec", async () => {
        const file = write(`${small}  pauseed: false\nstatus: { phase: Ready }\nnotes: true\n`);
        const { warnings } = await runProgram(() => TidbCluster.fromYaml("basic", file));
        assert.deepEqual(warnings.sort(), [
            "notes is not a known field and is ignored",
            "spec.pauseed is not a known field and is ignored; did you mean paused?",
        ]);
    });

    it("is refused for an unknown field of a manifest that a person has written", async () => {
        const file = write(`${small}  pauseed: false\nnotes: true\n`);
        await refusesFields(() => runProgram(() => TidbCluster.fromYaml("basic", file)), "notes", "spec.pauseed");
    });

    it("takes the resource's name if the manifest has none", async () => {
        const file = write(small.replace("metadata: { name: shop }\n", ""));
        const { find } = await runProgram(() => TidbCluster.fromYaml("basic", file));
        assert.equal(find("StatefulSet", "basic-tikv").inputs.metadata.name, "basic-tikv");
    });

    it("shows the warnings of the whole file beside its errors", async () => {
        const file = write(
            `${small.replace("storage: 1Gi", "storage: ten")}  pauseed: false\nnotes: true\nstatus: { phase: Ready }\n---\nkind: Secret\nmetadata: { name: s }\n`,
        );
        const { warnings } = await runProgram(() =>
            assert.throws(() => TidbCluster.fromYaml("basic", file), /spec\.pd\.requests\.storage/),
        );
        assert.deepEqual(warnings.map((line) => line.split(" is ")[0]).sort(), ["Secret/s", "notes", "spec.pauseed"]);
    });

    it("is the chosen one of several, with a warning about other objects", async () => {
        const bank = small.replace("name: shop", "name: bank");
        const file = write(`${small}---\n${bank}---\nkind: Secret\nmetadata: { name: s }\n`);
        await assert.rejects(
            runProgram(() => TidbCluster.fromYaml("basic", file)),
            ({ message }: Error) => message.includes('`only: "TidbCluster/shop"`'),
        );
        const { find } = await runProgram(() => TidbCluster.fromYaml("basic", file, { only: "TidbCluster/bank" }));
        assert.equal(find("StatefulSet", "basic-tikv").inputs.metadata.name, "bank-tikv");
        const one = write(`${small}---\nkind: Secret\nmetadata: { name: s }\n`);
        const { warnings } = await runProgram(() => TidbCluster.fromYaml("basic", one));
        assert.equal(warnings.length, 1, warnings.join("\n"));
        assert.ok(warnings[0].startsWith("Secret/s "));
    });

    it("shows 20 warnings and counts the others, those in the spec and those beside it together", async () => {
        const fields = Array.from({ length: 25 }, (_, index) => `unheardOfField${index}: 1\n`);
        const file = write(
            `${small}${fields.map((line) => `  ${line}`).join("")}${fields.join("")}status: { phase: Ready }\n`,
        );
        const { warnings } = await runProgram(() => TidbCluster.fromYaml("basic", file));
        assert.equal(warnings.length, 21);
        assert.equal(warnings.filter((line) => line.startsWith("… and 30 more warnings; ")).length, 1);
    });

    it("is refused by name if the file cannot be read, without a stack trace", async () => {
        await assert.rejects(
            runProgram(() => TidbCluster.fromYaml("basic", path.join(folder, "nope.yaml"))),
            (error: Error) =>
                pulumi.RunError.isInstance(error) &&
                /nope\.yaml: 1 error\n  - cannot be read: does not exist; check the path$/.test(error.message),
        );
    });

    it("is refused with file and line if it is not YAML", async () => {
        const file = write("kind: TidbCluster\nspec: {\n");
        await assert.rejects(
            runProgram(() => TidbCluster.fromYaml("basic", file)),
            (error: Error) => error.message.includes("cluster.yaml") && /line \d+/.test(error.message),
        );
    });

    it("is refused if it is another kind of object", async () => {
        const file = write("apiVersion: v1\nkind: Service\nmetadata: { name: a }\n");
        await assert.rejects(
            runProgram(() => TidbCluster.fromYaml("basic", file)),
            /kind.*Service.*TidbCluster/s,
        );
    });
});

describe("component: secrets", function () {
    this.timeout(patienceMilliseconds);
    it("in a configuration stay secret, and gates do not get them", async () => {
        const { resources, find } = await runProgram(() =>
            cluster({
                tikv: { ...basicTikv(), config: { security: { "redact-info-log": pulumi.secret("hush-hush") } } },
            }),
        );
        const { inputs, secrets } = find("ConfigMap", "basic-tikv");
        assert.ok(inputs.data["config-file"].includes("hush-hush"));
        assert.ok(secrets.includes("data"), secrets.join(", "));
        for (const resource of resources.filter((one) => one !== find("ConfigMap", "basic-tikv"))) {
            const told = JSON.stringify(resource.inputs).includes("hush-hush");
            assert.ok(!told, `${resource.type} ${resource.name} holds the secret`);
        }
    });

    const content = "apiVersion: v1\nkind: Config\nclusters: []\n";
    const given: [string, () => pulumi.Input<string>, boolean][] = [
        ["a kubeconfig's content", () => content, true],
        ["a kubeconfig's content in an Output", () => pulumi.output(content), true],
        ["a kubeconfig's path", () => "~/.kube/prod", false],
        ["a kubeconfig's path in an Output", () => pulumi.output("~/.kube/prod"), false],
    ];
    for (const [what, kubeconfig, isSecret] of given) {
        it(`${what} is ${isSecret ? "a secret" : "not a secret"}`, async () => {
            const { find } = await runProgram(() => cluster({}, { kubeconfig: kubeconfig() }));
            const { inputs, secrets } = find("RolloutGate", "basic-pd-rollout");
            assert.equal(
                secrets.some((one) => one.startsWith("access")),
                isSecret,
                secrets.join(", "),
            );
            assert.equal(typeof inputs.access.kubeconfig, "string");
        });
    }

    it("include a kubeconfig's content in the configuration, but not a context", async () => {
        const { find } = await runProgram(() => cluster({}), {
            config: { "kubernetes:kubeconfig": content, "kubernetes:context": "prod" },
        });
        const { inputs, secrets } = find("ScaleGate", "basic-pd-scale");
        assert.deepEqual(inputs.access, { kubeconfig: content, context: "prod" });
        assert.ok(secrets.some((one) => one.startsWith("access")));
    });
});

describe("component: outputs", function () {
    this.timeout(patienceMilliseconds);
    it("give the endpoints and say that the cluster is ready", async () => {
        const { value } = await runProgram(() => cluster({}, { metadata: { namespace: "tidb" } }));
        assert.equal((await readOutput(value.tidbEndpoint)).value, "basic-tidb.tidb.svc:4000");
        assert.equal((await readOutput(value.pdEndpoint)).value, "basic-pd.tidb.svc:2379");
        assert.equal((await readOutput(value.tiproxyEndpoint)).value, "");
        assert.equal((await readOutput(value.ready)).value, true);
        assert.deepEqual((await readOutput(value.conditions)).value, [
            { type: "Ready", status: "True", reason: "Ready", message: "every pod, member and store is as wanted" },
        ]);
    });

    it("say of a suspended cluster that it is not ready, as its condition does", async () => {
        const { value } = await runProgram(() => cluster({ suspendAction: { suspendStatefulSet: true } }));
        const [{ status }] = (await readOutput(value.conditions)).value as { status: string }[];
        assert.deepEqual([(await readOutput(value.ready)).value, status], [false, "False"]);
    });

    it("give TiProxy's endpoint, which is a port of its Service", async () => {
        const { value, find } = await runProgram(() => cluster({ tiproxy: { version: "v1.3.0", replicas: 2 } }));
        assert.equal((await readOutput(value.tiproxyEndpoint)).value, "basic-tiproxy.default.svc:6000");
        const { inputs } = find("Service", "basic-tiproxy");
        assert.equal(inputs.metadata.name, "basic-tiproxy");
        const offered = (inputs.spec.ports as { name: string; port: number }[]).map(({ name, port }) => [name, port]);
        assert.deepEqual(new Map(offered as [string, number][]).get("tiproxy-sql"), 6000);
    });

    describe("component: outputs for SQL clients:", () => {
        const tiproxy = (replicas: number) => ({ tiproxy: { version: "v1.3.0", replicas } });
        const keeps: Partial<TidbClusterArgs> = { operations: { sqlEndpoint: "tidb" } };
        const rows: [string, Parameters<typeof cluster>[0], string, Partial<TidbClusterArgs>?][] = [
            ["TiDB beside TiProxy, if the program keeps it", tiproxy(2), "basic-tidb.default.svc:4000", keeps],
            [
                "TiProxy, if the program keeps a TiDB that is not there",
                { ...tiproxy(2), tidb: undefined },
                "basic-tiproxy.default.svc:6000",
                keeps,
            ],
            ["TiProxy, if the cluster has one", tiproxy(2), "basic-tiproxy.default.svc:6000"],
            ["TiDB, if it has none", {}, "basic-tidb.default.svc:4000"],
            [
                "TiDB's own port",
                { tidb: { replicas: 1, service: { type: "ClusterIP", port: 3306 } } },
                "basic-tidb.default.svc:3306",
            ],
            ["TiDB, while TiProxy has no replicas", tiproxy(0), "basic-tidb.default.svc:4000"],
            ["nowhere, if it has neither", { tidb: undefined }, ""],
        ];
        for (const [what, spec, expected, more] of rows) {
            it(what, async () => {
                const { value } = await runProgram(() => cluster(spec, more));
                assert.equal((await readOutput(value.sqlEndpoint)).value, expected);
            });
        }
    });

    it("are not ready in the preview of a first deployment", async () => {
        const { value } = await runProgram(() => cluster({}), { preview: true });
        assert.equal((await readOutput(value.tidbEndpoint)).value, "basic-tidb.default.svc:4000");
        assert.equal((await readOutput(value.ready)).known, false);
        assert.equal((await readOutput(value.conditions)).known, false);
    });

    it("need only the inputs from mocks, as in users' own tests", async () => {
        const { value } = await runProgram(() => cluster({}), { state: (_type, inputs) => inputs });
        assert.equal((await readOutput(value.tidbEndpoint)).value, "basic-tidb.default.svc:4000");
    });
});

function basicTikv(): object {
    return { replicas: 3, requests: { storage: "100Gi" } };
}

describe("an error of a value that is known only later", () => {
    it("has its own words, without the names of inputs that only Pulumi knows", async () => {
        const found = { field: "backupVersion", found: "v8.5.5", expected: "v8.5.3 or earlier" };
        const error = new ManifestError([specError(found.field, found.found, found.expected)], "Restore monday");
        const { message } = error;
        const metadata = { namespace: Promise.reject(error) };
        await assert.rejects(pulumi.runtime.serializeProperties("Job", { metadata }), (thrown: Error) => {
            assert.equal(thrown.message, message);
            return true;
        });
    });
});
