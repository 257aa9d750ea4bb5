import assert from "node:assert/strict";
import { brClusterOf, type BrCluster } from "../../../components/br/brCluster";
import { checkBr } from "../../../components/br/checkBr";
import { renderBr } from "../../../components/br/renderBr";
import { checkSchedule } from "../../../components/br/schedule/checkSchedule";
import type { BrKind } from "../../../components/br/spec";
import { backupProblems } from "../../../components/backup/gateBackup";
import { checkManifest } from "../../../components/checkManifest";
import type { Container, KubernetesFields } from "../../../components/kubernetes/pod";
import { neededBy } from "../../../provider/lifecycle/backups/leftBackup";
import { runningBackups } from "../../../provider/lifecycle/backups/runningBackups";
import { refusedFields } from "../../support/refusedFields";
import { repeats } from "../../support/repeats";

type Fields = Record<string, unknown>;

const s3 = { provider: "aws", region: "us-west-1", bucket: "backups", prefix: "sql", secretName: "s3-secret" };
const access = { host: "basic-tidb", port: 4000, user: "backup", secretName: "sql-secret" };
const cluster: BrCluster = { name: "basic", namespace: "db", version: "v8.5.3", tls: false };
/** A cluster of the program, whose TiDB it therefore knows. */
const own: BrCluster = { ...cluster, isOwn: true, sql: { port: 4000 } };

const manifest = (kind: BrKind, spec: Fields) => ({
    metadata: { name: "monday", namespace: "db" },
    spec: { s3, [kind === "Backup" ? "from" : "to"]: access, ...spec },
});

interface Pod extends KubernetesFields {
    containers: [Container & { args: string[]; env: Fields[]; image: string }];
    volumes?: { name: string }[];
}

function rendered(kind: BrKind, spec: Fields = {}, of: BrCluster = cluster) {
    const result = renderBr(kind, checkBr(kind, manifest(kind, spec)), of);
    const { template, backoffLimit } = result.job.spec as { template: { spec: Pod }; backoffLimit: number };
    const [container] = template.spec.containers;
    const [script, word, url, ...words] = container.args;
    return {
        ...result,
        backoffLimit,
        pod: template.spec,
        container,
        script,
        word,
        url: result.url,
        storage: url,
        words,
    };
}

const problems = (kind: BrKind, spec: Fields, of: BrCluster = cluster) => refusedFields(() => rendered(kind, spec, of));

