import type { OperationRecords } from "../provider/lifecycle/vocabulary/observation";
import { leftSettings } from "../provider/lifecycle/walks/leftSettings";
import { topology } from "../topology/members";
import type { MemberStatus, OperationStatus } from "./clusterStatus";

/**
 * Returns what is worth a look although no check counts it, in words. Members with different versions are as their own
 * StatefulSets want them, so each is as wanted; but an upgrade that was killed looks the same. Settings on record are those that a
 * run was setting on running servers.
 * @param operation the run that operates the cluster. While it lives, all this is what is to be expected.
 */
export function remarksOf(
    { cluster, members, records }: { cluster: string; members: readonly MemberStatus[]; records: OperationRecords },
    operation: OperationStatus | null,
): string[] {
    const versions = new Map<string, string[]>();
    for (const { component, title, version } of members) {
        if (version !== null && !topology[component].ownReleases) {
            versions.set(version, [...(versions.get(version) ?? []), title]);
        }
    }
    if (operation !== null && !operation.isOverdue) {
        return [];
    }
    const words = [...versions].map(([version, titles]) => `${version} (${titles.join(", ")})`);
    return [
        ...(words.length < 2
            ? []
            : [`members run different versions: ${words.join(", ")}: an update may not have ended`]),
        ...leftSettings({ cluster, records }).map(
            ({ target, seen, by }) =>
                `${target}: ${seen}, by ${by}, and it has not ended: if no update is under way, the next \`pulumi up\` finishes it, and \`pulumi-tidb sweep ${cluster} --yes\` takes it back`,
        ),
    ];
}
