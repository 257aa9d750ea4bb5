import type { ClusterStatus } from "../status/clusterStatus";
import { suspendedFinding } from "../topology/readyCondition";

/** Why a cluster does not come right by itself. */
export type StuckReason =
    /** It is not as wanted, and no run works on it. */
    | "NobodyWorksOnIt"
    /** A run that holds its lock no longer renews it: it was killed. */
    | "RunIsDead"
    /** A run waits for `pulumi-tidb approve`. */
    | "WaitsForApproval";

/** Since when, in milliseconds since 1970, a cluster has been in one state that a person may have to end. */
export interface Standstill {
    readonly reason: StuckReason;
    readonly since: number;
}

/** After this time a standstill counts as stuck, in milliseconds: shorter ones end by themselves, as a restarted pod does. */
const stuckAfterMilliseconds = 10 * 60_000;

/**
 * Returns the standstill of a cluster after another look; undefined if it is as wanted, or a run works on it.
 * A condition that is not known neither begins nor ends a standstill.
 */
export function standstillOf(
    status: Pick<ClusterStatus, "conditions" | "checks" | "members" | "operation" | "approvals">,
    before: Standstill | undefined,
    now: number,
): Standstill | undefined {
    const reason = reasonOf(status);
    if (reason === "not known") {
        return before;
    }
    return reason === undefined || before?.reason === reason ? reason && before : { reason, since: now };
}

function reasonOf({
    conditions,
    checks,
    members,
    operation,
    approvals,
}: Parameters<typeof standstillOf>[0]): StuckReason | "not known" | undefined {
    if (operation !== null) {
        return operation.isOverdue ? "RunIsDead" : undefined;
    }
    if (approvals.length > 0) {
        return "WaitsForApproval";
    }
    if (conditions.every(({ status }) => status === "True")) {
        return undefined;
    }
    // A member that the program suspends is not Ready, and nobody has to do anything about it.
    const wanted = members
        .filter(({ isSuspended }) => isSuspended)
        .flatMap(({ title }) => [suspendedFinding(title, true), suspendedFinding(title, false)]);
    const failed = checks.filter(({ result }) => result === "failed").flatMap(({ findings }) => findings);
    if (failed.some((finding) => !wanted.includes(finding))) {
        return "NobodyWorksOnIt";
    }
    return failed.length > 0 ? undefined : "not known";
}

/** Returns why a cluster is stuck; undefined if it is not, or not for long enough. */
export function stuckReason(standstill: Standstill | undefined, now: number): StuckReason | undefined {
    return standstill !== undefined && now - standstill.since >= stuckAfterMilliseconds ? standstill.reason : undefined;
}
