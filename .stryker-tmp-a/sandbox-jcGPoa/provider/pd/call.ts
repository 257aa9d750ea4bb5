import type { PdAttempt } from "./pdError";
import type { PdRequest } from "./request";
import type { Detour } from "./verdict";

/** A call to PD, and how it may be repeated. */
export interface PdCall extends PdRequest {
    /** What it is for, as in "delete store 6". */
    readonly purpose: string;
    /**
     * Whether the call may be sent again, to another member or once more:
     * `always`: twice does the same as once; `unhandled`: only while PD certainly did not carry it out.
     */
    readonly repeat: "always" | "unhandled";
    /** Whether it changes anything: such a call is guarded, see `PdClient.guardedBy`. Default: false. */
    readonly changes?: true;
    /** Ask the endpoint of this name, and no other. */
    readonly only?: string;
    /** How long one request may take where the client's options do not say. Default: 5000. */
    readonly timeoutMilliseconds?: number;
    /** What to do where PD refuses, a whole sentence. */
    readonly advice?: string;
}

/** A call as messages name it. */
export function describeCall({ purpose, method, path }: PdCall): string {
    return `${purpose} (${method} ${path})`;
}

/** A request of a call that did not settle it. */
export interface Tried<R> {
    readonly route: R;
    readonly detour: Detour;
    /** The call's one repeat. */
    readonly repeat: boolean;
}

/** Whom to ask next. */
export interface Step<R> {
    readonly route: R;
    readonly repeat: boolean;
    /** Give what was passing a moment to pass. */
    readonly pause: boolean;
}

/**
 * Decides whom to ask next, or that it is enough. A call goes once over the routes, in their order but for a leader that an
 * answer points to; a call that may already be carried out and would do it twice stops there. One request of a call may
 * be repeated: where an idle connection had gone stale at once, else a GET at the end, where the trouble may pass.
 */
export function nextStep<R extends { readonly url: string }>(
    call: PdCall,
    order: readonly R[],
    tried: readonly Tried<R>[],
): Step<R> | undefined {
    const last = tried.at(-1);
    if (last?.detour.perhapsDone && call.repeat === "unhandled") {
        return undefined;
    }
    const repeated = tried.some(({ repeat }) => repeat);
    if (last?.detour.stale && !repeated) {
        return { route: last.route, repeat: true, pause: false };
    }
    const untried = order.filter((route) => !tried.some((attempt) => attempt.route === route));
    const leader = untried.find(({ url }) => url === last?.detour.leaderUrl);
    const next = leader ?? untried[0];
    if (next) {
        return { route: next, repeat: false, pause: false };
    }
    const passing = tried.find(({ detour }) => detour.passing);
    const again = call.method === "GET" && !repeated ? passing : undefined;
    return again && { route: again.route, repeat: true, pause: true };
}

/** The attempt as an error lists it. */
export function toAttempt({ route, detour, repeat }: Tried<{ readonly label: string }>): PdAttempt {
    return { endpoint: route.label, problem: repeat ? `once more: ${detour.problem}` : detour.problem };
}
