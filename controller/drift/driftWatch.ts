import { type Pace, waitBeforeLook } from "../backOff";
import type { ControllerLog, LogFields } from "../controllerLog";
import { DriftEvents, type WriteEvents } from "./driftEvents";
import type { DriftMetrics } from "./driftMetrics";
import {
    changesOfProgram,
    type DriftedObject,
    driftOf,
    hasChanges,
    kindOf,
    obstaclesToRepair,
    titleOf,
} from "./judgeDrift";
import type { PreviewRun, ProgramRuns } from "./programRuns";

/** What a watch for drift uses. */
export interface DriftPorts {
    readonly runs: ProgramRuns;
    readonly stack: string;
    /** Whether what drifted is brought back. */
    readonly applies: boolean;
    readonly log: ControllerLog;
    readonly metrics: DriftMetrics;
    readonly pace: Pace;
    /** The time by the machine's clock, which Prometheus' clock agrees with, in milliseconds since 1970. */
    machineTime(): number;
    random(): number;
    readonly write: WriteEvents;
    /** Pauses; ends early when the signal does. */
    sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** How a watch ends. */
interface Ending {
    /** Nothing more is begun. */
    readonly over: AbortController;
    /** The run under way is asked to end. */
    readonly interrupt: AbortController;
}

/** What was told of an object, by its title. */
interface Told {
    readonly title: string;
    readonly line: string;
}

/**
 * Runs the program's preview again and again, and tells which objects somebody deleted or edited. It runs beside the clusters' loops,
 * never in one of them: a run of a program may take minutes, or fail.
 */
export class DriftWatch {
    private told = new Map<string, Told>();
    private lastProblem: string | undefined;
    private lastObstacle: string | undefined;
    private readonly events: DriftEvents;
    private failures = 0;
    private running: (Ending & { readonly done: Promise<void> }) | undefined;

    constructor(private readonly ports: DriftPorts) {
        this.events = new DriftEvents(ports.write, ports.log, ports.stack);
    }

    /** Begins to watch, unless it does already. */
    begin(): void {
        if (this.running === undefined) {
            const ending: Ending = { over: new AbortController(), interrupt: new AbortController() };
            const done = this.follow(ending).finally(() => (this.running = undefined));
            this.running = { ...ending, done };
        }
    }

    /**
     * Ends the watch. A run of the program is asked to end, as by Ctrl-C, and waited for: gates end at a safe point.
     * @param isAsked whether the run was asked already, as by a terminal: Pulumi ends at once if it is asked twice
     */
    async end(isAsked: boolean): Promise<void> {
        this.running?.over.abort();
        if (!isAsked) {
            this.running?.interrupt.abort();
        }
        await this.running?.done;
    }

    private async follow(ending: Ending): Promise<void> {
        const { sleep, random, pace, metrics } = this.ports;
        const over = ending.over.signal;
        // The clusters are looked at first.
        await sleep(Math.min(pace.every, 10_000) * random(), over);
        while (!over.aborted) {
            await sleep(await this.round(over, ending.interrupt.signal), over);
        }
        metrics.rest();
    }

    /** Looks once, and repairs if it may. Never rejects. @returns how long to wait before the next look, in milliseconds */
    private async round(over: AbortSignal, interrupt: AbortSignal): Promise<number> {
        const { log, metrics, stack, pace, random } = this.ports;
        try {
            const seen = await this.look(interrupt);
            if (this.ports.applies && seen.drifted.length > 0 && !over.aborted) {
                await this.bringBack(seen.isConflict, over, interrupt);
            } else {
                this.lastObstacle = undefined;
            }
            this.failures = 0;
            if (this.lastProblem !== undefined) {
                log.info("the program could be run again", { stack });
                this.lastProblem = undefined;
            }
        } catch (error) {
            // A run that was asked to end says that it failed.
            if (!over.aborted) {
                this.failures += 1;
                metrics.failed(stack);
                const { message } = error as Error;
                if (message !== this.lastProblem) {
                    log.error(message, { stack });
                }
                this.lastProblem = message;
            }
        }
        return waitBeforeLook(pace, this.failures, random());
    }

