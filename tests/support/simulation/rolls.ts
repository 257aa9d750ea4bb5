import * as assert from "node:assert/strict";
import { deployed } from "./clusters";
import type { WorldOptions } from "./createWorld";
import { up } from "./operate";
import type { Goal } from "./program";
import { pass } from "./simulation";
import type { World } from "./world";

/** How long an upgrade of TiKV took, in seconds of the model's time. */
export interface Roll {
    /** From the first eviction to the return of the last store's leaders. */
    readonly whole: number;
    /** The part of it in which leaders left a store or returned to it, summed over the stores. */
    readonly moving: number;
}

/**
 * Upgrades TiKV of a cluster of the model.
 * @param goal the spec deployed before: its revision is r1
 * @param idleSeconds the time between the deployment and the upgrade, which moves it against the heartbeats of the stores
 */
export async function rollOf(goal: Goal, options: WorldOptions, idleSeconds = 0): Promise<Roll> {
    const { simulation, stack } = await deployed(goal, options);
    const { world } = simulation;
    await pass(simulation, idleSeconds * 1_000);
    const since = world.log.length;
    const { ending, error } = await up(simulation, stack, { ...goal, revision: "r2" });
    assert.equal(ending, "done", `${error?.message}\n${world.log.slice(since).join("\n")}`);
    const times = (action: string, pod = "") => timesOf(world, since, action, pod);
    const [begun, ended, over] = ["begin-eviction", "end-eviction", "forget-eviction"].map((action) => times(action));
    const restarted = times("delete-pod", "basic-tikv-");
    for (const each of [begun, restarted, ended, over]) {
        assert.equal(each.length, goal.tikv);
    }
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    return {
        whole: Math.max(...over) - Math.min(...begun),
        moving: sum(restarted) - sum(begun) + sum(over) - sum(ended),
    };
}

/** When the actions were taken, in seconds of the log. */
function timesOf({ log }: World, since: number, action: string, text: string): number[] {
    return log
        .slice(since)
        .filter((line) => line.includes(`{"do":"${action}"`) && line.includes(text))
        .map((line) => Number(line.split(" ")[0]));
}
