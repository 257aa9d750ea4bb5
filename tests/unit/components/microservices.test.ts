import assert from "node:assert/strict";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { containerOf, objectOf, objectsOf, type OpenManifest, podOf, problemsOf, smallCluster } from "./manifests";

// tidb-operator pkg/manager/member/pd_ms_member_manager.go and startscript/v2/pd_start_script.go.

const services = ({ spec }: OpenManifest) => {
    spec.pd.mode = "ms";
    spec.pdms = [
        { name: "tso", replicas: 2 },
        { name: "scheduling", replicas: 1 },
    ];
};
const withSpec = (change: (spec: KubernetesFields) => void) => (manifest: OpenManifest) => {
    services(manifest);
    change(manifest.spec);
};
const scriptOf = (member: string, change: (manifest: OpenManifest) => void): string =>
    objectOf(`ConfigMap/shop-${member}`, change).data["startup-script"];
const microserviceObjects = (change: (manifest: OpenManifest) => void) =>
    [...objectsOf(smallCluster(change)).keys()].filter((key) => /-(tso|scheduling)(-peer)?$/.test(key));

describe("microservices of PD", () => {
    it("have two Services, a ConfigMap and a StatefulSet each, before PD's", () => {
        const keys = [...objectsOf(smallCluster(services)).keys()];
        const of = (service: string) => [
            `Service/shop-${service}`,
            `Service/shop-${service}-peer`,
            `ConfigMap/shop-${service}`,
            `StatefulSet/shop-${service}`,
        ];
        const start = keys.indexOf("Service/shop-tso");
        assert.deepEqual(keys.slice(start, start + 9), [...of("tso"), ...of("scheduling"), "Service/shop-pd"]);
    });

    it("do not exist without PD's mode ms or without PD", () => {
        assert.deepEqual(microserviceObjects(withSpec((spec) => delete spec.pd.mode)), []);
        const elsewhere = withSpec((spec) => {
            delete spec.pd;
            spec.cluster = { name: "other" };
        });
        assert.deepEqual(microserviceObjects(elsewhere), []);
    });

    it("warn that they are not deployed without that mode, and that PD runs alone without them", () => {
        const fields = (change: (manifest: OpenManifest) => void) =>
            problemsOf(smallCluster(change)).map(({ field, severity }) => `${severity} ${field}`);
        assert.deepEqual(fields(withSpec((spec) => delete spec.pd.mode)), ["warning spec.pdms"]);
        assert.deepEqual(
            fields(({ spec }) => (spec.pd.mode = "ms")),
            ["warning spec.pd.mode"],
        );
        assert.deepEqual(
            fields(withSpec((spec) => spec.pdms.shift())),
            ["warning spec.pdms"],
            "nobody hands out timestamps",
        );
        assert.deepEqual(fields(services), []);
    });

    it("run PD's image in their own version, or else in the cluster's", () => {
        const change = withSpec((spec) => Object.assign(spec.pdms[1], { version: "v8.5.4", baseImage: "mirror/pd" }));
        assert.equal(containerOf("tso", "tso", change).image, "pingcap/pd:v8.5.3");
        assert.equal(containerOf("scheduling", "scheduling", change).image, "mirror/pd:v8.5.4");
    });

    it("have PD's environment, and the names of the cluster and the headless Service", () => {
        const { env } = containerOf("tso", "tso", services);
        assert.deepEqual(
            env.map(({ name, value }: KubernetesFields) => `${name}=${value ?? "(the pod's)"}`),
            [
                "NAMESPACE=(the pod's)",
                "PEER_SERVICE_NAME=shop-tso-peer",
                "SERVICE_NAME=shop-tso",
                "SET_NAME=shop-tso",
                "TZ=",
                "CLUSTER_NAME=shop",
                "HEADLESS_SERVICE_NAME=shop-tso-peer",
            ],
        );
        const hosted = withSpec((spec) => (spec.pdms[0].hostNetwork = true));
        assert.equal(containerOf("tso", "tso", hosted).env.at(-1).name, "POD_NAME");
    });

    it("have one port, no probe and no data volume, and claims only for storageVolumes", () => {
        const change = withSpec((spec) => {
            spec.pdms[0].readinessProbe = { type: "tcp" };
            spec.pdms[0].storageVolumes = [{ name: "log", storageSize: "1Gi", mountPath: "/log" }];
            spec.pdms[0].storageClassName = "fast";
        });
        const container = containerOf("tso", "tso", change);
        assert.deepEqual(container.ports, [{ name: "server", containerPort: 2379, protocol: "TCP" }]);
        assert.equal(container.readinessProbe, undefined);
        assert.deepEqual(
            objectOf("StatefulSet/shop-tso", change).spec.volumeClaimTemplates.map(
                ({ metadata, spec }: KubernetesFields) => [metadata.name, spec.storageClassName],
            ),
            [["tso-log", "fast"]],
        );
        assert.equal(objectOf("StatefulSet/shop-scheduling", change).spec.volumeClaimTemplates, undefined);
        assert.deepEqual(
            problemsOf(smallCluster(change)).map(({ field }) => field),
            ["spec.pdms[0].readinessProbe"],
        );
    });

    it("use PD's certificate", () => {
        const change = withSpec((spec) => {
            spec.tlsCluster = { enabled: true };
            spec.pdms[0].mountClusterClientSecret = true;
        });
        const secrets = (member: string) =>
            podOf(member, change)
                .volumes.filter(({ secret }: KubernetesFields) => secret)
                .map(({ name, secret }: KubernetesFields) => `${name} ${secret.secretName}`);
        assert.deepEqual(secrets("tso"), [
            "pd-tls shop-pd-cluster-secret",
            "cluster-client-tls shop-cluster-client-secret",
        ]);
        assert.deepEqual(secrets("scheduling"), ["pd-tls shop-pd-cluster-secret"]);
        assert.match(objectOf("ConfigMap/shop-tso", change).data["config-file"], /cert-path = "\/var\/lib\/pd-tls/);
        assert.match(scriptOf("tso", change), /--backend-endpoints=https:\/\/shop-pd:2379/);
    });

    it("have a client Service of their own type, or else of that in spec.services", () => {
        const change = withSpec((spec) => {
            spec.services = [
                { name: "tso", type: "NodePort" },
                { name: "scheduling", type: "NodePort" },
            ];
            spec.pdms[1].service = { type: "LoadBalancer", loadBalancerIP: "10.0.0.1", portName: "http" };
        });
        assert.equal(objectOf("Service/shop-tso", change).spec.type, "NodePort");
        const { spec } = objectOf("Service/shop-scheduling", change);
        assert.deepEqual([spec.type, spec.loadBalancerIP, spec.ports[0].name], ["LoadBalancer", "10.0.0.1", "http"]);
        assert.deepEqual(problemsOf(smallCluster(change)), []);
    });

    it("have a name since version 8.3.0, as PD needs it to make one the primary", () => {
        const named = (version: string) =>
            /--name=/.test(
                scriptOf(
                    "tso",
                    withSpec((spec) => (spec.pdms[0].version = version)),
                ),
            );
        assert.deepEqual(["v8.2.9", "v8.3.0", "v8.3.0-5427", "nightly", "some-build"].map(named), [
            false,
            true,
            true,
            true,
            false,
        ]);
    });

    it("make PD's start script that of the API service, which waits for its own address unless told not to", () => {
        assert.match(scriptOf("pd", services), /services \\\n {4}api \\\n {4}--data-dir/);
        assert.match(scriptOf("pd", services), /with an address of this pod/);
        const told = withSpec((spec) => (spec.startScriptV2FeatureFlags = ["NoWaitDNS"]));
        assert.doesNotMatch(scriptOf("pd", told), /look_up/);
        assert.match(scriptOf("tso", told), /look_up/, "tidb-operator's microservices wait all the same");
        assert.deepEqual(problemsOf(smallCluster(told)), [], "the flags have an effect without startScriptVersion v2");
    });

    it("ask an external PD, or discovery, as the other members do", () => {
        const flag = withSpec((spec) => {
            spec.startScriptV2FeatureFlags = ["PreferPDAddressesOverDiscovery"];
            spec.pdAddresses = ["http://pd.example.org:2379"];
        });
        assert.match(scriptOf("tso", flag), /--backend-endpoints=pd\.example\.org:2379/);
        assert.match(
            scriptOf(
                "tso",
                withSpec((spec) => (spec.acrossK8s = true)),
            ),
            /verify\/\$request/,
        );
        const domain = withSpec((spec) => (spec.clusterDomain = "cluster.local"));
        assert.match(scriptOf("tso", domain), /--name="\$domain"/);
    });

    const errors: [string, (service: KubernetesFields) => void, string, string][] = [
        ["variable", (tso) => (tso.env = [{ name: "" }]), "spec.pdms[0].env[0].name", "spec.tso.env[0].name"],
        [
            "container",
            (tso) => (tso.additionalContainers = [{ name: "x" }]),
            "spec.pdms[0].additionalContainers[0].image",
            "spec.tso.additionalContainers[0].image",
        ],
        [
            "volume",
            (tso) => (tso.storageVolumes = [{ name: "", storageSize: "1Gi" }]),
            "spec.pdms[0].storageVolumes[0].name",
            "spec.tso.storageVolumes[0].name",
        ],
        ["name", (tso) => (tso.name = "api"), "spec.pdms[0].name", "one of tso, scheduling"],
        ["one name twice", (tso) => (tso.name = "scheduling"), "spec.pdms[1].name", "at most once"],
        ["TOML", (tso) => (tso.config = "["), "spec.pdms[0].config", "line 1, column 2: invalid TOML: "],
    ];
    for (const [title, change, field, message] of errors) {
        it(`refuse a wrong ${title}: ${field}`, () => {
            const problems = problemsOf(smallCluster(withSpec((spec) => change(spec.pdms[0])))).filter(
                ({ severity }) => severity === "error",
            );
            assert.deepEqual(
                problems.map((problem) => problem.field),
                [field],
            );
            assert.ok(problems[0].message.includes(message), problems[0].message);
        });
    }

    it("are checked even if they are not deployed, as in tidb-operator", () => {
        const change = withSpec((spec) => {
            delete spec.pd.mode;
            spec.pdms[0].env = [{ name: "" }];
        });
        assert.ok(problemsOf(smallCluster(change)).some(({ field }) => field === "spec.pdms[0].env[0].name"));
    });
});