/** tidb-operator v1.6.6: dumpTidbClusterData in cmd/backup-manager/app/export/export.go, ConstructDumplingOptionsForBackup in app/util/util.go. */
describe("a Backup by Dumpling", () => {
    const local = { volume: { name: "nfs" }, volumeMount: { name: "nfs", mountPath: "/nfs" }, prefix: "sql" };
    const reached = ["--host=basic-tidb", "--port=4000", "--user=backup"];
    const defaults = ["--threads=16", "--rows=10000"];

    for (const [what, spec, storage, words] of [
        ["S3", {}, "s3://backups/sql", [...reached, "--s3.region=us-west-1", "--s3.provider=aws", ...defaults]],
        [
            "Google's storage",
            { s3: undefined, gcs: { projectId: "p", bucket: "b", prefix: "sql", storageClass: "NEARLINE" } },
            "gcs://b/sql/",
            [...reached, "--gcs.storage-class=NEARLINE", ...defaults],
        ],
        [
            "Azure",
            { s3: undefined, azblob: { container: "c", prefix: "sql", storageAccount: "a", accessTier: "Cool" } },
            "azure://c/sql/?account-name=a",
            [...reached, "--azblob.access-tier=Cool", ...defaults],
        ],
        ["a volume", { s3: undefined, local }, "local:///nfs/sql", [...reached, ...defaults]],
        [
            "the user and the port that the operator takes otherwise",
            { s3: undefined, local, from: { host: "10.0.0.9", secretName: "sql-secret" } },
            "local:///nfs/sql",
            ["--host=10.0.0.9", "--port=4000", "--user=root", ...defaults],
        ],
        [
            "filters and options",
            { s3: undefined, local, tableFilter: ["shop.*"], dumpling: { options: ["--where=id>1", "-t", "8"] } },
            "local:///nfs/sql",
            [...reached, "--filter", "shop.*", "--where=id>1", "-t", "8"],
        ],
        [
            "the older field for filters, whose values are CSV to Dumpling",
            { s3: undefined, local, dumpling: { tableFilter: ['"a,b".*', "/^x{1,2}/.*", "`c`.d"] } },
            "local:///nfs/sql",
            [...reached, "--filter", '"""a,b"".*"', "--filter", '"/^x{1,2}/.*"', "--filter", "`c`.d", ...defaults],
        ],
        [
            "TLS",
            { s3: undefined, local, from: { ...access, tlsClientSecretName: "tls" } },
            "local:///nfs/sql",
            [
                ...reached,
                "--ca=/var/lib/tidb-client-tls/ca.crt",
                "--cert=/var/lib/tidb-client-tls/tls.crt",
                "--key=/var/lib/tidb-client-tls/tls.key",
                ...defaults,
            ],
        ],
    ] as const) {
        it(`gives Dumpling the operator's arguments, with the storage in place of a folder: ${what}`, () => {
            const dump = rendered("Backup", spec);
            // Dumpling's status address would serve its command line, and with it the password.
            assert.ok(dump.words.includes("--status-addr="));
            assert.deepEqual([dump.word, dump.storage], ["backup", storage]);
            assert.deepEqual(
                dump.words.filter((one) => one !== "--status-addr="),
                words,
            );
        });
    }

    it("is one Job that Kubernetes does not start again, in Dumpling's image, with the certificate and the keys of the storage", () => {
        const { job, backoffLimit, pod, container, does, url } = rendered("Backup", {
            from: { ...access, tlsClientSecretName: "tls" },
        });
        assert.deepEqual([job.metadata.name, backoffLimit, pod.restartPolicy], ["backup-monday", 0, "Never"]);
        assert.deepEqual([container.image, container.command], ["pingcap/dumpling:v8.5.3", ["/bin/sh", "-c"]]);
        assert.deepEqual(pod.volumes, [{ name: "tidb-client-tls", secret: { secretName: "tls" } }]);
        assert.deepEqual(container.volumeMounts, [
            { name: "tidb-client-tls", mountPath: "/var/lib/tidb-client-tls", readOnly: true },
        ]);
        assert.deepEqual(
            container.env.map(({ name }) => name),
            ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "TIDB_PASSWORD"],
        );
        assert.equal(does, "dump the databases of TiDB at basic-tidb:4000 to s3://backups/sql");
        assert.equal(url, "s3://backups/sql");
    });

    it("has the password from the Secret as a variable only, and none without a Secret", () => {
        for (const kind of ["Backup", "Restore"] as const) {
            const { container } = rendered(kind);
            assert.deepEqual(
                container.env.filter(({ name }) => name === "TIDB_PASSWORD"),
                [{ name: "TIDB_PASSWORD", valueFrom: { secretKeyRef: { name: "sql-secret", key: "password" } } }],
            );
            assert.ok(!container.args.slice(1).some((word) => /password/i.test(word)));
            const field = kind === "Backup" ? "from" : "to";
            const without = rendered(kind, { [field]: { host: "basic-tidb" } }).container;
            assert.ok(!without.env.some(({ name }) => name === "TIDB_PASSWORD"));
        }
    });

    it("keeps Kubernetes from reading a variable in its script and in an argument", () => {
        const { container } = rendered("Backup", { dumpling: { options: ["--where=a='$(HOME)'"] } });
        assert.ok(container.args.includes("--where=a='$$(HOME)'"));
        assert.match(container.args[0], /"\$\$\{TIDB_PASSWORD-\}"/);
    });
});

