import assert from "node:assert/strict";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { containerOf, objectOf, type OpenManifest, podOf, problemsOf, smallCluster } from "./manifests";
import { type ParseToml, tomlParser } from "./tomlParser";

// The rules are those of tidb-operator pkg/manager/member/tiflash_member_manager.go and tiflash_util.go. What the goldens
// have, a plain cluster and a heterogeneous one with and without TLS, is compared by `npm run parity`.

let parse: ParseToml;
before(async () => (parse = await tomlParser()));

type Change = (manifest: OpenManifest) => void;

const claim = (storage: string, more: object = {}) => ({ resources: { requests: { storage } }, ...more });
const tiflash =
    (own: object = {}, cluster: object = {}, metadata: object = {}): Change =>
    (manifest) => {
        Object.assign(manifest.metadata, metadata);
        Object.assign(manifest.spec, cluster, { tiflash: { replicas: 2, storageClaims: [claim("100Gi")], ...own } });
    };
const readsItself = { annotations: { "tiflash.tidb.pingcap.com/mount-cm-in-tiflash-container": "true" } };
const tls = { tlsCluster: { enabled: true } };

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Toml = Record<string, any>;
const configOf = (change: Change, key = "config_templ.toml"): Toml =>
    parse(objectOf("ConfigMap/shop-tiflash", change).data[key] as string) as Toml;
const proxyOf = (change: Change) => configOf(change, "proxy_templ.toml");
const container = (change: Change, name = "tiflash") => containerOf("tiflash", name, change);
const mountsOf = (change: Change, name = "tiflash") =>
    Object.fromEntries(
        container(change, name).volumeMounts.map((mount: KubernetesFields) => [mount.name, mount.mountPath]),
    );

