import { topology } from "../topology/members";
import type { ClusterStatus, MemberStatus } from "./clusterStatus";

/**
 * Returns what is worth a look although no check counts it, in words. Members with different versions are as their own
 * StatefulSets want them, so each is as wanted; but an upgrade that was killed looks the same.
 * @param runs the run that operates the cluster, and the one that waits for a person's consent.
 */
export function remarksOf(
    members: readonly MemberStatus[],
    { operation, approval }: Pick<ClusterStatus, "operation" | "approval">,
): string[] {
    const versions = new Map<string, string[]>();
    for (const { component, title, version } of members) {
        if (version !== null && !topology[component].ownReleases) {
            versions.set(version, [...(versions.get(version) ?? []), title]);
        }
    }
    const isUnderWay = approval !== null || (operation !== null && !operation.isOverdue);
    const words = [...versions].map(([version, titles]) => `${version} (${titles.join(", ")})`);
    const why = isUnderWay
        ? "an update is under way"
        : "an update has not ended, or a run waits before it takes the lock for its next step";
    return words.length < 2 ? [] : [`members run different versions: ${words.join(", ")}: ${why}`];
}
