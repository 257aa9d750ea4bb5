import { bytesInWords } from "../provider/lifecycle/vocabulary/bytesInWords";
import { describeCause } from "../provider/lifecycle/diagnosis/cause";
import { approvalNoteEvery, letsInWords } from "../provider/lifecycle/vocabulary/approvals";
import { duration } from "../provider/lifecycle/walks/describePlan";
import type { Condition } from "../topology/readyCondition";
import { timeInWords } from "../topology/timestamps";
import { differsFromClaims, growthWords } from "./claimStatus";
import { countsInWords, listed } from "./listed";
import type {
    ApprovalStatus,
    ClaimStatus,
    ClusterStatus,
    ConsentStatus,
    EvictionStatus,
    MemberStatus,
    OperationStatus,
    PodStatus,
    StoreStatus,
    WaitingStatus,
} from "./clusterStatus";
import { counted } from "../provider/lifecycle/vocabulary/counted";

/** What the text and the HTML of a status both say. Nothing here is escaped. */

/** Shown in place of what is not known. */
export const unknownMark = "?";

/** Returns the condition as a sentence without a period: `not Ready (PDUnhealthy): …`. */
export function conditionWords({ status, reason, message }: Condition): string {
    switch (status) {
        case "True":
            return `Ready: ${message}`;
        case "False":
            return `not Ready (${reason}): ${message}`;
        case "Unknown":
            return `whether it is Ready is not known (${reason}): ${message}`;
    }
}

/** Returns who operates the cluster, since when, and whether the run still lives. */
export function operationWords(operation: OperationStatus, at: string): string {
    const { holder, step, since, renewedAt, isOverdue, stopRequestedBy } = operation;
    const began = since === null ? "" : `, since ${clock(since)} (${ago(since, at)})`;
    const overdue = isOverdue ? `; ${deadWords(renewedAt)}` : "";
    const stop = stopRequestedBy === null ? "" : `; ${stopRequestedBy} asked it to stop at its next safe point`;
    // What a dead run noted last is not what happens now.
    return `${isOverdue ? "last noted: " : ""}${step}, by ${holder}${began}${overdue}${stop}`;
}

/** Returns why a run that has not renewed its lock in time may be dead, and what follows. */
export function deadWords(renewedAt: string | null): string {
    const renewed =
        renewedAt === null ? "its lock was never renewed" : `its lock was last renewed at ${clock(renewedAt)}`;
    return `${renewed}, so the run may be dead (or its clock differs): the next \`pulumi up\` takes over and continues`;
}

/** Returns what a run waits for without the lock. */
export function waitingWords({ of, for: what, by, since, heardAt }: WaitingStatus, at: string): string {
    return `${of} waits for ${what}; run by ${by}, since ${clock(since)} (${ago(since, at)}), ${heardWords(heardAt, at)}`;
}

/** Returns when a run said last that it waits. */
export function heardWords(heardAt: string, at: string): string {
    return `last heard of ${ago(heardAt, at)}`;
}

/** Returns a run's absence: who waits does not hold the lock. */
export function noOperationWords({ waiting, approvals }: Pick<ClusterStatus, "waiting" | "approvals">): string {
    return waiting.length + approvals.length === 0 ? "none" : "none holds the lock";
}

/** A run says every 30 s that it waits for a consent. One that was not heard of for longer than this has perhaps ended: in milliseconds. */
const approvalOverdueAfter = approvalNoteEvery + 10_000;

/** Returns when a run that waits for a consent was last heard of, if it is overdue: it may have ended. Empty if it is not. */
export function overdueWords(heardAt: string, at: string): string {
    return Date.parse(at) - Date.parse(heardAt) > approvalOverdueAfter
        ? `${heardWords(heardAt, at)}, although a run says every ${approvalNoteEvery / 1_000} s that it waits: it may have ended`
        : "";
}

/** Returns what a run waits for a person's consent to, and the command for it. */
export function approvalWords(approval: ApprovalStatus, at: string): string {
    const { digest, of, by, since, heardAt, command } = approval;
    return `${of} waits for approval of ${digest}: ${letsInWords(approval)}; run by ${by}, since ${clock(since)} (${ago(since, at)}), ${overdueWords(heardAt, at) || heardWords(heardAt, at)}; run \`${command}\``;
}

