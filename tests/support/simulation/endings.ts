import * as assert from "node:assert/strict";
import { assertReached, type Deployed } from "./clusters";
import { beginUp, type Goal, type Interruption, type RunResult, up } from "./operate";
import { copySimulation } from "./simulation";
import { whatRunsFind } from "./whatRunsFind";

/** How a run ends, whichever change it has reached. */
export type Ending = Omit<Interruption, "change">;

/** What a run left that ended at one of its changes. */
export interface Left extends Deployed {
    change: number;
    result: RunResult;
}

/** @returns a copy of a cluster on which nothing happens at the moment. */
export function copyOf({ simulation, stack }: Deployed): Deployed {
    return { simulation: copySimulation(simulation), stack: structuredClone(stack) };
}

/**
 * Ends an update at each of its changes in turn.
 * @param least how many changes it has at least
 * @param every ends it at every n-th change only
 * @returns what each of them left, until the update ends by itself first
 */
export async function* endedAtEachChange(
    origin: Deployed,
    goal: Goal,
    ending: Ending,
    least: number,
    every = 1,
): AsyncGenerator<Left> {
    const killed = ending.how === "kill" ? await killedAtEachChange(origin, goal, ending.when) : [];
    for (let change = 0; ; change += every) {
        const left = killed.at(change) ?? (await endedAt(origin, goal, { ...ending, change }));
        if (left.result.ending === "done" && left.result.changes <= change) {
            assert.ok(change >= least, `${change} changes`);
            return;
        }
        yield left;
    }
}

async function endedAt(origin: Deployed, goal: Goal, interruption: Interruption): Promise<Left> {
    const { simulation, stack } = copyOf(origin);
    const result = await up(simulation, stack, goal, interruption);
    return { simulation, stack, result, change: interruption.change };
}

/**
 * A killed run leaves the world as it is at that moment. So one run that nobody kills shows what all of them leave, unless a
 * request is on its way: then there is no entry, and a run must be killed to know.
 */
async function killedAtEachChange(
    origin: Deployed,
    goal: Goal,
    when: Interruption["when"],
): Promise<(Left | undefined)[]> {
    const { simulation, stack } = copyOf(origin);
    const { timeline } = simulation;
    const left: (Left | undefined)[] = [];
    const onChange = (at: Interruption["when"], change: number) => {
        if (at === when && !timeline.hasRequests) {
            const result: RunResult = { ...running.result, ending: "killed", changes: change + 1 };
            left[change] = { ...copyOf({ simulation, stack }), result, change };
        }
    };
    const running = beginUp(simulation, stack, goal, { onChange });
    await timeline.play(running.isOver);
    assert.equal(running.result.ending, "done", running.result.error?.message);
    return left;
}

/**
 * The next runs after runs that have ended. Those that find the same and want the same do the same, so only the first of them
 * is played.
 */
export class NextRuns {
    private readonly played = new Set<string>();

    /** Plays the next run, and checks that it reaches its goal. */
    async reach({ simulation, stack }: Deployed, goal: Goal): Promise<void> {
        const found = JSON.stringify([whatRunsFind(simulation.world, stack), goal]);
        if (!this.played.has(found)) {
            this.played.add(found);
            await assertReached(simulation, stack, goal, await up(simulation, stack, goal));
        }
    }
}
