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

/** What to do with an object of a kind that this package does not deploy. */
export function insteadOf(kind: unknown): string {
    return typeof kind === "string" && Object.hasOwn(instead, kind)
        ? instead[kind]
        : "this package deploys only TidbClusters; if you need the object, apply it with kubectl";
}
