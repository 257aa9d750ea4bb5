import { StaleDecision } from "./staleDecision";

/** For how long after its end a look may be acted on. */
const actWithinMilliseconds = 5_000;
/** How long a look may take: what was read first is old by its end. */
const longestObservationMilliseconds = 12_000;

/** How old what a gate decides from is. */
export class ObservationAge {
    private last: { began: number; ended: number } | undefined;

    /** @param now a clock in which sleep counts, in milliseconds. */
    constructor(private readonly now: () => number) {}

    /** Looks, and notes how long that took. */
    async measure<T>(look: () => Promise<T>): Promise<T> {
        const began = this.now();
        const seen = await look();
        this.last = { began, ended: this.now() };
        return seen;
    }

    /**
     * @param ofOneTime whether what is decided from must be of one time. Else only its end counts: a PD that is silent
     * makes a look long, and what brings it back is deleted as it was seen, or not at all.
     * @throws StaleDecision where nothing was looked at yet, or too long ago, or for too long.
     */
    assertRecent(ofOneTime: boolean): void {
        const { last } = this;
        if (!last) {
            throw new StaleDecision("the cluster was not looked at: nothing was done");
        }
        const [age, took] = [this.now() - last.ended, last.ended - last.began];
        if (age > actWithinMilliseconds) {
            throw new StaleDecision(`what was decided from is ${seconds(age)} old, ${limit(actWithinMilliseconds)}`);
        }
        if (ofOneTime && took > longestObservationMilliseconds) {
            throw new StaleDecision(
                `looking at the cluster took ${seconds(took)}, ${limit(longestObservationMilliseconds)}`,
            );
        }
    }
}

function limit(milliseconds: number): string {
    return `expected ${seconds(milliseconds)} at most: nothing was done, and the cluster is looked at again`;
}

function seconds(milliseconds: number): string {
    return `${Math.round(milliseconds / 100) / 10} s`;
}
