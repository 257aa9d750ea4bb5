import { isUpdate } from "../provider/lifecycle/vocabulary/lock";
import { topology } from "../topology/members";
import type { ClusterStatus, MemberStatus } from "./clusterStatus";
import { listed } from "./listed";

/** What shows that an update is unfinished: TiDB Operator's condition may be Ready all the same. */

/**
 * Returns whether no update is known to be at work, or to wait. One whose lock is overdue may be dead. What the controller or a sweep
 * does carries out no program.
 */
export function isIdle({
    operation,
    waiting,
    approvals,
}: Pick<ClusterStatus, "operation" | "waiting" | "approvals">): boolean {
    const isOperated = operation !== null && !operation.isOverdue && isUpdate(operation.holder);
    return !isOperated && approvals.length === 0 && !waiting.some(({ by }) => isUpdate(by));
}

/** Returns the pods of a member that do not run its newest revision. */
export function stalePods({ pods }: Pick<MemberStatus, "pods">): string[] {
    return pods.filter(({ isUpToDate }) => isUpToDate === false).map(({ name }) => name);
}

/** Returns the pods of a member that exist beyond the number that is wanted since the last update. */
export function podsBeyond({ pods, wanted }: Pick<MemberStatus, "pods" | "wanted">): string[] {
    return pods
        .slice(wanted)
        .filter(({ phase }) => phase !== "missing")
        .map(({ name }) => name);
}

/** What pods of an older revision show if no record says which update has left them. */
export const unfinishedOrChanged = "an update is unfinished, or somebody has changed the template";
/** What `kubectl` wrote in a template restarts pods too, and the preview names it. */
export const previewFirst = "look at `pulumi preview`, then run `pulumi up`: it restarts what the preview shows";
/** What has an update go on that was paused, or that may have been. */
export const unpaused = "remove `spec.paused` from the program";

/** Returns that pods run an older revision than their StatefulSet has, and what to do. @param members of a cluster at which no update is known to be at work. */
export function twoRevisions(members: readonly MemberStatus[]): string[] {
    const pods = members.flatMap(stalePods);
    return pods.length === 0
        ? []
        : [
              `${listed(pods)} ${pods.length === 1 ? "runs" : "run"} an older revision: ${unfinishedOrChanged}. If no \`pulumi up\` runs, ${previewFirst}`,
          ];
}

/**
 * Members with different versions are as their own StatefulSets want them, so each is as wanted; but an upgrade that was killed
 * looks the same.
 */
export function differentVersions(
    members: readonly MemberStatus[],
    runs: Pick<ClusterStatus, "operation" | "waiting" | "approvals" | "unfinished">,
    isPaused: boolean,
): string[] {
    const isLeft = isIdle(runs);
    const words = versionsInWords(members);
    const why = !isLeft
        ? "an update is under way"
        : isPaused
          ? `an update has not ended: ${unpaused}, and \`pulumi up\` goes on with it`
          : runs.unfinished !== null
            ? "an update has not ended, and `pulumi up` goes on with it"
            : "an update has not ended, and `pulumi up` goes on with it; or a run waits before it takes the lock for its next step; or the program gives a member a version of its own; or somebody has changed a StatefulSet: `pulumi preview` shows what is left";
    return words === undefined ? [] : [`${words}: ${why}`];
}

/** Returns which versions the members have; undefined if there is only one. A member whose pods restart may be the last that has two. */
export function versionsInWords(members: readonly MemberStatus[]): string | undefined {
    const released = members.filter(({ component, version }) => version !== null && !topology[component].ownReleases);
    const running = byVersion(
        released.filter((one) => one.tags.length > 0),
        (one) => one.tags.map(({ version }) => version),
    );
    const wanted = byVersion(released, () => []);
    // Before the first restart, only what is wanted differs.
    if (running.size > 1) {
        return `members run different versions: ${inWords(running)}`;
    }
    return wanted.size > 1
        ? `members are to run different versions: ${inWords(wanted)}${running.size === 0 ? "" : `, and all run ${[...running.keys()].join()}`}`
        : undefined;
}

/**
 * Returns what a cluster that is Ready still lacks, for the message of the condition; undefined if nothing shows that an update is
 * unfinished. Pods of an older revision are named there by themselves.
 */
export function leftInWords(
    status: Pick<ClusterStatus, "operation" | "waiting" | "approvals" | "unfinished" | "members">,
): string | undefined {
    const { operation } = status;
    // A run that was killed early has written nothing into the journal.
    if (operation?.isOverdue && isUpdate(operation.holder)) {
        return "the run that holds the lock may be dead (see the operation)";
    }
    const isLeft = isIdle(status);
    if (isLeft && status.unfinished !== null) {
        return "the last operation did not reach its end (see the notes)";
    }
    return isLeft && versionsInWords(status.members) !== undefined
        ? "members have different versions (see the notes)"
        : undefined;
}

/** Returns whether pods, their numbers or their versions show that an update is half done. */
export function isHalfDone(members: readonly MemberStatus[]): boolean {
    const differs = (member: MemberStatus) =>
        member.pods.some(({ phase, isUpToDate }) => phase !== "ready" || isUpToDate !== true) ||
        (member.replicas !== member.wanted && !member.isSuspended);
    return members.some(differs) || versionsInWords(members) !== undefined;
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
