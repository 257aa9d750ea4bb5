import type { PdAttempt } from "./pdError";
import type { PdRequest } from "./request";
import type { Inconclusive } from "./verdict";

/** A call to PD, and when it may be sent again. */
export interface PdCall extends PdRequest {
    /** What the call is for, as in "delete store 6". */
    readonly purpose: string;
    /**
     * When the call may be sent again, to another member or to the same one. `always`: the call is idempotent;
     * `ifNotApplied`: only if PD certainly did not carry it out.
     */
    readonly retry: "always" | "ifNotApplied";
    /** Whether the call changes anything. Such calls are guarded, see `PdClient.guardedBy`. Default: false. */
    readonly changes?: true;
    /** The name of the only endpoint to ask. Default: any endpoint. */
    readonly only?: string;
    /** How long one request may take if the client's options do not set it. Default: 5000. */
    readonly timeoutMilliseconds?: number;
    /** What to do if PD refuses: a whole sentence. */
    readonly advice?: string;
}

/** Returns the call as messages name it. */
export function describeCall({ purpose, method, path }: PdCall): string {
    return `${purpose} (${method} ${path})`;
}

/** A request that did not settle its call. */
export interface Tried<R> {
    readonly route: R;
    readonly result: Inconclusive;
    /** Whether this request was the call's one retry. */
    readonly isRetry: boolean;
}

/** Which endpoint to ask next. */
export interface Step<R> {
    readonly route: R;
    readonly isRetry: boolean;
    /** Whether to wait first, so a transient problem can end. */
    readonly pause: boolean;
}

/**
 * Decides which endpoint to ask next, if any. A call tries each route once, in order, except that a leader that an
 * answer points to comes first. A call that PD may have carried out, and that is not idempotent, stops there. One
 * request of a call may be retried: at once if an idle connection had gone stale; otherwise, for a GET, at the end if a
 * problem may be transient.
 */
export function nextStep<R extends { readonly url: string }>(
    call: PdCall,
    order: readonly R[],
    tried: readonly Tried<R>[],
): Step<R> | undefined {
    const last = tried.at(-1);
    if (last?.result.maybeApplied && call.retry === "ifNotApplied") {
        return undefined;
    }
    const retried = tried.some(({ isRetry }) => isRetry);
    if (last?.result.stale && !retried) {
        return { route: last.route, isRetry: true, pause: false };
    }
    const untried = order.filter((route) => !tried.some((attempt) => attempt.route === route));
    const leader = untried.find(({ url }) => url === last?.result.leaderUrl);
    const next = leader ?? untried[0];
    if (next) {
        return { route: next, isRetry: false, pause: false };
    }
    const transient = tried.find(({ result }) => result.transient);
    const again = call.method === "GET" && !retried ? transient : undefined;
    return again && { route: again.route, isRetry: true, pause: true };
}

/** Returns the attempt as an error lists it. */
export function toAttempt({ route, result, isRetry }: Tried<{ readonly label: string }>): PdAttempt {
    return { endpoint: route.label, problem: isRetry ? `on retry: ${result.problem}` : result.problem };
}
