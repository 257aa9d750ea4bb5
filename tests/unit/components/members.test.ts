import assert from "node:assert/strict";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { type ParseToml, tomlParser } from "./tomlParser";
import { containerOf, objectOf, type OpenManifest, podOf } from "./manifests";

// The rules are those of tidb-operator, pkg/manager/member.

let parse: ParseToml;
before(async () => (parse = await tomlParser()));

const configOf = (member: string, change?: (manifest: OpenManifest) => void) =>
    parse(objectOf(`ConfigMap/shop-${member}`, change).data["config-file"]) as KubernetesFields;

const secretsOf = (member: string, change: (manifest: OpenManifest) => void) =>
    Object.fromEntries(
        (podOf(member, change).volumes as KubernetesFields[])
            .filter(({ secret }) => secret !== undefined)
            .map(({ name, secret }) => [name, secret.secretName]),
    );

describe("TLS between members", () => {
    const withTls = ({ spec }: OpenManifest) => {
        spec.tlsCluster = { enabled: true };
        spec.pd.mountClusterClientSecret = true;
    };

    it("mounts the Secrets under tidb-operator's names", () => {
        assert.deepEqual(secretsOf("pd", withTls), {
            "pd-tls": "shop-pd-cluster-secret",
            "cluster-client-tls": "shop-cluster-client-secret",
        });
        assert.deepEqual(secretsOf("tikv", withTls), { "tikv-tls": "shop-tikv-cluster-secret" });
        assert.deepEqual(secretsOf("tidb", withTls), { "tidb-tls": "shop-tidb-cluster-secret" });
    });

    it("is in the configurations, whatever the user wrote", () => {
        const change = (manifest: OpenManifest) => {
            withTls(manifest);
            manifest.spec.tikv.config = { security: { "ca-path": "mine", "redact-info-log": true } };
        };
        assert.deepEqual(configOf("pd", change).security, {
            "cacert-path": "/var/lib/pd-tls/ca.crt",
            "cert-path": "/var/lib/pd-tls/tls.crt",
            "key-path": "/var/lib/pd-tls/tls.key",
        });
        assert.equal(configOf("tikv", change).security["ca-path"], "/var/lib/tikv-tls/ca.crt");
        assert.equal(configOf("tikv", change).security["redact-info-log"], true);
        assert.equal(configOf("tidb", change).security["cluster-ssl-key"], "/var/lib/tidb-tls/tls.key");
    });
});

describe("TLS for SQL clients", () => {
    const withTls = ({ spec }: OpenManifest) => (spec.tidb.tlsClient = { enabled: true });

    it("mounts TiDB's certificate, and the dashboard's in PD", () => {
        assert.deepEqual(secretsOf("tidb", withTls), { "tidb-server-tls": "shop-tidb-server-secret" });
        assert.deepEqual(secretsOf("pd", withTls), { "tidb-client-tls": "shop-tidb-client-secret" });
        const named = (manifest: OpenManifest) => {
            withTls(manifest);
            manifest.spec.pd.tlsClientSecretName = "mine";
        };
        assert.deepEqual(secretsOf("pd", named), { "tidb-client-tls": "mine" });
        assert.equal(configOf("tidb", withTls).security["ssl-cert"], "/var/lib/tidb-server-tls/tls.crt");
        assert.equal(configOf("tidb", withTls).security["ssl-key"], "/var/lib/tidb-server-tls/tls.key");
        assert.equal(configOf("tidb", withTls).security["ssl-ca"], "/var/lib/tidb-server-tls/ca.crt");
        assert.equal(configOf("pd", withTls).dashboard["tidb-cert-path"], "/var/lib/tidb-client-tls/tls.crt");
    });

    it("needs no authority if clients show no certificate", () => {
        const change = ({ spec }: OpenManifest) => {
            spec.tidb.tlsClient = { enabled: true, disableClientAuthn: true, skipInternalClientCA: true };
        };
        assert.equal(configOf("tidb", change).security["ssl-ca"], undefined);
        assert.equal(configOf("pd", change).dashboard["tidb-cacert-path"], undefined);
        const key = "/var/lib/tidb-client-tls/tls.key";
        assert.equal(
            configOf("pd", change).dashboard["tidb-key-path"],
            key,
            "its own certificate is shown all the same",
        );
        const checked = ({ spec }: OpenManifest) => (spec.tidb.tlsClient = { enabled: true, disableClientAuthn: true });
        assert.equal(configOf("pd", checked).dashboard["tidb-cacert-path"], "/var/lib/tidb-client-tls/ca.crt");
        const off = ({ spec }: OpenManifest) => (spec.tidb.tlsClient = { enabled: false });
        assert.deepEqual(secretsOf("tidb", off), {});
        assert.deepEqual(secretsOf("pd", off), {});
    });

    it("does not cover the dashboard before PD 4 or if the annotation says so", () => {
        const old = (manifest: OpenManifest) => {
            withTls(manifest);
            manifest.spec.pd.version = "v3.1.0";
        };
        const skipped = (manifest: OpenManifest) => {
            withTls(manifest);
            manifest.metadata.annotations = { "tidb.tidb.pingcap.com/skip-tls-when-connect-tidb": "" };
        };
        assert.deepEqual(secretsOf("pd", old), {});
        assert.deepEqual(secretsOf("pd", skipped), {});
    });
});