describe("TiFlash's objects", () => {
    it("have a claim for each of storageClaims, of its own class, mounted by its number", () => {
        const change = tiflash({
            storageClaims: [
                claim("100Gi", { storageClassName: "fast" }),
                claim("1Ti", { volumeAttributesClassName: "gold" }),
            ],
        });
        const { volumeClaimTemplates } = objectOf("StatefulSet/shop-tiflash", change).spec;
        assert.deepEqual(
            volumeClaimTemplates.map(({ metadata, spec }: KubernetesFields) => [
                metadata.name,
                spec.resources.requests.storage,
                spec.storageClassName,
                spec.volumeAttributesClassName,
            ]),
            [
                ["data0", "100Gi", "fast", undefined],
                ["data1", "1Ti", undefined, "gold"],
            ],
        );
        assert.deepEqual(mountsOf(change), { annotations: "/etc/podinfo", data0: "/data0", data1: "/data1" });
        assert.deepEqual(configOf(change).storage.main.dir, ["/data0/db", "/data1/db"]);
    });

    it("have the main container first, then a sidecar for each log", () => {
        const change = tiflash({ logTailer: { limits: { cpu: "100m" }, securityContext: { runAsUser: 5 } } });
        const containers: KubernetesFields[] = podOf("tiflash", change).containers;
        assert.deepEqual(
            containers.map(({ name }) => name),
            ["tiflash", "serverlog", "errorlog", "clusterlog"],
        );
        assert.deepEqual(container(change, "errorlog").resources, { limits: { cpu: "100m" } });
        assert.deepEqual(container(change, "errorlog").securityContext, { runAsUser: 5 });
    });

    it("show logs from the configured paths, and from the volume with that path", () => {
        const change = tiflash({
            config: { config: '[logger]\nlog = "/logs/tiflash/all.log"\n' },
            additionalVolumes: [{ name: "logs", emptyDir: {} }],
            additionalVolumeMounts: [{ name: "logs", mountPath: "/logs" }],
        });
        const { command, volumeMounts } = container(change, "serverlog");
        assert.equal(command[2], "touch /logs/tiflash/all.log; tail -n0 -F /logs/tiflash/all.log;");
        assert.deepEqual(volumeMounts, [{ name: "logs", mountPath: "/logs" }]);
        assert.deepEqual(problemsOf(smallCluster(change)), []);
    });

    it("set kernel parameters in their own container before the configuration is written", () => {
        const change = tiflash({
            annotations: { "tidb.pingcap.com/sysctl-init": "true" },
            podSecurityContext: { sysctls: [{ name: "net.core.somaxconn", value: "1024" }] },
        });
        const { initContainers } = podOf("tiflash", change);
        assert.deepEqual(
            initContainers.map(({ name }: KubernetesFields) => name),
            ["sysctl", "init"],
        );
    });

    it("give the init container the settings of initializer", () => {
        const initializer = { requests: { cpu: "1" }, securityContext: { runAsNonRoot: true } };
        const { resources, securityContext } = container(tiflash({ initializer }), "init");
        assert.deepEqual(resources, { requests: { cpu: "1" } });
        assert.deepEqual(securityContext, { runAsNonRoot: true });
    });

    it("have annotations for Prometheus on both ports, and the user cannot change the proxy's", () => {
        const change = tiflash({ annotations: { "prometheus.io/port": "1", "tiflash.proxy.prometheus.io/port": "2" } });
        const { annotations } = objectOf("StatefulSet/shop-tiflash", change).spec.template.metadata;
        assert.equal(annotations["prometheus.io/port"], "1");
        assert.equal(annotations["tiflash.proxy.prometheus.io/port"], "20292");
    });

    it("have UTC unless a time zone is set, the capacity of limits.storage, and the pod's name on the node's network", () => {
        const env = (change: Change) =>
            Object.fromEntries(container(change).env.map((one: KubernetesFields) => [one.name, one.value ?? "field"]));
        assert.deepEqual(env(tiflash({ limits: { storage: "50Gi" } })), {
            NAMESPACE: "field",
            CLUSTER_NAME: "shop",
            HEADLESS_SERVICE_NAME: "shop-tiflash-peer",
            CAPACITY: "50GB",
            TZ: "UTC",
        });
        assert.equal(env(tiflash({}, { timezone: "Asia/Tokyo" })).TZ, "Asia/Tokyo");
        assert.equal(env(tiflash({ hostNetwork: true })).POD_NAME, "field");
    });

    it("are privileged as privileged says, unless there is a security context", () => {
        const of = (own: object) => container(tiflash(own)).securityContext;
        assert.deepEqual(of({}), { privileged: false });
        assert.deepEqual(of({ privileged: true }), { privileged: true });
        assert.deepEqual(of({ privileged: true, securityContext: { runAsUser: 1 } }), { runAsUser: 1 });
    });

    it("have no init container if TiFlash reads the ConfigMap itself", () => {
        const change = tiflash(readsItself);
        assert.equal(podOf("tiflash", change).initContainers, undefined);
        assert.equal(mountsOf(change).config, "/etc/tiflash");
    });

    it("have a ConfigMap named after its data with RollingUpdate", () => {
        const volumes: KubernetesFields[] = podOf(
            "tiflash",
            tiflash({ configUpdateStrategy: "RollingUpdate" }),
        ).volumes;
        assert.match(volumes.find(({ name }) => name === "config")?.configMap.name, /^shop-tiflash-[0-9a-f]{10}$/);
    });

    it("mount the certificate if members use TLS, in the init container only if discovery asks for it", () => {
        assert.equal(mountsOf(tiflash({}, tls))["tiflash-tls"], "/var/lib/tiflash-tls");
        assert.equal(mountsOf(tiflash({}, tls), "init")["tiflash-tls"], undefined);
        const asks = { acrossK8s: true, tlsCluster: { enabled: true, enableDiscoveryMTLS: true } };
        assert.equal(mountsOf(tiflash({}, asks), "init")["tiflash-tls"], "/var/lib/tiflash-tls");
    });
});

