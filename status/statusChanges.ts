import { counted } from "../provider/lifecycle/vocabulary/counted";
import type { ClusterStatus, MemberStatus, PodStatus } from "./clusterStatus";
import { conditionWords, podWords, readyWords, runningWords } from "./statusWords";

/** What was last known of a cluster, by subject. */
export type StatusFacts = ReadonlyMap<string, string>;

/** What a look adds to what was known. */
export interface StatusChanges {
    /** What has changed, one line each. Empty for the first look. */
    readonly changes: readonly string[];
    readonly facts: StatusFacts;
}

/** A subject and what was read of it; undefined: nothing is to be said; null: it is not known. */
type Entry = readonly [subject: string, value: string | undefined | null];

/**
 * Returns what has changed since the earlier looks, one line each: for logs, where nothing can be redrawn. Numbers that change
 * all the time, such as leaders and free space, do not count. What is not known now has not changed: it stays as it was known.
 */
export function statusChanges(before: StatusFacts | undefined, after: ClusterStatus): StatusChanges {
    const earlier: StatusFacts = before ?? new Map();
    const later = new Map(
        entriesOf(after).flatMap(([subject, value]) => {
            const shown = value === null ? earlier.get(subject) : value;
            return shown === undefined ? [] : [[subject, shown] as const];
        }),
    );
    for (const [subject, value] of earlier) {
        if (!later.has(subject) && isUnread(subject, after)) {
            later.set(subject, value);
        }
    }
    const subjects = [...new Set([...later.keys(), ...earlier.keys()])];
    const changes = subjects.flatMap((subject) => {
        const [was, is] = [earlier.get(subject), later.get(subject)];
        return was === is ? [] : [`${subject}: ${is ?? "gone"}${was === undefined ? "" : ` (was: ${shortened(was)})`}`];
    });
    return { changes: before === undefined ? [] : changes, facts: later };
}

/** What is over was told in full when it began. */
const longestBefore = 120;

function shortened(text: string): string {
    return text.length > longestBefore ? `${text.slice(0, longestBefore)}…` : text;
}

const [ofStore, ofPdMember, ofEviction] = ["store ", "PD member ", "eviction of "];

/** Whether the list that the subject would be on is not known. */
function isUnread(subject: string, { stores, pd, evictions }: ClusterStatus): boolean {
    return (
        (subject.startsWith(ofStore) && !stores.known) ||
        (subject.startsWith(ofPdMember) && !pd.known) ||
        (subject.startsWith(ofEviction) && (!stores.known || evictions.some(({ inForce }) => !inForce.known)))
    );
}

/** One entry for all of them; none if there are none. */
function wordsOf(lines: readonly string[], between = ", "): string | undefined {
    return lines.length === 0 ? undefined : lines.join(between);
}

/** What is compared, in the order in which it is told. */
function entriesOf({
    conditions,
    operation,
    waiting,
    approvals,
    consents,
    evictions,
    members,
    pd,
    stores,
    remarks,
    notKnown,
}: ClusterStatus): Entry[] {
    return [
        ["condition", conditions.map(conditionWords).join("; ")],
        ["operation", operation === null ? "none" : `${operation.step}, by ${operation.holder}`],
        ["waits without the lock", wordsOf(waiting.map(({ of, by }) => `${of}, by ${by}`))],
        ["waits for approval of", wordsOf(approvals.map(({ digest, of }) => `${digest} (${of})`))],
        ["unused consents", wordsOf(consents.filter(({ counts }) => counts).map(({ digest }) => digest))],
        ["asked to stop by", operation?.stopRequestedBy ?? undefined],
        ["lock overdue, so the run may be dead", operation?.isOverdue ? "yes" : undefined],
        [
            "note",
            wordsOf(
                remarks.map(({ message }) => message),
                "; ",
            ),
        ],
        ...notKnown.map((line): Entry => ["not known", line]),
        ...members.map((member): Entry => [member.title, memberWords(member)]),
        ...members.flatMap(({ pods }) => pods.flatMap(podEntries)),
        ["PD's leader", leaderOf(pd)],
        ...(pd.known ? pd.value : []).map(({ name, healthy }): Entry => [
            `${ofPdMember}${name || "without a name"}`,
            healthy ? "healthy" : "unhealthy",
        ]),
        ...(stores.known ? stores.value : []).map(({ id, pod, state }): Entry => [`${ofStore}${id} (${pod})`, state]),
        ...evictions.map(({ storeId, inForce, record }): Entry => [
            `${ofEviction}store ${storeId}`,
            inForce.known ? `${inForce.value ? "in force" : "not in force"}${record?.endedAt ? ", ended" : ""}` : null,
        ]),
    ];
}

function memberWords(member: MemberStatus): string {
    const { isSuspended, pods, replicas, version, wanted } = member;
    const left = pods.filter(({ phase }) => phase !== "missing").length;
    if (isSuspended) {
        return left === 0 ? "suspended" : `suspended, ${counted(left, "pod")} left`;
    }
    return replicas === null
        ? `no StatefulSet, ${counted(wanted, "pod")} wanted`
        : `${readyWords(member)} Ready, ${version ?? "no version"} wanted, ${runningWords(member)} running`;
}

/** Kubernetes and the member itself are told apart: one may be known while the other is not. */
function podEntries(pod: PodStatus): Entry[] {
    const { name, trouble } = pod;
    return [
        [name, podWords({ ...pod, trouble: { known: true, value: null } }) ?? "as wanted"],
        [`${name} as a member`, trouble.known ? (trouble.value ?? "well") : null],
    ];
}

function leaderOf(pd: ClusterStatus["pd"]): string | null {
    if (!pd.known || pd.value.some(({ isLeader }) => !isLeader.known)) {
        return null;
    }
    return pd.value.find(({ isLeader }) => isLeader.known && isLeader.value)?.name ?? "none";
}
