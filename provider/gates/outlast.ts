import { KubernetesApiError } from "../cluster/apiCall";
import { LookAgain } from "../cluster/lookAgain";
import { PdError, type PdErrorCode } from "../pd/pdError";
import type { GatePorts } from "../cluster/ports";

/** For how long a run that is under way goes on trying: an API server that restarts, a PD that elects a leader. */
const patienceMilliseconds = 300_000;
const pauseMilliseconds = 1_000;
/** Trouble that was not seen for so long has passed. */
const passedAfterMilliseconds = 60_000;

/** Asks on behalf of a run. @returns what was answered; `undefined` where it may be better answered the next time. */
export type Ask = <T>(call: () => Promise<T>) => Promise<T | undefined>;

/**
 * @returns a way to ask that outlasts trouble that may pass by itself, for five minutes, and says so meanwhile. Where
 * `firstMustSucceed`, it does so only once something was answered: a cluster that cannot be reached at all is told at once.
 */
export function outlastTrouble(ports: GatePorts, firstMustSucceed: boolean): Ask {
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
            since = since === undefined || ports.now() - lastAt > passedAfterMilliseconds ? ports.now() : since;
            lastAt = ports.now();
            const waited = ports.now() - since;
            if (!answered || !mayPass(error) || waited >= patienceMilliseconds) {
                throw error;
            }
            const until = new Date(since + patienceMilliseconds).toTimeString().slice(0, 8);
            ports.progress.status(
                `waiting: ${(error as Error).message} (${Math.round(waited / 1000)} s, until ${until} at most)`,
            );
            await ports.sleep(pauseMilliseconds);
            return undefined;
        }
    };
}

const passing = new Set<PdErrorCode>(["PD_UNREACHABLE", "PD_NO_LEADER", "PD_NOT_READY"]);

/** Whether the same may succeed a moment later: nobody answered, or there is no leader right now. */
function mayPass(error: unknown): boolean {
    if (error instanceof KubernetesApiError || error instanceof LookAgain) {
        return error.mayPass;
    }
    if (error instanceof PdError) {
        return passing.has(error.code);
    }
    return error instanceof Error && mayPass(error.cause);
}