/** tidb-operator v1.6.6: loadTidbClusterData in cmd/backup-manager/app/import/import.go. */
describe("a Restore by TiDB Lightning", () => {
    const reached = ["--tidb-user=backup", "--tidb-host=basic-tidb", "--tidb-port=4000"];
    const first = ["--backend=tidb", "--server-mode=false", "--log-file=-"];

    for (const [what, spec, storage, words] of [
        ["S3", {}, "s3://backups/sql?region=us-west-1&provider=aws", []],
        [
            "S3 with settings that a URL must escape",
            { s3: { ...s3, endpoint: "http://minio:9000", forcePathStyle: true, sse: "aws:kms" } },
            "s3://backups/sql?force-path-style=true&region=us-west-1&provider=aws&endpoint=http%3A%2F%2Fminio%3A9000&sse=aws%3Akms",
            [],
        ],
        [
            "Azure",
            { s3: undefined, azblob: { container: "c", storageAccount: "a", accessTier: "Cool" } },
            "azure://c/?account-name=a&access-tier=Cool",
            [],
        ],
        ["filters", { tableFilter: ["shop.*", "!shop.x,y"] }, undefined, ["-f", "shop.*", "-f", "!shop.x,y"]],
        [
            "TLS",
            { to: { ...access, tlsClientSecretName: "tls" } },
            undefined,
            [
                "--ca=/var/lib/tidb-client-tls/ca.crt",
                "--cert=/var/lib/tidb-client-tls/tls.crt",
                "--key=/var/lib/tidb-client-tls/tls.key",
            ],
        ],
    ] as const) {
        it(`gives TiDB Lightning the operator's arguments, and the storage as a URL: ${what}`, () => {
            const load = rendered("Restore", spec);
            assert.deepEqual(load.words, [...first, ...reached, ...words]);
            assert.deepEqual(
                [load.word, load.storage],
                ["restore", storage ?? "s3://backups/sql?region=us-west-1&provider=aws"],
            );
        });
    }

    it("is one Job in the image of TiDB Lightning, with a folder for the file with the password", () => {
        const { job, backoffLimit, pod, container, does } = rendered("Restore", {}, { ...cluster, tls: true });
        assert.deepEqual([job.metadata.name, backoffLimit], ["restore-monday", 0]);
        assert.equal(container.image, "pingcap/tidb-lightning:v8.5.3");
        assert.deepEqual(pod.volumes, [{ name: "pulumi-tidb-run", emptyDir: {} }]); // Nothing asks PD.
        assert.equal(does, "load the dump s3://backups/sql into TiDB at basic-tidb:4000");
    });
});

