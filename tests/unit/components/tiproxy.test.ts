import assert from "node:assert/strict";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { containerOf, objectOf, type OpenManifest, podOf, problemsOf, smallCluster } from "./manifests";
import { type ParseToml, tomlParser } from "./tomlParser";

// The rules are those of tidb-operator pkg/manager/member/tiproxy_member_manager.go; no golden has this member.

let parse: ParseToml;
before(async () => (parse = await tomlParser()));

const withTiproxy =
    (own: object = {}, cluster: object = {}) =>
    ({ spec }: OpenManifest) =>
        Object.assign(spec, cluster, { tiproxy: { replicas: 2, version: "v1.3.0", ...own } });
const withSqlTls =
    (own: object = {}, cluster: object = {}, tls: object = {}) =>
    (manifest: OpenManifest) => {
        withTiproxy(own, cluster)(manifest);
        manifest.spec.tidb.tlsClient = { enabled: true, ...tls };
    };
const members = { tlsCluster: { enabled: true } };

/** What its configuration says of certificates, as dotted paths; the size of keys has a test of its own. */
function securityOf(change: (manifest: OpenManifest) => void): Record<string, unknown> {
    const config = parse(objectOf("ConfigMap/shop-tiproxy", change).data["config-file"]) as KubernetesFields;
    const paths: Record<string, unknown> = {};
    for (const [table, keys] of Object.entries((config.security ?? {}) as Record<string, object>)) {
        for (const [key, value] of Object.entries(keys).filter(([name]) => name !== "rsa-key-size")) {
            paths[`${table}.${key}`] = value;
        }
    }
    return paths;
}

/** The Secrets that its pod mounts, each with its folder. */
function secretsOf(change: (manifest: OpenManifest) => void): Record<string, string> {
    const mounts = containerOf("tiproxy", "tiproxy", change).volumeMounts as KubernetesFields[];
    return Object.fromEntries(
        (podOf("tiproxy", change).volumes as KubernetesFields[])
            .filter(({ secret }) => secret !== undefined)
            .map(({ name, secret }) => [
                secret.secretName,
                mounts.find((mount) => mount.name === name)?.mountPath as string,
            ]),
    );
}

const at = (table: string, folder: string, keys = ["ca", "cert", "key"]) => {
    const file: Record<string, string> = { ca: "ca.crt", cert: "tls.crt", key: "tls.key" };
    return Object.fromEntries(keys.map((key) => [`${table}.${key}`, `/var/lib/${folder}/${file[key]}`]));
};
const http = (folder: string) => ({ ...at("server-http-tls", folder), "server-http-tls.skip-ca": true });

