import assert from "node:assert/strict";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { sampleCluster, withValue } from "../../support/sampleFields";
import { objectsOf } from "./manifests";

// tidb-operator pkg/apis/pingcap/v1alpha1/component_spec.go (componentAccessorImpl), pkg/manager/member/*_member_manager.go.

/** Members that run as a StatefulSet: path of their spec, and name in labels, objects and container. */
const members: [path: string, name: string][] = [
    ["spec.pdms[]", "tso"],
    ["spec.pd", "pd"],
    ["spec.tikv", "tikv"],
    ["spec.tidb", "tidb"],
    ["spec.tiflash", "tiflash"],
    ["spec.ticdc", "ticdc"],
    ["spec.tiproxy", "tiproxy"],
    ["spec.pump", "pump"],
];

type Changes = Record<string, unknown>;

function clusterWith(changes: Changes): KubernetesFields {
    return Object.entries(changes).reduce(
        (manifest, [path, value]) => withValue(manifest, path, value),
        sampleCluster(),
    );
}

function statefulSetOf(name: string, changes: Changes): KubernetesFields {
    const found = objectsOf(clusterWith(changes)).get(`StatefulSet/shop-${name}`);
    assert.ok(found, `no StatefulSet of ${name}`);
    return found.spec as KubernetesFields;
}

const podOf = (name: string, changes: Changes) => statefulSetOf(name, changes).template.spec as KubernetesFields;

function containerOf(name: string, changes: Changes): KubernetesFields {
    const containers = podOf(name, changes).containers as KubernetesFields[];
    return containers.find((container) => container.name === name) ?? assert.fail(`no container ${name}`);
}

/** A setting of which the member's own value replaces the cluster's. */
interface Setting {
    readonly cluster: unknown;
    readonly own: unknown;
    /** Where it is rendered; by default a field of the pod, of the same name. */
    readonly read?: (name: string, changes: Changes) => unknown;
    /** What is rendered, where it is not the value itself. */
    readonly shown?: (value: unknown) => unknown;
}

const replaced: Record<string, Setting> = {
    affinity: { cluster: { nodeAffinity: {} }, own: { podAffinity: {} } },
    configUpdateStrategy: {
        cluster: "RollingUpdate",
        own: "InPlace",
        read: (name, changes) =>
            [...objectsOf(clusterWith({ "spec.ticdc.config": { "per-table-memory-quota": 1 }, ...changes })).keys()]
                .filter((key) => key.startsWith(`ConfigMap/shop-${name}`))
                .map((key) => (key === `ConfigMap/shop-${name}` ? "InPlace" : "RollingUpdate"))[0],
    },
    dnsConfig: { cluster: { nameservers: ["1.1.1.1"] }, own: { nameservers: ["2.2.2.2"] } },
    dnsPolicy: { cluster: "Default", own: "None" },
    hostNetwork: { cluster: true, own: false, shown: (value) => value || undefined },
    imagePullPolicy: {
        cluster: "Always",
        own: "Never",
        read: (name, changes) => containerOf(name, changes).imagePullPolicy,
    },
    imagePullSecrets: { cluster: [{ name: "one" }], own: [{ name: "two" }] },
    podManagementPolicy: {
        cluster: "OrderedReady",
        own: "Parallel",
        read: (name, changes) => statefulSetOf(name, changes).podManagementPolicy,
    },
    podSecurityContext: {
        cluster: { runAsUser: 1 },
        own: { runAsUser: 2 },
        read: (name, changes) => podOf(name, changes).securityContext,
    },
    priorityClassName: { cluster: "one", own: "two" },
    schedulerName: { cluster: "one", own: "two" },
    tolerations: { cluster: [{ key: "one" }], own: [{ key: "two" }] },
    topologySpreadConstraints: {
        cluster: [{ topologyKey: "one" }],
        own: [{ topologyKey: "two", maxSkew: 2 }],
        read: (name, changes) =>
            podOf(name, changes).topologySpreadConstraints.map(({ topologyKey, maxSkew }: KubernetesFields) =>
                maxSkew === 1 ? { topologyKey } : { topologyKey, maxSkew },
            ),
    },
    version: {
        cluster: "v8.5.1",
        own: "v8.5.2",
        read: (name, changes) => String(containerOf(name, changes).image).split(":")[1],
    },
};

