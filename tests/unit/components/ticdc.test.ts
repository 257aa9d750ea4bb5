import assert from "node:assert/strict";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { containerOf, objectOf, objectsOf, type OpenManifest, podOf, problemsOf, smallCluster } from "./manifests";
import { type ParseToml, tomlParser } from "./tomlParser";

// The rules are those of tidb-operator pkg/manager/member/ticdc_member_manager.go; no golden has this member.

let parse: ParseToml;
before(async () => (parse = await tomlParser()));

const withTicdc =
    (own: object = {}, cluster: object = {}) =>
    ({ spec }: OpenManifest) =>
        Object.assign(spec, cluster, { ticdc: { replicas: 2, ...own } });

const mounts = (change: (manifest: OpenManifest) => void) =>
    Object.fromEntries(
        (containerOf("ticdc", "ticdc", change).volumeMounts ?? []).map((mount: KubernetesFields) => [
            mount.name,
            mount.mountPath,
        ]),
    );
const variable = (name: string, change: (manifest: OpenManifest) => void) =>
    (containerOf("ticdc", "ticdc", change).env as KubernetesFields[]).find((one) => one.name === name)?.value;
const script = (change: (manifest: OpenManifest) => void) => containerOf("ticdc", "ticdc", change).command[2] as string;

