import * as assert from "node:assert/strict";
import { deployed } from "./clusters";
import type { WorldOptions } from "./createWorld";
import { beginUp } from "./operate";
import { storeState } from "./pd";
import type { Goal } from "./program";
import { leadersOf } from "./regions";
import { pass, type Simulation } from "./simulation";
import { at as secondsOf, storeRuns } from "./truth";
import type { World } from "./world";

/** How long an upgrade of TiKV took, in seconds of the model's time. */
export interface Roll {
    /** From the first eviction to the return of the last store's leaders. */
    readonly whole: number;
    /** The part of it in which leaders left a store or returned to it, summed over the stores. */
    readonly moving: number;
    /**
     * The part that no operator can avoid if it takes one store after the other: until the leaders have left by the store's own gauge,
     * until the store is Up again, and until two thirds of the leaders are back in truth, whoever notices it when.
     */
    readonly physical: number;
}

/** How long a scale-in of TiKV took, in seconds of the model's time. */
export interface ScaleIn {
    /** From the request to PD until the run has ended. */
    readonly whole: number;
    /** From the request to PD until the store was Tombstone. */
    readonly drain: number;
}

interface SampledStore {
    readonly leaders: number;
    /** The leaders by its own gauge, if it has counted. */
    readonly gauge: number | undefined;
    readonly isUp: boolean;
    readonly isGone: boolean;
}

/** The truth of the stores at one moment, by pod. */
interface Sample {
    readonly at: number;
    readonly stores: ReadonlyMap<string, SampledStore>;
}

const sampleMilliseconds = 500;
const shareBack = 2 / 3;

/**
 * Upgrades TiKV of a cluster of the model.
 * @param goal the spec deployed before: its revision is r1
 * @param idleSeconds the time between the deployment and the upgrade, which moves it against the heartbeats of the stores
 */
export async function rollOf(goal: Goal, options: WorldOptions, idleSeconds = 0): Promise<Roll> {
    const cluster = await deployed(goal, options);
    const { world } = cluster.simulation;
    await pass(cluster.simulation, idleSeconds * 1_000);
    const since = world.log.length;
    const { samples } = await sampledUp(cluster, { ...goal, revision: "r2" });
    const times = (action: string, pod = "") => timesOf(world, since, action, pod);
    const [begun, ended, over] = ["begin-eviction", "end-eviction", "forget-eviction"].map((action) => times(action));
    const restarted = times("delete-pod", "basic-tikv-");
    for (const each of [begun, restarted, ended, over]) {
        assert.equal(each.length, goal.tikv);
    }
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const pods = Array.from({ length: goal.tikv ?? 0 }, (_, ordinal) => `basic-tikv-${ordinal}`);
    return {
        whole: Math.max(...over) - Math.min(...begun),
        moving: sum(restarted) - sum(begun) + sum(over) - sum(ended),
        physical: sum(pods.map((pod) => physicalOf(world, since, samples, pod))),
    };
}

/** Scales TiKV of a cluster of the model in by one store. */
export async function scaleInOf(goal: Goal, options: WorldOptions): Promise<ScaleIn> {
    const cluster = await deployed(goal, options);
    const { world } = cluster.simulation;
    const since = world.log.length;
    const { samples, endedAt } = await sampledUp(cluster, { ...goal, tikv: (goal.tikv ?? 0) - 1 });
    const [begun] = timesOf(world, since, "remove-store", "");
    const pod = `basic-tikv-${(goal.tikv ?? 0) - 1}`;
    return { whole: endedAt - begun, drain: firstAt(samples, begun, pod, ({ isGone }) => isGone) - begun };
}

/** When the actions were taken, in seconds of the log. */
function timesOf({ log }: World, since: number, action: string, text: string): number[] {
    return log
        .slice(since)
        .filter((line) => line.includes(`{"do":"${action}"`) && line.includes(text))
        .map((line) => Number(line.split(" ")[0]));
}

function physicalOf(world: World, since: number, samples: readonly Sample[], pod: string): number {
    const { id } = world.stores.find(({ podName, of }) => podName === pod && of === "ours") ?? {};
    const [begun] = timesOf(world, since, "begin-eviction", `"storeId":${id},`);
    const [stopped] = timesOf(world, since, "delete-pod", `"${pod}"`);
    const [ended] = timesOf(world, since, "end-eviction", `"storeId":${id},`);
    const before =
        samples
            .filter(({ at }) => at <= begun)
            .at(-1)
            ?.stores.get(pod)?.leaders ?? 0;
    const left = firstAt(samples, begun, pod, ({ gauge }) => gauge === 0) - begun;
    const down = firstAt(samples, stopped, pod, ({ isUp }) => !isUp);
    const up = firstAt(samples, down, pod, ({ isUp }) => isUp) - stopped;
    const back = firstAt(samples, ended, pod, ({ leaders }) => leaders >= Math.floor(before * shareBack)) - ended;
    return left + up + back;
}

function firstAt(samples: readonly Sample[], after: number, pod: string, holds: (store: SampledStore) => boolean) {
    const found = samples.find(({ at, stores }) => {
        const store = stores.get(pod);
        return at >= after && store !== undefined && holds(store);
    });
    assert.ok(found, `no sample of ${pod} after ${after} s`);
    return found.at;
}

/** Runs an update, and samples the truth of the stores from before it until it has ended. */
async function sampledUp({ simulation, stack }: Awaited<ReturnType<typeof deployed>>, goal: Goal) {
    const { world, timeline } = simulation;
    const began = world.log.length;
    const samples = [sampleOf(simulation)];
    const running = beginUp(simulation, stack, goal);
    const sample = () => {
        samples.push(sampleOf(simulation));
        if (!running.isOver()) {
            timeline.at(world.now + sampleMilliseconds, undefined, sample);
        }
    };
    timeline.at(world.now, undefined, sample);
    await timeline.play(running.isOver);
    const { ending, error } = running.result;
    assert.equal(ending, "done", `${error?.message}\n${world.log.slice(began).join("\n")}`);
    return { samples, endedAt: sampleOf(simulation).at };
}

function sampleOf({ world }: Simulation): Sample {
    const stores = world.stores
        .filter(({ of, engine }) => of === "ours" && engine === "tikv")
        .map((store) => {
            const isUp = storeRuns(world, store) && storeState(world, store.id) === "Up";
            const isGone = store.phase === "Tombstone";
            return [store.podName, { leaders: leadersOf(world, store.id), gauge: store.gauge, isUp, isGone }] as const;
        });
    return { at: Number(secondsOf(world)), stores: new Map(stores) };
}