describe("how a Backup or Restore by SQL reaches the cluster of the program", () => {
    const host = (kind: BrKind, spec: Fields, of: BrCluster) =>
        rendered(kind, spec, of).words.filter((word) => /^--(tidb-)?(host|port|user|ca)=/.test(word));

    it("is by TiDB's Service, its port and its client certificate, as root", () => {
        const { manifest: basic } = checkManifest({
            metadata: { name: "basic", namespace: "db" },
            spec: {
                version: "v8.5.3",
                pd: { replicas: 1, requests: { storage: "1Gi" } },
                tikv: { replicas: 1, requests: { storage: "1Gi" } },
                tidb: { replicas: 1, service: { type: "ClusterIP", port: 3306 }, tlsClient: { enabled: true } },
            },
        });
        const facts = brClusterOf(basic);
        const tls = "--ca=/var/lib/tidb-client-tls/ca.crt";
        assert.deepEqual(host("Backup", { from: {} }, facts), [
            "--host=basic-tidb.db",
            "--port=3306",
            "--user=root",
            tls,
        ]);
        assert.deepEqual(host("Restore", { to: { host: "basic-tidb.db.svc" } }, facts), [
            "--tidb-user=root",
            "--tidb-host=basic-tidb.db.svc",
            "--tidb-port=3306",
            tls,
        ]);
        assert.deepEqual(rendered("Backup", { from: {} }, facts).pod.volumes, [
            { name: "tidb-client-tls", secret: { secretName: "basic-tidb-client-secret" } },
        ]);
        // What is true of the Service need not be of another host.
        assert.deepEqual(host("Backup", { from: { host: "proxy.example.com" } }, facts), [
            "--host=proxy.example.com",
            "--port=4000",
            "--user=root",
        ]);
        assert.deepEqual(rendered("Backup", { from: undefined, dumpling: {} }, facts).words[0], "--host=basic-tidb.db");
    });

    for (const [what, kind, spec, of, expected] of [
        ["no host, and no TiDB in the program", "Backup", { from: {} }, cluster, "spec.from.host"],
        ["the Service of another cluster", "Backup", { from: { host: "other-tidb.db" } }, own, "spec.from.host"],
        ["the Service in another namespace", "Backup", { from: { host: "basic-tidb.test" } }, own, "spec.from.host"],
        ["a restore into a host that no gate can ask", "Restore", { to: { host: "10.0.0.9" } }, own, "spec.to.host"],
        [
            "a restore into a host of a domain that looks like a Service",
            "Restore",
            { to: { host: "basic-tidb.example.com" } },
            cluster,
            "spec.to.host",
        ],
        [
            "a restore into the Service of a cluster of the same name in another Kubernetes cluster",
            "Restore",
            { to: { host: "basic-tidb.db.svc.other.example" } },
            own,
            "spec.to.host",
        ],
        [
            "a certificate in another namespace",
            "Backup",
            { from: {} },
            { ...own, namespace: "other", sql: { port: 4000, tlsSecret: "basic-tidb-client-secret" } },
            "spec.from.tlsClientSecretName",
        ],
        [
            "an image of Dumpling that is too early",
            "Backup",
            { toolImage: "pingcap/dumpling:v4.0.7" },
            cluster,
            "spec.toolImage",
        ],
        ["no version", "Restore", {}, { ...cluster, version: undefined }, "spec.toolImage"],
    ] as [string, BrKind, Fields, BrCluster, string][]) {
        it(`is refused with ${what}`, () => {
            assert.deepEqual(problems(kind, spec, of), [expected]);
        });
    }

    it("refuses to load from Azure with a TiDB Lightning that cannot, and takes a later one", () => {
        const azblob = { container: "c", prefix: "sql", storageAccount: "a" };
        const of = { ...cluster, version: "v7.5.0" };
        assert.deepEqual(problems("Restore", { s3: undefined, azblob }, of), ["spec.toolImage"]);
        const toolImage = "pingcap/tidb-lightning:v8.5.0";
        assert.deepEqual(problems("Restore", { s3: undefined, azblob, toolImage }, of), []);
        assert.deepEqual(problems("Backup", { s3: undefined, azblob }, of), []);
    });

    it("may be with an earlier or later tool than the cluster: SQL fits both", () => {
        for (const toolImage of ["pingcap/dumpling:v6.5.0", "mine/dumpling:v9.0.0", "mine/dumpling"]) {
            assert.deepEqual(problems("Backup", { toolImage }), []);
        }
        assert.equal(rendered("Backup", { toolImage: "mine/dumpling" }).container.image, "mine/dumpling:v8.5.3");
    });

    it("refuses a dump of a later version, if the program says which it comes from", () => {
        const load = (version: string) =>
            refusedFields(() => renderBr("Restore", checkBr("Restore", manifest("Restore", {})), cluster, version));
        assert.deepEqual(load("v8.5.3"), []);
        assert.deepEqual(load("v8.5.4"), ["backupVersion"]);
    });
});

