import assert from "node:assert/strict";
import { parseManifests } from "../../../components/parseManifest";
import { ManifestError, type SpecProblem } from "../../../components/problem";
import { type OpenManifest, problemsOf, smallCluster } from "./manifests";
import { repeats } from "../../support/repeats";

type Row = readonly [lost: string, change: (manifest: OpenManifest) => void, reported: string];

/** Checks the only problems of changed clusters: their fields, in order. */
function fieldsOf(severity: SpecProblem["severity"], change: (manifest: OpenManifest) => void): string[] {
    return problemsOf(smallCluster(change))
        .filter((problem) => problem.severity === severity)
        .map(({ field }) => field);
}

const flash = (config: object) => ({
    replicas: 1,
    storageClaims: [{ resources: { requests: { storage: "10Gi" } } }],
    config,
});

const lostData: Row[] = [
    [
        "the Raft log of each store in turn",
        ({ spec }) => (spec.tikv.config = '[raft-engine]\ndir = "/data/raft-log"'),
        "spec.tikv.config.raft-engine.dir",
    ],
    [
        "the write-ahead log",
        ({ spec }) => (spec.tikv.config = { rocksdb: { "wal-dir": "/wal" } }),
        "spec.tikv.config.rocksdb.wal-dir",
    ],
    [
        "the Raft database before the Raft engine",
        ({ spec }) => (spec.tikv.config = { "raft-store": { "raftdb-path": "raft" } }),
        "spec.tikv.config.raft-store.raftdb-path",
    ],
    [
        "a folder beside a volume whose name begins alike",
        ({ spec }) => (spec.tikv.config = { rocksdb: { "wal-dir": "/var/lib/tikv-wal" } }),
        "spec.tikv.config.rocksdb.wal-dir",
    ],
    [
        "what is in a volume that ends with the pod",
        ({ spec }) => {
            spec.tikv.config = { rocksdb: { "wal-dir": "/wal/kv" } };
            spec.tikv.additionalVolumes = [{ name: "wal", emptyDir: {} }];
            spec.tikv.additionalVolumeMounts = [{ name: "wal", mountPath: "/wal" }];
        },
        "spec.tikv.config.rocksdb.wal-dir",
    ],
    [
        "TiFlash's copies",
        ({ spec }) => (spec.tiflash = flash({ config: { storage: { main: { dir: ["/data0/db", "/data1/db"] } } } })),
        "spec.tiflash.config.config.storage.main.dir",
    ],
    [
        "TiFlash's Raft log",
        ({ spec }) => (spec.tiflash = flash({ proxy: { "raft-engine": { dir: "/raft" } } })),
        "spec.tiflash.config.proxy.raft-engine.dir",
    ],
];

const keptData: Row[] = [
    [
        "a folder in a volume of storageVolumes",
        ({ spec }) => {
            spec.tikv.storageVolumes = [{ name: "raft", storageSize: "50Gi", mountPath: "/var/lib/raft" }];
            spec.tikv.config = { "raft-engine": { dir: "/var/lib/raft/log" } };
        },
        "",
    ],
    [
        "a folder in the data volume",
        ({ spec }) => (spec.tikv.config = { rocksdb: { "wal-dir": "/var/lib/tikv/wal" } }),
        "",
    ],
    ["an empty setting", ({ spec }) => (spec.tikv.config = { "raft-engine": { dir: "" } }), ""],
];

const unreachable: Row[] = [
    ["SQL", ({ spec }) => (spec.tidb.config = "port = 4100"), "spec.tidb.config.port"],
    [
        "the gates' look at TiDB",
        ({ spec }) => (spec.tidb.config = { status: { "status-port": 10079 } }),
        "spec.tidb.config.status.status-port",
    ],
    [
        "the status port",
        ({ spec }) => (spec.tidb.config = { status: { "report-status": false } }),
        "spec.tidb.config.status.report-status",
    ],
    [
        "the status port of other pods",
        ({ spec }) => (spec.tidb.config = { status: { "status-host": "127.0.0.1" } }),
        "spec.tidb.config.status.status-host",
    ],
    [
        "SQL through TiProxy",
        ({ spec }) => (spec.tiproxy = { replicas: 1, version: "v1.3.0", config: '[proxy]\naddr = "0.0.0.0:6001"' }),
        "spec.tiproxy.config.proxy.addr",
    ],
    [
        "TiProxy's health",
        ({ spec }) => (spec.tiproxy = { replicas: 1, version: "v1.3.0", config: '[api]\naddr = "0.0.0.0:3081"' }),
        "spec.tiproxy.config.api.addr",
    ],
    [
        "TiFlash",
        ({ spec }) => (spec.tiflash = flash({ config: { flash: { service_addr: "0.0.0.0:3931" } } })),
        "spec.tiflash.config.config.flash.service_addr",
    ],
    [
        "TiFlash's metrics",
        ({ spec }) => (spec.tiflash = flash({ proxy: { server: { "status-addr": "0.0.0.0:20293" } } })),
        "spec.tiflash.config.proxy.server.status-addr",
    ],
];

