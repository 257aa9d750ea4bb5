import { type Definitions, referredName, type Schema } from "./schema";

const resources = { cpu: "4", memory: "8Gi" };
const volume = { name: "scratch", emptyDir: {} };

/** The image of each member, by the name of its type. */
const images: Readonly<Record<string, string>> = {
    PdSpec: "pd",
    PdMicroserviceSpec: "pd",
    TikvSpec: "tikv",
    TidbSpec: "tidb",
    TiflashSpec: "tiflash",
    TicdcSpec: "ticdc",
    PumpSpec: "tidb-binlog",
    TiproxySpec: "tiproxy",
};
const ofImages = Object.entries(images).flatMap(([type, image]) => [
    [`${type}.baseImage`, `registry.example/${image}`],
    [`${type}.image`, `registry.example/${image}:v8.5.3`],
]);
const storageRequest = { requests: { storage: "100Gi" } };

/** Examples for fields whose type does not imply one, by `Type.field` or `field`. */
const examples: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(ofImages),
    "ResourceList.cpu": "4",
    "ResourceList.memory": "8Gi",
    "ResourceList.storage": "100Gi",
    "TiflashSpec.storageClaims": [{ resources: storageRequest }],
    "PdSpec.requests": { ...resources, storage: "100Gi" },
    "TikvSpec.requests": { ...resources, storage: "100Gi" },
    "PumpSpec.requests": { ...resources, storage: "20Gi" },
    "CustomizedProbe.type": "tcp",
    "StorageClaim.resources": storageRequest,
    "StorageClaimResources.requests": storageRequest.requests,
    readinessProbe: { type: "tcp" },
    "EnvironmentVariable.valueFrom": { secretKeyRef: { name: "credentials", key: "password" } },
    "EnvironmentVariableSource.configMapKeyRef": { name: "settings", key: "time-zone" },
    "EnvironmentVariableSource.secretKeyRef": { name: "credentials", key: "password" },
    "ManifestMetadata.annotations": { "tidb.pingcap.com/tikv-min-ready-seconds": "30" },
    "PdMicroserviceSpec.name": "tso",
    "KeyReference.key": "password",
    "KeyReference.name": "credentials",
    "TidbClusterReference.name": "main",
    "TidbClusterManifest.kind": "TidbCluster",
    "ManifestMetadata.name": "basic",
    "ManifestMetadata.namespace": "tidb",
    "EnvironmentVariable.name": "MALLOC_CONF",
    "EnvironmentVariable.value": "prof:true",
    "Sysctl.name": "net.core.somaxconn",
    "Sysctl.value": "32768",
    "TiflashSpec.config": { config: { profiles: { default: { max_memory_usage: 0 } } } },
    "TiflashConfigSpec.config": { profiles: { default: { max_memory_usage: 0 } } },
    "TiflashConfigSpec.proxy": { raftstore: { "apply-pool-size": 4 } },
    "PdSpec.config": { replication: { "location-labels": ["zone"] } },
    "TikvSpec.config": { storage: { "reserve-space": "2GB" } },
    "TidbSpec.config": { log: { "slow-threshold": 300 } },
    "TiproxySpec.config": { proxy: { "max-connections": 1000 } },
    "TicdcSpec.config": { "gc-ttl": 86400 },
    "PdSpec.mode": "ms",
    "ServiceOverride.name": "pd",
    "Container.image": "busybox:1.26.2",
    "Container.name": "helper",
    "CustomizedProbe.args": ["--check"],
    "CustomizedProbe.image": "registry.example/probe:1",
    "DiscoverySpec.image": "node:22-alpine",
    "HelperSpec.image": "busybox:1.36",
    "TidbSlowLogTailerSpec.image": "busybox:1.36",
    additionalContainers: [{ name: "helper", image: "busybox:1.26.2" }],
    additionalPorts: [{ name: "more", port: 9000 }],
    additionalVolumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
    additionalVolumes: [volume],
    affinity: { nodeAffinity: {} },
    annotations: { "example.org/owner": "databases" },
    apiVersion: "pingcap.com/v1alpha1",
    arguments: ["--log-level=warn"],
    binaryName: "probe",
    bootstrapSQLConfigMapName: "first-statements",
    claims: [{ name: "gpu" }],
    clusterDomain: "cluster.local",
    clusterIP: "10.0.0.9",
    config: { log: { level: "warn" } },
    dataSubDir: "data",
    dnsConfig: { nameservers: ["10.0.0.10"] },
    env: [{ name: "MALLOC_CONF", value: "prof:true" }],
    envFrom: [{ configMapRef: { name: "settings" } }],
    evictLeaderTimeout: "30m",
    fieldRef: { fieldPath: "metadata.name" },
    gracefulShutdownTimeout: "10m",
    imagePullSecrets: [{ name: "registry" }],
    initContainers: [{ name: "first", image: "busybox:1.26.2" }],
    labels: { team: "databases" },
    lifecycle: { preStop: { exec: { command: ["sleep", "5"] } } },
    loadBalancerClass: "example.org/internal",
    loadBalancerIP: "192.0.2.7",
    loadBalancerSourceRanges: ["192.0.2.0/24"],
    matchLabels: { "app.kubernetes.io/component": "tikv" },
    mountPath: "/var/lib/raft",
    mysqlNodePort: 30400,
    name: "raft",
    namespace: "tidb",
    nodeSelector: { disk: "ssd" },
    pdAddresses: ["http://pd.example.org:2379"],
    plugins: ["audit-1"],
    portName: "sql",
    priorityClassName: "databases",
    proxy: { server: { "labels.zone": "a" } },
    raftLogVolumeName: "raft",
    recoverByUID: "5a1c",
    resourceFieldRef: { resource: "limits.cpu" },
    rocksDBLogVolumeName: "log",
    schedulerName: "batch",
    securityContext: { runAsNonRoot: true },
    serviceAccount: "databases",
    slowLogVolumeName: "log",
    startUpScriptVersion: "v1",
    statusNodePort: 30080,
    storageClassName: "fast",
    storageSize: "10Gi",
    storeLabels: ["disk-type"],
    timezone: "UTC",
    tlsClientSecretName: "tidb-client",
    tlsClientSecretNames: ["tidb-client"],
    tolerations: [{ key: "dedicated", operator: "Equal", value: "tidb", effect: "NoSchedule" }],
    topologyKey: "topology.kubernetes.io/zone",
    type: "NodePort",
    valueFrom: { secretKeyRef: { name: "credentials", key: "password" } },
    version: "v8.5.3",
    volumeAttributesClassName: "gold",
    waitLeaderTransferBackTimeout: "400s",
};

