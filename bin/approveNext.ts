import { visible } from "../components/problem";
import { readLease } from "../provider/cluster/leaseNotes";
import type { LeaseView } from "../provider/cluster/leaseView";
import { lockHolder } from "../provider/cluster/lockHolder";
import { NoSuchCluster } from "../provider/cluster/noSuchCluster";
import {
    type ApprovalWait,
    type Consent,
    describeGiven,
    isCurrentConsent,
    letsInWords,
    openWaits,
} from "../provider/lifecycle/vocabulary/approvals";
import { overdueWords } from "../status/statusWords";
import { timeInWords } from "../topology/timestamps";
import { type LeaseApi, onLease } from "./consentOnLease";
import { answerTo } from "./recordedConsent";

/** The cluster of the plan. */
type Cluster = Readonly<Record<"namespace" | "cluster", string>>;

/** How the person who consents is asked. */
export interface Asking {
    /** Shows the plan. */
    show(text: string): void;
    /** @returns whether the person consents to what was shown. */
    confirm(): Promise<boolean>;
}

/**
 * Shows the plan that a run has waited for longest, and consents to exactly that one: if a run no longer waits for it once the person has
 * answered, or it has become another plan, nothing is recorded.
 * @returns what to say.
 * @throws Error if no run waits for a plan, the person declines, or the plan is another one by then.
 */
export async function approveNext(api: LeaseApi, at: Cluster, { show, confirm }: Asking): Promise<string> {
    const { namespace, cluster } = at;
    const lease = await readLease(api, namespace, cluster);
    if (!lease) {
        throw new NoSuchCluster(namespace, cluster, api.server);
    }
    const now = lease.asOf ?? Date.now();
    const waits = waitsOf(lease, now).sort((one, other) => one.since - other.since);
    const consentTo = ({ digest }: ApprovalWait): Consent | undefined => {
        const given = lease.approvals?.given[digest] as Consent | undefined;
        return given && isCurrentConsent(given, now) ? given : undefined;
    };
    const open = waits.filter((wait) => consentTo(wait) === undefined);
    const [shown] = open as (ApprovalWait | undefined)[];
    if (shown === undefined) {
        const [first] = waits.flatMap((wait) => consentTo(wait) ?? []) as (Consent | undefined)[];
        if (first !== undefined) {
            return `${waits[0].digest} of ${namespace}/${cluster}: ${describeGiven(first)}; nothing was recorded`;
        }
        const problem = lease.waitsProblem === undefined ? "" : `. ${lease.waitsProblem}`;
        throw new Error(
            `no run waits for approval of a plan of ${namespace}/${cluster}${problem}. Nothing was recorded. To consent before a run asks, pass the digest that \`pulumi preview\` shows`,
        );
    }
    show(planInWords(at, shown, open.length - 1, now));
    if (!(await confirm())) {
        throw new Error("not approved: nothing was recorded");
    }
    return onLease(api, { ...at, digest: shown.digest }, (live, then) => {
        const current = waitsOf(live, then);
        if (!current.some((one) => isSamePlan(one, shown))) {
            throw new Error(
                `no run waits for approval of the plan that was shown (${shown.digest}) any more: it has ended, or its plan has changed. Nothing was recorded. Run this command again to see the plan that waits now`,
            );
        }
        const found = { ...live.approvals, waitsProblem: live.waitsProblem };
        const { said, isNew } = answerTo(`${namespace}/${cluster}`, shown.digest, current, false, found, then);
        return isNew ? { said, write: { by: lockHolder(), at: then } } : { said };
    });
}

function waitsOf({ approvalWaits, approvals }: LeaseView, now: number): ApprovalWait[] {
    return openWaits(Object.values(approvalWaits ?? {}), approvals?.used, now);
}

/** The digest covers the steps, with their risks. */
function isSamePlan(one: ApprovalWait, shown: ApprovalWait): boolean {
    return one.digest === shown.digest && one.of === shown.of && one.lets === shown.lets;
}

function planInWords({ namespace, cluster }: Cluster, wait: ApprovalWait, others: number, now: number): string {
    const { digest, of, by, since, at, steps = [] } = wait;
    const overdue = overdueWords(new Date(at).toISOString(), new Date(now).toISOString());
    const lines = [
        `${of} (${namespace}/${cluster}) waits for approval of plan ${digest}, run by ${by}, since ${timeInWords(since)}${overdue && `; it was ${overdue}`}`,
        `A consent lets through: ${letsInWords(wait)}`,
        ...steps.map((step) => `  - ${step}`),
        ...(others === 0 ? [] : [`${others} more ${others === 1 ? "plan waits" : "plans wait"} after this one`]),
    ];
    return lines.map((line) => `${visible(line)}\n`).join("");
}
