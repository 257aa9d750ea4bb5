import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import {
    approvalWaitAnnotationPrefix,
    consentAnnotationPrefix,
    firstRevisionAnnotationPrefix,
    leaseAnnotations,
} from "../../topology/annotations";
import { leaseName } from "../../topology/names";
import type { Approvals, ApprovalWait, Consent, FirstRevision } from "../lifecycle/vocabulary/approvals";
import type { ObservedLock } from "../lifecycle/vocabulary/lock";
import { noRecords, type OperationRecords } from "../lifecycle/vocabulary/observation";
import type { ClusterOwner, MemberNotes } from "../lifecycle/vocabulary/ownership";
import type { StopRequest } from "../lifecycle/vocabulary/stopRequest";

/** The cluster's Lease as gates see it: proof of the right cluster, the lock, and the records that survive a crash. */
export interface LeaseView {
    uid: string;
    resourceVersion: string;
    lock: ObservedLock;
    records: OperationRecords;
    /** The last request to stop, also if the run that was asked has ended. */
    stopRequest?: StopRequest;
    /** Cluster id of the PD that has the cluster's data: recorded at the end of the first deployment. */
    pdClusterId?: string;
    /** Who deploys the cluster; undefined if an earlier version of this package deployed it. */
    owner?: ClusterOwner;
    /** Undefined if an earlier version of this package deployed the cluster. */
    members?: MemberNotes;
    /** Whether the last update that passed the cluster's first gate paused the cluster (`spec.paused`). Default: it did not. */
    isPaused?: true;
    /** Whether a Backup whose data are to be deleted has left the program. Default: none has. */
    hasLeftBackups?: true;
    /** Until when the cluster may be destroyed without a last backup, by a person's word. Default: it may not. */
    withoutLastBackup?: string;
    /** What people have consented to. Undefined if nobody ever has. */
    approvals?: Approvals;
    /** What runs wait for a person's consent to, by annotation; they may have been killed since. Default: none does. */
    approvalWaits?: Readonly<Record<string, ApprovalWait>>;
    /** When it was read, by the API server's clock, in milliseconds since 1970. Default: not known. */
    asOf?: number;
}

/** The call that reads a Lease; `undefined` if there is none. */
export interface LeaseReads {
    readLease(namespace: string, name: string): Promise<V1Lease | undefined>;
    serverNow?(): number | undefined;
}

/**
 * Reads the Lease; `undefined` if there is none.
 * @throws Error if an annotation that this package reads is not a JSON object.
 */
export async function readLease(api: LeaseReads, namespace: string, cluster: string): Promise<LeaseView | undefined> {
    const lease = await api.readLease(namespace, leaseName(cluster));
    const asOf = api.serverNow?.();
    return lease && { ...viewLease(lease), ...(asOf === undefined ? {} : { asOf }) };
}

/** @returns what gates need of a Lease. @throws Error if an annotation that this package reads is not a JSON object. */
export function viewLease(lease: V1Lease): LeaseView {
    const annotations = lease.metadata?.annotations ?? {};
    const { records, operation, stop, stopOf, pdClusterId, owner, members, approvalGoals, paused, leftBackups } =
        leaseAnnotations;
    const withoutLastBackup = annotations[leaseAnnotations.withoutLastBackup];
    const { name = "", namespace = "" } = lease.metadata ?? {};
    const read = <T extends object>(annotation: string, next?: string) =>
        readAnnotation<T>(name, annotation, annotations[annotation], next);
    const remove = `kubectl annotate lease ${name} --namespace ${namespace}`;
    return {
        uid: lease.metadata?.uid ?? "",
        resourceVersion: lease.metadata?.resourceVersion ?? "",
        lock: {
            holder: lease.spec?.holderIdentity || undefined,
            acquiredAt: timeOf(lease.spec?.acquireTime),
            renewedAt: timeOf(lease.spec?.renewTime),
            durationSeconds: lease.spec?.leaseDurationSeconds,
            operation: annotations[operation],
        },
        stopRequest: annotations[stop] ? { by: annotations[stop], of: annotations[stopOf] } : undefined,
        pdClusterId: annotations[pdClusterId],
        owner: read<ClusterOwner>(owner),
        members: read<MemberNotes>(members),
        ...(annotations[paused] === undefined ? {} : { isPaused: true }),
        ...(annotations[leftBackups] === undefined ? {} : { hasLeftBackups: true }),
        ...(withoutLastBackup === undefined ? {} : { withoutLastBackup }),
        records: { ...noRecords(), ...read<OperationRecords>(records) },
        ...consentsOf(annotations, read<Approvals["goals"]>(approvalGoals), read, remove),
        ...waitsOf(annotations, read),
    };
}

