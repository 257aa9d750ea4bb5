import { topology } from "../topology/members";
import type { ClusterStatus, MemberStatus } from "./clusterStatus";
import { listed } from "./listed";

/** What shows that an update is unfinished: TiDB Operator's condition may be Ready all the same. */

/** Returns whether no run is known to be at work, or to wait. One whose lock is overdue may be dead. */
export function isIdle({
    operation,
    waiting,
    approvals,
}: Pick<ClusterStatus, "operation" | "waiting" | "approvals">): boolean {
    return (operation === null || operation.isOverdue) && waiting.length + approvals.length === 0;
}

/** Returns the pods of a member that do not run its newest revision. */
export function stalePods({ pods }: Pick<MemberStatus, "pods">): string[] {
    return pods.filter(({ isUpToDate }) => isUpToDate === false).map(({ name }) => name);
}

/** Returns that pods run an older revision than their StatefulSet has, and what to do. @param members of a cluster at which no run is known to be at work. */
export function twoRevisions(members: readonly MemberStatus[]): string[] {
    const pods = members.flatMap(stalePods);
    return pods.length === 0
        ? []
        : [
              `${listed(pods)} ${pods.length === 1 ? "runs" : "run"} an older revision: an update is unfinished. If no \`pulumi up\` runs, run it again: it goes on`,
          ];
}

/**
 * Members with different versions are as their own StatefulSets want them, so each is as wanted; but an upgrade that was killed
 * looks the same.
 */
export function differentVersions(members: readonly MemberStatus[], isLeft: boolean): string[] {
    const words = versionsInWords(members);
    const why = isLeft
        ? "an update has not ended, and `pulumi up` goes on with it; or a run waits before it takes the lock for its next step"
        : "an update is under way";
    return words === undefined ? [] : [`${words}: ${why}`];
}

/** Returns which versions the members have; undefined if there is only one. */
export function versionsInWords(members: readonly MemberStatus[]): string | undefined {
    const released = members.filter(({ component, version }) => version !== null && !topology[component].ownReleases);
    if (new Set(released.map(({ version }) => version)).size < 2) {
        return undefined;
    }
    const running = byVersion(released, (one) => one.running.map(({ version }) => version));
    const wanted = byVersion(released, () => []);
    // Before the first restart, only what is wanted differs.
    return running.size > 1
        ? `members run different versions: ${inWords(running)}`
        : `members are to run different versions: ${inWords(wanted)}, and all run ${[...running.keys()].join()}`;
}

/**
 * Returns what a cluster that is Ready still lacks, for the message of the condition; undefined if nothing shows that an update is
 * unfinished. Pods of an older revision are named there by themselves.
 */
export function leftInWords(
    status: Pick<ClusterStatus, "operation" | "waiting" | "approvals" | "unfinished" | "members">,
): string | undefined {
    const isLeft = isIdle(status);
    if (isLeft && status.unfinished !== null) {
        return "the last operation did not reach its end (see the notes)";
    }
    return isLeft && versionsInWords(status.members) !== undefined
        ? "members have different versions (see the notes)"
        : undefined;
}

/** Returns which members have which version. @param found what a member's pods run. Default: what its StatefulSet wants. */
function byVersion(
    members: readonly MemberStatus[],
    found: (member: MemberStatus) => readonly string[],
): Map<string, string[]> {
    const titles = new Map<string, string[]>();
    for (const member of members) {
        const versions = found(member);
        for (const one of versions.length > 0 ? versions : [member.version ?? ""]) {
            titles.set(one, [...(titles.get(one) ?? []), member.title]);
        }
    }
    return titles;
}

function inWords(versions: ReadonlyMap<string, readonly string[]>): string {
    return [...versions].map(([version, titles]) => `${version} (${titles.join(", ")})`).join(", ");
}
