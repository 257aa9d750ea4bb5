import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import { PdError } from "../pd/pdError";

/** Codes of errors that are not PD's own answer. */
const noAnswerCodes = new Set<string>(["PD_UNREACHABLE", "PD_NO_LEADER", "PD_BAD_ANSWER"]);

/** The queries of one observation of PD. Each stands alone: if one fails, only its own fact is not known. */
export class PdQueries {
    private readonly failures: Error[] = [];
    private answers = 0;

    /** @param now the run's own clock. */
    constructor(private readonly now: () => number) {}

    /** @returns the call's answer as a fact; not known if the call fails, with the reason. */
    async fact<T>(call: () => Promise<T>): Promise<Fact<T>> {
        return this.either(async () => known(await call(), "PD", this.now()));
    }

    /** Like `fact`, for a call that can itself return that something is not known. */
    async either<T>(call: () => Promise<Fact<T>>): Promise<Fact<T>> {
        const at = this.now();
        try {
            const fact = await call();
            this.answers += fact.known ? 1 : 0;
            // The fact dates from the question: PD may have read its state at any time since then.
            return fact.known ? { ...fact, at: Math.min(fact.at, at) } : fact;
        } catch (error) {
            if (isNoAnswer(error)) {
                this.failures.push(error as Error);
            } else {
                this.answers += 1;
            }
            return notKnown((error as Error).message);
        }
    }

    /** @throws Error of the first query if PD answered none of them: PD as a whole is unreachable. */
    assertAnswered(): void {
        if (this.answers === 0 && this.failures.length > 0) {
            throw this.failures[0];
        }
    }

    /** An answer that PD never gives: waiting does not help. */
    get badAnswer(): Error | undefined {
        return this.failures.find(isBadAnswer);
    }
}

/** @returns whether the server is not a PD, or its answer is not one that PD gives. */
export function isBadAnswer(error: unknown): boolean {
    return error instanceof PdError && error.code === "PD_BAD_ANSWER";
}

/** @returns whether the call got no answer from a PD. */
function isNoAnswer(error: unknown): boolean {
    return !(error instanceof PdError) || noAnswerCodes.has(error.code);
}

/** @returns whether PD reports that no store has ever started. */
export function isNotBootstrapped(error: unknown): boolean {
    return error instanceof PdError && error.code === "PD_NOT_BOOTSTRAPPED";
}