type Read = <T extends object>(annotation: string, next?: string) => T | undefined;

/** @returns the annotations with this prefix, read, by what follows it. */
function readAll<T extends object>(
    annotations: Readonly<Record<string, string>>,
    prefix: string,
    read: (annotation: string) => T | undefined,
): [string, T][] {
    return Object.keys(annotations)
        .filter((key) => key.startsWith(prefix))
        .flatMap((key) => {
            const value = read(key);
            return value ? [[key.slice(prefix.length), value] as [string, T]] : [];
        });
}

function consentsOf(
    annotations: Readonly<Record<string, string>>,
    goals: Approvals["goals"] | undefined,
    read: Read,
    remove: string,
): Pick<LeaseView, "approvals"> {
    const { given, ...problem } = givenOf(annotations, read, remove);
    const first = readAll<FirstRevision>(annotations, firstRevisionAnnotationPrefix, read);
    if (given.length === 0 && problem.givenProblem === undefined && first.length === 0 && goals === undefined) {
        return {};
    }
    const firstRevisions = first.length === 0 ? {} : { firstRevisions: Object.fromEntries(first) };
    return {
        approvals: {
            given: Object.fromEntries(given),
            ...problem,
            goals: goals ?? {},
            ...usedOf(read, remove),
            ...firstRevisions,
        },
    };
}

/** A person may have written one by hand. No run may act on what it cannot read, and none needs it. */
function givenOf(
    annotations: Readonly<Record<string, string>>,
    read: Read,
    remove: string,
): Pick<Approvals, "givenProblem"> & { given: [string, Consent][] } {
    const problems: string[] = [];
    const given = readAll(annotations, consentAnnotationPrefix, (annotation) => {
        const next = `This consent does not count, and \`${remove} ${annotation}-\` removes it`;
        try {
            const one = read<Consent>(annotation, next);
            if (one === undefined || isConsent(one)) {
                return one;
            }
            problems.push(
                `annotation ${annotation} holds ${JSON.stringify(one).slice(0, 80)}: expected who consents, and when. ${next}`,
            );
        } catch (error) {
            problems.push((error as Error).message);
        }
        return undefined;
    });
    return problems.length === 0 ? { given } : { given, givenProblem: problems.join("; ") };
}

/** No run needs the used consents, so one that cannot read them goes on. Who consents again without them is told. */
function usedOf(read: Read, remove: string): Pick<Approvals, "used" | "usedProblem"> {
    const annotation = leaseAnnotations.usedConsents;
    const next = `\`${remove} ${annotation}-\` removes it, and with it what shows which plans have been approved and carried out`;
    try {
        const used = read<NonNullable<Approvals["used"]>>(annotation, next);
        const odd = Object.entries(used ?? {}).find(([, one]) => !isConsent(one));
        if (odd === undefined) {
            return used === undefined ? {} : { used };
        }
        return {
            usedProblem: `annotation ${annotation} holds ${JSON.stringify(odd[1])} for ${odd[0]}: expected who used it, and when. ${next}`,
        };
    } catch (error) {
        return { usedProblem: (error as Error).message };
    }
}

function isConsent(value: Partial<Consent> | null): boolean {
    return typeof value?.by === "string" && typeof value.at === "number" && !Number.isNaN(new Date(value.at).getTime());
}

function waitsOf(
    annotations: Readonly<Record<string, string>>,
    read: (annotation: string) => ApprovalWait | undefined,
): Pick<LeaseView, "approvalWaits"> {
    const waits = readAll(annotations, approvalWaitAnnotationPrefix, read);
    const named = waits.map(([suffix, wait]) => [`${approvalWaitAnnotationPrefix}${suffix}`, wait] as const);
    return named.length === 0 ? {} : { approvalWaits: Object.fromEntries(named) };
}

function timeOf(time: Date | string | undefined): number | undefined {
    return time ? new Date(time).getTime() : undefined;
}

function readAnnotation<T extends object>(
    lease: string,
    annotation: string,
    text: string | undefined,
    next = "Restore the original text before anything is done",
): T | undefined {
    if (!text) {
        return undefined;
    }
    const expected = `expected a JSON object, as pulumi-tidb writes it. ${next}`;
    let value: unknown;
    try {
        value = JSON.parse(text);
    } catch (error) {
        const why = (error as Error).message;
        throw new Error(`annotation ${annotation} of Lease ${lease} is invalid JSON (${why}): ${expected}`, {
            cause: error,
        });
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw new Error(`annotation ${annotation} of Lease ${lease} holds ${text.slice(0, 80)}: ${expected}`);
    }
    return value as T;
}