describe("PD", () => {
    it("is probed only if the spec asks for it", () => {
        assert.equal(containerOf("pd", "pd").readinessProbe, undefined);
        const probe = containerOf(
            "pd",
            "pd",
            ({ spec }) => (spec.pd.readinessProbe = { periodSeconds: 3 }),
        ).readinessProbe;
        assert.deepEqual(probe, { tcpSocket: { port: 2379 }, initialDelaySeconds: 10, periodSeconds: 3 });
    });

    it("has a client Service of the type in pd.service, or else in spec.services", () => {
        const type = (service: object | undefined, services: object[]) =>
            objectOf("Service/shop-pd", ({ spec }) =>
                Object.assign(spec, { services }, service && { pd: { ...spec.pd, service } }),
            ).spec.type;
        assert.equal(type(undefined, []), "ClusterIP");
        assert.equal(type(undefined, [{ name: "pd", type: "NodePort" }]), "NodePort");
        assert.equal(type({ type: "LoadBalancer" }, [{ name: "pd", type: "NodePort" }]), "LoadBalancer");
    });
});

describe("TiKV", () => {
    it("is not privileged unless the spec says so", () => {
        assert.deepEqual(containerOf("tikv", "tikv").securityContext, { privileged: false });
        const own = ({ spec }: OpenManifest) => (spec.tikv.securityContext = { runAsUser: 1 });
        assert.deepEqual(containerOf("tikv", "tikv", own).securityContext, { runAsUser: 1 });
    });

    it("shows its engines' logs from the data volume, or from the named volume", () => {
        const change = ({ spec }: OpenManifest) => {
            Object.assign(spec.tikv, {
                separateRocksDBLog: true,
                separateRaftLog: true,
                raftLogVolumeName: "logs",
                storageVolumes: [{ name: "logs", storageSize: "1Gi", mountPath: "/logs/" }],
            });
        };
        assert.match(containerOf("tikv", "rocksdblog", change).command[2], / \/var\/lib\/tikv\/rocksdb\.info;$/);
        assert.match(containerOf("tikv", "raftlog", change).command[2], / \/logs\/raftdb\.info;$/);
        assert.deepEqual(containerOf("tikv", "raftlog", change).volumeMounts, [
            { name: "tikv-logs", mountPath: "/logs/" },
        ]);
        assert.equal(containerOf("tikv", "raftlog", change).image, "busybox:1.26.2");
    });

    it("shows them from another path before TiKV 5", () => {
        const change = ({ spec }: OpenManifest) =>
            Object.assign(spec.tikv, { separateRocksDBLog: true, version: "v4.0.16" });
        assert.match(containerOf("tikv", "rocksdblog", change).command[2], /db\/LOG/);
    });

    it("takes the times of locks as numbers if they are numbers", () => {
        const config = configOf("tikv", ({ spec }) => {
            spec.tikv.config = {
                "pessimistic-txn": { "wait-for-lock-timeout": "1000", "wake-up-delay-duration": "20ms" },
            };
        });
        assert.deepEqual(
            { ...config["pessimistic-txn"] },
            { "wait-for-lock-timeout": 1000, "wake-up-delay-duration": "20ms" },
        );
    });

    it("names its status port only on request", () => {
        assert.equal(containerOf("tikv", "tikv").ports.length, 1);
        const ports = containerOf("tikv", "tikv", ({ spec }) => (spec.tikv.enableNamedStatusPort = true)).ports;
        assert.deepEqual(ports[1], { containerPort: 20180, name: "status", protocol: "TCP" });
    });
});