describe("TiFlash's configuration", () => {
    it("keeps the user's values over every default", () => {
        const change = tiflash({
            config: {
                config: '[flash.proxy]\naddr = "[::]:20170"\n[storage.main]\ndir = ["/data0/x"]\n[raft]\npd_addr = "shop-pd:2379"\n',
                proxy: { "log-level": "warn", raftstore: { "apply-pool-size": 4 } },
            },
        });
        const config = configOf(change);
        assert.equal(config.flash.proxy.addr, "[::]:20170");
        assert.deepEqual(config.storage.main.dir, ["/data0/x"]);
        assert.equal(config.raft.pd_addr, "shop-pd:2379");
        assert.equal(proxyOf(change)["log-level"], "warn");
        assert.equal(Number(proxyOf(change).raftstore["apply-pool-size"]), 4);
    });

    it("keeps the storage keys of before 5.4 if the user still has them", () => {
        const { path, storage, raft } = configOf(
            tiflash({ config: { config: 'path = "/data0/db"\n[raft]\nkvstore_path = "/data0/kv"' } }),
        );
        assert.equal(path, "/data0/db");
        assert.equal(raft.kvstore_path, "/data0/kv");
        assert.equal(storage, undefined);
    });

    const ports: [title: string, version: string, cluster: object, metadata: object, expected: object][] = [
        ["has plain ports before 7.1", "v7.0.9", {}, {}, { tcp_port: 9000, http_port: 8123 }],
        ["has none from 7.1 on", "v7.1.0", {}, {}, {}],
        ["has none in a nightly", "nightly", {}, {}, {}],
        ["has secure ports before 7.1 with TLS", "v6.5.0", tls, {}, { tcp_port_secure: 9000, https_port: 8123 }],
        ["has none from 7.1 on with TLS", "v8.5.3", tls, {}, {}],
        [
            "keeps them from 7.1 on by the cluster's annotation",
            "v7.1.0",
            {},
            { annotations: { "tidb.pingcap.com/tiflash-710-keep-ports": "" } },
            { tcp_port: 9000, http_port: 8123 },
        ],
    ];
    for (const [title, version, cluster, metadata, expected] of ports) {
        it(`${title}: ${version}`, () => {
            const config = configOf(tiflash({ version }, cluster, metadata));
            const found = Object.entries(config).filter(([key]) => /_port|_port_secure$/.test(key));
            assert.deepEqual(Object.fromEntries(found.map(([key, value]) => [key, Number(value)])), expected);
        });
    }

    it("drops the user's plain ports with TLS, and sets the paths of the certificate", () => {
        const change = tiflash(
            {
                config: {
                    config: 'tcp_port = 1\nhttp_port = 2\n[security]\nca_path = "/x"\ncert_allowed_cn = ["a"]\n',
                },
            },
            tls,
        );
        const config = configOf(change);
        assert.equal(config.tcp_port, undefined);
        assert.equal(config.http_port, undefined);
        assert.deepEqual(config.security, {
            ca_path: "/var/lib/tiflash-tls/ca.crt",
            cert_path: "/var/lib/tiflash-tls/tls.crt",
            key_path: "/var/lib/tiflash-tls/tls.key",
            cert_allowed_cn: ["a"],
        });
        assert.deepEqual(proxyOf(change).security, {
            "ca-path": "/var/lib/tiflash-tls/ca.crt",
            "cert-path": "/var/lib/tiflash-tls/tls.crt",
            "key-path": "/var/lib/tiflash-tls/tls.key",
            "cert-allowed-cn": ["a"],
        });
    });

    it("does not copy the allowed names to a proxy that has its own", () => {
        const config = {
            config: '[security]\ncert_allowed_cn = ["a"]',
            proxy: { security: { "cert-allowed-cn": ["b"] } },
        };
        assert.deepEqual(proxyOf(tiflash({ config }, tls)).security["cert-allowed-cn"], ["b"]);
    });

    it("listens on IPv6 if that is preferred", () => {
        const change = tiflash({}, { preferIPv6: true });
        const { flash, listen_host, status } = configOf(change);
        assert.deepEqual([listen_host, Number(status.metrics_port)], ["::", 8234]);
        assert.deepEqual([flash.service_addr, flash.proxy.addr], ["[::]:3930", "[::]:20170"]);
        assert.equal(proxyOf(change).server["status-addr"], "[::]:20292");
    });

    it("names its pods with the domain of the Kubernetes cluster, and the services without it", () => {
        const change = tiflash({}, { clusterDomain: "cluster.local" });
        const host = "shop-tiflash-POD_NUM.shop-tiflash-peer.stores.svc.cluster.local";
        assert.equal(configOf(change).flash.proxy["advertise-addr"], `${host}:20170`);
        assert.equal(proxyOf(change).server["engine-addr"], `${host}:3930`);
        assert.equal(proxyOf(change).server["advertise-status-addr"], `${host}:20292`);
        assert.equal(configOf(change).raft.pd_addr, "shop-pd.stores.svc:2379");
    });

    const joined = { name: "main", namespace: "far", clusterDomain: "one.example" };
    const addresses: [title: string, cluster: object, pd: string, tidb: string][] = [
        ["the cluster's own", {}, "shop-pd.stores.svc:2379", "shop-tidb.stores.svc:10080"],
        [
            "those of the cluster that it joins, if it has none",
            { pd: undefined, tidb: undefined, cluster: joined },
            "main-pd.far.svc.one.example:2379",
            "main-tidb.far.svc.one.example:10080",
        ],
        [
            "its own though it joins another",
            { cluster: joined },
            "shop-pd.stores.svc:2379",
            "shop-tidb.stores.svc:10080",
        ],
        [
            "those that discovery knows, and TiDB's pods elsewhere, across Kubernetes clusters",
            { acrossK8s: true, tidb: undefined, cluster: joined },
            "PD_ADDR",
            "main-tidb-peer.far.svc.one.example:10080",
        ],
        [
            "the given ones, if they are preferred",
            {
                startScriptVersion: "v2",
                startScriptV2FeatureFlags: ["PreferPDAddressesOverDiscovery"],
                pdAddresses: ["http://a:2379", "http://b:2379"],
            },
            "http://a:2379,http://b:2379",
            "shop-tidb.stores.svc:10080",
        ],
    ];
    for (const [title, cluster, pd, tidb] of addresses) {
        it(`has addresses of PD and TiDB: ${title}`, () => {
            const config = configOf(tiflash({}, cluster));
            assert.equal(config.raft.pd_addr, pd);
            assert.equal(config.flash.tidb_status_addr, tidb);
        });
    }

    it("leaves out what a pod gets as arguments if TiFlash reads the ConfigMap itself", () => {
        const { flash, raft } = configOf(tiflash(readsItself));
        assert.equal(flash.service_addr, undefined);
        assert.equal(flash.proxy["advertise-addr"], undefined);
        assert.equal(flash.proxy.config, "/etc/tiflash/proxy_templ.toml");
        assert.equal(raft.pd_addr, "shop-pd.stores.svc:2379");
        assert.deepEqual(proxyOf(tiflash(readsItself)), {
            "log-level": "info",
            server: { "status-addr": "0.0.0.0:20292" },
        });
    });

    it("uses ClickHouse's keys before 5.4, and for a tag that is not a version", () => {
        for (const version of ["v5.3.4", "my-build"]) {
            const config = configOf(tiflash({ version, storageClaims: [claim("1Gi"), claim("1Gi")] }));
            assert.equal(config.path, "/data0/db,/data1/db");
            assert.equal(config.storage, undefined);
            assert.equal(Number(config.mark_cache_size), 5368709120);
            assert.equal(config.listen_host, "0.0.0.0");
            assert.equal(config.raft.kvstore_path, "/data0/kvstore");
            assert.equal(config.application.runAsDaemon, true);
            assert.equal(config.flash.overlap_threshold, 0.6);
            assert.equal(config.flash.flash_cluster.cluster_manager_path, "/tiflash/flash_cluster_manager");
            assert.deepEqual(config.users.readonly.networks, { ip: "::/0" });
            assert.equal(config.tcp_port_secure, undefined);
            assert.deepEqual([config.tcp_port, config.http_port].map(Number), [9000, 8123]);
        }
    });

    it("has secure ports and no plain ones before 5.4 with TLS", () => {
        const config = configOf(tiflash({ version: "v5.0.0" }, tls));
        assert.deepEqual([config.tcp_port_secure, config.https_port].map(Number), [9000, 8123]);
        assert.deepEqual([config.tcp_port, config.http_port], [undefined, undefined]);
    });

    it("writes the threshold of a map as a fraction", () => {
        const config = { config: { flash: { overlap_threshold: 1 } } };
        const text: string = objectOf("ConfigMap/shop-tiflash", tiflash({ config })).data["config_templ.toml"];
        assert.match(text, /overlap_threshold = 1\.0/);
    });
});