/** Examples for fields that refer to a type, by the type's name. */
const byDefinition: Readonly<Record<string, unknown>> = {
    ResourceList: resources,
    Quantity: "10Gi",
    Port: 4000,
    NodePort: 30400,
    Count: 3,
    PositiveCount: 10,
    WholeNumber: 2,
};

/** Examples for fields whose type suggests a value that is no use there, by field. */
const byField: Readonly<Record<string, unknown>> = {
    terminationGracePeriodSeconds: 60,
    statefulSetUpdateStrategy: "OnDelete",
    pvReclaimPolicy: "Retain",
    enablePVReclaim: false,
};

/** @returns an example of a valid value for the field; `undefined` if there is none. */
export function exampleOf(typeName: string, field: string, schema: Schema, definitions: Definitions): unknown {
    // What a type of fields implies is its first field at most, which is seldom enough.
    const whole = isNested(schema, definitions) ? examples[field] : undefined;
    return (
        examples[`${typeName}.${field}`] ?? byField[field] ?? whole ?? byType(schema, definitions) ?? examples[field]
    );
}

/** Whether a value is a list, or a map of fields. */
function isNested(schema: Schema, definitions: Definitions): boolean {
    return schema.type === "array" || definitions[referredName(schema) ?? ""]?.properties !== undefined;
}

function byType(schema: Schema, definitions: Definitions): unknown {
    const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (choices !== undefined) {
        return choices.filter((choice) => choice !== "").at(-1);
    }
    if (schema.type === "boolean") {
        return true;
    }
    const name = referredName(schema);
    if (schema.type === "array") {
        const item = schema.items && ofReference(referredName(schema.items), schema.items, definitions);
        return item === undefined ? undefined : [item];
    }
    return ofReference(name, schema, definitions);
}

function ofReference(name: string | undefined, schema: Schema, definitions: Definitions): unknown {
    if (name === undefined) {
        return schema.enum === undefined ? undefined : byType(schema, definitions);
    }
    const definition = definitions[name];
    if (byDefinition[name] !== undefined || definition === undefined) {
        return byDefinition[name];
    }
    const { properties, required = [] } = definition;
    if (properties === undefined) {
        return byType(definition, definitions);
    }
    const fields = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
    const values = fields.map((field) => [field, exampleOf(name, field, properties[field], definitions)] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
