import { visible } from "../components/problem";
import { KubernetesApiError } from "../provider/cluster/apiCall";
import type { KubernetesApi } from "../provider/cluster/kubernetesApi";
import { type LeaseView, readLease, recordConsent } from "../provider/cluster/leaseNotes";
import { NoSuchCluster } from "../provider/cluster/noSuchCluster";
import { type Approvals, type Consent, stopCommand } from "../provider/lifecycle/vocabulary/approvals";
import { timeInWords } from "../topology/timestamps";

/** The calls that a decision about a consent takes. */
export type LeaseApi = Pick<KubernetesApi, "server" | "readLease" | "patchLease" | "serverNow">;

/** The plan that a person consents to, or no longer. */
export interface ConsentTo {
    readonly namespace: string;
    readonly cluster: string;
    readonly digest: string;
}

/** Removes a consent as the Lease was read. @returns what to say. @throws Error if there is none, or if the API server does not remove it. */
export function withdrawal(api: LeaseApi, plan: ConsentTo): Promise<string> {
    const { namespace, cluster, digest } = plan;
    return onLease(api, plan, ({ approvals }) => {
        const { given = {}, used = {}, ...problems }: Partial<Approvals> = approvals ?? {};
        const before = given[digest] as Consent | undefined;
        if (before) {
            const of = `by ${before.by}, of ${timeInWords(before.at)}`;
            return {
                said: `withdrew the consent to plan ${digest} of ${namespace}/${cluster} (${of}): no run has used it, and none will`,
                write: undefined,
            };
        }
        const taken = used[digest] as Consent | undefined;
        if (taken) {
            throw new Error(
                `the consent to ${digest} by ${taken.by} was used at ${timeInWords(taken.at)}, so it cannot be withdrawn. Nothing was changed. To stop the run that used it: ${stopCommand(namespace, cluster)}`,
            );
        }
        const unread = [problems.givenProblem, problems.usedProblem].filter((one) => one !== undefined);
        throw new Error([`no consent to ${digest} is on record, so nothing was changed`, ...unread].join(". "));
    });
}

/** What to say, and what becomes of the consent: `write` is the new one, or undefined if it is removed. Without `write` it stays as it is. */
interface Answer {
    readonly said: string;
    readonly write?: Consent | undefined;
}

/** Decides from the Lease as it was read, and writes only onto that: otherwise it is read, and decided from, again. */
export async function onLease(
    api: LeaseApi,
    { namespace, cluster, digest }: ConsentTo,
    decide: (lease: LeaseView, now: number) => Answer,
): Promise<string> {
    for (let tries = 1; ; tries++) {
        const lease = await readLease(api, namespace, cluster);
        if (!lease) {
            throw new NoSuchCluster(namespace, cluster, api.server);
        }
        // By the API server's clock, as the run that uses it compares it: this machine's may be wrong.
        const answer = decide(lease, lease.asOf ?? Date.now());
        try {
            if ("write" in answer) {
                await recordConsent(api, namespace, cluster, digest, answer.write, lease.resourceVersion);
            }
            return visible(answer.said);
        } catch (error) {
            // A run has written the Lease since it was read: it may have used the consent.
            if (!(error instanceof KubernetesApiError && error.status === 409) || tries === mostTries) {
                throw error;
            }
        }
    }
}

const mostTries = 5;
