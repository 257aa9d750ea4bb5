import assert from "node:assert/strict";
import type { SpecProblem } from "../../../components/problem";
import { type OpenManifest, problemsOf, smallCluster } from "./manifests";

type Change = (manifest: OpenManifest) => void;
type Row = readonly [what: string, change: Change];

const tiproxy =
    (config: object): Change =>
    ({ spec }) =>
        (spec.tiproxy = { replicas: 1, version: "v1.3.0", config });

const tiflash =
    (config: object, more: object = {}, cluster: object = {}): Change =>
    ({ spec }) => {
        const storageClaims = [{ resources: { requests: { storage: "10Gi" } } }];
        spec.tiflash = { replicas: 1, storageClaims, config, ...more };
        Object.assign(spec, cluster);
    };

const pump =
    (config: object): Change =>
    ({ spec }) => {
        spec.version = "v8.3.0";
        spec.pump = { replicas: 1, requests: { storage: "10Gi" }, config };
    };

const readsConfigMap = { annotations: { "tiflash.tidb.pingcap.com/mount-cm-in-tiflash-container": "true" } };
const tls = { tlsCluster: { enabled: true } };
const own = "shop-tiflash-POD_NUM.shop-tiflash-peer.stores.svc";

function problems(severity: SpecProblem["severity"], change: Change): SpecProblem[] {
    return problemsOf(smallCluster(change)).filter(
        (problem) => problem.severity === severity && problem.field.includes(".config."),
    );
}

const unreachable: (readonly [...Row, field: string])[] = [
    ["SQL through TiProxy", tiproxy({ proxy: { addr: "127.0.0.1:6000" } }), "tiproxy.config.proxy.addr"],
    ["TiProxy's health", tiproxy({ api: { addr: "localhost:3080" } }), "tiproxy.config.api.addr"],
    [
        "TiFlash",
        tiflash({ config: { flash: { service_addr: "127.0.0.1:3930" } } }),
        "tiflash.config.config.flash.service_addr",
    ],
    ["TiFlash's metrics", tiflash({ config: { listen_host: "127.0.0.1" } }), "tiflash.config.config.listen_host"],
    [
        "TiFlash's proxy",
        tiflash({ config: { flash: { proxy: { addr: "[::1]:20170" } } } }),
        "tiflash.config.config.flash.proxy.addr",
    ],
    [
        "TiFlash's place in PD",
        tiflash({ config: { flash: { proxy: { "advertise-addr": "0.0.0.0:20170" } } } }),
        "tiflash.config.config.flash.proxy.advertise-addr",
    ],
    [
        "the metrics of TiFlash's proxy",
        tiflash({ proxy: { server: { "status-addr": "127.0.0.1:20292" } } }),
        "tiflash.config.proxy.server.status-addr",
    ],
    [
        "TiFlash's queries",
        tiflash({ proxy: { server: { "engine-addr": "127.0.0.1:3930" } } }),
        "tiflash.config.proxy.server.engine-addr",
    ],
    [
        "TiFlash's port before 7.1",
        tiflash({ config: { tcp_port: 9001 } }, {}, { version: "v6.5.0" }),
        "tiflash.config.config.tcp_port",
    ],
    [
        "TiFlash's port for TLS before 7.1",
        tiflash({ config: { https_port: 8124 } }, {}, { version: "v6.5.0", ...tls }),
        "tiflash.config.config.https_port",
    ],
    ["Pump", pump({ addr: "127.0.0.1:8250" }), "pump.config.addr"],
    [
        "TiKV's status",
        ({ spec }) => (spec.tikv.config = { server: { "advertise-status-addr": "x:9" } }),
        "tikv.config.server.advertise-status-addr",
    ],
];

const strangers: (readonly [...Row, field: string])[] = [
    ["PD of another cluster", tiflash({ config: { raft: { pd_addr: "other-pd:2379" } } }), "raft.pd_addr"],
    ["PD of another namespace", tiflash({ config: { raft: { pd_addr: "shop-pd.test:2379" } } }), "raft.pd_addr"],
    ["one PD of two", tiflash({ config: { raft: { pd_addr: "shop-pd:2379,other-pd:2379" } } }), "raft.pd_addr"],
    ["another port of PD", tiflash({ config: { raft: { pd_addr: "shop-pd:2380" } } }), "raft.pd_addr"],
    [
        "TiDB of another cluster",
        tiflash({ config: { flash: { tidb_status_addr: "other-tidb:10080" } } }),
        "flash.tidb_status_addr",
    ],
];