/** Returns a consent that no run has used. @param approvals what runs wait for. */
export function consentWords({ digest, by, at, counts }: ConsentStatus, approvals: readonly ApprovalStatus[]): string {
    const isOther = approvals.length > 0 && !approvals.some((one) => one.digest === digest);
    const waits = isOther ? ", and it does not cover the plan that waits for approval" : "";
    const use = counts ? `no run has used it yet${waits}` : "it no longer counts";
    return `${digest}, by ${by} at ${timeInWords(Date.parse(at))}: ${use}`;
}

/** Returns the Jobs that run or wait, one line each; or that they are not shown. */
export function jobLines({ jobs, at }: Pick<ClusterStatus, "jobs" | "at">): string[] {
    if (jobs === null || (!jobs.known && !jobs.isForbidden)) {
        return [];
    }
    return jobs.known
        ? jobs.value.map(({ name, since, words }) => `${name}: ${words}, since ${clock(since)} (${ago(since, at)})`)
        : [`not shown: ${jobs.why}`];
}

/** Returns an eviction in one line. */
export function evictionWords({ storeId, pod, inForce, byPd, record, leaders }: EvictionStatus, at: string): string {
    const force = inForce.known
        ? inForce.value
            ? "in force"
            : "not in force"
        : `whether it is in force is not known: ${inForce.why}`;
    // PD does not list it yet, or any more: it begins or ends, or its run was killed then.
    const isBetween = record !== null && record.endedAt === null && inForce.known && !inForce.value;
    const by =
        record === null
            ? byPd === null
                ? "begun by somebody else"
                : `begun by PD itself (${byPd})`
            : record.endedAt === null
              ? `${isBetween ? "on record" : "begun"} by pulumi-tidb ${isBetween ? "since" : "at"} ${clock(record.begunAt)} (${ago(record.begunAt, at)})`
              : `ended by pulumi-tidb at ${clock(record.endedAt)}, and on record until PD has dropped it for good`;
    const count = leaders.known ? `${counted(leaders.value, "leader")}` : "an unknown number of leaders";
    const isLeaving = record === null || (record.endedAt === null && !isBetween);
    const left = isLeaving ? `${count} left` : `${count} now, ${record.leadersBefore} before`;
    const of = record !== null && isLeaving ? ` of ${record.leadersBefore}` : "";
    const also = record === null || byPd === null ? "" : `; PD itself keeps leaders away too (${byPd})`;
    return `store ${storeId}${pod === null ? "" : ` (${pod})`}: ${force}, ${by}, ${left}${of}${also}`;
}

/** Returns the number of Ready pods of the wanted: `2/3`, `4/4, 3 wanted` while a scaling is not done, or `0/3, suspended`. */
export function readyWords({ ready, wanted, replicas, isSuspended }: MemberStatus): string {
    if (isSuspended) {
        return `${ready}/${wanted}, suspended`;
    }
    if (replicas === null) {
        return `${ready}/${wanted}, no StatefulSet`;
    }
    return replicas === wanted ? `${ready}/${wanted}` : `${ready}/${replicas}, ${wanted} wanted`;
}

/** Returns the versions that run: `v8.5.3`, or `v8.5.2 ×2, v8.5.3` during a rollout. */
export function runningWords({ running }: MemberStatus): string {
    return running.length === 0 ? "-" : countsInWords(running.map(({ version, pods }) => [version, pods]));
}

/** Returns how many pods run the newest revision, and which it is. */
export function revisionWords({ replicas, revision, upToDate, pods }: MemberStatus): string {
    if (replicas === null) {
        return "-";
    }
    const existing = pods.filter(({ phase }) => phase !== "missing").length;
    return revision === null ? unknownMark : `${upToDate} of ${existing} on ${revision}`;
}