describe("a member's own setting replaces the cluster's", () => {
    for (const [path, name] of members) {
        for (const [field, setting] of Object.entries(replaced)) {
            // TiProxy's ConfigMap never gets another name (tidb-operator pkg/manager/member/tiproxy_member_manager.go).
            const isFixed = name === "tiproxy" && field === "configUpdateStrategy";
            const { read = (member, changes) => podOf(member, changes)[field], shown = (value) => value } = setting;
            it(`${name}: ${field}`, () => {
                const cluster = { [`spec.${field}`]: setting.cluster };
                assert.deepEqual(read(name, cluster), isFixed ? "InPlace" : shown(setting.cluster), "the cluster's");
                const both = { ...cluster, [`${path}.${field}`]: setting.own };
                assert.deepEqual(read(name, both), shown(setting.own), "its own");
            });
        }
        for (const field of ["imagePullSecrets", "tolerations", "topologySpreadConstraints"]) {
            it(`${name}: except an empty list of ${field}`, () => {
                const changes = { [`spec.${field}`]: replaced[field].cluster, [`${path}.${field}`]: [] };
                assert.equal(podOf(name, changes)[field].length, 1);
            });
        }
    }
});

describe("maps of cluster and member are merged, and the member's entries win", () => {
    const changesOf = (path: string, field: string) => ({
        [`spec.${field}`]: { both: "1", cluster: "1" },
        [`${path}.${field}`]: { both: "2", own: "2" },
    });
    const together = { both: "2", cluster: "1", own: "2" };
    const pick = ({ both, cluster, own }: KubernetesFields) => ({ both, cluster, own });
    for (const [path, name] of members) {
        it(`${name}: nodeSelector, labels, annotations`, () => {
            assert.deepEqual(podOf(name, changesOf(path, "nodeSelector")).nodeSelector, together);
            for (const field of ["labels", "annotations"]) {
                const { metadata } = statefulSetOf(name, changesOf(path, field)).template;
                assert.deepEqual(pick(metadata[field]), together, field);
            }
        });
    }
});

describe("a member's additions to its pod", () => {
    for (const [path, name] of members) {
        it(`${name}: add containers, init containers, volumes, mounts and variables`, () => {
            const changes = {
                [`${path}.additionalContainers`]: [
                    { name: "beside", image: "x:1" },
                    { name, image: "x:1", workingDir: "/w" },
                ],
                [`${path}.initContainers`]: [{ name: "first", image: "x:1" }],
                [`${path}.additionalVolumes`]: [{ name: "more", emptyDir: {} }],
                [`${path}.additionalVolumeMounts`]: [{ name: "more", mountPath: "/more" }],
                [`${path}.env`]: [{ name: "MINE", value: "1" }],
                [`${path}.envFrom`]: [{ secretRef: { name: "some" } }],
                [`${path}.terminationGracePeriodSeconds`]: 77,
                [`${path}.automountServiceAccountToken`]: false,
            };
            const pod = podOf(name, changes);
            const container = containerOf(name, changes);
            assert.equal(pod.containers.at(-1).name, "beside");
            assert.deepEqual([container.image, container.workingDir], ["x:1", "/w"], "merged into the rendered one");
            assert.equal(pod.initContainers.at(-1).name, "first");
            const isMore = ({ name: one }: KubernetesFields) => one === "more";
            // tidb-operator adds none to Pump; it is warned about.
            const more = name === "pump" ? [] : [{ name: "more", emptyDir: {} }];
            assert.deepEqual((pod.volumes as KubernetesFields[]).filter(isMore), more);
            assert.equal((container.volumeMounts as KubernetesFields[]).filter(isMore).length, more.length);
            assert.deepEqual(container.env.at(-1), { name: "MINE", value: "1" });
            assert.deepEqual(container.envFrom, [{ secretRef: { name: "some" } }]);
            assert.equal(pod.terminationGracePeriodSeconds, 77);
            assert.equal(pod.automountServiceAccountToken, false);
        });

        it(`${name}: do not replace a variable that the member needs`, () => {
            const needed = (containerOf(name, { "spec.pump.setTimeZone": true }).env ?? []) as KubernetesFields[];
            const all = needed.map((variable) => ({ name: variable.name as string, value: "other" }));
            const { env } = containerOf(name, { "spec.pump.setTimeZone": true, [`${path}.env`]: all });
            assert.deepEqual(env, needed);
        });
    }
});