const late: Row[] = [
    [
        "a port's name",
        ({ spec }) => (spec.tidb.service.additionalPorts = [{ name: "mysql-client", port: 3306 }]),
        "spec.tidb.service.additionalPorts[0].name",
    ],
    [
        "a port's number",
        ({ spec }) => (spec.tidb.service.additionalPorts = [{ name: "more", port: 4000 }]),
        "spec.tidb.service.additionalPorts[0].port",
    ],
    [
        "a port's name that is none",
        ({ spec }) => (spec.tidb.service.additionalPorts = [{ name: "MyPort", port: 3306 }]),
        "spec.tidb.service.additionalPorts[0].name",
    ],
    ["the number of the status port", ({ spec }) => (spec.tidb.service.port = 10080), "spec.tidb.service.port"],
    [
        "the name of the status port",
        ({ spec }) => (spec.tidb.service.portName = "status"),
        "spec.tidb.service.portName",
    ],
    [
        "a node port",
        ({ spec }) => (spec.tidb.service = { type: "NodePort", mysqlNodePort: 30001, statusNodePort: 30001 }),
        "spec.tidb.service.statusNodePort",
    ],
    [
        "the volume of the configuration",
        ({ spec }) => (spec.tidb.additionalVolumes = [{ name: "config", emptyDir: {} }]),
        "spec.tidb.additionalVolumes[0].name",
    ],
    [
        "a data volume",
        ({ spec }) => (spec.tikv.additionalVolumes = [{ name: "tikv", emptyDir: {} }]),
        "spec.tikv.additionalVolumes[0].name",
    ],
    [
        "a volume's name that is none",
        ({ spec }) => (spec.pd.additionalVolumes = [{ name: "My_Volume", emptyDir: {} }]),
        "spec.pd.additionalVolumes[0].name",
    ],
    [
        "a container's name",
        ({ spec }) => (spec.pd.initContainers = [{ name: "pd", image: "x:1" }]),
        "spec.pd.initContainers[0].name",
    ],
    [
        "an environment variable",
        ({ spec }) =>
            (spec.tidb.env = [
                { name: "A", value: "1" },
                { name: "A", value: "2" },
            ]),
        "spec.tidb.env[1].name",
    ],
    [
        "a mount of no volume",
        ({ spec }) => (spec.pd.additionalVolumeMounts = [{ name: "no", mountPath: "/no" }]),
        "spec.pd.additionalVolumeMounts[0].name",
    ],
];

describe("data that a restart loses, because its folder is on no volume that outlives the pod", () => {
    for (const [lost, change, field] of lostData) {
        it(lost, () => assert.deepEqual(fieldsOf("error", change), [field]));
    }
    for (const [kept, change] of keptData) {
        it(`is not said of ${kept}`, () => assert.deepEqual(fieldsOf("error", change), []));
    }
});

describe("pods that never become Ready, because of a port in the configuration that nothing else follows", () => {
    for (const [lost, change, field] of unreachable) {
        it(lost, () => assert.deepEqual(fieldsOf("error", change), [field]));
    }
    it("is not said of the port that all else has", () =>
        assert.deepEqual(problemsOf(smallCluster(({ spec }) => (spec.tidb.config = "port = 4000"))), []));
    it("a setting that the start script overrides is said to have no effect", () =>
        assert.deepEqual(
            fieldsOf("warning", ({ spec }) => {
                spec.tikv.config = { server: { addr: "0.0.0.0:1" } };
                spec.pd.config = { "client-urls": "http://0.0.0.0:1" };
            }).sort(),
            ["spec.pd.config.client-urls", "spec.tikv.config.server.addr"],
        ));
});

describe("an update that the API server refuses in the middle, for a name that is used twice", () => {
    for (const [lost, change, field] of late) {
        it(lost, () => assert.deepEqual(fieldsOf("error", change), [field]));
    }
});

