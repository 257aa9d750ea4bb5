import { shortDigest, shortDigestLength } from "../vocabulary/shortDigest";
import type { ApprovalPlan } from "./planToApprove";

const digestPattern = new RegExp(`^[0-9a-f]{${shortDigestLength}}$`);

/** @returns the digest of the plan. It is the same in the preview and in the run, as long as the plan is. */
export function approvalDigest({ steps, mode, namespace, cluster, leaseUid, ...plan }: ApprovalPlan): string {
    const { of, templateRevision, editedTo, version, replicas } = plan;
    const listed = steps.map(({ kind, target, risk, uid }) => [kind, target, risk, uid]);
    return digestOf([mode, namespace, cluster, leaseUid, of, templateRevision, editedTo, version, replicas, listed]);
}

/** @returns the digest of what the steps lead to, whichever of them are left. */
export function goalOf({
    leaseUid,
    of,
    templateRevision,
    updateRevision,
    version,
    replicas,
}: Omit<ApprovalPlan, "steps" | "begun">): string {
    return digestOf([leaseUid, of, templateRevision, updateRevision, version, replicas]);
}

/** In JSON, so that no two lists of values have the same text. */
function digestOf(values: readonly unknown[]): string {
    return shortDigest(JSON.stringify(values));
}

/** @returns whether the text can be a digest. */
export function isDigest(text: string): boolean {
    return digestPattern.test(text);
}

/** What a digest looks like, for messages. */
export const digestShape = `${shortDigestLength} hexadecimal digits in lower case, as the preview shows them`;