describe("the resources of a member's container", () => {
    const asked = { cpu: "2000m", memory: "4096Mi", "ephemeral-storage": "1Gi", storage: "10Gi" };
    const given = { cpu: "2", memory: "4Gi", "ephemeral-storage": "1Gi" };
    for (const [path, name] of members) {
        it(`${name}: keep equal requests and limits equal, without the size of the volume`, () => {
            const { resources } = containerOf(name, { [`${path}.requests`]: asked, [`${path}.limits`]: asked });
            assert.deepEqual(resources, { requests: given, limits: given });
        });

        it(`${name}: include claims on dynamic resources`, () => {
            const claims = [{ name: "gpu" }];
            assert.deepEqual(containerOf(name, { [`${path}.claims`]: claims }).resources.claims, claims);
        });
    }

    it("also apply to the init container that sets kernel parameters, so the pod keeps its quality of service", () => {
        for (const [path, name] of members.filter(([, one]) =>
            ["tso", "pd", "tikv", "tidb", "tiflash"].includes(one),
        )) {
            const changes = {
                [`${path}.requests`]: { ...asked },
                [`${path}.limits`]: { ...asked },
                [`${path}.annotations`]: { "tidb.pingcap.com/sysctl-init": "true" },
                [`${path}.podSecurityContext`]: {
                    sysctls: [{ name: "net.core.somaxconn", value: "32768" }],
                    fsGroup: 1,
                },
            };
            const pod = podOf(name, changes);
            assert.deepEqual(pod.securityContext, { fsGroup: 1 }, name);
            const [init] = pod.initContainers as KubernetesFields[];
            assert.deepEqual(init.resources, { requests: given, limits: given }, name);
            assert.deepEqual(init.command, ["sh", "-c", "sysctl -w net.core.somaxconn=32768"], name);
            assert.deepEqual(init.securityContext, { privileged: true }, name);
        }
    });
});

describe("storageVolumes", () => {
    const volumes = [
        { name: "one", storageSize: "1Gi", mountPath: "/one" },
        { name: "two", storageSize: "2Gi", storageClassName: "slow", volumeAttributesClassName: "iron" },
    ];
    const dataClaims: Record<string, number> = { pd: 1, tikv: 1 };
    for (const [path, name] of members.filter(([, one]) => one !== "tiflash" && one !== "pump")) {
        it(`${name}: have one claim each, of the member's class unless they name another, mounted at their path`, () => {
            const changes = {
                [`${path}.storageVolumes`]: volumes,
                [`${path}.storageClassName`]: "fast",
                [`${path}.volumeAttributesClassName`]: "gold",
            };
            const claims = statefulSetOf(name, changes).volumeClaimTemplates as KubernetesFields[];
            assert.deepEqual(
                claims.slice(dataClaims[name] ?? 0).map(({ metadata, spec }) => [metadata.name, spec]),
                [
                    [`${name}-one`, claimOf("1Gi", "fast", "gold")],
                    [`${name}-two`, claimOf("2Gi", "slow", "iron")],
                ],
            );
            const mounts = containerOf(name, changes).volumeMounts as KubernetesFields[];
            assert.deepEqual(
                mounts.filter((mount) => String(mount.name).startsWith(`${name}-`) && !/tls/.test(String(mount.name))),
                [{ name: `${name}-one`, mountPath: "/one" }],
            );
        });
    }
});

