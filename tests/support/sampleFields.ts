import type { KubernetesFields } from "../../components/kubernetes/pod";

/** A value for a field, and the other fields it needs to have an effect. */
export interface Sample {
    readonly value: unknown;
    /** The values of the other fields, by path. */
    readonly required: Readonly<Record<string, unknown>>;
}

const resources = { replicas: 2, config: {} };
const volume = { requests: { storage: "10Gi" } };

/** A cluster with every member. */
export function sampleCluster(): KubernetesFields {
    return {
        metadata: { name: "shop", namespace: "stores" },
        spec: {
            version: "v8.5.3",
            discovery: {},
            pd: { ...resources, ...volume, mode: "ms" },
            pdms: [{ name: "tso", ...resources }],
            tikv: { ...resources, ...volume },
            tidb: { ...resources },
            tiflash: { replicas: 2, storageClaims: [{ resources: { requests: { storage: "10Gi" } } }] },
            ticdc: { ...resources },
            tiproxy: { ...resources },
            pump: { ...resources, ...volume },
        },
    };
}

/** Values by the end of a path. The longest matching end applies. */
const values: Record<string, unknown> = {
    acrossK8s: true,
    additionalContainers: [{ name: "beside", image: "x:1" }],
    additionalPorts: [{ name: "more", port: 9999 }],
    additionalVolumeMounts: [{ name: "more", mountPath: "/more" }],
    additionalVolumes: [{ name: "more", emptyDir: {} }],
    affinity: { nodeAffinity: {} },
    annotations: { some: "thing" },
    arguments: ["--more"],
    automountServiceAccountToken: false,
    baseImage: "mirror/it",
    binlogEnabled: false,
    bootstrapSQLConfigMapName: "first",
    certLayout: "v1",
    claims: [{ name: "gpu" }],
    clusterDomain: "example.org",
    "cluster.clusterDomain": "example.org",
    "cluster.name": "other",
    "cluster.namespace": "elsewhere",
    clusterIP: "10.0.0.9",
    config: { log: { level: "warn" } },
    "tiflash.config": { config: { logger: { level: "warn" } } },
    configUpdateStrategy: "RollingUpdate",
    "customizedStartupProbe.args": ["-v"],
    "customizedStartupProbe.binaryName": "another",
    "customizedStartupProbe.failureThreshold": 9,
    "customizedStartupProbe.image": "probe:2",
    "customizedStartupProbe.initialDelaySeconds": 9,
    "customizedStartupProbe.periodSeconds": 9,
    "customizedStartupProbe.successThreshold": 9,
    "customizedStartupProbe.timeoutSeconds": 9,
    dataSubDir: "sub",
    dnsConfig: { nameservers: ["1.1.1.1"] },
    dnsPolicy: "Default",
    enableDashboardInternalProxy: true,
    enableDynamicConfiguration: true,
    enableNamedStatusPort: true,
    enablePVCReplace: false,
    enablePVReclaim: true,
    env: [{ name: "SOME", value: "thing" }],
    envFrom: [{ configMapRef: { name: "some" } }],
    evictLeaderTimeout: "7m",
    externalTrafficPolicy: "Local",
    exposeStatus: false,
    gracefulShutdownTimeout: "7m",
    hostNetwork: true,
    image: "mirror/it:v1",
    imagePullPolicy: "Always",
    imagePullSecrets: [{ name: "pull" }],
    initContainers: [{ name: "first", image: "x:1" }],
    initWaitTime: 7,
    initialDelaySeconds: 77,
    "initializer.createPassword": true,
    labels: { some: "thing" },
    lifecycle: { preStop: { exec: { command: ["true"] } } },
    limits: { cpu: "3" },
    loadBalancerClass: "some",
    loadBalancerIP: "10.0.0.9",
    loadBalancerSourceRanges: ["10.0.0.0/8"],
    matchLabels: { "app.kubernetes.io/component": "other" },
    maxFailoverCount: 2,
    maxSkew: 3,
    minDomains: 3,
    mode: "",
    mountClusterClientSecret: true,
    "storageVolumes[].mountPath": "/elsewhere",
    mysqlNodePort: 30001,
    "pdms[].name": "scheduling",
    "services[].name": "pd",
    "storageVolumes[].name": "other",
    nodeAffinityPolicy: "Ignore",
    nodeSelector: { disk: "ssd" },
    paused: true,
    pdAddresses: ["http://pd.example.org:2379"],
    periodSeconds: 77,
    plugins: ["audit-1"],
    podManagementPolicy: "OrderedReady",
    "pump.podManagementPolicy": "Parallel",
    podSecurityContext: { runAsUser: 7 },
    "service.port": 4001,
    portName: "other",
    preferIPv6: true,
    priorityClassName: "high",
    privileged: true,
    pvReclaimPolicy: "Delete",
    raftLogVolumeName: "more",
    "failover.recoverByUID": "some",
    recoverFailover: true,
    recoveryMode: true,
    replicas: 5,
    requests: { cpu: "2", storage: "10Gi" },
    rocksDBLogVolumeName: "more",
    scaleInParallelism: 2,
    scaleOutParallelism: 2,
    schedulerName: "other",
    securityContext: { runAsUser: 7 },
    separateRaftLog: true,
    separateRocksDBLog: true,
    separateSlowLog: false,
    serviceAccount: "some",
    setTimeZone: true,
    slowLogVolumeName: "more",
    spareVolReplaceReplicas: 2,
    sslEnableTiDB: true,
    startScriptV2FeatureFlags: ["NoWaitDNS"],
    startScriptVersion: "v2",
    startTimeout: 77,
    startUpScriptVersion: "v1",
    statefulSetUpdateStrategy: "RollingUpdate",
    statusNodePort: 30002,
    "storageClaims[].resources": { requests: { storage: "11Gi" } },
    storageClassName: "fast",
    storageSize: "77Gi",
    storeLabels: ["zone"],
    suspendStatefulSet: true,
    terminationGracePeriodSeconds: 77,
    timezone: "Asia/Tokyo",
    tlsClientSecretName: "mine",
    tlsClientSecretNames: ["mine"],
    "tlsClient.disableClientAuthn": true,
    "tlsClient.enabled": true,
    "tlsClient.skipInternalClientCA": true,
    "tlsCluster.enableDiscoveryMTLS": true,
    "tlsCluster.enabled": true,
    tokenBasedAuthEnabled: true,
    tolerations: [{ operator: "Exists" }],
    topologyKey: "rack",
    "livenessProbe.type": "command",
    "readinessProbe.type": "command",
    "service.type": "NodePort",
    "services[].type": "NodePort",
    version: "v8.5.9",
    volumeAttributesClassName: "gold",
    waitLeaderTransferBackTimeout: "7m",
};

