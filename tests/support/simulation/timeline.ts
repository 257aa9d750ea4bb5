/** The timeline's view of a process. Times are milliseconds of the model's true time. */
export interface Suspendable {
    /** Its events are dropped. */
    readonly isDead: boolean;
    /** Its earlier events are postponed to this time. */
    readonly suspendedUntil: number;
}

/** An event at a moment of the model's time. */
interface Happening {
    at: number;
    /** The process it belongs to, or `undefined` for the world. A suspended process gets it when it is resumed. */
    of: Suspendable | undefined;
    run: () => void;
}

/** The maximum duration of a run of the model, in milliseconds. A run that takes longer never ends. */
const longestMilliseconds = 24 * 3_600_000;

/** The order of the events of the model's processes. It also advances the model's time. */
export class Timeline {
    private happenings: Happening[] = [];
    private current: Suspendable | undefined;

    /**
     * @param now the model's true time, which no process can read
     * @param advance lets the world's time pass
     */
    constructor(
        readonly now: () => number,
        private readonly advance: (milliseconds: number) => void,
    ) {}

    /** Plans an event. Events at the same time happen in the order in which they were planned. */
    at(at: number, of: Suspendable | undefined, run: () => void): void {
        let index = this.happenings.length;
        while (index > 0 && this.happenings[index - 1].at > at) {
            index -= 1;
        }
        this.happenings.splice(index, 0, { at, of, run });
    }

    /** Whether a request is on its way: it arrives even if its sender is dead by then. */
    get hasRequests(): boolean {
        return this.happenings.some(({ of }) => of === undefined);
    }

    /** Plays events until `isOver`. Events that remain happen in a later play. */
    async play(isOver: () => boolean): Promise<void> {
        const began = this.now();
        const restore = this.takeOverIntervals();
        try {
            await settled();
            for (;;) {
                if (isOver()) {
                    return;
                }
                const next = this.happenings.shift();
                if (!next || this.now() - began > longestMilliseconds) {
                    throw new Error(
                        next ? "the run of the model does not end" : "a process waits, but no event is planned",
                    );
                }
                this.advance(Math.max(0, next.at - this.now()));
                this.happen(next);
                while (this.happenings[0]?.at <= this.now() && this.happenings[0].of === next.of) {
                    this.happen(this.happenings.shift()!);
                }
                // A server only writes its answer down: nobody has got it yet.
                if (next.of !== undefined) {
                    await settled();
                }
            }
        } finally {
            restore();
        }
    }

    private happen({ of, run }: Happening): void {
        this.current = of;
        if (of === undefined) {
            run();
        } else if (!of.isDead) {
            const wakesAt = of.suspendedUntil;
            if (wakesAt > this.now()) {
                this.at(wakesAt, of, run);
            } else {
                run();
            }
        }
    }

    /** The lock renews itself with `setInterval`. In the model the interval belongs to the process that calls it. */
    private takeOverIntervals(): () => void {
        const { setInterval: set, clearInterval: clear } = globalThis;
        globalThis.setInterval = ((work: () => void, milliseconds: number) => {
            const of = this.current;
            const interval = { isOver: false, unref: () => interval };
            const plan = () =>
                this.at(this.now() + milliseconds, of, () => {
                    if (!interval.isOver) {
                        work();
                        plan();
                    }
                });
            plan();
            return interval;
        }) as unknown as typeof set;
        globalThis.clearInterval = ((interval?: { isOver: boolean }) => {
            if (interval) {
                interval.isOver = true;
            }
        }) as unknown as typeof clear;
        return () => {
            globalThis.setInterval = set;
            globalThis.clearInterval = clear;
        };
    }
}

/** Waits until all promise callbacks that can run without waiting have run. */
function settled(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
}
