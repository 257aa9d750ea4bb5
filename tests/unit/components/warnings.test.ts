import assert from "node:assert/strict";
import { type OpenManifest, problemsOf, smallCluster } from "./manifests";
import { repeats } from "../../support/repeats";

/** `atRisk`: pods do not start then, the update fails, or data or checks are missing. A plan counts exactly these: it must not say "no risk found" below. */
type Rule = [change: (manifest: OpenManifest) => void, field: string, atRisk?: boolean, ...values: string[]];

const rules: Rule[] = [
    [
        ({ spec }) => Object.assign(spec.tikv, { baseImage: "example.org/tikv", version: "8.5.3" }),
        "spec.tikv.version",
        true,
        ...["v8.5.3", "example.org/tikv:8.5.3"],
    ],
    [
        ({ spec }) => Object.assign(spec.tikv, { baseImage: "example.org/tikv", version: "v8.5" }),
        "spec.tikv.version",
        true,
        ...["v8.5.0", "example.org/tikv:v8.5"],
    ],
    [
        ({ spec }) => Object.assign(spec.tikv, { baseImage: "example.org/tikv", version: "v8.5.4x" }),
        "spec.tikv.version",
        true,
    ],
    ...["v8.5.3_hotfix1", "v8.5.3.1", "v7.5.1u2", "v8.5.4x"].map((tag): Rule => [
        ({ spec }) => (spec.version = tag),
        "spec.version",
        true,
        ...["v8.5.3", `pingcap/pd:${tag}`],
    ]),
    [
        ({ spec }) => Object.assign(spec, { version: "8.5.3", imagePullPolicy: "Never" }),
        "spec.version",
        true,
        "v8.5.3",
        "pingcap/pd:8.5.3",
    ],
    [
        ({ spec }) => Object.assign(spec.tikv, { version: "v8.5", imagePullPolicy: "Never" }),
        "spec.tikv.version",
        true,
        "v8.5.0",
        "pingcap/tikv:v8.5",
    ],
    [({ spec }) => (spec.version = "latest"), "spec.version", true],
    [({ spec }) => (spec.tikv.version = "nightly"), "spec.tikv.version", true],
    [({ spec }) => (spec.version = "mine"), "spec.version", true],
    [({ spec }) => (spec.tikv.replicas = 1), "spec.tikv.replicas", true],
    [({ spec }) => (spec.pd.replicas = 2), "spec.pd.replicas", true],
    [({ spec }) => (spec.pd.replicas = 4), "spec.pd.replicas"],
    ...[
        { status: { phase: "Normal" } },
        { metadata: { name: "shop", uid: "u" } },
        { metadata: { name: "shop", resourceVersion: "1" } },
    ].map((stored): Rule => [
        (manifest) => {
            Object.assign(manifest, stored);
            manifest.spec.tikv.ofAnotherVersion = {};
        },
        "spec.tikv.ofAnotherVersion",
    ]),
    [({ spec }) => (spec.paused = true), "spec.paused"],
    [({ spec }) => (spec.recoveryMode = true), "spec.recoveryMode"],
    [
        ({ spec }) => Object.assign(spec.tidb, { initializer: { createPassword: true }, replicas: 0 }),
        "spec.tidb.initializer.createPassword",
    ],
    [
        ({ spec }) =>
            Object.assign(spec.tidb, {
                initializer: { createPassword: true },
                config: { security: { "skip-grant-table": true } },
            }),
        "spec.tidb.initializer.createPassword",
        true,
    ],
    [
        ({ spec }) =>
            Object.assign(spec.tidb, {
                initializer: { createPassword: true },
                config: "[security]\nrequire-secure-transport = true\n",
            }),
        "spec.tidb.initializer.createPassword",
        true,
    ],
    [({ spec }) => (spec.tidb.requests = { storage: "1Gi" }), "spec.tidb.requests.storage"],
    [({ spec }) => (spec.pd.image = "a:1"), "spec.pd.image"],
    [({ spec }) => (spec.statefulSetUpdateStrategy = "RollingUpdate"), "spec.statefulSetUpdateStrategy"],
    [({ spec }) => (spec.tidb.service.loadBalancerIP = "1.2.3.4"), "spec.tidb.service.loadBalancerIP"],
    [({ spec }) => (spec.pd.service = { loadBalancerClass: "x" }), "spec.pd.service.loadBalancerClass"],
    [({ spec }) => (spec.services = [{ name: "tidb", type: "NodePort" }]), "spec.services"],
    [({ spec }) => (spec.startScriptV2FeatureFlags = ["NoWaitDNS"]), "spec.startScriptV2FeatureFlags"],
    [({ spec }) => (spec.tikv.readinessProbe = { type: "command" }), "spec.tikv.readinessProbe.type"],
    [({ spec }) => (spec.services = [{ name: "pd", type: "ExternalName" }]), "spec.services[0].type"],
    [({ spec }) => (spec.tlsCluster = { enableDiscoveryMTLS: true }), "spec.tlsCluster.enableDiscoveryMTLS"],
    [({ spec }) => (spec.pd.mountClusterClientSecret = true), "spec.pd.mountClusterClientSecret"],
    [({ spec }) => (spec.tikv.mountClusterClientSecret = true), "spec.tikv.mountClusterClientSecret"],
    [({ spec }) => (spec.pd.tlsClientSecretName = "x"), "spec.pd.tlsClientSecretName"],
    [({ spec }) => (spec.tidb.tlsClient = { disableClientAuthn: true }), "spec.tidb.tlsClient.disableClientAuthn"],
    [
        ({ spec }) => (spec.tidb.tlsClient = { enabled: false, skipInternalClientCA: true }),
        "spec.tidb.tlsClient.skipInternalClientCA",
    ],
    [({ spec }) => (spec.tikv.logTailer = { limits: { cpu: 1 } }), "spec.tikv.logTailer"],
    [({ spec }) => (spec.tikv.raftLogVolumeName = "x"), "spec.tikv.raftLogVolumeName"],
    [({ spec }) => (spec.tikv.rocksDBLogVolumeName = "x"), "spec.tikv.rocksDBLogVolumeName"],
    [
        ({ spec }) => Object.assign(spec.tidb, { separateSlowLog: false, slowLogTailer: { limits: { cpu: 1 } } }),
        "spec.tidb.slowLogTailer",
    ],
    [
        ({ spec }) => Object.assign(spec.tidb, { separateSlowLog: false, slowLogVolumeName: "x" }),
        "spec.tidb.slowLogVolumeName",
    ],
    [({ spec }) => (spec.tidb.storageClassName = "fast"), "spec.tidb.storageClassName"],
    [({ spec }) => (spec.tikv.scalePolicy = { scaleOutParallelism: 2 }), "spec.tikv.scalePolicy.scaleOutParallelism"],
    [({ spec }) => (spec.tidb.scalePolicy = { scaleInParallelism: 2 }), "spec.tidb.scalePolicy.scaleInParallelism"],
    [({ spec }) => (spec.tidb.binlogEnabled = true), "spec.tidb.binlogEnabled", true],
    [
        ({ spec }) => Object.assign(spec, { startScriptVersion: "v2", pd: { ...spec.pd, startUpScriptVersion: "v1" } }),
        "spec.pd.startUpScriptVersion",
    ],
    [
        ({ spec }) => Object.assign(spec.pd, { podManagementPolicy: "OrderedReady", readinessProbe: { type: "tcp" } }),
        "spec.pd.podManagementPolicy",
        true,
    ],
    [
        ({ spec }) => {
            spec.podManagementPolicy = "OrderedReady";
            spec.pd.readinessProbe = { type: "tcp" };
        },
        "spec.podManagementPolicy",
        true,
    ],
    [
        ({ spec }) => {
            delete spec.pd;
            spec.cluster = { name: "other" };
            spec.pdAddresses = ["http://pd:2379"];
        },
        "spec.pdAddresses",
    ],
    [({ spec }) => (spec.discovery = { livenessProbe: { type: "command" } }), "spec.discovery.livenessProbe.type"],
    [
        ({ spec }) => (spec.topologySpreadConstraints = [{ topologyKey: "zone", matchLabels: { app: "x" } }]),
        "spec.topologySpreadConstraints[0].matchLabels.app",
    ],
    [
        ({ metadata }) => (metadata.annotations = { "tidb.pingcap.com/force-upgrade": "true" }),
        "metadata.annotations.tidb.pingcap.com/force-upgrade",
    ],
    [
        ({ metadata }) => (metadata.annotations = { "tidb.pingcap.com/tikv-min-ready-seconds": "soon" }),
        "metadata.annotations.tidb.pingcap.com/tikv-min-ready-seconds",
    ],
    [
        ({ spec }) =>
            (spec.tikv.config = { "log.level": "warn", server: { labels: { "topology.kubernetes.io/zone": "a" } } }),
        "spec.tikv.config",
        false,
        ...['"log.level"', '"level"', '"log"'],
    ],
    [
        ({ spec }) => (spec.tikv.config = { storage: { "block-cache.num-shard-bits": 6 } }),
        "spec.tikv.config",
        false,
        '"num-shard-bits"',
        '"storage.block-cache"',
    ],
    [
        ({ spec }) => (spec.pd.config = "'schedule.leader-schedule-limit' = 8\n[log]\nfile.filename = 'x'\n"),
        "spec.pd.config",
        false,
        ...['"leader-schedule-limit"', '"schedule"'],
    ],
    [
        ({ spec }) => (spec.tidb.config = { "log.file.max-days": 3 }),
        "spec.tidb.config",
        false,
        '"max-days"',
        '"log.file"',
    ],
    ...["config", "proxy"].map((part): Rule => [
        ({ spec }) =>
            (spec.tiflash = {
                replicas: 1,
                storageClaims: [{ resources: { requests: { storage: "10Gi" } } }],
                config: { [part]: { "profiles.default": 5, profiles: { default: { max_threads: 5 } } } },
            }),
        `spec.tiflash.config.${part}`,
        false,
        ...['"default"', '"profiles"'],
    ]),
    [({ spec }) => (spec.tiproxy = { replicas: 1, config: "" }), "spec.tiproxy.version", true],
    [({ spec }) => (spec.tiproxy = { replicas: 1, config: "", version: "v8.5.3" }), "spec.tiproxy.version", true],
    [
        ({ spec }) => {
            delete spec.version;
            Object.assign(spec.pd, { version: "v8.5.3" });
            Object.assign(spec.tidb, { version: "v8.5.3" });
            Object.assign(spec.tikv, { version: "v8.5.3" });
            spec.tiproxy = { replicas: 1, config: "", image: "pingcap/tiproxy:v7.5.0" };
        },
        "spec.tiproxy.image",
        true,
    ],
    [
        ({ spec }) => {
            delete spec.version;
            Object.assign(spec.pd, { version: "v8.5.3" });
            Object.assign(spec.tidb, { version: "v8.5.3" });
            Object.assign(spec.tikv, { baseImage: "", image: "pingcap/tikv" });
        },
        "spec.version",
        true,
    ],
    [
        ({ spec }) => (spec.pd.suspendAction = { suspendStatefulSet: true }),
        "spec.pd.suspendAction.suspendStatefulSet",
        true,
    ],
    [
        ({ spec }) => {
            spec.tiflash = { replicas: 1, storageClaims: [{ resources: { requests: { storage: "10Gi" } } }] };
            spec.pd.config = { replication: { "enable-placement-rules": false } };
        },
        "spec.pd.config.replication.enable-placement-rules",
        true,
    ],
    [({ spec }) => (spec.pump = { replicas: 1, requests: { storage: "1Gi" }, config: {} }), "spec.pump", true],
    [({ spec }) => delete spec.pd, "spec.pd", true],
    [({ spec }) => (spec.tidb.labels = { "app.kubernetes.io/name": "x" }), "spec.tidb.labels.app.kubernetes.io/name"],
    [
        ({ metadata }) => (metadata.annotations = { "tikv.tidb.pingcap.com/delete-slots": "[1]" }),
        "metadata.annotations.tikv.tidb.pingcap.com/delete-slots",
    ],
];

