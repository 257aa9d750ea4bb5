import * as fc from "fast-check";
import { faults, interruption, policies, sizes, worldOptions } from "./arbitraries";
import { deployed, type Deployed } from "./clusters";
import type { WorldOptions } from "./createWorld";
import type { Fault } from "./fault";
import { heal, strike } from "./faults";
import { type Course, courseOf, foreseenCourse } from "./foreseenStop";
import { foreseenBy, type Goal, up } from "./operate";
import type { Interruption } from "./process";
import { pass } from "./simulation";

/** An update that ends half done or not, with faults that come and go in it. */
interface EarlierUpdate {
    readonly to: Goal;
    readonly interruption?: Interruption;
    /** Counted from its start. */
    readonly faults: readonly Fault[];
}

/** Updates and faults, and then a preview and its update, during which nothing else happens. */
export interface DryRunStory {
    readonly options: WorldOptions;
    readonly from: Goal;
    readonly earlier: readonly EarlierUpdate[];
    /** What begins after them, and lasts. */
    readonly lasting: readonly Fault[];
    /** The time from these faults to the preview, in milliseconds. */
    readonly pause: number;
    readonly to: Goal;
}

/** What the preview says of the update, and what that did. */
export interface Compared {
    readonly foreseen: Course;
    readonly update: Course;
    readonly log: readonly string[];
}

// How young a pod is, a preview sees by the clock of the API server.
const quiet = worldOptions.map(({ watchLag: _, clocks: _clocks, delays, ...options }) => ({
    ...options,
    delays: { write: 0, ...delays, login: 0 },
    // A run then looks less often while it waits, which costs less time.
    latency: { kubernetes: 150, pd: 300 },
}));
/** What lasts for longer than an update waits. */
const lasts = { at: 0, seconds: 36_000 };
const component = fc.constantFrom("pd" as const, "tikv" as const, "tikv" as const, "tiflash" as const, "tidb" as const);
const ordinal = fc.nat(4);
/** What a preview can see of the cluster. */
const lasting: fc.Arbitrary<Fault> = fc
    .oneof(
        {
            weight: 6,
            arbitrary: fc.record({
                kind: fc.constantFrom(
                    "node-down",
                    "node-cut",
                    "node-cordoned",
                    "node-cordoned",
                    "crash",
                    "sidecar-down",
                ),
                component,
                ordinal,
            }),
        },
        { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("foreign-eviction", "limit-set"), ordinal }) },
        {
            weight: 1,
            arbitrary: fc.record({ kind: fc.constantFrom("pd-leader-moves", "nodes-full", "eviction-lost") }),
        },
    )
    .map((one) => ({ ...lasts, ...one }) as Fault);

// Two members have no quorum while one restarts, and either may lead afterwards.
const clusters = sizes.map(({ pd, ...others }) => ({ ...others, pd: pd === 2 ? 3 : pd }));
const goal = fc
    .record({
        size: clusters,
        policy: policies,
        revision: fc.constantFrom("r1", "r2", "r2", "r3"),
        failover: fc.constantFrom(undefined, undefined, { periodSeconds: 60, budget: 2 }),
    })
    .map(({ size, ...others }): Goal => ({ ...size, ...others }));

const earlier = fc.record(
    {
        to: fc.tuple(goal, fc.boolean()).map(([to, isBad]) => (isBad ? to : { ...to, revision: "r2" })),
        interruption,
        faults,
    },
    { requiredKeys: ["to", "faults"] },
);

export const dryRunStories: fc.Arbitrary<DryRunStory> = fc
    .record({
        options: quiet,
        from: goal,
        earlier: fc.array(earlier, { maxLength: 2 }),
        lasting: fc.oneof(fc.constant([]), fc.array(lasting, { minLength: 1, maxLength: 2 })),
        pause: fc.constantFrom(0, 3_000, 12_000, 25_000, 90_000, 180_000, 1_860_000),
        to: goal,
        keeps: fc.constantFrom("size", "size", "all but the revision", "nothing"),
        hasTiflashStayed: fc.constantFrom(true, true, true, false),
    })
    .map(({ keeps, hasTiflashStayed, from, to, ...story }) => {
        const { pd, tikv, tidb, tiflash } = from;
        const kept =
            keeps === "nothing"
                ? to
                : keeps === "size"
                  ? { ...to, pd, tikv, tidb, tiflash }
                  : { ...from, revision: to.revision };
        return {
            ...story,
            from: { ...from, revision: "r1" },
            to: hasTiflashStayed ? { ...kept, tiflash: kept.tiflash ?? tiflash } : { ...kept, tiflash: undefined },
        };
    });

/** @returns whether the program lets several pods leave or restart at once. */
export function isSideBySide({ policy = {} }: Goal): boolean {
    const { scaleInParallelism = 1, parallelism = 1, maxUnavailable = 1 } = policy;
    return [scaleInParallelism, parallelism, maxUnavailable].some((one) => one !== 1);
}

/** Plays the story up to the preview. */
async function reach({ options, from, earlier: updates, lasting: struck, pause }: DryRunStory): Promise<Deployed> {
    const { simulation, stack } = await deployed(from, options);
    const { world } = simulation;
    await pass(simulation, 60_000);
    for (const { to, interruption: ends, faults: all } of updates) {
        world.faults = structuredClone(all).map((one) => (one.after ? one : { ...one, at: world.now + one.at }));
        await up(simulation, stack, to, ends);
    }
    heal(world);
    // When a pod starts that is being started is not known. Kubernetes does not know of a node's end at once.
    await pass(simulation, (options.delays?.start ?? 0) + (struck.length > 0 ? 0 : pause));
    struck.forEach((one) => strike(world, one));
    await pass(simulation, struck.length > 0 ? Math.max(90_000, pause) : 0);
    return { simulation, stack };
}

/** Plays the story, and compares. */
export async function compare(story: DryRunStory): Promise<Compared> {
    const { simulation, stack } = await reach(story);
    const { world } = simulation;
    const foreseen = foreseenCourse(await foreseenBy(simulation, stack, story.to));
    const since = world.log.length;
    const result = await up(simulation, stack, story.to, undefined, { triesWhatFails: true });
    return { foreseen, update: courseOf(result, world, since), log: world.log };
}
