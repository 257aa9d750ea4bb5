import * as assert from "node:assert/strict";
import { convert } from "../../../bin/convertCommand";
import { render } from "../../../bin/renderCommand";
import { repeats } from "../../support/repeats";

const cluster = (tidb = "replicas: 1, config: {}"): string => `apiVersion: pingcap.com/v1alpha1
kind: TidbCluster
metadata: { name: basic, namespace: db }
spec:
  version: v8.5.3
  pd: { replicas: 3, requests: { storage: 1Gi }, config: {} }
  tikv: { replicas: 3, requests: { storage: 1Gi }, config: {} }
  tidb: { ${tidb} }
`;
const initializer = (spec: string, name = "init"): string => `---
apiVersion: pingcap.com/v1alpha1
kind: TidbInitializer
metadata: { name: ${name}, namespace: db, creationTimestamp: null }
spec: { image: tnir/mysqlclient, cluster: { name: basic, namespace: db }, ${spec} }
`;

interface Rendered {
    kind: string;
    metadata: { name: string };
    data: Record<string, string>;
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- of any shape
    spec: any;
}

function rendered(text: string): Rendered[] {
    const { output, errors, exitCode } = render(["x.yaml"], "json", () => text);
    assert.equal(exitCode, 0, errors);
    return JSON.parse(output) as Rendered[];
}

