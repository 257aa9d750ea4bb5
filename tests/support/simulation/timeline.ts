/** What the timeline knows of a process. Times are milliseconds of the model's true time. */
export interface Suspendable {
    /** Nothing happens to it any more. */
    readonly isDead: boolean;
    /** What would happen to it earlier happens then. */
    readonly suspendedUntil: number;
}

/** What is to happen at a moment of the model's own time. */
interface Happening {
    at: number;
    /** Whose: a process that is suspended meets it once it goes on. `undefined`: the world's. */
    of: Suspendable | undefined;
    run: () => void;
}

/** Longer than any run of the model may take, in milliseconds: what is not over by then never ends. */
const longestMilliseconds = 24 * 3_600_000;

/** The order in which things happen to the processes of the model, and what brings its time forward. */
export class Timeline {
    private happenings: Happening[] = [];
    private current: Suspendable | undefined;

    /**
     * @param now the model's true time, which no process can read.
     * @param advance lets the world's time pass.
     */
    constructor(
        readonly now: () => number,
        private readonly advance: (milliseconds: number) => void,
    ) {}

    /** Has something happen at a time. What happens at the same time happens in the order in which it was planned. */
    at(at: number, of: Suspendable | undefined, run: () => void): void {
        let index = this.happenings.length;
        while (index > 0 && this.happenings[index - 1].at > at) {
            index -= 1;
        }
        this.happenings.splice(index, 0, { at, of, run });
    }

    /** Plays what is to happen until `isOver`. What is still under way then happens in a later play. */
    async play(isOver: () => boolean): Promise<void> {
        const began = this.now();
        const restore = this.takeOverIntervals();
        try {
            for (;;) {
                await settled();
                if (isOver()) {
                    return;
                }
                const next = this.happenings.shift();
                if (!next || this.now() - began > longestMilliseconds) {
                    throw new Error(
                        next ? "the run of the model does not end" : "somebody waits for what nobody will do",
                    );
                }
                this.advance(Math.max(0, next.at - this.now()));
                this.happen(next);
                while (this.happenings[0]?.at <= this.now() && this.happenings[0].of === next.of) {
                    this.happen(this.happenings.shift()!);
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

    /** The lock renews itself by `setInterval`: in the model that is an interval of the process that asks for it. */
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

/** Everything that follows from what has happened without waiting has been done. */
function settled(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
}
