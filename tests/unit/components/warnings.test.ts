import assert from "node:assert/strict";
import { type OpenManifest, problemsOf, smallCluster } from "./manifests";

type Rule = [change: (manifest: OpenManifest) => void, field: string, message: RegExp];

const rules: Rule[] = [
    [
        ({ spec }) => Object.assign(spec.tikv, { baseImage: "example.org/tikv", version: "8.5.3" }),
        "spec.tikv.version",
        /such as v8\.5\.3; pods start only if example\.org\/tikv:8\.5\.3 exists$/,
    ],
    [
        ({ spec }) => Object.assign(spec.tikv, { baseImage: "example.org/tikv", version: "v8.5" }),
        "spec.tikv.version",
        /such as v8\.5\.0; pods start only if example\.org\/tikv:v8\.5 exists$/,
    ],
    [
        ({ spec }) => Object.assign(spec.tikv, { baseImage: "example.org/tikv", version: "v8.5.4x" }),
        "spec.tikv.version",
        /pods start only if example\.org\/tikv:v8\.5\.4x exists, and what depends on the version, .* is not checked$/,
    ],
    ...["v8.5.3_hotfix1", "v8.5.3.1", "v7.5.1u2", "v8.5.4x"].map((tag): Rule => [
        ({ spec }) => (spec.version = tag),
        "spec.version",
        new RegExp(
            `such as v8\\.5\\.3; PingCAP publishes no such tag, so pods start only if a mirror or their nodes have pingcap/pd:${tag.replaceAll(".", "\\.")}, and what depends on the version, .* is not checked$`,
        ),
    ]),
    [
        ({ spec }) => Object.assign(spec, { version: "8.5.3", imagePullPolicy: "Never" }),
        "spec.version",
        /such as v8\.5\.3; PingCAP publishes no such tag, so pods start only if a mirror or their nodes have pingcap\/pd:8\.5\.3$/,
    ],
    [
        ({ spec }) => Object.assign(spec.tikv, { version: "v8.5", imagePullPolicy: "Never" }),
        "spec.tikv.version",
        /such as v8\.5\.0; PingCAP publishes no such tag, .* pingcap\/tikv:v8\.5$/,
    ],
    [
        ({ spec }) => (spec.version = "latest"),
        "spec.version",
        /found "latest", expected a version such as v8\.5\.3; .*no update sees a new version, .*the refusal of a downgrade, is not checked$/,
    ],
    [({ spec }) => (spec.tikv.version = "nightly"), "spec.tikv.version", /no update sees a new version/],
    [
        ({ spec }) => (spec.version = "mine"),
        "spec.version",
        /expected a version such as v8\.5\.3; what depends on the version, such as the refusal of a downgrade, is not checked$/,
    ],
    [({ spec }) => (spec.tikv.replicas = 1), "spec.tikv.replicas", /the data is lost with its volume$/],
    [({ spec }) => (spec.pd.replicas = 2), "spec.pd.replicas", /2 PD members tolerate the loss of none, as 1 does$/],
    [({ spec }) => (spec.pd.replicas = 4), "spec.pd.replicas", /a majority of 4 is 3, so .* the loss of 1, as 3 do$/],
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
        /^spec\.tikv\.ofAnotherVersion is not a known field and is ignored$/,
    ]),
    [
        ({ spec }) => (spec.paused = true),
        "spec.paused",
        /^spec\.paused is true: updates do not change this cluster, except to suspend members$/,
    ],
    [({ spec }) => (spec.recoveryMode = true), "spec.recoveryMode", /TiDB and TiCDC are not deployed/],
    [({ spec }) => (spec.pvReclaimPolicy = "Retain"), "spec.pvReclaimPolicy", /storage class/],
    [({ spec }) => (spec.enablePVReclaim = true), "spec.enablePVReclaim", /does not remove claims/],
    [
        ({ spec }) => Object.assign(spec.tidb, { initializer: { createPassword: true }, replicas: 0 }),
        "spec.tidb.initializer.createPassword",
        /without a server/,
    ],
    [
        ({ spec }) =>
            Object.assign(spec.tidb, {
                initializer: { createPassword: true },
                config: { security: { "skip-grant-table": true } },
            }),
        "spec.tidb.initializer.createPassword",
        /accepts every login/,
    ],
    [
        ({ spec }) =>
            Object.assign(spec.tidb, {
                initializer: { createPassword: true },
                config: "[security]\nrequire-secure-transport = true\n",
            }),
        "spec.tidb.initializer.createPassword",
        /without TLS/,
    ],
    [({ spec }) => (spec.tidb.requests = { storage: "1Gi" }), "spec.tidb.requests.storage", /no data volume/],
    [({ spec }) => (spec.pd.image = "a:1"), "spec.pd.image", /baseImage and version take precedence/],
    [
        ({ spec }) => (spec.statefulSetUpdateStrategy = "RollingUpdate"),
        "spec.statefulSetUpdateStrategy",
        /gates restart/,
    ],
    [
        ({ spec }) => (spec.tidb.service.loadBalancerIP = "1.2.3.4"),
        "spec.tidb.service.loadBalancerIP",
        /not LoadBalancer/,
    ],
    [({ spec }) => (spec.pd.service = { loadBalancerClass: "x" }), "spec.pd.service.loadBalancerClass", /either/],
    [({ spec }) => (spec.services = [{ name: "tidb", type: "NodePort" }]), "spec.services", /only the entry for pd/],
    [({ spec }) => (spec.startScriptV2FeatureFlags = ["NoWaitDNS"]), "spec.startScriptV2FeatureFlags", /v2/],
    [({ spec }) => (spec.tikv.readinessProbe = { type: "command" }), "spec.tikv.readinessProbe.type", /its port/],
    [
        ({ spec }) => (spec.services = [{ name: "pd", type: "ExternalName" }]),
        "spec.services[0].type",
        /counts as ClusterIP/,
    ],
    [
        ({ spec }) => (spec.tlsCluster = { enableDiscoveryMTLS: true }),
        "spec.tlsCluster.enableDiscoveryMTLS",
        /enabled is not set/,
    ],
    [({ spec }) => (spec.pd.mountClusterClientSecret = true), "spec.pd.mountClusterClientSecret", /enabled is not set/],
    [
        ({ spec }) => (spec.tikv.mountClusterClientSecret = true),
        "spec.tikv.mountClusterClientSecret",
        /enabled is not set/,
    ],
    [({ spec }) => (spec.pd.tlsClientSecretName = "x"), "spec.pd.tlsClientSecretName", /tlsClient\.enabled is not set/],
    [
        ({ spec }) => (spec.tidb.tlsClient = { disableClientAuthn: true }),
        "spec.tidb.tlsClient.disableClientAuthn",
        /enabled is not set/,
    ],
    [
        ({ spec }) => (spec.tidb.tlsClient = { enabled: false, skipInternalClientCA: true }),
        "spec.tidb.tlsClient.skipInternalClientCA",
        /enabled is not set/,
    ],
    [({ spec }) => (spec.tikv.logTailer = { limits: { cpu: 1 } }), "spec.tikv.logTailer", /separateRaftLog/],
    [({ spec }) => (spec.tikv.raftLogVolumeName = "x"), "spec.tikv.raftLogVolumeName", /separateRaftLog is not set/],
    [
        ({ spec }) => (spec.tikv.rocksDBLogVolumeName = "x"),
        "spec.tikv.rocksDBLogVolumeName",
        /separateRocksDBLog is not set/,
    ],
    [
        ({ spec }) => Object.assign(spec.tidb, { separateSlowLog: false, slowLogTailer: { limits: { cpu: 1 } } }),
        "spec.tidb.slowLogTailer",
        /separateSlowLog is false/,
    ],
    [
        ({ spec }) => Object.assign(spec.tidb, { separateSlowLog: false, slowLogVolumeName: "x" }),
        "spec.tidb.slowLogVolumeName",
        /separateSlowLog is false/,
    ],
    [({ spec }) => (spec.tidb.storageClassName = "fast"), "spec.tidb.storageClassName", /no data volume/],
    [
        ({ spec }) => (spec.tikv.scalePolicy = { scaleOutParallelism: 2 }),
        "spec.tikv.scalePolicy.scaleOutParallelism",
        /at the same time/,
    ],
    [
        ({ spec }) => (spec.tidb.scalePolicy = { scaleInParallelism: 2 }),
        "spec.tidb.scalePolicy.scaleInParallelism",
        /stop at the same time/,
    ],
    [
        ({ spec }) => (spec.tidb.binlogEnabled = true),
        "spec.tidb.binlogEnabled",
        /without Pump, TiDB cannot write its binlog/,
    ],
    [
        ({ spec }) => Object.assign(spec, { startScriptVersion: "v2", pd: { ...spec.pd, startUpScriptVersion: "v1" } }),
        "spec.pd.startUpScriptVersion",
        /always prefer dig/,
    ],
    [
        ({ spec }) => Object.assign(spec.pd, { podManagementPolicy: "OrderedReady", readinessProbe: { type: "tcp" } }),
        "spec.pd.podManagementPolicy",
        /never starts/,
    ],
    [
        ({ spec }) => {
            spec.podManagementPolicy = "OrderedReady";
            spec.pd.readinessProbe = { type: "tcp" };
        },
        "spec.podManagementPolicy",
        /never starts/,
    ],
    [
        ({ spec }) => {
            delete spec.pd;
            spec.cluster = { name: "other" };
            spec.pdAddresses = ["http://pd:2379"];
        },
        "spec.pdAddresses",
        /PreferPDAddressesOverDiscovery/,
    ],
    [
        ({ spec }) => (spec.discovery = { livenessProbe: { type: "command" } }),
        "spec.discovery.livenessProbe.type",
        /its port/,
    ],
    [
        ({ spec }) => (spec.topologySpreadConstraints = [{ topologyKey: "zone", matchLabels: { app: "x" } }]),
        "spec.topologySpreadConstraints[0].matchLabels.app",
        /other labels are ignored/,
    ],
    [
        ({ metadata }) => (metadata.annotations = { "tidb.pingcap.com/force-upgrade": "true" }),
        "metadata.annotations.tidb.pingcap.com/force-upgrade",
        /before it is safe/,
    ],
    [
        ({ metadata }) => (metadata.annotations = { "tidb.pingcap.com/tikv-min-ready-seconds": "soon" }),
        "metadata.annotations.tidb.pingcap.com/tikv-min-ready-seconds",
        /counts as 0/,
    ],
    [
        ({ spec }) =>
            (spec.tikv.config = { "log.level": "warn", server: { labels: { "topology.kubernetes.io/zone": "a" } } }),
        "spec.tikv.config",
        /found the key "log\.level", expected the key "level" in the table "log"; in quotes, or in a map, a name with a dot is one key/,
    ],
    [
        ({ spec }) => (spec.tikv.config = { storage: { "block-cache.num-shard-bits": 6 } }),
        "spec.tikv.config",
        /found the key "block-cache\.num-shard-bits" in the table "storage", expected the key "num-shard-bits" in the table "storage\.block-cache"/,
    ],
    [
        ({ spec }) => (spec.pd.config = "'schedule.leader-schedule-limit' = 8\n[log]\nfile.filename = 'x'\n"),
        "spec.pd.config",
        /the key "leader-schedule-limit" in the table "schedule"/,
    ],
    [
        ({ spec }) => (spec.tidb.config = { "log.file.max-days": 3 }),
        "spec.tidb.config",
        /the key "max-days" in the table "log\.file"/,
    ],
    ...["config", "proxy"].map((part): Rule => [
        ({ spec }) =>
            (spec.tiflash = {
                replicas: 1,
                storageClaims: [{ resources: { requests: { storage: "10Gi" } } }],
                config: { [part]: { "profiles.default": 5, profiles: { default: { max_threads: 5 } } } },
            }),
        `spec.tiflash.config.${part}`,
        /the key "default" in the table "profiles"/,
    ]),
    [
        ({ spec }) => (spec.tiproxy = { replicas: 1, config: "" }),
        "spec.tiproxy.version",
        /found nothing, .*"v8\.5\.\d" is a version of TiDB, and TiProxy's version numbers differ/,
    ],
    [
        ({ spec }) => (spec.tiproxy = { replicas: 1, config: "", version: "v8.5.3" }),
        "spec.tiproxy.version",
        /found "v8\.5\.3", expected a version of TiProxy, such as v1\.3\.0/,
    ],
    [
        ({ spec }) => {
            delete spec.version;
            Object.assign(spec.pd, { version: "v8.5.3" });
            Object.assign(spec.tidb, { version: "v8.5.3" });
            Object.assign(spec.tikv, { version: "v8.5.3" });
            spec.tiproxy = { replicas: 1, config: "", image: "pingcap/tiproxy:v7.5.0" };
        },
        "spec.tiproxy.image",
        /found "pingcap\/tiproxy:v7\.5\.0", .*numbers differ/,
    ],
    [
        ({ spec }) => {
            delete spec.version;
            Object.assign(spec.pd, { version: "v8.5.3" });
            Object.assign(spec.tidb, { version: "v8.5.3" });
            Object.assign(spec.tikv, { baseImage: "", image: "pingcap/tikv" });
        },
        "spec.version",
        /pingcap\/tikv has no tag, so the newest image is used/,
    ],
    [
        ({ spec }) => (spec.pd.suspendAction = { suspendStatefulSet: true }),
        "spec.pd.suspendAction.suspendStatefulSet",
        /false while running members need pd: tikv/,
    ],
    [
        ({ spec }) => {
            spec.tiflash = { replicas: 1, storageClaims: [{ resources: { requests: { storage: "10Gi" } } }] };
            spec.pd.config = { replication: { "enable-placement-rules": false } };
        },
        "spec.pd.config.replication.enable-placement-rules",
        /without placement rules TiFlash gets no data/,
    ],
    [
        ({ spec }) => (spec.pump = { replicas: 1, requests: { storage: "1Gi" }, config: {} }),
        "spec.pump",
        /later versions have no binlog/,
    ],
    [({ spec }) => delete spec.pd, "spec.pd", /without PD the other members wait forever/],
    [
        ({ spec }) => (spec.tidb.labels = { "app.kubernetes.io/name": "x" }),
        "spec.tidb.labels.app.kubernetes.io/name",
        /ignored/,
    ],
    [
        ({ metadata }) => (metadata.annotations = { "tikv.tidb.pingcap.com/delete-slots": "[1]" }),
        "metadata.annotations.tikv.tidb.pingcap.com/delete-slots",
        /Kubernetes ignores it/,
    ],
];

/** Words of a warning after which pods do not start, the update fails, or data or checks are missing. */
const atRisk =
    /start only if|does not start|never starts|wait forever|password fails|gets no data|no binlog|while running members need|newest image|not checked|is lost|loss of none|refuses a pod|numbers differ/;

describe("warnings of a manifest", () => {
    for (const [change, field, message] of rules) {
        it(`name ${field}`, () => {
            const problems = problemsOf(smallCluster(change));
            assert.deepEqual(
                problems.map((problem) => [problem.field, problem.severity]),
                [[field, "warning"]],
            );
            assert.match(problems[0].message, message);
            // A plan counts exactly these, so that it does not say "no risk found" below such a warning.
            assert.equal(problems[0].risk !== undefined, atRisk.test(problems[0].message), problems[0].message);
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