describe("pods that wait for TiDB Operator's scheduler", () => {
    for (const at of ["", "pd", "tikv", "tidb", "discovery"]) {
        it(`is warned of at spec${at === "" ? "" : `.${at}`}`, () => {
            const fields = fieldsOf("warning", ({ spec }) => {
                const holder = at === "" ? spec : (spec[at] ??= {});
                holder.schedulerName = "tidb-scheduler";
            });
            assert.deepEqual(fields, [`spec${at === "" ? "" : `.${at}`}.schedulerName`]);
        });
    }
});

const cluster = `apiVersion: pingcap.com/v1alpha1
kind: TidbCluster
metadata: {name: shop, namespace: db}
spec: {version: v8.5.3, pd: {replicas: 3, requests: {storage: 10Gi}}, tikv: {replicas: 3, config: {}}}
`;

function errorsOf(text: string): readonly SpecProblem[] {
    try {
        parseManifests(text, "input.yaml");
        return [];
    } catch (error) {
        if (error instanceof ManifestError) {
            return error.problems;
        }
        throw error;
    }
}

describe("objects in the file of a cluster that lead to something else than they say", () => {
    const object = (kind: string, name: string, namespace = "db") =>
        `---\napiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: ${namespace}}\n`;

    it("the settings in a ConfigMap that the operator mounts are not lost without a word", () => {
        const [{ field, expected }] = errorsOf(cluster + object("ConfigMap", "shop-pd"));
        assert.equal(field, "spec.pd.config");
        repeats(expected, "ConfigMap/shop-pd");
    });

    it("an object that this package makes is not to be created by a program, too", () => {
        const objects = [
            object("ConfigMap", "shop-tikv"),
            object("ServiceAccount", "shop-discovery"),
            object("Service", "shop-pd-peer"),
        ];
        const { warnings } = parseManifests(cluster + objects.join(""), "input.yaml");
        assert.equal(warnings.length, 3);
        assert.ok(!warnings.some(({ message }) => message.includes("create it in your program")));
    });

    it("an object of another name or namespace is still to be created", () => {
        const { warnings } = parseManifests(
            cluster + object("ConfigMap", "shop-pd", "elsewhere") + object("ConfigMap", "more"),
            "input.yaml",
        );
        assert.equal(warnings.filter(({ message }) => message.includes("create it in your program")).length, 2);
    });

    it("an object of TiDB Operator v2, which kubectl could apply and nothing would deploy, is named as one", () => {
        const version2 = (kind: string, group = "core") =>
            `apiVersion: ${group}.pingcap.com/v1alpha1\nkind: ${kind}\nmetadata: {name: shop}\nspec: {}\n`;
        const [{ message }] = errorsOf(version2("PDGroup"));
        repeats(message, "TiDB Operator v2", "spec.pd");
        repeats(errorsOf(`${version2("Cluster")}---\n${version2("TiKVGroup")}`)[0].message, "TiDB Operator v2");
        repeats(parseManifests(`${cluster}---\n${version2("TiDBGroup")}`, "x").warnings[0].message, "spec.tidb");
        assert.ok(!message.includes("kubectl"), message);
    });

    it("a template is named as one, with the command that renders it", () => {
        for (const text of [
            "metadata: {name: a}\nspec:\n  pd: {replicas: {{ .Values.replicas }}}\n",
            "{{- if .Values.on }}\nspec: {}\n{{- end }}\n",
            "spec:\n  version: {{ version }}\n",
        ]) {
            repeats(errorsOf(text)[0].message, "helm template . | pulumi-tidb render -");
        }
        assert.deepEqual(
            errorsOf(cluster.replace("metadata: {", 'metadata: {annotations: {a: "{{ $labels }}"}, ')),
            [],
        );
    });

    it("a mistake in YAML is not taken for a template, though an annotation has one for another program", () => {
        for (const annotation of ['a: "x {{ y }}"', "a: |\n      {{ with secret }}\n    b: c"]) {
            const text = `metadata:\n  annotations:\n    ${annotation}\nspec:\n  pd: {replicas: 3\n  tikv: {}\n`;
            const [first] = errorsOf(text);
            assert.ok(!first.message.includes("helm template"), first.message);
        }
    });

    it("a Kustomization is to be built first", () => {
        const text = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n";
        assert.ok(errorsOf(text).some(({ message }) => message.includes("kubectl kustomize . | pulumi-tidb render -")));
    });
});