const moreVolume = (member: string) => ({
    [`${member}.additionalVolumes`]: [{ name: "more", emptyDir: {} }],
    [`${member}.additionalVolumeMounts`]: [{ name: "more", mountPath: "/more" }],
});

/** The other fields that a field needs, by a part of its path. `MEMBER` is the member's path. */
const needed: [part: RegExp, required: (member: string, path: string) => Record<string, unknown>][] = [
    [
        /spec(\.[a-z]+)?\.topologySpreadConstraints/,
        (_, path) => ({ [`${path.replace(/\[\].*/, "")}[].topologyKey`]: "zone" }),
    ],
    [
        /storageVolumes/,
        (member) => ({ [`${member}.storageVolumes[]`]: { name: "log", storageSize: "1Gi", mountPath: "/log" } }),
    ],
    [
        /^spec\.(?!tiflash|pump).*(storageClassName|volumeAttributesClassName)$/,
        (member) => ({ [`${member}.storageVolumes[]`]: { name: "log", storageSize: "1Gi", mountPath: "/log" } }),
    ],
    [/additionalVolumeMounts$/, (member) => ({ [`${member}.additionalVolumes`]: [{ name: "more", emptyDir: {} }] })],
    [/service\.loadBalancer/, (member) => ({ [`${member}.service.type`]: "LoadBalancer" })],
    [/service\./, (member) => ({ [`${member}.service.labels`]: {} })],
    [/rocksDBLogVolumeName/, (member) => ({ [`${member}.separateRocksDBLog`]: true, ...moreVolume(member) })],
    [/raftLogVolumeName/, (member) => ({ [`${member}.separateRaftLog`]: true, ...moreVolume(member) })],
    [/tikv\.logTailer/, (member) => ({ [`${member}.separateRaftLog`]: true })],
    [/slowLogVolumeName/, moreVolume],
    [/readinessProbe/, (member) => ({ [`${member}.readinessProbe`]: { type: "tcp" } })],
    [/livenessProbe/, (member) => ({ [`${member}.livenessProbe`]: { type: "tcp" } })],
    [/mountClusterClientSecret/, () => ({ "spec.tlsCluster": { enabled: true } })],
    [/enableDiscoveryMTLS/, () => ({ "spec.tlsCluster": { enabled: true } })],
    [/\.tlsClientSecretName$|disableClientAuthn|skipInternal/, () => ({ "spec.tidb.tlsClient": { enabled: true } })],
    [
        /customizedStartupProbe/,
        (member) => ({ [`${member}.customizedStartupProbe`]: { image: "probe:1", binaryName: "probe" } }),
    ],
    [/spec\.cluster\./, () => ({ "spec.cluster": { name: "first" } })],
    [/startScriptV2FeatureFlags/, () => ({ "spec.startScriptVersion": "v2" })],
    [/services\[\]\.type/, () => ({ "spec.services[].name": "pd" })],
    [/services\[\]\.name/, () => ({ "spec.services[].type": "NodePort" })],
    [/acrossK8s/, () => ({ "spec.tiproxy": undefined })],
    // PD's second start scripts, which microservices require, work without it.
    [/pd\.startUpScriptVersion/, () => ({ "spec.pd.mode": "", "spec.pdms": [] })],
    [/spec\.pdms\[\]\.topologySpread/, () => ({ "spec.pdms[].topologySpreadConstraints[].topologyKey": "zone" })],
    [/ticdc\.configUpdateStrategy/, () => ({ "spec.ticdc.config": { "per-table-memory-quota": 1 } })],
    [/certLayout/, () => ({ "spec.tidb.tlsClient": { enabled: true }, "spec.tlsCluster": { enabled: true } })],
    [
        /sslEnableTiDB/,
        () => ({
            "spec.tidb.tlsClient": { enabled: true },
            // Without this annotation our clients use TLS to TiDB anyway.
            "metadata.annotations": { "tidb.tidb.pingcap.com/skip-tls-when-connect-tidb": "" },
        }),
    ],
    [/externalTrafficPolicy|NodePort$/, (member) => ({ [`${member}.service.type`]: "NodePort" })],
    [/pdms\[\]\.name/, () => ({ "spec.pdms[].name": "tso" })],
];

/** @returns a value that is not the field's default, and the other fields it needs */
export function sampleOf(path: string): Sample {
    const end = Object.keys(values)
        .filter((key) => path === key || path.endsWith(`.${key}`))
        .sort((one, other) => other.length - one.length)[0];
    if (end === undefined) {
        throw new Error(`no sample for ${path}: add one to ${__filename}`);
    }
    const member = /^spec\.[a-z]+(\[\])?/.exec(path)?.[0] ?? "spec";
    const required = needed.filter(([part]) => part.test(path)).map(([, of]) => of(member, path));
    return { value: values[end], required: Object.assign({}, ...required) as Record<string, unknown> };
}

/** Sets the value at a path of the fixture. For a list it sets the first item. */
export function withValue(manifest: KubernetesFields, path: string, value: unknown): KubernetesFields {
    const changed = structuredClone(manifest);
    const parts = path.replaceAll("[]", ".0").split(".");
    const parent = parts.slice(0, -1).reduce<KubernetesFields>((at, part, index) => {
        at[part] ??= /^\d+$/.test(parts[index + 1]) ? [] : {};
        return at[part] as KubernetesFields;
    }, changed);
    parent[parts[parts.length - 1]] = value;
    return changed;
}
