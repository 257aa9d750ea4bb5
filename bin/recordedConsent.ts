import { visible } from "../components/problem";
import type { LeaseView } from "../provider/cluster/leaseView";
import { lockHolder } from "../provider/cluster/lockHolder";
import {
    type Approvals,
    type ApprovalWait,
    type Consent,
    describeGiven,
    endsSoon,
    isCurrentConsent,
    letsInWords,
    openWaits,
} from "../provider/lifecycle/vocabulary/approvals";
import { overdueWords } from "../status/statusWords";
import { timeInWords } from "../topology/timestamps";
import { type ConsentTo, type LeaseApi, onLease } from "./consentOnLease";

/** Records a consent as the Lease was read. @returns what to say. @throws Error as `answerTo`, or if the API server does not record it. */
export function consent(api: LeaseApi, { ahead, ...plan }: ConsentTo & { ahead: boolean }): Promise<string> {
    const { namespace, cluster, digest } = plan;
    return onLease(api, plan, ({ approvalWaits, waitsProblem, approvals }, now) => {
        const waits = Object.values(approvalWaits ?? {});
        const found = { ...approvals, waitsProblem };
        const { said, isNew } = answerTo(`${namespace}/${cluster}`, digest, waits, ahead, found, now);
        return isNew ? { said, write: { by: lockHolder(), at: now } } : { said };
    });
}

/**
 * @param waits what runs wait for, as the Lease notes it, as far as it can be read.
 * @param isAhead whether the consent is for a plan that no run asks for yet.
 * @param approvals the consents that are given, and those that were used. Default: none.
 * @param now the time with which their times are compared.
 * @returns what is approved, as far as that is known, and whether the consent is new.
 * @throws Error if runs wait for other plans, or if the consent was used, or may have been, and no run asks for the plan again.
 */
export function answerTo(
    cluster: string,
    digest: string,
    waits: readonly ApprovalWait[],
    isAhead: boolean,
    { given = {}, used = {}, usedProblem, waitsProblem }: Partial<Approvals> & Pick<LeaseView, "waitsProblem"> = {},
    now = 0,
): { said: string; isNew: boolean } {
    const current = openWaits(waits, used, now);
    const wait = current.find((one) => one.digest === digest);
    const [other] = current;
    const overdue = ({ at }: ApprovalWait, begin: string): string => {
        const words = overdueWords(new Date(at).toISOString(), new Date(now).toISOString());
        return words === "" ? "" : `${begin}${words}`;
    };
    if (other && !wait && !isAhead) {
        throw new Error(
            visible(
                `a run waits for approval of ${other.digest}, not of ${digest} (${other.of}: ${letsInWords(other)}; run by ${other.by}${overdue(other, "; ")}). Nothing was recorded. Look at that plan; to consent to one that is not asked for yet, add --ahead`,
            ),
        );
    }
    const before = given[digest] as Consent | undefined;
    if (before && isCurrentConsent(before, now) && !endsSoon(before, now)) {
        return { said: `${digest} of ${cluster}: ${describeGiven(before)}; nothing was recorded`, isNew: false };
    }
    if (before && endsSoon(before, now)) {
        const from = `by ${before.by}, of ${timeInWords(before.at)}`;
        const said = `renewed the consent to plan ${digest} of ${cluster} (${from}), which would have ended within a day: it counts for a week from now`;
        return { said, isNew: true };
    }
    if (wait) {
        const said = `approved ${digest} of ${cluster}: ${letsInWords(wait)} (${wait.of}, run by ${wait.by})${overdue(wait, "; the run was ")}`;
        return { said, isNew: true };
    }
    if (waitsProblem !== undefined && !isAhead) {
        throw new Error(
            `whether a run waits for another plan than ${digest} is not known: ${waitsProblem}. Nothing was recorded. To consent all the same, add --ahead`,
        );
    }
    if (usedProblem !== undefined && !isAhead) {
        throw new Error(
            `whether the consent to ${digest} was used before is not known: ${usedProblem}. Nothing was recorded. To consent all the same, add --ahead`,
        );
    }
    const taken = used[digest] as Consent | undefined;
    if (taken && isCurrentConsent(taken, now) && !isAhead) {
        throw new Error(
            `the consent to ${digest} by ${taken.by} was used at ${timeInWords(taken.at)}, and each consent is used once. Nothing was recorded. If a preview shows this plan again, as after a run that failed, add --ahead`,
        );
    }
    const asks = other
        ? `a run waits for approval of another plan, ${other.digest}${overdue(other, "; it was ")}`
        : "no run waits for approval now";
    const said = `recorded the consent to plan ${digest} of ${cluster}; ${asks}. The next run whose plan has this digest uses it, within a week. This command does not compare the digest with a plan: a preview shows whether the plan is approved. Without \`operations.approval\` no run asks`;
    return { said, isNew: true };
}
