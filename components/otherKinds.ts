const kubernetes = "create it in your program with @pulumi/kubernetes, or apply it with kubectl";
const certificate = `${kubernetes}; requiredCertificates lists the certificates that a cluster needs`;

/** What to use instead of the kinds that often come in the same file as a TidbCluster, by kind. */
const instead: Readonly<Record<string, string>> = {
    Backup: "create it in your program with Backup, or Backup.fromYaml",
    BackupSchedule: "create it in your program with BackupSchedule, or BackupSchedule.fromYaml",
    CompactBackup: "create it in your program with CompactBackup, or CompactBackup.fromYaml",
    Restore: "create it in your program with Restore, or Restore.fromYaml",
    Certificate: certificate,
    ClusterIssuer: certificate,
    Issuer: certificate,
    ConfigMap: kubernetes,
    Job: kubernetes,
    Kustomization: "build it first: kubectl kustomize . | pulumi-tidb render -",
    Namespace: kubernetes,
    PersistentVolume: kubernetes,
    Role: kubernetes,
    RoleBinding: kubernetes,
    Secret: kubernetes,
    Service: kubernetes,
    ServiceAccount: kubernetes,
    StorageClass: kubernetes,
    DMCluster: "this package does not deploy DM; deploy it with TiUP or TiDB Operator",
    TidbClusterAutoScaler: "this package does not scale automatically; set the members' replicas and run pulumi up",
    TidbDashboard: "PD serves TiDB Dashboard itself, at the path /dashboard of its client port",
    TidbInitializer:
        "a program creates it with TidbInitializer.fromYaml, or with new TidbInitializer; pulumi-tidb render and convert take it",
    TidbMonitor:
        "this package does not deploy monitoring; install Prometheus and Grafana, which find the pods by their prometheus.io annotations",
    TidbNGMonitoring: "this package does not deploy NG Monitoring; without it, TiDB Dashboard has no Top SQL",
};

/** The fields of a TidbCluster that correspond to kinds of TiDB Operator v2. */
const ofVersion2: Readonly<Record<string, string>> = {
    Cluster: "a TidbCluster",
    PDGroup: "spec.pd",
    SchedulerGroup: "spec.pdms",
    SchedulingGroup: "spec.pdms",
    TSOGroup: "spec.pdms",
    TiCDCGroup: "spec.ticdc",
    TiDBGroup: "spec.tidb",
    TiFlashGroup: "spec.tiflash",
    TiKVGroup: "spec.tikv",
    TiProxyGroup: "spec.tiproxy",
};

/**
 * @returns what to use instead of an object of TiDB Operator v2, whose kinds have other fields than v1's; undefined for another object.
 */
export function insteadOfVersion2({ kind, apiVersion }: Readonly<Record<string, unknown>>): string | undefined {
    if (typeof apiVersion !== "string" || !/^(core|br)\.pingcap\.com\//.test(apiVersion)) {
        return undefined;
    }
    const like = typeof kind === "string" && Object.hasOwn(ofVersion2, kind) ? ofVersion2[kind] : undefined;
    const field = like === undefined ? "write it with v1's fields" : `what corresponds to it is ${like}`;
    return `it is an object of TiDB Operator v2, and this package has v1's kinds (pingcap.com/v1alpha1); ${field}`;
}

/** @returns what to do with an object of a kind that this package does not deploy. */
export function insteadOf(object: Readonly<Record<string, unknown>>): string {
    const { kind } = object;
    const ofOther = insteadOfVersion2(object);
    if (ofOther !== undefined) {
        return ofOther;
    }
    return typeof kind === "string" && Object.hasOwn(instead, kind)
        ? instead[kind]
        : "this package deploys only TidbClusters; if you need the object, apply it with kubectl";
}