    private async look(interrupt: AbortSignal): Promise<{ drifted: readonly DriftedObject[]; isConflict: boolean }> {
        const { runs, metrics, stack, machineTime } = this.ports;
        const seen = await runs.preview(true, interrupt);
        // A preview that failed may not have come to the others.
        const isWhole = seen.failure === undefined || seen.failure.isConflict;
        const drifted = driftOf(seen, isWhole);
        const isConflict = seen.failure?.isConflict === true && drifted.length > 0;
        // What a run that was cut off has seen is less than there is.
        if (!interrupt.aborted) {
            this.tell(drifted, seen, isWhole);
        }
        if (!isConflict) {
            throwIfFailed(seen, "the program's preview failed");
        }
        metrics.looked(stack, machineTime() / 1000);
        return { drifted, isConflict };
    }

    /** The same drift again is counted, not told again. */
    private tell(drifted: readonly DriftedObject[], seen: PreviewRun, isWhole: boolean): void {
        const { log, metrics, stack } = this.ports;
        const news: [DriftedObject, string][] = [];
        const now = new Map<string, Told>(isWhole ? [] : this.told);
        for (const one of drifted) {
            const title = titleOf(one);
            const line =
                one.change === "deleted"
                    ? `somebody deleted ${title}`
                    : `somebody edited ${title}: ${one.differs.join(", ")}`;
            if (this.told.get(one.urn)?.line !== line) {
                log.warn(line, fieldsOf(one, stack));
                news.push([one, line]);
            }
            now.set(one.urn, { title, line });
        }
        for (const [urn, { title }] of this.told) {
            if (!now.has(urn)) {
                log.info(`${title} is as the program wants it again`, { stack });
            }
        }
        this.told = now;
        this.events.tell(news);
        if (isWhole) {
            const clusters = seen.refreshed.flatMap(({ cluster }) => cluster ?? []);
            metrics.found(stack, drifted, clusters);
        }
    }

    private async bringBack(isConflict: boolean, over: AbortSignal, interrupt: AbortSignal): Promise<void> {
        const { runs, log, metrics, stack } = this.ports;
        const plain = await runs.preview(false, interrupt);
        throwIfFailed(plain, "the program's preview without a refresh failed");
        const changes = changesOfProgram(plain);
        if (changes.length > 0) {
            this.refuse(changes);
            return;
        }
        const planned = await runs.plan(isConflict, interrupt);
        try {
            throwIfFailed(planned, "the preview of the repair failed");
            const obstacles = obstaclesToRepair(planned, driftOf(planned));
            if (obstacles.length > 0) {
                this.refuse(obstacles);
                return;
            }
            this.lastObstacle = undefined;
            if (over.aborted || !hasChanges(planned)) {
                return;
            }
            log.info("brings back what drifted, and nothing else", { stack });
            await planned.repair(interrupt).catch((error: Error) => {
                metrics.repaired(stack, "failure");
                throw new Error(`the repair failed: ${error.message}`, { cause: error });
            });
            metrics.repaired(stack, "success");
        } finally {
            await planned.close();
        }
        // Whether all is as the program wants it again, a look says, not the run.
        await this.look(interrupt);
    }

    private refuse(why: readonly string[]): void {
        const { log, metrics, stack } = this.ports;
        metrics.repaired(stack, "refused");
        const line = `does not repair what drifted: ${why.join("; ")}. Run \`pulumi preview --refresh\`, and decide`;
        if (line !== this.lastObstacle) {
            log.warn(line, { stack });
        }
        this.lastObstacle = line;
    }
}

function throwIfFailed({ failure }: PreviewRun, what: string): void {
    if (failure !== undefined) {
        throw new Error(`${what}: ${failure.problem}`);
    }
}

function fieldsOf(one: DriftedObject, stack: string): LogFields {
    return {
        stack,
        ...(one.namespace === undefined ? {} : { namespace: one.namespace }),
        ...one.cluster,
        object: kindOf(one),
        name: one.name,
        change: one.change,
        ...(one.differs.length === 0 ? {} : { differs: one.differs.join(", ") }),
    };
}