const pdAddr = (pd_addr: string, cluster: object = {}) => tiflash({ config: { raft: { pd_addr } } }, {}, cluster);

const right: Row[] = [
    ["all interfaces", tiproxy({ proxy: { addr: ":6000" }, api: { addr: "[::]:3080" } })],
    ["one of several addresses", tiproxy({ proxy: { addr: "127.0.0.1:6001, 0.0.0.0:6000" } })],
    ["an IPv6 host", tiflash({ config: { listen_host: "::", flash: { service_addr: "[::]:3930" } } })],
    [
        "the pod's own name",
        tiflash({
            config: { flash: { service_addr: `${own}:3930`, proxy: { "advertise-addr": `${own}:20170` } } },
            proxy: { server: { "engine-addr": `${own}:3930`, "advertise-status-addr": `${own}:20292` } },
        }),
    ],
    ["the ports that TiFlash has anyway", tiflash({ config: { tcp_port: 9000, http_port: 8123 } })],
    ["Pump's port", pump({ addr: "0.0.0.0:8250" })],
    ["PD by its short name", pdAddr("shop-pd:2379")],
    ["PD by its full name", pdAddr("http://shop-pd.stores.svc.cluster.local:2379")],
    ["PD's pods", pdAddr("shop-pd-0.shop-pd-peer.stores.svc:2379,shop-pd-1.shop-pd-peer:2379")],
    ["PD of the cluster that is joined", pdAddr("main-pd.db:2379", { cluster: { name: "main", namespace: "db" } })],
    ["PD that pdAddresses names", pdAddr("10.0.0.1:2379", { pdAddresses: ["http://10.0.0.1:2379"] })],
    ["PD's placeholder", pdAddr("PD_ADDR")],
    ["PD of a cluster that has none", pdAddr("10.0.0.1:2379", { pd: undefined })],
    ["TiDB's status", tiflash({ config: { flash: { tidb_status_addr: "shop-tidb.stores.svc:10080" } } })],
];

const ignored: (readonly [...Row, field: string])[] = [
    ["TiProxy's PD", tiproxy({ proxy: { "pd-addrs": "other-pd:2379" } }), "proxy.pd-addrs"],
    ["Pump's advertised address", pump({ "advertise-addr": "127.0.0.1:8250" }), "advertise-addr"],
    ["a port that TiFlash has lost", tiflash({ config: { tcp_port: 9001 } }), "tcp_port"],
    ["a plain port with TLS", tiflash({ config: { http_port: 1 } }, {}, { version: "v6.5.0", ...tls }), "http_port"],
    [
        "PD of a TiFlash that asks discovery",
        tiflash({ config: { raft: { pd_addr: "other-pd:2379" } } }, readsConfigMap),
        "raft.pd_addr",
    ],
];

describe("a server that other pods cannot reach, because of an address in its configuration", () => {
    for (const [what, change, field] of unreachable) {
        it(what, () => {
            const errors = problems("error", change);
            assert.deepEqual(
                errors.map((error) => error.field),
                [`spec.${field}`],
            );
        });
    }
});

describe("pods that join another cluster, because of an address in their configuration", () => {
    for (const [what, change, field] of strangers) {
        it(what, () =>
            assert.deepEqual(
                problems("error", change).map((error) => error.field),
                [`spec.tiflash.config.config.${field}`],
            ),
        );
    }
});

describe("an address in a configuration", () => {
    for (const [what, change] of right) {
        it(`may be ${what}`, () => {
            const found = [...problems("error", change), ...problems("warning", change)];
            assert.deepEqual(
                found.map(({ message }) => message).filter((message) => !message.includes("placement-rules")),
                [],
            );
        });
    }
    for (const [what, change, field] of ignored) {
        it(`is said to have no effect: ${what}`, () => {
            assert.deepEqual(problems("error", change), []);
            const warnings = problems("warning", change).filter(({ message }) => message.includes("has no effect"));
            assert.deepEqual(
                warnings.map((warning) => warning.field.endsWith(`.${field}`)),
                [true],
            );
        });
    }
});