describe("TiCDC", () => {
    it("has a headless Service without the label that distinguishes Services", () => {
        const service = objectOf("Service/shop-ticdc-peer", withTicdc());
        assert.deepEqual(service.metadata.labels, {
            "app.kubernetes.io/component": "ticdc",
            "app.kubernetes.io/instance": "shop",
            "app.kubernetes.io/managed-by": "pulumi-tidb",
            "app.kubernetes.io/name": "tidb-cluster",
        });
        assert.equal(service.spec.clusterIP, "None");
        assert.equal(service.spec.publishNotReadyAddresses, true);
        assert.deepEqual(service.spec.ports, [{ name: "ticdc", port: 8301, targetPort: 8301, protocol: "TCP" }]);
    });

    it("starts its pods at once, and Prometheus finds their metrics", () => {
        const { spec } = objectOf("StatefulSet/shop-ticdc", withTicdc());
        assert.equal(spec.podManagementPolicy, "Parallel");
        assert.equal(spec.serviceName, "shop-ticdc-peer");
        assert.deepEqual(spec.template.metadata.annotations, {
            "prometheus.io/path": "/metrics",
            "prometheus.io/port": "8301",
            "prometheus.io/scrape": "true",
        });
    });

    it("has one container with a port and without a probe", () => {
        const [container, ...others] = podOf("ticdc", withTicdc()).containers;
        assert.deepEqual(others, []);
        assert.equal(container.image, "pingcap/ticdc:v8.5.3");
        assert.deepEqual(container.ports, [{ name: "ticdc", containerPort: 8301, protocol: "TCP" }]);
        assert.equal(container.readinessProbe, undefined);
        assert.deepEqual(container.command.slice(0, 2), ["/bin/sh", "-c"]);
        assert.deepEqual(
            container.env.map(({ name }: KubernetesFields) => name),
            ["POD_NAME", "NAMESPACE", "HEADLESS_SERVICE_NAME", "TZ"],
        );
    });

    it("sees the pod's annotations only with the second start scripts", () => {
        assert.equal(mounts(withTicdc()).annotations, undefined);
        assert.doesNotMatch(script(withTicdc()), /podinfo/);
        assert.equal(mounts(withTicdc({}, { startScriptVersion: "v2" })).annotations, "/etc/podinfo");
        assert.match(script(withTicdc({}, { startScriptVersion: "v2" })), /podinfo/);
    });

    const files: [string, object | string | undefined, object | undefined][] = [
        ["nothing", undefined, undefined],
        ["the older keys alone", { timezone: "UTC", gcTTL: 5, logLevel: "debug", logFile: "/x" }, undefined],
        ["those as TOML", 'tz = "UTC"\ngc-ttl = 5\nlog-level = "debug"\nlog-file = "/x"\n', undefined],
        ["another key", "per-table-memory-quota = 5\ngc-ttl = 6", { "per-table-memory-quota": 5, "gc-ttl": 6 }],
        ["another key in a map", { gcTTL: 6, a: { b: true } }, { "gc-ttl": 6, a: { b: true } }],
    ];
    for (const [title, config, expected] of files) {
        it(`has ${expected ? "a" : "no"} configuration file for ${title}`, () => {
            const change = withTicdc({ config });
            const file = objectsOf(smallCluster(change)).get("ConfigMap/shop-ticdc")?.data["config-file"];
            assert.deepEqual(file === undefined ? undefined : JSON.parse(JSON.stringify(parse(file))), expected);
            assert.equal(mounts(change).config, expected && "/etc/ticdc");
            assert.equal(script(change).includes("--config=/etc/ticdc/ticdc.toml"), expected !== undefined);
        });
    }

    it("takes the time to keep changes, the log level and the log file from its configuration", () => {
        const text = script(withTicdc({ config: 'gc-ttl = 5\nlog-level = "debug"\nlog-file = "/logs/x y"' }));
        assert.match(text, / --gc-ttl=5 \\\n/);
        assert.match(text, / --log-level=debug \\\n/);
        assert.match(text, / --log-file='\/logs\/x y' \\\n/);
        assert.match(script(withTicdc()), / --gc-ttl=86400 \\\n {4}--log-file= \\\n {4}--log-level=info \\\n/);
    });

    it("has the time zone of its configuration, or else the cluster's, or else UTC", () => {
        assert.equal(variable("TZ", withTicdc()), "UTC");
        assert.equal(variable("TZ", withTicdc({}, { timezone: "Asia/Tokyo" })), "Asia/Tokyo");
        const both = withTicdc({ config: 'tz = "Europe/Oslo"' }, { timezone: "Asia/Tokyo" });
        assert.equal(variable("TZ", both), "Europe/Oslo");
    });

    it("mounts its certificate and the cluster's client certificate if members use TLS", () => {
        const change = withTicdc({}, { tlsCluster: { enabled: true } });
        assert.equal(mounts(change)["ticdc-tls"], "/var/lib/ticdc-tls");
        assert.equal(mounts(change)["cluster-client-tls"], "/var/lib/cluster-client-tls");
        const secrets = podOf("ticdc", change).volumes.map((volume: KubernetesFields) => volume.secret?.secretName);
        assert.deepEqual(secrets, ["shop-ticdc-cluster-secret", "shop-cluster-client-secret"]);
    });

    it("mounts the certificates for its sinks", () => {
        const change = withTicdc({ tlsClientSecretNames: ["kafka", "mysql"] });
        assert.equal(mounts(change).kafka, "/var/lib/sink-tls/kafka");
        assert.equal(mounts(change).mysql, "/var/lib/sink-tls/mysql");
    });

    it("has a claim for each of its volumes", () => {
        const volumes = [
            { name: "sort", storageSize: "10Gi", mountPath: "/sort" },
            { name: "log", storageSize: "1Gi", mountPath: "/log", storageClassName: "slow" },
        ];
        const change = withTicdc({ storageVolumes: volumes, storageClassName: "fast" });
        const claims = objectOf("StatefulSet/shop-ticdc", change).spec.volumeClaimTemplates as KubernetesFields[];
        assert.deepEqual(
            claims.map(({ metadata, spec }) => [metadata.name, spec.storageClassName, spec.resources.requests.storage]),
            [
                ["ticdc-sort", "fast", "10Gi"],
                ["ticdc-log", "slow", "1Gi"],
            ],
        );
        assert.equal(mounts(change)["ticdc-sort"], "/sort");
    });

    it("leaves kernel parameters to the kubelet, whatever its annotation says", () => {
        const change = withTicdc({
            annotations: { "tidb.pingcap.com/sysctl-init": "true" },
            podSecurityContext: { sysctls: [{ name: "net.core.somaxconn", value: "1" }] },
        });
        assert.deepEqual(podOf("ticdc", change).initContainers ?? [], []);
        assert.deepEqual(podOf("ticdc", change).securityContext, {
            sysctls: [{ name: "net.core.somaxconn", value: "1" }],
        });
    });

    it("passes its delete-slots on", () => {
        const change = (manifest: OpenManifest) => {
            withTicdc()(manifest);
            manifest.metadata.annotations = { "ticdc.tidb.pingcap.com/delete-slots": "[1]" };
        };
        assert.equal(objectOf("StatefulSet/shop-ticdc", change).metadata.annotations?.["delete-slots"], "[1]");
    });

    const wrong: [string, object, string, "error" | "warning"][] = [
        ["an invalid timeout", { gracefulShutdownTimeout: "10 min" }, "gracefulShutdownTimeout", "error"],
        [
            "a Secret whose name does not fit a volume",
            { tlsClientSecretNames: ["a.b"] },
            "tlsClientSecretNames[0]",
            "error",
        ],
        ["a Secret twice", { tlsClientSecretNames: ["a", "a"] }, "tlsClientSecretNames[1]", "error"],
        ["text that is not TOML", { config: "a = " }, "config", "error"],
        [
            "a volume without name",
            { storageVolumes: [{ name: "", storageSize: "1Gi" }] },
            "storageVolumes[0].name",
            "error",
        ],
        ["a gc-ttl that is text", { config: 'gc-ttl = "5"' }, "config.gc-ttl", "warning"],
        ["a tz that is a number", { config: { timezone: 5 } }, "config.tz", "warning"],
        ["a probe", { readinessProbe: { periodSeconds: 1 } }, "readinessProbe", "warning"],
        ["a data volume", { requests: { storage: "1Gi" } }, "requests.storage", "warning"],
    ];
    for (const [title, own, field, severity] of wrong) {
        it(`${severity === "error" ? "refuses" : "warns of"} ${title}`, () => {
            const found = problemsOf(smallCluster(withTicdc(own)));
            assert.deepEqual(
                found.map((problem) => [problem.field, problem.severity]),
                [[`spec.ticdc.${field}`, severity]],
            );
        });
    }

    it("may shut down at once: a timeout of 0 is valid", () => {
        assert.deepEqual(problemsOf(smallCluster(withTicdc({ gracefulShutdownTimeout: "0s" }))), []);
    });
});
