import type { ClusterKey } from "./clusterKey";
import type { Suspendable, Timeline } from "./timeline";
import type { Server } from "./world";

/**
 * Where a run is interrupted: at its n-th change of the world, right before or right after it, or between the two: while it logs in and
 * connects, before it sends the request.
 */
export interface Interruption {
    change: number;
    when: "before" | "connecting" | "after";
    /** The run is killed at once, asked to stop at the next safe point, gets no answer, or is suspended and resumed. */
    how: "kill" | "stop" | "refuse" | "suspend";
    /** How long it is suspended. Default: 30. */
    seconds?: number;
    /** Whether the machine sleeps during the suspension, so the process's own clock stops. Default: false. */
    asleep?: boolean;
}

/** How a process's clocks differ from the model's true time, in milliseconds. */
export interface Clocks {
    /** Ahead if positive, behind if negative. */
    skew: number;
    /** The clock is set to another time during the run: after how long, and by how much. */
    jump?: { after: number; by: number };
}

/** The delay of a request to a slow server. The sender does not know it. */
const slowMilliseconds = 2_500;

/** How long a login and a connection usually take at most. */
const connectMilliseconds = 50;

function latencyOf({ latency, slowUntil }: Server, now: number): number {
    return now < slowUntil ? slowMilliseconds : latency;
}

/** One `pulumi up`: a process with separate clocks that can be suspended at any await, and killed. */
export class SimulatedProcess implements Suspendable {
    isDead = false;
    isStopRequested = false;
    /** How long one login in twenty takes. Default: as long as the others. */
    stalledLogin = 0;
    suspendedUntil = 0;
    /** The true time at which its last look at the cluster started. It can know what was the case before that. */
    lookedAt = 0;
    lookHadPd = false;
    /** The number of changes to the world so far: actions, records, taking and releasing the lock. */
    changes = 0;
    private readonly began: number;
    private connecting: readonly Interruption[] = [];
    private slept = 0;
    private die: () => void = () => undefined;
    readonly death = new Promise<void>((resolve) => (this.die = resolve));

    constructor(
        readonly timeline: Timeline,
        /** The cluster that it works on. */
        readonly cluster: ClusterKey,
        /** Its name on the locks. */
        readonly holder: string,
        private readonly clocks: Clocks,
        private readonly interruptions: readonly Interruption[],
        /** Called right before and right after each change. */
        private readonly onChange: (when: Interruption["when"], change: number) => void = () => undefined,
    ) {
        this.began = timeline.now();
    }

    /** The monotonic clock, which cannot be set and which stops while the machine sleeps. */
    readonly now = (): number => this.timeline.now() + this.clocks.skew - this.slept;

    /** The machine's wall clock, which can be set. */
    readonly wall = (): number => {
        const { skew, jump } = this.clocks;
        const jumped = jump && this.timeline.now() - this.began > jump.after ? jump.by : 0;
        return this.timeline.now() + skew + jumped;
    };

    /** The time since the machine was started. It includes sleep and cannot be set. */
    readonly up = (): number => this.timeline.now() - this.began;

    sleep(milliseconds: number): Promise<void> {
        return new Promise((resolve) => this.timeline.at(this.timeline.now() + milliseconds, this, resolve));
    }

    /** Logs in and opens a connection for a change, which takes time that the process does not know before. */
    async connect(): Promise<void> {
        const { connecting } = this;
        this.connecting = [];
        const chance = hashOf(this.timeline.now() + this.changes);
        const isStalled = this.stalledLogin > 0 && chance % 20 === 0;
        await this.sleep(isStalled ? this.stalledLogin : chance % connectMilliseconds);
        await this.meet(connecting);
    }

    /** Sends a request. The server carries it out when it arrives, even if the process is dead by then. */
    send<T>(server: Server, work: () => T): Promise<T> {
        return new Promise((resolve, reject) => {
            const { now } = this.timeline;
            this.timeline.at(now() + latencyOf(server, now()), undefined, () => {
                let answer: () => void;
                try {
                    const value = work();
                    answer = () => resolve(value);
                } catch (error) {
                    answer = () => reject(error as Error);
                }
                this.timeline.at(now(), this, answer);
            });
        });
    }

    /** Makes a change to the world, at which a run can be interrupted. */
    async change<T>(work: () => Promise<T>): Promise<T> {
        const nth = this.changes;
        const here = this.interruptions.filter(({ change }) => change === nth);
        this.changes += 1;
        this.onChange("before", nth);
        await this.meet(here.filter(({ when }) => when === "before"));
        this.connecting = here.filter(({ when }) => when === "connecting");
        const done = await work();
        this.onChange("after", nth);
        await this.meet(here.filter(({ when }) => when === "after"));
        return done;
    }

    private async meet(here: readonly Interruption[]): Promise<void> {
        for (const { how, seconds = 30, asleep } of here) {
            switch (how) {
                case "kill":
                    this.isDead = true;
                    this.die();
                    return new Promise(() => undefined);
                case "stop":
                    this.isStopRequested = true;
                    break;
                case "refuse":
                    throw new Error("time-out");
                case "suspend":
                    this.suspendedUntil = this.timeline.now() + seconds * 1000;
                    this.slept += asleep ? seconds * 1000 : 0;
                    await this.sleep(0);
            }
        }
    }
}

/** A number that is as good as random, and the same in each run of a story. */
function hashOf(value: number): number {
    const mixed = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
    return (mixed ^ (mixed >>> 12)) >>> 0;
}
