import type { Lag } from "../cluster/gatePorts";
import type { EndedBy } from "../lifecycle/vocabulary/endedBy";
import { waitKey } from "../lifecycle/vocabulary/memory";
import type { Move, WaitMove } from "../lifecycle/vocabulary/move";
import type { Observation } from "../lifecycle/vocabulary/observation";

/** A watch may have stalled without a sign, so the API server is asked again after this time. */
const confirmAfterMilliseconds = 300_000;
/**
 * How long before a wait for Kubernetes times out nothing is left to earlier answers. A pod must be seen Ready for
 * `minReadySeconds`: if that begins to be seen at the timeout, the wait fails although the pod has long been Ready.
 */
const lastMilliseconds = 60_000;

/**
 * Whether the API server has confirmed what a run waits for. As long as it has, looks may use what it said last, until a
 * watch hears of a change. The watch may be behind, so such a look can only prolong the confirmed wait.
 */
export class Confirmation {
    /** When the API server last confirmed that there is something to wait for. */
    private at: number | undefined;
    /** What it confirmed. A look that is behind may wait for something else, whose timeout means nothing. */
    private wait: string | undefined;
    private endedBy: EndedBy | undefined;
    /** From when on earlier answers are not used, however recent the confirmation is. */
    private until = Infinity;

    /** @returns which earlier answers the next look may use; `undefined` if none. */
    lag(now: number): Lag | undefined {
        const isRecent = this.at !== undefined && now - this.at < confirmAfterMilliseconds && now < this.until;
        return isRecent ? (this.endedBy === undefined ? {} : { endedBy: this.endedBy }) : undefined;
    }

    /**
     * @param isStopped whether somebody has asked the run to stop.
     * @returns whether the move may be made. If not, the next look asks the API server.
     */
    allows(move: Move, observation: Observation, isStopped: boolean, now: number): boolean {
        // A watch can miss that a condition was lost for a moment, so whether it has held all the time is never left to it.
        const isLongWait = move.kind === "wait" && move.steadyAt === undefined;
        const wait = isLongWait ? waitKey(move.waitAs ?? move.step, move.target) : undefined;
        if (!observation.mayLag) {
            [this.at, this.wait] = [isLongWait ? now : undefined, wait];
            this.expect(isLongWait ? move : {});
            return true;
        }
        if (!isStopped && (move.kind === "look" || (isLongWait && wait === this.wait))) {
            this.expect(isLongWait ? move : {});
            return true;
        }
        this.at = undefined;
        return false;
    }

    private expect({ endedBy, until }: Pick<WaitMove, "endedBy" | "until">): void {
        this.endedBy = endedBy;
        this.until = endedBy === "kubernetes" && until !== undefined ? until - lastMilliseconds : Infinity;
    }
}
