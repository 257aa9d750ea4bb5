import type { ClusterKey } from "./clusterKey";
import type { Suspendable, Timeline } from "./timeline";
import type { Server } from "./world";

/** Where a run is cut: at its n-th change of the world, before it or right after it. */
export interface Interruption {
    change: number;
    when: "before" | "after";
    /** Killed at once; asked to stop at the next safe point; not answered; or suspended, and then it goes on. */
    how: "kill" | "stop" | "refuse" | "suspend";
    /** For how long it is suspended. Default: 30. */
    seconds?: number;
    /** Whether the machine sleeps meanwhile, so that the process's own clock stands still. Default: false. */
    asleep?: boolean;
}

/** How clocks of a process differ from the model's true time, in milliseconds. */
export interface Clocks {
    /** Ahead of it, or behind. */
    skew: number;
    /** Set to another time at some moment of the run: after how long, and by how much. */
    jump?: { after: number; by: number };
}

/** A request to a server that is slow is carried out late: nobody knows when. */
const slowMilliseconds = 2_500;

function latencyOf({ latency, slowUntil }: Server, now: number): number {
    return now < slowUntil ? slowMilliseconds : latency;
}

/** One `pulumi up`: a process with its own clocks, that can be suspended at any await, and killed. */
export class SimulatedProcess implements Suspendable {
    isDead = false;
    isStopRequested = false;
    suspendedUntil = 0;
    /** When its last look at the cluster began, by true time: what was so before could be known. */
    lookedAt = 0;
    lookHadPd = false;
    /** Changes of the world so far: actions, records, taking and giving back the lock. */
    changes = 0;
    private readonly began: number;
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
    ) {
        this.began = timeline.now();
    }

    /** Its own clock, which nobody sets and which stands still while the machine sleeps. */
    readonly now = (): number => this.timeline.now() + this.clocks.skew - this.slept;

    /** The clock of its machine, which somebody may set. */
    readonly wall = (): number => {
        const { skew, jump } = this.clocks;
        const jumped = jump && this.timeline.now() - this.began > jump.after ? jump.by : 0;
        return this.timeline.now() + skew + jumped;
    };

    /** Since the machine was started: its sleep counts, and nobody sets it. */
    readonly up = (): number => this.timeline.now() - this.began;

    sleep(milliseconds: number): Promise<void> {
        return new Promise((resolve) => this.timeline.at(this.timeline.now() + milliseconds, this, resolve));
    }

    /** Sends a request, which the server carries out when it arrives, whatever has become of the process. */
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

    /** Does something that changes the world. Here a run can be cut. */
    async change<T>(work: () => Promise<T>): Promise<T> {
        const here = this.interruptions.filter(({ change }) => change === this.changes);
        this.changes += 1;
        await this.meet(here.filter(({ when }) => when === "before"));
        const done = await work();
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