describe("TiDB", () => {
    it("keeps three old log files unless the spec says otherwise", () => {
        assert.equal(configOf("tidb").log.file["max-backups"], 3);
        const own = configOf("tidb", ({ spec }) => (spec.tidb.config = "[log.file]\nmax-backups = 9\n"));
        assert.equal(own.log.file["max-backups"], 9);
    });

    it("shows its slow log from a volume that ends with the pod", () => {
        assert.match(containerOf("tidb", "slowlog").command[2], / \/var\/log\/tidb\/slowlog;$/);
        assert.ok(
            podOf("tidb").volumes.some((volume: KubernetesFields) => volume.name === "slowlog" && volume.emptyDir),
        );
    });

    it("has no slow log sidecar if the spec says so", () => {
        const pod = podOf("tidb", ({ spec }) => (spec.tidb.separateSlowLog = false));
        assert.deepEqual(
            pod.containers.map(({ name }: { name: string }) => name),
            ["tidb"],
        );
        const variables = pod.containers[0].env as { name: string; value?: string }[];
        assert.equal(variables.find(({ name }) => name === "SLOW_LOG_FILE")?.value, "");
    });

    it("is ready when SQL answers, or by a command on the status page", () => {
        assert.deepEqual(containerOf("tidb", "tidb").readinessProbe, {
            tcpSocket: { port: 4000 },
            initialDelaySeconds: 10,
        });
        const command = ({ spec }: OpenManifest) => {
            spec.tlsCluster = { enabled: true };
            spec.tidb.readinessProbe = { type: "command", initialDelaySeconds: 1 };
        };
        assert.deepEqual(containerOf("tidb", "tidb", command).readinessProbe, {
            exec: {
                command: [
                    "curl",
                    "https://127.0.0.1:10080/status",
                    "--fail",
                    "--location",
                    "--cacert",
                    "/var/lib/tidb-tls/ca.crt",
                    "--cert",
                    "/var/lib/tidb-tls/tls.crt",
                    "--key",
                    "/var/lib/tidb-tls/tls.key",
                ],
            },
            initialDelaySeconds: 1,
        });
    });

    it("sets kernel parameters in an init container if the annotation asks for it", () => {
        const change = ({ spec }: OpenManifest) => {
            spec.helper = { image: "alpine:3" };
            spec.tidb.annotations = { "tidb.pingcap.com/sysctl-init": "true" };
            spec.tidb.podSecurityContext = { runAsUser: 0, sysctls: [{ name: "net.core.somaxconn", value: "32768" }] };
        };
        assert.deepEqual(containerOf("tidb", "init", change), {
            name: "init",
            image: "alpine:3",
            command: ["sh", "-c", "sysctl -w net.core.somaxconn=32768"],
            resources: {},
            securityContext: { privileged: true },
        });
        assert.deepEqual(podOf("tidb", change).securityContext, { runAsUser: 0 });
    });

    it("has a Service with the ports and the load balancer of the spec", () => {
        const { spec } = objectOf("Service/shop-tidb", (manifest) => {
            manifest.spec.tidb.service = {
                type: "LoadBalancer",
                port: 3306,
                portName: "sql",
                mysqlNodePort: 30000,
                exposeStatus: false,
                additionalPorts: [{ name: "more", port: 5000, targetPort: 6000 }],
                externalTrafficPolicy: "Local",
                loadBalancerSourceRanges: ["10.0.0.0/8"],
            };
        });
        assert.deepEqual(spec.ports, [
            { protocol: "TCP", targetPort: 4000, name: "sql", port: 3306, nodePort: 30000 },
            { protocol: "TCP", targetPort: 6000, name: "more", port: 5000 },
        ]);
        assert.equal(spec.externalTrafficPolicy, "Local");
        assert.deepEqual(spec.loadBalancerSourceRanges, ["10.0.0.0/8"]);
    });

    it("runs SQL at its first start, and the user's startup probe", () => {
        const change = ({ spec }: OpenManifest) => {
            spec.tidb.bootstrapSQLConfigMapName = "first-sql";
            spec.tidb.customizedStartupProbe = {
                image: "probe:1",
                binaryName: "probe",
                args: ["-x"],
                periodSeconds: 2,
            };
        };
        assert.equal(configOf("tidb", change)["initialize-sql-file"], "/etc/tidb-bootstrap/bootstrap.sql");
        assert.deepEqual(containerOf("tidb", "tidb", change).startupProbe, {
            exec: { command: ["/var/lib/customized-startup-probe/probe", "-x"] },
            successThreshold: 1,
            periodSeconds: 2,
        });
        assert.equal(containerOf("tidb", "probe", change).image, "probe:1");
    });
});