describe("a Backup or Restore by SQL that is refused", () => {
    for (const options of [
        ["--output=/tmp"],
        ["-o", "/tmp"],
        ["-dWo/tmp"],
        ["--host", "h"],
        ["-hh"],
        ["-P=3306"],
        ["-u", "root"],
        ["--ca=x"],
        ["--password=secret"],
        ["-psecret"],
        ["-dpsecret"],
        ["--s3.endpoint=http://x"],
        ["--azblob.account-key=x"],
        ["--status-addr=:8281"],
        ["-f", "a.b"],
        ["--filter=a.b"],
        ["--version"],
        ["-V"],
        ["--help"],
    ]) {
        it(`has ${JSON.stringify(options)} in spec.dumpling.options`, () => {
            assert.deepEqual(problems("Backup", { dumpling: { options } }), ["spec.dumpling.options[0]"]);
        });
    }

    it("but takes flags that only look alike", () => {
        const options = [
            "--params=a=b",
            "--output-filename-template={{.DB}}",
            "-dm",
            "-W=false",
            "--compress=gzip",
            "-S",
        ];
        assert.deepEqual(problems("Backup", { dumpling: { options } }), []);
        assert.deepEqual(problems("Backup", { dumpling: { options: ["--s3.storage-class=X", "-t8", "-Bshop"] } }), []);
    });

    for (const [kind, spec, field] of [
        ["Backup", { storageSize: "10Gi" }, "storageSize"],
        ["Backup", { storageClassName: "ssd" }, "storageClassName"],
        ["Restore", { storageSize: "10Gi" }, "storageSize"],
        ["Restore", { s3: { ...s3, path: "s3://x/y.tgz" } }, "s3.path"],
        ["Backup", { tikvGCLifeTime: "72h" }, "tikvGCLifeTime"],
        ["Backup", { backupType: "db" }, "backupType"],
        ["Backup", { backupMode: "log" }, "backupMode"],
        ["Backup", { backupMode: "volume-snapshot" }, "backupMode"],
        ["Backup", { commitTs: "2026-05-11 01:42:23" }, "commitTs"],
        ["Backup", { logSubcommand: "log-stop" }, "logSubcommand"],
        ["Backup", { cleanPolicy: "Delete" }, "cleanPolicy"],
        ["Restore", { restoreMode: "pitr" }, "restoreMode"],
        ["Restore", { pitrRestoredTs: "400036290571534337" }, "pitrRestoredTs"],
        ["Restore", { backupType: "table" }, "backupType"],
        ["Backup", { from: { ...access, host: "a b" } }, "from.host"],
        ["Backup", { from: { ...access, secretName: "Not_a_name" } }, "from.secretName"],
        ["Backup", { tableFilter: ["shop"] }, "tableFilter[0]"],
        ["Backup", { dumpling: { tableFilter: ["shop"] } }, "dumpling.tableFilter[0]"],
        ["Backup", { tableFilter: ["a.*"], dumpling: { tableFilter: ["b.*"] } }, "dumpling.tableFilter"],
        ["Backup", { s3: { ...s3, prefix: "/" } }, "s3.prefix"],
        ["Backup", { additionalVolumes: [{ name: "tidb-client-tls" }] }, "additionalVolumes[0].name"],
    ] as [BrKind, Fields, string][]) {
        it(`is a ${kind} with spec.${field}, which is named once`, () => {
            assert.deepEqual(problems(kind, spec), [`spec.${field}`]);
        });
    }

    it("has a field of the other kind, or one that nobody knows", () => {
        assert.deepEqual(problems("Backup", { to: access }), ["spec.to"]);
        assert.deepEqual(problems("Restore", { from: access }), ["spec.from"]);
        assert.deepEqual(problems("Restore", { dumpling: {} }), ["spec.dumpling"]);
        assert.deepEqual(problems("Backup", { from: { ...access, pass: "x" } }), ["spec.from.pass"]);
        assert.deepEqual(problems("Backup", { from: { ...access, port: 0 } }), ["spec.from.port"]);
    });

    it("but takes what changes nothing", () => {
        const spec = { backupType: "full", backupMode: "snapshot", cleanPolicy: "Retain", logStop: false };
        assert.deepEqual(problems("Backup", spec), []);
        assert.deepEqual(problems("Restore", { restoreMode: "snapshot", backoffLimit: 0 }), []);
    });

    it("is a run of a schedule, or the backup before an upgrade", () => {
        const schedule = {
            kind: "BackupSchedule",
            metadata: { name: "nightly", namespace: "db" },
            spec: { schedule: "0 3 * * *", backupTemplate: { s3, dumpling: {}, from: access } },
        };
        assert.deepEqual(
            refusedFields(() => checkSchedule(schedule)),
            ["spec.backupTemplate.from", "spec.backupTemplate.dumpling"],
        );
        assert.deepEqual(
            backupProblems("spec", { s3, dumpling: {} }).map(({ field }) => field),
            ["spec.dumpling"],
        );
    });
});

describe("what gates make of the Job of a Backup or Restore by SQL", () => {
    const monday = { backup: "full", url: "s3://backups/sql", takenBy: "uid", attempt: 1, timeoutSeconds: 1 };
    const user = (kind: BrKind, hasEnded: boolean) => [
        { name: `Job db/${kind}`, uid: "other", hasEnded, args: rendered(kind).container.args },
    ];

    it("no data of a full backup are deleted that a dump has its files beside, or that a load may read", () => {
        repeats(neededBy(monday, user("Backup", true)), "Job db/Backup");
        repeats(neededBy(monday, user("Restore", false)), "Job db/Restore");
        assert.equal(neededBy(monday, user("Restore", true)), undefined);
    });

    it("a dump holds no update back", () => {
        const pod = { name: "p", job: "j", phase: "Running", terminating: false };
        assert.deepEqual(runningBackups([{ ...pod, args: rendered("Backup").container.args }], "basic", "db"), []);
    });
});
