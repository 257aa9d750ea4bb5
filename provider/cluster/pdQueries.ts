import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import { PdError } from "../pd/pdError";

/** Codes of errors with which nobody has answered as PD does. */
const noAnswerCodes = new Set<string>(["PD_UNREACHABLE", "PD_NO_LEADER", "PD_BAD_ANSWER"]);

/** The questions of one look at PD. Each is answered by itself: one that fails is not known, and the others stay known. */
export class PdQueries {
    private readonly failures: Error[] = [];
    private answers = 0;

    /** @param now the run's own clock. */
    constructor(private readonly now: () => number) {}

    /** @returns what the call answers; not known where it fails, with why. */
    async fact<T>(call: () => Promise<T>): Promise<Fact<T>> {
        return this.either(async () => known(await call(), "PD", this.now()));
    }

    /** Likewise, of a call that can say itself that something is not known. */
    async either<T>(call: () => Promise<Fact<T>>): Promise<Fact<T>> {
        const at = this.now();
        try {
            const fact = await call();
            this.answers += fact.known ? 1 : 0;
            // As old as the question: what PD answers may have been so only when it was asked.
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

    /** @throws Error of the first question where PD answered none of them: it is silent as a whole. */
    assertAnswered(): void {
        if (this.answers === 0 && this.failures.length > 0) {
            throw this.failures[0];
        }
    }

    /** An answer that no PD gives: waiting does not make it right. */
    get badAnswer(): Error | undefined {
        return this.failures.find(isBadAnswer);
    }
}

/** @returns whether what answers is no PD, or writes what no PD writes. */
export function isBadAnswer(error: unknown): boolean {
    return error instanceof PdError && error.code === "PD_BAD_ANSWER";
}

/** @returns whether nobody has answered as PD does. */
function isNoAnswer(error: unknown): boolean {
    return !(error instanceof PdError) || noAnswerCodes.has(error.code);
}

/** @returns whether PD says that no store has ever started. */
export function isNotBootstrapped(error: unknown): boolean {
    return error instanceof PdError && error.code === "PD_NOT_BOOTSTRAPPED";
}
