import { topology } from "../topology/members";
import type { MemberStatus, OperationStatus } from "./clusterStatus";

/**
 * Returns what is worth a look although no check counts it, in words. Members with different versions are as their own
 * StatefulSets want them, so each is as wanted; but an upgrade that was killed looks the same.
 * @param operation the run that operates the cluster. While it lives, different versions are what is to be expected.
 */
export function remarksOf(members: readonly MemberStatus[], operation: OperationStatus | null): string[] {
    const versions = new Map<string, string[]>();
    for (const { component, title, version } of members) {
        if (version !== null && !topology[component].ownReleases) {
            versions.set(version, [...(versions.get(version) ?? []), title]);
        }
    }
    const isAtWork = operation !== null && !operation.isOverdue;
    const words = [...versions].map(([version, titles]) => `${version} (${titles.join(", ")})`);
    return words.length < 2 || isAtWork
        ? []
        : [`members run different versions: ${words.join(", ")}: an update may not have ended`];
}
