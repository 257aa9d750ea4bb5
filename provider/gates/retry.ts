import { KubernetesApiError } from "../cluster/apiCall";
import { StaleDecision } from "../cluster/staleDecision";
import { PdError, type PdErrorCode } from "../pd/pdError";
import type { GatePorts } from "../cluster/ports";

/** For how long a run that is under way goes on trying: an API server that restarts, a PD that elects a leader. */
const retryForMilliseconds = 300_000;
const pauseMilliseconds = 1_000;
/** Trouble that was not seen for so long has passed. */
const forgetAfterMilliseconds = 60_000;

/** Asks on behalf of a run. @returns what was answered; `undefined` where it may be better answered the next time. */
export type Retrying = <T>(call: () => Promise<T>) => Promise<T | undefined>;

/**
 * @returns a way to ask that outlasts trouble that may pass by itself, for five minutes, and says so meanwhile. Where
 * `firstMustSucceed`, it does so only once something was answered: a cluster that cannot be reached at all is told at once.
 */
export function retryTransient(ports: GatePorts, firstMustSucceed: boolean): Retrying {
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
            // What went wrong once, minutes ago, is not what goes wrong now: between two actions nothing is asked here.
            since = since === undefined || ports.now() - lastAt > forgetAfterMilliseconds ? ports.now() : since;
            lastAt = ports.now();
            const waited = ports.now() - since;
            if (!answered || !isTransient(error) || waited >= retryForMilliseconds) {
                throw error;
            }
            const until = new Date(since + retryForMilliseconds).toTimeString().slice(0, 8);
            ports.progress.status(
                `waiting: ${(error as Error).message} (${Math.round(waited / 1000)} s, until ${until} at most)`,
            );
            await ports.sleep(pauseMilliseconds);
            return undefined;
        }
    };
}

const transientCodes = new Set<PdErrorCode>(["PD_UNREACHABLE", "PD_NO_LEADER", "PD_NOT_READY"]);

/** Whether the same may succeed a moment later: nobody answered, or there is no leader right now. */
function isTransient(error: unknown): boolean {
    if (error instanceof KubernetesApiError || error instanceof StaleDecision) {
        return error.isTransient;
    }
    if (error instanceof PdError) {
        return transientCodes.has(error.code);
    }
    return error instanceof Error && isTransient(error.cause);
}
