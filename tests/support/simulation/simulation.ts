import { advance as advanceWorld } from "./advance";
import { createWorld, type WorldOptions } from "./createWorld";
import { Timeline } from "./timeline";
import type { World } from "./world";

/** A world of the model and the timeline of its processes. */
export interface Simulation {
    world: World;
    timeline: Timeline;
}

export function createSimulation(options: WorldOptions = {}): Simulation {
    return simulationOf(createWorld(options));
}

/** @returns a copy, without events that are still planned */
export function copySimulation({ world }: Simulation): Simulation {
    return simulationOf(structuredClone(world));
}

function simulationOf(world: World): Simulation {
    return {
        world,
        timeline: new Timeline(
            () => world.now,
            (milliseconds) => advanceWorld(world, milliseconds),
        ),
    };
}

/** Lets time pass while no process runs. Requests that a dead process has sent still arrive. */
export async function pass({ world, timeline }: Simulation, milliseconds: number): Promise<void> {
    let isOver = false;
    timeline.at(world.now + milliseconds, undefined, () => (isOver = true));
    await timeline.play(() => isOver);
}
