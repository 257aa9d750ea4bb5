import type { DeployedCluster } from "../provider/cluster/deployedCluster";
import type { KubernetesTarget } from "../provider/cluster/kubernetesTarget";
import type { LeaseView } from "../provider/cluster/leaseNotes";
import { wrongPd } from "../provider/lifecycle/stages/pdIdentity";
import type { JournalOperation } from "../provider/lifecycle/journal/journalOperation";
import { type Fact, notKnown } from "../provider/lifecycle/vocabulary/evidence";
import { type Observation, unknownPd } from "../provider/lifecycle/vocabulary/observation";
import type { ClusterStatus, MemberStatus } from "./clusterStatus";
import { approvalStatuses, consentStatuses } from "./approvalStatus";
import { checksOf, readyCondition, unwantedPods } from "./conditions";
import { unfinishedOperation, unfinishedWords, unknownEnd } from "./lastOperation";
import { listed } from "./listed";
import { remarksOf, silentStore } from "./remarks";
import {
    type SchedulesReading,
    type ScheduleStatus,
    scheduleStatus,
    type SeenSchedule,
} from "./schedules/scheduleStatus";
import { discoveryStatus, memberStatuses } from "./memberStatus";
import { operationStatus } from "./operationStatus";
import { evictionStatuses, pdMembers, silentStores, storeStatuses } from "./storeStatus";
import { isHalfDone, isIdle, leftInWords } from "./unfinishedUpdate";
import { waitingRuns } from "./waitingRuns";
import { lowStores } from "./volumeRemarks";
import { noticesOf } from "../provider/lifecycle/vocabulary/notices";

/** Everything that was read of a cluster. */
export interface SeenCluster {
    readonly kubernetes: KubernetesTarget;
    readonly deployed: DeployedCluster;
    /** Read after everything else but the journal. */
    readonly lease: LeaseView;
    /** When the reading began, in milliseconds since 1970: nothing that was seen is older. */
    readonly readAt: number;
    readonly observation: Observation;
    /** Why PD was not asked; undefined if it was. */
    readonly pdNotAsked: string | undefined;
    /** Its BackupSchedules. */
    readonly schedules: SchedulesReading<SeenSchedule>;
    /** What its last operations did; undefined if there is no journal to read. */
    readonly journal: Fact<readonly JournalOperation[]> | undefined;
    /** Its Jobs that run or wait; null if they were not read. */
    readonly jobs: ClusterStatus["jobs"];
}

/** Returns the status of a cluster. */
export function assembleStatus({
    kubernetes,
    deployed,
    lease,
    readAt,
    observation,
    pdNotAsked,
    schedules: seen,
    journal,
    jobs,
}: SeenCluster): ClusterStatus {
    const { id } = deployed;
    const discovery = discoveryStatus(deployed.discovery);
    const suspended = suspendedPd(observation, lease);
    const observed = withoutForeignPd(observation, pdNotAsked ?? suspended);
    const members = memberStatuses(observed, lease.members ?? {});
    const stores = storeStatuses(observed, members);
    const evictions = evictionStatuses(observed, lease.records);
    const pd = pdMembers(observed);
    const checks = checksOf({ members, stores, discovery });
    const silent = silentStores({ members, stores });
    const operation = operationStatus(lease, { members, stores }, observed.now);
    const schedules: SchedulesReading<ScheduleStatus> = seen.known
        ? { known: true, value: seen.value.map((one) => scheduleStatus(one, observed.now)) }
        : seen;
    const isPaused = lease.isPaused ?? false;
    const approvals = approvalStatuses(id, lease, lease.asOf ?? observed.now);
    const waiting = waitingRuns(journal, lease.lock.holder, observed.now, approvals);
    const runs = { operation, waiting, approvals };
    const isLeft = isIdle(runs);
    const unfinished = isLeft && journal?.known ? unfinishedOperation(journal.value, operation?.holder) : null;
    const left = leftInWords({ ...runs, unfinished, members });
    return {
        name: id.cluster,
        namespace: id.namespace,
        kubernetes,
        at: new Date(readAt).toISOString(),
        stack: lease.owner?.stack ?? null,
        isPaused,
        conditions: [readyCondition(checks, silent, unwantedPods({ members, discovery }), left)],
        checks,
        operation,
        waiting,
        approvals,
        unfinished,
        consents: consentStatuses(lease, lease.asOf ?? observed.now),
        evictions,
        members,
        discovery,
        pd,
        stores,
        schedules,
        jobs,
        remarks: [
            ...remarksOf(
                { ...id, members, records: lease.records, observation: observed, isPaused },
                { ...runs, unfinished },
            ),
            ...noticesOf("store-silent", ...silent.map(silentStore)),
            ...noticesOf("store-low-on-space", ...lowStores({ stores, members })),
            ...noticesOf("approval-record-unreadable", ...unreadNotes(lease)),
            ...noticesOf(
                "operation-unfinished",
                unfinished === null
                    ? undefined
                    : unfinishedWords(id, unfinished, { isPaused, showsMore: isHalfDone(members) }),
            ),
            ...noticesOf("operation-end-unknown", ...(isLeft && journal !== undefined ? unknownEnd(journal) : [])),
            ...noticesOf("backup-schedule", ...scheduleRemarks(schedules)),
        ],
        notKnown: [
            ...notKnownOf(observed, members, suspended !== undefined),
            ...(schedules.known || schedules.isForbidden ? [] : [`the backup schedules: ${schedules.why}`]),
            ...(jobs === null || jobs.known || jobs.isForbidden ? [] : [`the Jobs: ${jobs.why}`]),
        ],
    };
}