describe("warnings of a manifest", () => {
    for (const [change, field, atRisk = false, ...values] of rules) {
        it(`name ${field}`, () => {
            const problems = problemsOf(smallCluster(change));
            assert.deepEqual(
                problems.map((problem) => [problem.field, problem.severity, problem.risk !== undefined]),
                [[field, "warning", atRisk]],
            );
            repeats(problems[0].message, ...values);
        });
    }

    it("are empty for a field that changes nothing", () => {
        const manifest = smallCluster(({ spec }) => {
            spec.pd.maxFailoverCount = 0;
            spec.enablePVReclaim = false;
            spec.tiflash = null;
            spec.pdms = [];
            spec.discovery = null;
            spec.tikv.nodeSelector = undefined;
            spec.pd.mode = "";
        });
        assert.deepEqual(problemsOf(manifest), []);
    });

    it("are empty for a password of root that can be set", () => {
        const manifest = smallCluster(({ spec }) => (spec.tidb.initializer = { createPassword: true }));
        assert.deepEqual(problemsOf(manifest), []);
    });

    it("are empty if the field that another one needs is there", () => {
        const manifest = smallCluster(({ spec }) => {
            spec.tlsCluster = { enabled: true, enableDiscoveryMTLS: true };
            Object.assign(spec.pd, { mountClusterClientSecret: true, tlsClientSecretName: "x" });
            Object.assign(spec.pd, { startUpScriptVersion: "v1", podManagementPolicy: "OrderedReady" });
            Object.assign(spec.tikv, { separateRaftLog: true, logTailer: { limits: { cpu: 1 } } });
            Object.assign(spec.tidb, { tlsClient: { enabled: true, disableClientAuthn: true } });
            Object.assign(spec.tidb, { storageVolumes: [{ name: "a", storageSize: "1Gi" }], storageClassName: "fast" });
            spec.topologySpreadConstraints = [
                { topologyKey: "zone", matchLabels: { "app.kubernetes.io/component": "x" } },
            ];
        });
        assert.deepEqual(problemsOf(manifest), []);
    });

    it("are empty for an odd number of PD members and a size in bytes", () => {
        const manifest = smallCluster(({ spec }) => (spec.tikv.requests.storage = 107374182400));
        for (const replicas of [0, 1, 5]) {
            manifest.spec.pd.replicas = replicas;
            assert.deepEqual(problemsOf(manifest), []);
        }
    });

    it("are empty for one TiKV or two PD members in part of a larger cluster", () => {
        for (const part of [{ cluster: { name: "other" } }, { acrossK8s: true }, { pdAddresses: ["http://pd:2379"] }]) {
            const manifest = smallCluster(({ spec }) => {
                Object.assign(spec, part);
                spec.pd.replicas = 2;
                spec.tikv.replicas = 1;
            });
            assert.deepEqual(problemsOf(manifest), []);
        }
    });

    it("are empty for a binlog if there is a Pump, here or in the cluster that this one joins", () => {
        const withBinlog = (change: (spec: OpenManifest["spec"]) => void) =>
            smallCluster(({ spec }) => {
                spec.tidb.binlogEnabled = true;
                change(spec);
            });
        const own = withBinlog((spec) => (spec.pump = { replicas: 1, requests: { storage: "1Gi" }, config: {} }));
        const elsewhere = withBinlog((spec) => (spec.cluster = { name: "other" }));
        for (const manifest of [own, elsewhere]) {
            assert.ok(!problemsOf(manifest).some(({ field }) => field === "spec.tidb.binlogEnabled"));
        }
    });

    it("are empty for one PD member that starts in order, because it waits for nobody", () => {
        const manifest = smallCluster(({ spec }) => {
            Object.assign(spec.pd, { replicas: 1, podManagementPolicy: "OrderedReady", readinessProbe: {} });
        });
        assert.deepEqual(problemsOf(manifest), []);
    });

    it("are empty for what the API server adds to an object", () => {
        const manifest = smallCluster((one) => {
            one.status = { clusterID: "1" };
            Object.assign(one.metadata, { uid: "u", resourceVersion: "1", generation: 1, creationTimestamp: "2020" });
        });
        assert.deepEqual(problemsOf(manifest), []);
    });
});