describe("checks of TiFlash", () => {
    const rows: [title: string, own: object, field: string][] = [
        ["without a volume", { storageClaims: [] }, "spec.tiflash.storageClaims"],
        ["that says nothing about volumes", { storageClaims: undefined }, "spec.tiflash.storageClaims"],
        [
            "with a volume without size",
            { storageClaims: [claim("1Gi"), { resources: { requests: {} } }] },
            "spec.tiflash.storageClaims[1].resources.requests.storage",
        ],
        [
            "with a volume of size 0",
            { storageClaims: [claim("0")] },
            "spec.tiflash.storageClaims[0].resources.requests.storage",
        ],
        [
            "with an invalid size",
            { storageClaims: [claim("much")] },
            "spec.tiflash.storageClaims[0].resources.requests.storage",
        ],
        [
            "with a scaleInParallelism of 0",
            { scalePolicy: { scaleInParallelism: 0 } },
            "spec.tiflash.scalePolicy.scaleInParallelism",
        ],
        [
            "with a threshold above 1",
            { config: { config: { flash: { overlap_threshold: 1.5 } } } },
            "spec.tiflash.config.config.flash.overlap_threshold",
        ],
        [
            "with a threshold that is a whole number in TOML",
            { config: { config: "[flash]\noverlap_threshold = 1" } },
            "spec.tiflash.config.config.flash.overlap_threshold",
        ],
        [
            "with a threshold that is text",
            { config: { config: { flash: { overlap_threshold: "0.5" } } } },
            "spec.tiflash.config.config.flash.overlap_threshold",
        ],
        ...["flash.flash_cluster.log", "flash.proxy.log-file", "logger.log", "logger.errorlog"].map(
            (key): [string, object, string] => [
                `with a log without folder: ${key}`,
                { config: { config: `${key} = "/server.log"` } },
                `spec.tiflash.config.config.${key}`,
            ],
        ),
        [
            "with a log that is a number",
            { config: { config: { logger: { log: 5 } } } },
            "spec.tiflash.config.config.logger.log",
        ],
        [
            "with text in place of a table",
            { config: { config: { flash: { proxy: "x" } } } },
            "spec.tiflash.config.config.flash.proxy",
        ],
        ["with a configuration that is not TOML", { config: { config: "[flash" } }, "spec.tiflash.config.config"],
        ["with a configuration of the proxy that is not TOML", { config: { proxy: "=" } }, "spec.tiflash.config.proxy"],
    ];
    for (const [title, own, field] of rows) {
        it(`refuse one ${title}`, () => {
            const errors = problemsOf(smallCluster(tiflash(own))).filter(({ severity }) => severity === "error");
            assert.deepEqual(
                errors.map((one) => one.field),
                [field],
            );
        });
    }

    for (const config of [
        { replication: { "enable-placement-rules": false } },
        "replication.enable-placement-rules = false",
    ]) {
        it(`only warn of one with placement rules off, in ${typeof config === "string" ? "TOML" : "a map"}`, () => {
            const change = tiflash({}, { pd: { replicas: 1, requests: { storage: "1Gi" }, config } });
            assert.deepEqual(
                problemsOf(smallCluster(change)).map(({ field, severity }) => [field, severity]),
                [["spec.pd.config.replication.enable-placement-rules", "warning"]],
            );
        });
    }

    const warnings: [field: string, own: object][] = [
        ["spec.tiflash.requests.storage", { requests: { storage: "1Gi" } }],
        ["spec.tiflash.readinessProbe", { readinessProbe: { type: "tcp" } }],
        ["spec.tiflash.privileged", { privileged: true, securityContext: {} }],
        ["spec.tiflash.config.config.logger.log", { config: { config: { logger: { log: "/var/log/x.log" } } } }],
    ];
    for (const [field, own] of warnings) {
        it(`only warn of one with ${field}`, () => {
            assert.deepEqual(
                problemsOf(smallCluster(tiflash(own))).map((one) => [one.field, one.severity]),
                [[field, "warning"]],
            );
        });
    }
});