/** What of consents cannot be read, and what to do. */
function unreadNotes({ approvals, waitsProblem }: LeaseView): string[] {
    const { givenProblem, usedProblem, firstProblems = {} } = approvals ?? {};
    return [givenProblem, usedProblem, ...Object.values(firstProblems), waitsProblem].filter(
        (one) => one !== undefined,
    );
}

function scheduleRemarks(schedules: SchedulesReading<ScheduleStatus>): string[] {
    const all = schedules.known ? schedules.value : [];
    return all.flatMap(({ name, problems }) => problems.map((problem) => `backup schedule ${name}: ${problem}`));
}

/** Why a PD that does not answer cannot: it is suspended. Undefined if it answers, or is not suspended. */
function suspendedPd({ members, pd }: Observation, { members: notes }: LeaseView): string | undefined {
    const isSuspended = notes?.pd?.suspended === true && members.pd !== undefined && !members.pd.statefulSet;
    return isSuspended && !pd.members.known && !pd.stores.known ? "PD is suspended" : undefined;
}

/** A PD of another cluster says nothing about this one. */
function withoutForeignPd(observation: Observation, pdNotAsked: string | undefined): Observation {
    const why = pdNotAsked ?? wrongPd(observation)?.seen;
    return why === undefined ? observation : { ...observation, pd: unknownPd(notKnown(why)) };
}

/**
 * One line for each reason: PD's silence makes much unknown, and is said once.
 * @param isPdSuspended whether the program wants PD to be silent: then it is not missed.
 */
function notKnownOf({ pd }: Observation, members: readonly MemberStatus[], isPdSuspended: boolean): string[] {
    const facts: [string, { known: boolean; why?: string }][] = [
        ...(isPdSuspended ? [] : factsOfPd(pd)),
        ...members.flatMap(({ pods }) =>
            pods
                .filter(({ phase }) => phase !== "missing")
                .map(({ name, trouble }): [string, { known: boolean; why?: string }] => [
                    `the health of ${name}`,
                    trouble,
                ]),
        ),
    ];
    const byReason = new Map<string, string[]>();
    for (const [what, fact] of facts) {
        if (!fact.known) {
            const why = fact.why ?? "";
            byReason.set(why, [...(byReason.get(why) ?? []), what]);
        }
    }
    return [...byReason].map(([why, what]) => `${listed(what)}: ${why}`);
}

/** A PD before 8.5.6 that does not serve its etcd reports nowhere which stores it evicts by itself. */
function unreportedEvictions({ ownEvictions }: Observation["pd"]): [string, { known: boolean; why?: string }][] {
    const schedulers = ownEvictions.known ? ownEvictions.value.unreported : [];
    const why = "PD before 8.5.6 has them in its etcd only, which it does not serve over HTTP";
    return schedulers.length === 0 ? [] : [[`the stores of ${listed(schedulers)}`, { known: false, why }]];
}

function factsOfPd(pd: Observation["pd"]): [string, { known: boolean; why?: string }][] {
    return [
        ["PD's members", pd.members],
        ["PD's leader", pd.leader],
        ["the stores", pd.stores],
        ["the evictions in force", pd.evictedStores],
        ...unreportedEvictions(pd),
        ...(pd.logBackups ? [["the log backups", pd.logBackups] as [string, typeof pd.logBackups]] : []),
    ];
}
