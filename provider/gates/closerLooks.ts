import type { Lag } from "../cluster/gatePorts";
import { type Look, lookCloser, type LookOptions } from "../lifecycle/vocabulary/look";

/** What a run observes: what its operation always needs, and what a decision has asked for besides, as long as it needs it. */
export class CloserLooks {
    private now: LookOptions;
    /** The wait that the run was in when it last decided to wait. */
    private wait: string | undefined;
    /** Whether something was asked for since then. */
    private isAsked = false;
    /** Whether the next look only adds to what was just seen. */
    private isAdding = false;

    /** @param always what the operation always needs. */
    constructor(private readonly always: LookOptions) {
        this.now = always;
    }

    /** What to observe now. */
    get options(): LookOptions {
        return this.now;
    }

    /**
     * A decision asks for more.
     * @param isAdding whether that may be added to what it was made from.
     * @throws Error if that was observed already.
     */
    closer(at: Look, isAdding: boolean): void {
        this.now = lookCloser(this.now, at);
        this.isAsked = true;
        this.isAdding = isAdding;
    }

    /** @returns how the look that is made now saves questions, if it adds to the one before. If it fails, the next one does not add. */
    lag(): Lag | undefined {
        const { isAdding } = this;
        this.isAdding = false;
        return isAdding ? { isCloser: true } : undefined;
    }

    /**
     * The run waits. If it waits for something else than before, what it asked for is no longer needed: the store, for example, has no
     * leaders and restarts.
     * @param wait identifies the wait.
     */
    waits(wait: string): void {
        if (wait !== this.wait && !this.isAsked) {
            this.now = this.always;
        }
        [this.wait, this.isAsked] = [wait, false];
    }

    /** The run has acted: what is needed next is decided anew. */
    reset(): void {
        [this.now, this.wait, this.isAsked] = [this.always, undefined, false];
    }
}
