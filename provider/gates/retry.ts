import { KubernetesApiError } from "../cluster/apiCall";
import { StaleDecision } from "../cluster/staleDecision";
import { PdError, type PdErrorCode } from "../pd/pdError";
import type { GatePorts } from "../cluster/gatePorts";

/** How long a run in progress retries: long enough for an API server to restart and for PD to elect a leader. */
const fiveMinutes = 300_000;
const pauseMilliseconds = 1_000;
/** After this long without an error, the next error starts a new retry period. */
const forgetAfterMilliseconds = 60_000;

/** Makes a call for a run. @returns its answer; `undefined` if it failed with a transient error and is to be retried. */
export type Retrying = <T>(call: () => Promise<T>) => Promise<T | undefined>;

/**
 * @returns a function that retries transient errors for a time, by default five minutes, and reports them meanwhile. With `firstMustSucceed`,
 * it retries only after one call has succeeded: a cluster that cannot be reached at all fails at once.
 */
export function retryTransient(
    ports: GatePorts,
    firstMustSucceed: boolean,
    forMilliseconds: number = fiveMinutes,
): Retrying {
    let answered = !firstMustSucceed;
    let since: number | undefined;
    let lastAt = -Infinity;
    return async (call) => {
        try {
            const answer = await call();
            answered = true;
            since = undefined;
            return answer;
        } catch (error) {
            // An error from minutes ago is a different one: no call is made here between two actions.
            since = since === undefined || ports.now() - lastAt > forgetAfterMilliseconds ? ports.now() : since;
            lastAt = ports.now();
            const waited = ports.now() - since;
            if (!answered || !isTransient(error) || waited >= forMilliseconds) {
                throw error;
            }
            const until = new Date(since + forMilliseconds).toTimeString().slice(0, 8);
            ports.progress.status(
                `waiting: ${(error as Error).message} (${Math.round(waited / 1000)} s, until ${until} at most)`,
            );
            await ports.sleep(pauseMilliseconds);
            return undefined;
        }
    };
}

const transientCodes = new Set<PdErrorCode>(["PD_UNREACHABLE", "PD_NO_LEADER", "PD_NOT_READY"]);

/** Whether a retry may succeed: there was no answer, or PD has no leader right now. */
function isTransient(error: unknown): boolean {
    if (error instanceof KubernetesApiError || error instanceof StaleDecision) {
        return error.isTransient;
    }
    if (error instanceof PdError) {
        return transientCodes.has(error.code);
    }
    return error instanceof Error && isTransient(error.cause);
}