describe("TiProxy", () => {
    it("has a client Service on every node, and a headless one", () => {
        const { spec, metadata } = objectOf("Service/shop-tiproxy", withTiproxy());
        assert.equal(spec.type, "NodePort");
        assert.equal(spec.publishNotReadyAddresses, true);
        assert.equal(metadata.labels?.["app.kubernetes.io/used-by"], "end-user");
        assert.deepEqual(
            spec.ports.map(({ name, port }: KubernetesFields) => [name, port]),
            [
                ["tiproxy-api", 3080],
                ["tiproxy-sql", 6000],
            ],
        );
        const peer = objectOf("Service/shop-tiproxy-peer", withTiproxy());
        assert.equal(peer.metadata.labels?.["app.kubernetes.io/used-by"], "peer");
        assert.equal(peer.spec.clusterIP, "None");
        // The operator says so for TiProxy alone.
        assert.equal(peer.spec.type, "ClusterIP");
        assert.deepEqual(
            peer.spec.ports.map(({ name, port }: KubernetesFields) => [name, port]),
            [
                ["tiproxy-api", 3080],
                ["tiproxy-peer", 3081],
            ],
        );
    });

    it("has one container with three ports and no probe, and both files in one folder", () => {
        const container = containerOf("tiproxy", "tiproxy", withTiproxy());
        assert.equal(container.image, "pingcap/tiproxy:v1.3.0");
        assert.deepEqual(container.command, ["/bin/sh", "/etc/proxy/start.sh"]);
        assert.deepEqual(
            container.ports.map(({ name, containerPort }: KubernetesFields) => [name, containerPort]),
            [
                ["tiproxy", 6000],
                ["tiproxy-api", 3080],
                ["tiproxy-peer", 3081],
            ],
        );
        assert.equal(container.readinessProbe, undefined);
        const config = podOf("tiproxy", withTiproxy()).volumes.find(({ name }: KubernetesFields) => name === "config");
        assert.deepEqual(config.configMap, {
            name: "shop-tiproxy",
            items: [
                { key: "config-file", path: "proxy.toml" },
                { key: "startup-script", path: "start.sh" },
            ],
        });
        assert.deepEqual(objectOf("StatefulSet/shop-tiproxy", withTiproxy()).spec.template.metadata.annotations, {
            "prometheus.io/path": "/api/metrics",
            "prometheus.io/port": "3080",
            "prometheus.io/scrape": "true",
        });
    });

    it("has its folder and PD's address set, and uses no TLS to TiDB unless told to", () => {
        const config = (own: object, cluster: object = {}) =>
            parse(
                objectOf("ConfigMap/shop-tiproxy", withTiproxy(own, cluster)).data["config-file"],
            ) as KubernetesFields;
        const set = config({ config: 'workdir = "/mine"\n[proxy]\npd-addrs = "mine"\nmax-connections = 5\n' });
        assert.equal(set.workdir, "/var/lib/tiproxy/work");
        assert.deepEqual(
            { ...set.proxy },
            { "max-connections": 5, "pd-addrs": "shop-pd:2379", "require-backend-tls": false },
        );
        assert.equal(config({ config: "proxy.require-backend-tls = true" }).proxy["require-backend-tls"], true);
        const joining = { pd: undefined, cluster: { name: "first" } };
        assert.equal(config({}, joining).proxy["pd-addrs"], "first-pd:2379");
    });

    // The operator reads a map into a type that has these numbers always; TOML text is taken as it is
    // (pkg/apis/pingcap/v1alpha1/tiproxy_config_wrapper.go).
    const keepAlive = { cnt: 0, idle: 0, intvl: 0, timeout: 0 };
    const allZero = {
        log: { "log-file": { "max-backups": 0, "max-days": 0, "max-size": 0 } },
        metrics: { "metrics-interval": 0 },
        proxy: {
            "backend-healthy-keepalive": keepAlive,
            "backend-unhealthy-keepalive": keepAlive,
            "frontend-keepalive": keepAlive,
            "graceful-wait-before-shutdown": 0,
            "max-connections": 0,
            "pd-addrs": "shop-pd:2379",
            "require-backend-tls": false,
        },
        security: Object.fromEntries(
            ["cluster-tls", "peer-tls", "server-tls", "sql-tls"].map((table) => [table, { "rsa-key-size": 0 }]),
        ),
        workdir: "/var/lib/tiproxy/work",
    };
    const onlySet = { proxy: { "pd-addrs": "shop-pd:2379", "require-backend-tls": false }, workdir: allZero.workdir };
    for (const [title, own, expected] of [
        ["a map that says nothing", { config: {} }, allZero],
        [
            "a map that says one of them",
            { config: { proxy: { "max-connections": 9 } } },
            { ...allZero, proxy: { ...allZero.proxy, "max-connections": 9 } },
        ],
        ["empty text", { config: "" }, onlySet],
        ["no configuration", {}, onlySet],
    ] as const) {
        it(`of ${title} has the numbers that the operator writes`, () => {
            const text = objectOf("ConfigMap/shop-tiproxy", withTiproxy(own)).data["config-file"];
            assert.deepEqual(JSON.parse(JSON.stringify(parse(text))), expected);
        });
    }

    it("gives a warning for a map that turns TiDB's keep-alive off without saying so", () => {
        const warned = (config?: unknown) =>
            problemsOf(smallCluster(withTiproxy({ config }))).filter(({ field }) => field === "spec.tiproxy.config");
        assert.equal(warned({}).length, 1);
        assert.deepEqual(warned(), []);
        assert.deepEqual(warned(""), []);
        const said = { cnt: 5, idle: 60_000_000_000, intvl: 3_000_000_000, timeout: 15_000_000_000 };
        assert.deepEqual(
            warned({ proxy: { "backend-healthy-keepalive": said, "backend-unhealthy-keepalive": said } }),
            [],
        );
    });

    // validateTiDBClusterSpec leaves TiProxy out (pkg/apis/pingcap/v1alpha1/validation/validation.go).
    for (const [title, own, path, value] of [
        [
            "a variable that refers to the pod",
            { env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }] },
            "env",
            { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
        ],
        [
            "a container without an image that is merged into its own",
            { additionalContainers: [{ name: "tiproxy", ports: [{ name: "more", containerPort: 7000 }] }] },
            "ports",
            { name: "more", containerPort: 7000 },
        ],
    ] as const) {
        it(`may have ${title}, unlike members that the operator checks`, () => {
            const refused = problemsOf(smallCluster(withTiproxy(own))).filter(({ severity }) => severity === "error");
            assert.deepEqual(refused, []);
            const container = containerOf("tiproxy", "tiproxy", withTiproxy(own));
            assert.equal(container.image, "pingcap/tiproxy:v1.3.0");
            const found = container[path].find(({ name }: KubernetesFields) => name === value.name);
            assert.deepEqual(found, value);
        });
    }

    it("requires an image for any other container", () => {
        const own = { additionalContainers: [{ name: "side" }] };
        const [problem] = problemsOf(smallCluster(withTiproxy(own))).filter(({ severity }) => severity === "error");
        assert.equal(problem.field, "spec.tiproxy.additionalContainers[0].image");
    });

    it("never restarts for a changed configuration", () => {
        const change = withTiproxy(
            { configUpdateStrategy: "RollingUpdate" },
            { configUpdateStrategy: "RollingUpdate" },
        );
        assert.equal(objectOf("ConfigMap/shop-tiproxy", change).metadata.name, "shop-tiproxy");
        assert.deepEqual(
            problemsOf(smallCluster(change)).map(({ field }) => field),
            ["spec.tiproxy.configUpdateStrategy"],
        );
    });

    it("makes TiDB sign session tokens if members use TLS, unless there is no proxy", () => {
        const security = (change: (manifest: OpenManifest) => void) =>
            (parse(objectOf("ConfigMap/shop-tidb", change).data["config-file"]) as KubernetesFields).security ?? {};
        assert.equal(security(withTiproxy({}, members))["session-token-signing-cert"], "/var/lib/tidb-tls/tls.crt");
        assert.equal(security(withTiproxy({}, members))["session-token-signing-key"], "/var/lib/tidb-tls/tls.key");
        assert.equal(security(withTiproxy({ replicas: 0 }, members))["session-token-signing-cert"], undefined);
        assert.equal(security(withTiproxy())["session-token-signing-cert"], undefined);
    });

    const sql = at("server-tls", "tiproxy-server-tls");
    const skip = { "server-tls.skip-ca": true };
    const layouts: [string, (manifest: OpenManifest) => void, Record<string, string>, Record<string, unknown>][] = [
        ["no TLS", withTiproxy(), {}, {}],
        [
            "members",
            withTiproxy({}, members),
            {
                "shop-cluster-client-secret": "/var/lib/cluster-client-tls",
                "shop-tiproxy-cluster-secret": "/var/lib/tiproxy-http-server-tls",
            },
            { ...at("cluster-tls", "cluster-client-tls"), ...http("tiproxy-http-server-tls") },
        ],
        [
            "SQL",
            withSqlTls(),
            {
                "shop-tidb-server-secret": "/var/lib/tiproxy-server-tls",
                "shop-tidb-client-secret": "/var/lib/tiproxy-sql-tls",
            },
            { ...sql, ...skip, ...at("sql-tls", "tiproxy-sql-tls"), ...http("tiproxy-server-tls") },
        ],
        [
            "SQL without authority and client's certificate",
            withSqlTls({ tlsClientSecretName: "mine" }, {}, { skipInternalClientCA: true, disableClientAuthn: true }),
            { "shop-tidb-server-secret": "/var/lib/tiproxy-server-tls", mine: "/var/lib/tiproxy-sql-tls" },
            { ...sql, ...skip, "sql-tls.skip-ca": true, ...http("tiproxy-server-tls") },
        ],
        [
            "SQL, and what the user says of authorities",
            withSqlTls(
                { config: { security: { "sql-tls": { "skip-ca": false }, "server-tls": { "skip-ca": false } } } },
                {},
                { skipInternalClientCA: true },
            ),
            {
                "shop-tidb-server-secret": "/var/lib/tiproxy-server-tls",
                "shop-tidb-client-secret": "/var/lib/tiproxy-sql-tls",
            },
            {
                ...sql,
                "server-tls.skip-ca": false,
                "sql-tls.skip-ca": false,
                ...at("sql-tls", "tiproxy-sql-tls"),
                ...http("tiproxy-server-tls"),
            },
        ],
        [
            "both",
            withSqlTls({}, members),
            {
                "shop-cluster-client-secret": "/var/lib/cluster-client-tls",
                "shop-tidb-server-secret": "/var/lib/tiproxy-server-tls",
                "shop-tidb-client-secret": "/var/lib/tiproxy-sql-tls",
            },
            {
                ...at("cluster-tls", "cluster-client-tls"),
                ...sql,
                ...skip,
                ...at("sql-tls", "tiproxy-sql-tls"),
                ...http("tiproxy-server-tls"),
            },
        ],
        [
            "both, of layout v1",
            withSqlTls({ certLayout: "v1" }, members),
            {
                "shop-cluster-client-secret": "/var/lib/cluster-client-tls",
                "shop-tiproxy-cluster-secret": "/var/lib/tiproxy-tls",
                "shop-tidb-server-secret": "/var/lib/tiproxy-server-tls",
            },
            {
                ...at("cluster-tls", "tiproxy-tls"),
                ...at("server-tls", "tiproxy-server-tls", ["cert", "key"]),
                ...skip,
                ...at("sql-tls", "tiproxy-server-tls", ["ca"]),
                ...http("tiproxy-tls"),
            },
        ],
        [
            "both, of layout v1, without authority",
            withSqlTls({ certLayout: "v1" }, members, { skipInternalClientCA: true }),
            {
                "shop-cluster-client-secret": "/var/lib/cluster-client-tls",
                "shop-tiproxy-cluster-secret": "/var/lib/tiproxy-tls",
                "shop-tidb-server-secret": "/var/lib/tiproxy-server-tls",
            },
            {
                ...at("cluster-tls", "tiproxy-tls"),
                ...at("server-tls", "tiproxy-server-tls", ["cert", "key"]),
                ...skip,
                "sql-tls.skip-ca": true,
                ...http("tiproxy-tls"),
            },
        ],
    ];
    for (const [title, change, secrets, config] of layouts) {
        it(`certificates: ${title}`, () => {
            assert.deepEqual(secretsOf(change), secrets);
            assert.deepEqual(securityOf(change), config);
        });
    }

    it("certificates: none for TiDB if the annotation says so, unless TiProxy asks for them", () => {
        const skipped = (own: object) => (manifest: OpenManifest) => {
            withSqlTls(own)(manifest);
            manifest.metadata.annotations = { "tidb.tidb.pingcap.com/skip-tls-when-connect-tidb": "" };
        };
        assert.equal(secretsOf(skipped({}))["shop-tidb-client-secret"], undefined);
        assert.equal(securityOf(skipped({}))["sql-tls.ca"], undefined);
        const asked = skipped({ sslEnableTiDB: true });
        assert.equal(secretsOf(asked)["shop-tidb-client-secret"], "/var/lib/tiproxy-sql-tls");
        assert.equal(securityOf(asked)["sql-tls.ca"], "/var/lib/tiproxy-sql-tls/ca.crt");
    });

    const wrong: [string, object, object, string, "error" | "warning"][] = [
        ["several Kubernetes clusters", {}, { acrossK8s: true }, "", "error"],
        ["an unknown layout", { certLayout: "v2" }, {}, ".certLayout", "error"],
        ["text that is not TOML", { config: "a = " }, {}, ".config", "error"],
        ["layout v1 without TLS between members", { certLayout: "v1" }, {}, ".certLayout", "warning"],
        ["TiDB's version", { version: undefined }, {}, ".version", "warning"],
        ["a probe", { readinessProbe: { periodSeconds: 1 } }, {}, ".readinessProbe", "warning"],
    ];
    for (const [title, own, cluster, field, severity] of wrong) {
        it(`${severity === "error" ? "refuses" : "warns of"} ${title}`, () => {
            const found = problemsOf(smallCluster(withTiproxy(own, cluster)));
            assert.deepEqual(
                found.map((problem) => [problem.field, problem.severity]),
                [[`spec.tiproxy${field}`, severity]],
            );
        });
    }
});
