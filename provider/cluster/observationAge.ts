import { StaleDecision } from "./staleDecision";

/** How long after its end an observation may be acted on. */
const actWithinMilliseconds = 5_000;
/** How long an observation may take: what was read first is stale by its end. */
const longestObservationMilliseconds = 12_000;

/** The age of the observation that a gate decides from. */
export class ObservationAge {
    private last: { began: number; ended: number } | undefined;

    /** @param now a clock that counts sleep, in milliseconds. */
    constructor(private readonly now: () => number) {}

    /**
     * Observes, and records how long that took.
     * @param more adds to the observation before, which then took until now. It returns `undefined` if everything must be observed.
     */
    async measure<T>(look: () => Promise<T>, more?: () => Promise<T | undefined>): Promise<T> {
        const added = await more?.();
        if (added !== undefined && this.last) {
            this.last.ended = this.now();
            return added;
        }
        const began = this.now();
        const seen = await look();
        this.last = { began, ended: this.now() };
        return seen;
    }

    /**
     * @param ofOneTime whether all parts of the observation must be from about the same time. Otherwise only its end
     * counts: an unreachable PD makes an observation long, and the pods that repair PD are deleted only as observed.
     * @throws StaleDecision if there is no observation yet, or if it ended too long ago or took too long.
     */
    assertRecent(ofOneTime: boolean): void {
        const { last } = this;
        if (!last) {
            throw new StaleDecision("the cluster has not been observed: nothing was done");
        }
        const [age, took] = [this.now() - last.ended, last.ended - last.began];
        if (age > actWithinMilliseconds) {
            throw new StaleDecision(`the observation is ${seconds(age)} old, ${limit(actWithinMilliseconds)}`);
        }
        if (ofOneTime && took > longestObservationMilliseconds) {
            throw new StaleDecision(
                `observing the cluster took ${seconds(took)}, ${limit(longestObservationMilliseconds)}`,
            );
        }
    }
}

function limit(milliseconds: number): string {
    return `expected ${seconds(milliseconds)} at most: nothing was done; the cluster is observed again`;
}

function seconds(milliseconds: number): string {
    return `${Math.round(milliseconds / 100) / 10} s`;
}