/** What tidb-operator v1.6.6 makes of a TidbInitializer: pkg/manager/member/tidb_init_manager.go. */
describe("the objects of a TidbInitializer", () => {
    const all =
        "initSql: create database a;, passwordSecret: pw, timezone: Asia/Shanghai, permitHost: 10.%, imagePullPolicy: Always, serviceAccountName: sa, nodeSelector: { a: b }, resources: { limits: { cpu: 1 } }, tolerations: [{ key: a }], imagePullSecrets: [{ name: s }], podSecurityContext: { runAsUser: 1 }";
    const jobOf = (text: string): Rendered => rendered(text).find(({ kind }) => kind === "Job") as Rendered;

    it("have the operator's names, keys, paths and pod fields", () => {
        const objects = rendered(initializer(all));
        assert.deepEqual(
            objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
            ["ConfigMap basic-tidb-initializer", "Job basic-tidb-initializer"],
        );
        const [configMap, job] = objects;
        assert.deepEqual(Object.keys(configMap.data), ["start-script", "init-sql"]);
        assert.equal(configMap.data["init-sql"], "create database a;");
        assert.equal(job.spec.backoffLimit, 0);
        assert.equal(job.spec.suspend, undefined, "who applies it has no gate that starts it");
        const pod = job.spec.template.spec;
        assert.deepEqual(
            [pod.restartPolicy, pod.automountServiceAccountToken, pod.serviceAccountName, pod.nodeSelector],
            ["Never", false, "sa", { a: "b" }],
        );
        assert.deepEqual(
            [pod.tolerations, pod.imagePullSecrets, pod.securityContext],
            [[{ key: "a" }], [{ name: "s" }], { runAsUser: 1 }],
        );
        const [container] = pod.containers;
        assert.equal(container.name, "mysql-client");
        assert.equal(container.image, "tnir/mysqlclient");
        assert.equal(container.imagePullPolicy, "Always");
        assert.deepEqual(container.env, [{ name: "TZ", value: "Asia/Shanghai" }]);
        assert.deepEqual(container.resources, { limits: { cpu: 1 } });
        assert.deepEqual(container.volumeMounts, [
            {
                name: "start-script",
                readOnly: true,
                mountPath: "/usr/local/bin/start_script.py",
                subPath: "start_script.py",
            },
            { name: "password", readOnly: true, mountPath: "/etc/tidb/password" },
            { name: "init-sql", readOnly: true, mountPath: "/data" },
        ]);
        assert.deepEqual(container.command, [
            "python",
            "/usr/local/bin/start_script.py",
            "--host=basic-tidb",
            "--port=4000",
            "--wait-seconds=300",
            "--permit-host=10.%",
            "--passwords=/etc/tidb/password",
            "--sql=/data/init.sql",
        ]);
    });

    it("take the ConfigMap with SQL before the SQL itself, as in the operator", () => {
        const job = jobOf(initializer("initSql: x, initSqlConfigMap: sql"));
        assert.deepEqual(job.spec.template.spec.volumes.at(-1), {
            name: "init-sql",
            configMap: { name: "sql", items: [{ key: "init-sql", path: "init.sql" }] },
        });
    });

    for (const [tidb, words] of [
        ["replicas: 1, config: {}, tlsClient: { enabled: true }", ["--tls=/var/lib/tidb-client-tls"]],
        [
            "replicas: 1, config: {}, tlsClient: { enabled: true, skipInternalClientCA: true }",
            ["--tls=/var/lib/tidb-client-tls", "--tls-no-ca"],
        ],
        ["replicas: 1, config: {}", []],
    ] as const) {
        it(`connect as the cluster in the same file says: ${tidb}`, () => {
            const pod = jobOf(cluster(tidb) + initializer("passwordSecret: pw")).spec.template.spec;
            assert.deepEqual(pod.containers[0].command.slice(7), words);
            const secrets = pod.volumes.flatMap(
                ({ secret }: { secret?: { secretName: string } }) => secret?.secretName ?? [],
            );
            assert.deepEqual(secrets, words.length > 0 ? ["basic-tidb-client-secret", "pw"] : ["pw"]);
        });
    }

    it("differ in the template when the SQL differs, so a changed program is seen", () => {
        const digest = (sql: string): unknown =>
            jobOf(initializer(`initSql: ${sql}`)).spec.template.metadata.annotations;
        assert.notDeepEqual(digest("a"), digest("b"));
    });

    it("are refused beside createPassword of the same cluster", () => {
        const both =
            cluster("replicas: 1, config: {}, initializer: { createPassword: true }") +
            initializer("passwordSecret: pw");
        const { errors, exitCode, output } = render(["x.yaml"], "json", () => both);
        assert.equal(exitCode, 1);
        assert.equal(output, "");
        repeats(errors, "spec.tidb.initializer.createPassword of TidbCluster basic");
    });

    it("are refused with unknown fields, except where a program is made of them", () => {
        const text = cluster() + initializer("initSql: a, passwordSecrt: pw");
        const { errors, output } = render(["x.yaml"], "json", () => text);
        assert.equal(output, "");
        repeats(errors, "TidbInitializer init: 1 error\n  - spec.passwordSecrt ", "passwordSecret?");
        const converted = convert(["x.yaml"], () => text);
        assert.ok(!converted.output.includes("passwordSecrt"));
        repeats(converted.errors, "warning: TidbInitializer/init: spec.passwordSecrt ", "passwordSecret?");
        const { errors: none, exitCode } = render(["x.yaml"], "json", () =>
            initializer("bananas: 1").replace(/cluster: \{.*?\}, /, ""),
        );
        assert.equal(exitCode, 1);
        repeats(none, "spec.cluster.name: ");
    });

    it("become a program that takes what it can from the cluster", () => {
        const { output, exitCode, errors } = convert(["x.yaml"], () => cluster() + initializer("passwordSecret: pw"));
        assert.equal(exitCode, 0, errors);
        assert.match(output, /^import \{ TidbCluster, TidbInitializer \} from "pulumi-tidb";/);
        assert.match(
            output,
            /\nnew TidbInitializer\("init", \{\n {4}tidbCluster: cluster,\n {4}spec: \{\n {8}image: "tnir\/mysqlclient",\n {8}passwordSecret: "pw",\n {4}\},\n\}\);\n/,
        );
        const alone = convert(["x.yaml"], () => initializer("passwordSecret: pw"));
        assert.match(
            alone.output,
            /metadata: \{ namespace: "db" \},\n {4}spec: \{\n {8}cluster: \{ name: "basic", namespace: "db" \},/,
        );
    });
});
