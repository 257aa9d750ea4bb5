import assert from "node:assert/strict";
import { containerOf, objectOf, objectsOf, podOf, smallCluster } from "./manifests";

// The rules are those of tidb-operator, pkg/manager/member.

describe("the objects of a cluster", () => {
    it("have tidb-operator's names, in the order of creation", () => {
        assert.deepEqual(
            [...objectsOf(smallCluster()).keys()],
            [
                "Lease/shop-pulumi-tidb",
                "ServiceAccount/shop-discovery",
                "Role/shop-discovery",
                "RoleBinding/shop-discovery",
                "Service/shop-discovery",
                "ConfigMap/shop-discovery",
                "Deployment/shop-discovery",
                "Service/shop-pd",
                "Service/shop-pd-peer",
                "ConfigMap/shop-pd",
                "StatefulSet/shop-pd",
                "Service/shop-tikv-peer",
                "ConfigMap/shop-tikv",
                "StatefulSet/shop-tikv",
                "Service/shop-tidb",
                "Service/shop-tidb-peer",
                "ConfigMap/shop-tidb",
                "StatefulSet/shop-tidb",
            ],
        );
    });

    it("are all in the cluster's namespace and have the four labels", () => {
        for (const [key, { metadata }] of objectsOf(smallCluster())) {
            assert.equal(metadata.namespace, "stores", key);
            assert.equal(metadata.labels?.["app.kubernetes.io/name"], "tidb-cluster", key);
            assert.equal(metadata.labels?.["app.kubernetes.io/managed-by"], "pulumi-tidb", key);
            assert.equal(metadata.labels?.["app.kubernetes.io/instance"], "shop", key);
            assert.ok(metadata.labels?.["app.kubernetes.io/component"], key);
        }
    });

    it("take the instance from the cluster's own label", () => {
        const { metadata, spec } = objectOf("StatefulSet/shop-tikv", (manifest) => {
            manifest.metadata.labels = { "app.kubernetes.io/instance": "old" };
        });
        assert.equal(metadata.labels?.["app.kubernetes.io/instance"], "old");
        assert.equal(spec.selector.matchLabels["app.kubernetes.io/instance"], "old");
    });

    it("include no discovery and no PD in a cluster that joins another", () => {
        const manifest = smallCluster(({ spec }) => {
            delete spec.pd;
            spec.cluster = { name: "main" };
        });
        const keys = [...objectsOf(manifest).keys()];
        assert.deepEqual(
            keys.filter((key) => /discovery|pd/.test(key)),
            [],
        );
    });

    it("include a discovery without PD in a cluster across Kubernetes clusters", () => {
        const manifest = smallCluster(({ spec }) => {
            delete spec.pd;
            spec.cluster = { name: "main" };
            spec.acrossK8s = true;
        });
        assert.ok(objectsOf(manifest).has("Deployment/shop-discovery"));
    });

    it("prefer two address families on every Service with preferIPv6", () => {
        const objects = objectsOf(smallCluster(({ spec }) => (spec.preferIPv6 = true)));
        const services = [...objects.values()].filter(({ kind }) => kind === "Service");
        assert.equal(services.length, 6);
        assert.ok(services.every(({ spec }) => spec.ipFamilyPolicy === "PreferDualStack"));
    });

    it("include a client Service of TiDB only on request", () => {
        const without = smallCluster(({ spec }) => delete spec.tidb.service);
        assert.ok(!objectsOf(without).has("Service/shop-tidb"));
    });
});

describe("discovery", () => {
    it("may read one object and no Secret", () => {
        assert.deepEqual(objectOf("Role/shop-discovery").rules, [
            { apiGroups: ["apps"], resources: ["statefulsets"], resourceNames: ["shop-pd"], verbs: ["get"] },
        ]);
    });

    it("restarts when its files change", () => {
        const { spec } = objectOf("Deployment/shop-discovery");
        assert.match(spec.template.metadata.annotations["pulumi-tidb.io/files"], /^[0-9a-f]{10}$/);
        assert.deepEqual(spec.strategy, { type: "Recreate" });
    });

    it("uses the image, the nodes and the resources of the spec", () => {
        const { spec } = objectOf("Deployment/shop-discovery", (manifest) => {
            manifest.spec.discovery = { image: "node:20", nodeSelector: { a: "b" }, limits: { cpu: "1" } };
        });
        const [container] = spec.template.spec.containers;
        assert.equal(container.image, "node:20");
        assert.deepEqual(container.resources, { limits: { cpu: "1" } });
        assert.deepEqual(spec.template.spec.nodeSelector, { a: "b" });
    });
});