function claimOf(storage: string, storageClassName: string, volumeAttributesClassName: string): KubernetesFields {
    return {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage } },
        storageClassName,
        volumeAttributesClassName,
    };
}

describe("log volumes", () => {
    const tailer = (name: string, container: string, changes: Changes) => {
        const found = (podOf(name, changes).containers as KubernetesFields[]).find((one) => one.name === container);
        return { mounts: found?.volumeMounts as KubernetesFields[], command: String(found?.command.at(-1)) };
    };
    const ways: [title: string, extra: (path: string) => Changes, volume: (name: string) => string][] = [
        [
            "of storageVolumes",
            (path) => ({ [`${path}.storageVolumes`]: [{ name: "logs", storageSize: "1Gi", mountPath: "/logs" }] }),
            (name) => `${name}-logs`,
        ],
        [
            "of additionalVolumes",
            (path) => ({
                [`${path}.additionalVolumes`]: [{ name: "logs", emptyDir: {} }],
                [`${path}.additionalVolumeMounts`]: [{ name: "logs", mountPath: "/logs" }],
            }),
            () => "logs",
        ],
    ];
    for (const [title, extra, volume] of ways) {
        it(`of TiDB's slow log, ${title}`, () => {
            const changes = { ...extra("spec.tidb"), "spec.tidb.slowLogVolumeName": "logs" };
            const { mounts, command } = tailer("tidb", "slowlog", changes);
            assert.deepEqual(mounts, [{ name: volume("tidb"), mountPath: "/logs" }]);
            assert.equal(command, "touch /logs/logs; tail -n0 -F /logs/logs;");
            const env = containerOf("tidb", changes).env as KubernetesFields[];
            assert.equal(env.find(({ name }) => name === "SLOW_LOG_FILE")?.value, "/logs/logs");
        });

        for (const [log, field, switchField, file] of [
            ["raftlog", "raftLogVolumeName", "separateRaftLog", "raftdb.info"],
            ["rocksdblog", "rocksDBLogVolumeName", "separateRocksDBLog", "rocksdb.info"],
        ]) {
            it(`of TiKV's ${log}, ${title}`, () => {
                const changes = {
                    ...extra("spec.tikv"),
                    [`spec.tikv.${field}`]: "logs",
                    [`spec.tikv.${switchField}`]: true,
                    "spec.tikv.logTailer": { limits: { cpu: "100m" }, claims: [{ name: "gpu" }] },
                };
                const { mounts, command } = tailer("tikv", log, changes);
                assert.deepEqual(mounts, [{ name: volume("tikv"), mountPath: "/logs" }]);
                assert.equal(command, `touch /logs/${file}; tail -n0 -F /logs/${file};`);
                const [sidecar] = podOf("tikv", changes).containers as KubernetesFields[];
                assert.deepEqual(sidecar.resources, { limits: { cpu: "100m" }, claims: [{ name: "gpu" }] });
            });
        }
    }
});

describe("the node's network", () => {
    const named: Record<string, string[]> = {
        tso: ["POD_NAME"],
        pd: ["POD_NAME"],
        tikv: ["POD_NAME"],
        tidb: ["POD_NAME"],
        tiflash: ["POD_NAME"],
        ticdc: ["POD_NAME"],
        tiproxy: ["POD_NAME"],
        pump: ["HOSTNAME"],
    };
    for (const [path, name] of members) {
        it(`${name} still resolves names in the cluster, and knows its own name`, () => {
            const changes = { [`${path}.hostNetwork`]: true };
            const pod = podOf(name, changes);
            assert.deepEqual([pod.hostNetwork, pod.dnsPolicy], [true, "ClusterFirstWithHostNet"]);
            const env = (containerOf(name, changes).env ?? []) as KubernetesFields[];
            for (const variable of named[name]) {
                assert.deepEqual(env.find((one) => one.name === variable)?.valueFrom, {
                    fieldRef: { fieldPath: "metadata.name" },
                });
            }
        });
    }
});
