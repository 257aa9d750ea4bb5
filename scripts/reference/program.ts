import { type TypeOnPage, typesPage } from "./typeTables";

const types: readonly TypeOnPage[] = [
    [
        "tidbClusterArgs.ts",
        "TidbClusterArgs",
        "The arguments of `new TidbCluster(name, args, opts)`, together with `AccessArgs`.",
    ],
    [
        "tidbClusterArgs.ts",
        "YamlClusterArgs",
        "The arguments of `TidbCluster.fromYaml(name, path, args, opts)`: those of `TidbClusterArgs` without `metadata` and `spec`, and",
    ],
    ["access.ts", "AccessArgs", "How the gates reach the Kubernetes cluster."],
    ["operations.ts", "OperationsArgs", "`operations`: how the cluster is operated."],
    ["operations.ts", "TimeoutsArgs", "`operations.timeouts`: how long the gates wait before they fail."],
    [
        "operations.ts",
        "UnsafeRecoveryArgs",
        "`operations.unsafeRecovery`: see [Regions that lost their majority](../unsafe-recovery.md).",
    ],
    [
        "operations.ts",
        "BackupOperationsArgs",
        "`operations.backup`: see [While the cluster changes](../backup.md#while-the-cluster-changes).",
    ],
    [
        "operations.ts",
        "BeforeUpgradeArgs",
        "`operations.backup.beforeUpgrade`: see [Before an upgrade](../backup.md#before-an-upgrade).",
    ],
    [
        "operations.ts",
        "OnDestroyArgs",
        "`operations.backup.onDestroy`: see [Before a cluster is destroyed](../backup.md#before-a-cluster-is-destroyed).",
    ],
    ["tidbCluster.ts", "TidbCluster", "The resource that a program gets."],
    ["memberResource.ts", "MemberResource", "The resources in `members`."],
];

/** @returns the page of what a program passes to `TidbCluster` besides the spec, and what it gets back. */
export function programPage(): string {
    return typesPage(
        "In a program",
        "The fields of `spec` are on [the other pages](README.md). `Input<T>` is a value or an Output of another resource.",
        types,
    );
}