describe("a StatefulSet", () => {
    it("lets only the gates restart pods, and does not make Pulumi wait", () => {
        for (const member of ["pd", "tikv", "tidb"]) {
            const { metadata, spec } = objectOf(`StatefulSet/shop-${member}`);
            assert.deepEqual(spec.updateStrategy, { type: "OnDelete" });
            assert.equal(spec.podManagementPolicy, "Parallel");
            assert.equal(metadata.annotations?.["pulumi.com/skipAwait"], "true");
            assert.equal(spec.serviceName, `shop-${member}-peer`);
        }
    });

    it("claims the data volume first, then the others", () => {
        const { spec } = objectOf("StatefulSet/shop-tikv", (manifest) => {
            Object.assign(manifest.spec.tikv, {
                storageClassName: "fast",
                storageVolumes: [
                    { name: "titan", storageSize: "2048Mi", mountPath: "/titan" },
                    { name: "raft", storageSize: "1Gi", storageClassName: "faster" },
                ],
            });
        });
        const claims = spec.volumeClaimTemplates.map((claim: { metadata: { name: string }; spec: object }) => [
            claim.metadata.name,
            claim.spec,
        ]);
        const claim = (storageClassName: string, storage: string) => ({
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage } },
            storageClassName,
        });
        assert.deepEqual(claims, [
            ["tikv", claim("fast", "100Gi")],
            ["tikv-titan", claim("fast", "2Gi")],
            ["tikv-raft", claim("faster", "1Gi")],
        ]);
        const mounts = spec.template.spec.containers[0].volumeMounts.map(
            (mount: { mountPath: string }) => mount.mountPath,
        );
        assert.ok(mounts.includes("/titan") && mounts.includes("/var/lib/tikv"));
        assert.ok(!mounts.includes("/raft"));
    });

    it("has a ConfigMap named after the configuration only with RollingUpdate", () => {
        const name = (strategy: string, level: string) =>
            podOf("tikv", ({ spec }) => {
                spec.configUpdateStrategy = strategy;
                spec.tikv.config = { log: { level } };
            }).volumes.find((volume: { name: string }) => volume.name === "config").configMap.name;
        assert.equal(name("InPlace", "info"), "shop-tikv");
        assert.match(name("RollingUpdate", "info"), /^shop-tikv-[0-9a-f]{10}$/);
        assert.equal(name("RollingUpdate", "info"), name("RollingUpdate", "info"));
        assert.notEqual(name("RollingUpdate", "info"), name("RollingUpdate", "warn"));
    });

    it("passes an advanced StatefulSet's slots on to their member", () => {
        const change = (manifest: { metadata: Record<string, unknown> }) => {
            manifest.metadata.annotations = { "tikv.tidb.pingcap.com/delete-slots": "[1]" };
        };
        assert.equal(objectOf("StatefulSet/shop-tikv", change).metadata.annotations?.["delete-slots"], "[1]");
        assert.equal(objectOf("StatefulSet/shop-pd", change).metadata.annotations?.["delete-slots"], undefined);
    });
});

describe("the settings of cluster and member", () => {
    it("are replaced if they are anything else", () => {
        const pod = podOf("tidb", ({ spec }) => {
            Object.assign(spec, { tolerations: [{ key: "a" }], schedulerName: "one", affinity: { nodeAffinity: {} } });
            Object.assign(spec.tidb, { tolerations: [{ key: "b" }], affinity: { podAffinity: {} } });
        });
        assert.deepEqual(pod.tolerations, [{ key: "b" }]);
        assert.equal(pod.schedulerName, "one");
        assert.deepEqual(pod.affinity, { podAffinity: {} });
    });

    it("let the user's metrics annotations win", () => {
        const { spec } = objectOf("StatefulSet/shop-pd", (manifest) => {
            manifest.spec.pd.annotations = { "prometheus.io/port": "1" };
        });
        assert.equal(spec.template.metadata.annotations["prometheus.io/port"], "1");
        assert.equal(spec.template.metadata.annotations["prometheus.io/path"], "/metrics");
    });

    it("never let the user's labels hide a pod from its StatefulSet", () => {
        const { spec } = objectOf("StatefulSet/shop-pd", (manifest) => {
            manifest.spec.pd.labels = { "app.kubernetes.io/component": "x" };
        });
        assert.equal(spec.template.metadata.labels["app.kubernetes.io/component"], "pd");
    });

    it("resolve names on the node's network, and name the pod", () => {
        const change = ({ spec }: { spec: Record<string, unknown> }) => (spec.hostNetwork = true);
        assert.equal(podOf("tikv", change).dnsPolicy, "ClusterFirstWithHostNet");
        const env = containerOf("tikv", "tikv", change).env as { name: string }[];
        assert.ok(env.some(({ name }) => name === "POD_NAME"));
        assert.equal(podOf("tikv").dnsPolicy, "ClusterFirst");
    });

    it("spread pods evenly, by the labels that our pods have", () => {
        const [constraint] = podOf("tikv", ({ spec }) => {
            spec.topologySpreadConstraints = [{ topologyKey: "zone" }];
        }).topologySpreadConstraints;
        assert.deepEqual(constraint, {
            maxSkew: 1,
            topologyKey: "zone",
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: {
                matchLabels: {
                    "app.kubernetes.io/component": "tikv",
                    "app.kubernetes.io/instance": "shop",
                    "app.kubernetes.io/managed-by": "pulumi-tidb",
                    "app.kubernetes.io/name": "tidb-cluster",
                },
            },
        });
    });

    it("give the container its requests except storage, and keep the user from setting variables that the member needs", () => {
        const container = containerOf("tikv", "tikv", ({ spec }) => {
            spec.tikv.requests = { storage: "1Gi", cpu: "1000m", memory: "1024Mi" };
            spec.tikv.limits = { storage: "50Gi", cpu: 1, memory: "1Gi" };
            spec.tikv.env = [
                { name: "CLUSTER_NAME", value: "other" },
                { name: "MINE", value: "1" },
            ];
        });
        assert.deepEqual(container.resources, {
            limits: { cpu: "1", memory: "1Gi" },
            requests: { cpu: "1", memory: "1Gi" },
        });
        const env = new Map(
            (container.env as { name: string; value: string }[]).map(({ name, value }) => [name, value]),
        );
        assert.equal(env.get("CLUSTER_NAME"), "shop");
        assert.equal(env.get("CAPACITY"), "50GB");
        assert.equal(env.get("MINE"), "1");
    });
});