/** Returns what is special about a pod; undefined if it is as wanted. */
export function podWords(pod: PodStatus): string | undefined {
    const { phase, notReady, trouble, isUpToDate, claims } = pod;
    if (phase === "missing") {
        return "does not exist";
    }
    const words = [
        ...(phase === "stopping" ? ["is stopping"] : []),
        ...(phase === "not ready" ? [`is not Ready${notReady === null ? "" : `: ${notReady}`}`] : []),
        // A pod that is not Ready is not asked for its own page, which then says the same.
        ...(trouble.known && trouble.value !== null && trouble.value !== "is not Ready" ? [trouble.value] : []),
        ...(isUpToDate === false ? ["runs an older revision"] : []),
        ...claims.flatMap(growingWords),
    ];
    return words.length === 0 ? undefined : words.join("; ");
}

/** What the driver says of a volume that does not grow follows in parentheses. */
function growingWords(claim: ClaimStatus): string[] {
    const what = growthWords(claim);
    const trouble = claim.growth?.trouble;
    return what === undefined ? [] : [describeCause({ what, ...(trouble ? { evidence: trouble } : {}) })];
}

/** Pods of one member that are not as wanted for the same reason. */
export interface PodGroup {
    readonly pods: string;
    /** The node of a single pod; empty for several. */
    readonly node: string;
    readonly words: string;
}

/** Returns what is special about the pods of each member, once for all pods with the same words. */
export function podGroups({ members }: Pick<ClusterStatus, "members">): PodGroup[] {
    return members.flatMap(({ pods, isSuspended }) => {
        const groups = new Map<string, PodStatus[]>();
        for (const pod of pods.filter(({ phase }) => !(isSuspended && phase === "missing"))) {
            const words = podWords(pod);
            if (words !== undefined) {
                groups.set(words, [...(groups.get(words) ?? []), pod]);
            }
        }
        return [...groups].map(([words, group]) => ({
            pods: listed(group.map(({ name }) => name)),
            node: group.length === 1 ? (group[0].node ?? "-") : "",
            words,
        }));
    });
}

/** How a pod is drawn: the worst that is known of it. */
export type PodLevel = "good" | "stale" | "waiting" | "bad" | "unknown";

/** Returns how a pod is drawn. */
export function podLevel({ phase, trouble, isUpToDate }: PodStatus): PodLevel {
    if (phase === "stopping" || phase === "not ready") {
        return "waiting";
    }
    if (phase === "missing" || (trouble.known && trouble.value !== null)) {
        return "bad";
    }
    return !trouble.known || isUpToDate === null ? "unknown" : isUpToDate ? "good" : "stale";
}

/** Returns the free space of a store: `812.0 GiB of 1.0 TiB`, and whether PD calls it low. */
export function diskWords({ capacityBytes, availableBytes, isLowOnSpace }: StoreStatus): string {
    if (capacityBytes === null || availableBytes === null) {
        return unknownMark;
    }
    return `${bytesInWords(availableBytes)} of ${bytesInWords(capacityBytes)}${isLowOnSpace ? " (low)" : ""}`;
}

/** Returns the size of a store's disk, as PD has it and, where that is another figure, of its claims: `1.0 TiB (claim 2.0 TiB)`. */
export function diskSizeWords(store: StoreStatus): string {
    const claims = differsFromClaims(store) ? ` (claim ${sizeOrUnknown(store.claimBytes)})` : "";
    return `${sizeOrUnknown(store.capacityBytes)}${claims}`;
}

/** Returns a number of bytes, or that it is not known. */
export function sizeOrUnknown(bytes: number | null): string {
    return bytes === null ? unknownMark : bytesInWords(bytes);
}

/** Returns whether the store's leaders are evicted: `yes`, `no`, or `?`. */
export function evictedWords(status: Pick<ClusterStatus, "evictions" | "notKnown">, store: StoreStatus): string {
    const eviction = status.evictions.find(({ storeId }) => storeId === store.id);
    if (eviction === undefined) {
        return "";
    }
    return eviction.inForce.known ? (eviction.inForce.value ? "yes" : "") : unknownMark;
}

/** Returns a time of day in UTC: `17:30:05Z`. */
function clock(time: string): string {
    return `${time.slice(11, 19)}Z`;
}

function ago(time: string, at: string): string {
    return `${duration(Math.max(0, Math.round((Date.parse(at) - Date.parse(time)) / 1000)))} ago`;
}
