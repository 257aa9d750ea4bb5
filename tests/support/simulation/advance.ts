import type { Fault } from "./fault";
import { strike } from "./faults";
import { stepKubernetes } from "./kubernetes";
import { stepPd } from "./pd";
import { stepElections } from "./regions";
import { stepScheduling } from "./scheduling";
import { stepProcesses } from "./tikv";
import type { World } from "./world";

/** What happens in the world is seen at the end of such a step. */
export const stepMilliseconds = 500;

/** Advances the world's time. What happens to processes happens in the timeline. */
export function advance(world: World, milliseconds: number): void {
    const end = world.now + milliseconds;
    for (let next = nextStep(world.now); next <= end; next = nextStep(world.now)) {
        world.now = next;
        step(world);
    }
    world.now = end;
}

function nextStep(now: number): number {
    return (Math.floor(now / stepMilliseconds) + 1) * stepMilliseconds;
}

function step(world: World): void {
    const isDue = ({ at, after }: Fault) => after === undefined && at <= world.now;
    if (world.faults.some(isDue)) {
        const due = world.faults.filter(isDue);
        world.faults = world.faults.filter((fault) => !due.includes(fault));
        due.forEach((fault) => strike(world, fault));
    }
    stepKubernetes(world, world.clusters.ours);
    stepKubernetes(world, world.clusters.theirs);
    stepPd(world);
    stepProcesses(world);
    stepElections(world);
    stepScheduling(world);
}
