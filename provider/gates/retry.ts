import { KubernetesApiError } from "../cluster/apiCall";
import { StaleDecision } from "../cluster/staleDecision";
import { PdError, type PdErrorCode } from "../pd/pdError";
import { clockTime } from "./clockTime";
import { reportWaits } from "./waitReports";
import type { GatePorts } from "../cluster/gatePorts";

/** How long a run in progress retries: long enough for an API server to restart and for PD to elect a leader. */
const retryForMilliseconds = 300_000;
const pauseMilliseconds = 1_000;
/** After this long without an error, the next error starts a new retry period. */
const forgetAfterMilliseconds = 60_000;
/** This many retry periods without one success are too many: every wait ends, also if each call takes minutes. */
const mostPeriods = 5;

/** Makes a call for a run. @returns its answer; `undefined` if it failed with a transient error and is to be retried. */
export type Retrying = <T>(call: () => Promise<T>) => Promise<T | undefined>;

/**
 * @returns a function that retries transient errors for five minutes and reports them meanwhile. With `firstMustSucceed`,
 * it retries only after one call has succeeded: a cluster that cannot be reached at all fails at once.
 */
export function retryTransient(ports: GatePorts, firstMustSucceed: boolean): Retrying {
    const waits = reportWaits(ports);
    let answered = !firstMustSucceed;
    let since: number | undefined;
    let lastAt = -Infinity;
    let periods = 0;
    return async (call) => {
        try {
            const answer = await call();
            answered = true;
            waits.over("the call was answered");
            since = undefined;
            periods = 0;
            return answer;
        } catch (error) {
            // An error from minutes ago is a different one: no call is made here between two actions.
            if (since === undefined || ports.now() - lastAt > forgetAfterMilliseconds) {
                since = ports.now();
                periods += 1;
            }
            lastAt = ports.now();
            const waited = ports.now() - since;
            const isOver = waited >= retryForMilliseconds || periods > mostPeriods;
            if (!answered || !isTransient(error) || isOver) {
                throw error;
            }
            const until = clockTime(since + retryForMilliseconds, lastAt);
            const lacks = (error as Error).message;
            waits.waiting("retry", lacks, `waiting: ${lacks} (${Math.round(waited / 1000)} s; fails at ${until})`);
            await ports.sleep(pauseMilliseconds);
            return undefined;
        }
    };
}

const transientCodes = new Set<PdErrorCode>(["PD_UNREACHABLE", "PD_NO_LEADER", "PD_NOT_READY"]);

/** Whether a retry may succeed: there was no answer, or PD has no leader right now. */
export function isTransient(error: unknown): boolean {
    if (error instanceof KubernetesApiError || error instanceof StaleDecision) {
        return error.isTransient;
    }
    if (error instanceof PdError) {
        return transientCodes.has(error.code);
    }
    return error instanceof Error && isTransient(error.cause);
}
