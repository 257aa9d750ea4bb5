import * as fc from "fast-check";
import { actionsOf } from "../../../provider/lifecycle/dryRun/dryRun";
import { sizes, worldOptions } from "./arbitraries";
import { deployed, shortTimeouts } from "./clusters";
import type { WorldOptions } from "./createWorld";
import type { Fault } from "./fault";
import { strike } from "./faults";
import { failureOf, inShort, stopOf, takenSince } from "./foreseenStop";
import { foreseenBy, type Goal, up } from "./operate";
import { pass } from "./simulation";

/** An update that is killed, faults that last, and a preview of the next update, which may have another program. */
export interface DryRunStory {
    readonly options: WorldOptions;
    readonly from: Goal;
    /** The change after which the first update is killed. */
    readonly killedAt: number;
    readonly faults: readonly Fault[];
    /** The time from the faults to the preview, in milliseconds. */
    readonly pause: number;
    readonly to: Goal;
}

/** Where the preview says that the update stops, where it did, and what each of them says that is done. */
export interface Compared {
    readonly foreseen: string | undefined;
    /** Whether the preview refuses the update, because it is certain to fail before a step. */
    readonly isRefused: boolean;
    readonly failed: string | undefined;
    readonly planned: readonly string[];
    readonly taken: readonly string[];
    readonly log: readonly string[];
}

const quiet = worldOptions.map(({ watchLag: _, clocks: _clocks, delays: _delays, ...options }) => options);
/** What lasts for longer than an update waits. */
const lasting = { at: 0, seconds: 36_000 };
const fault: fc.Arbitrary<Fault> = fc
    .oneof(
        {
            weight: 4,
            arbitrary: fc.record({
                kind: fc.constantFrom(
                    "node-down" as const,
                    "node-cut" as const,
                    "crash" as const,
                    "sidecar-down" as const,
                ),
                component: fc.constantFrom("pd" as const, "tikv" as const, "tikv" as const, "tidb" as const),
                ordinal: fc.nat(4),
            }),
        },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant("foreign-eviction" as const), ordinal: fc.nat(4) }) },
        { weight: 1, arbitrary: fc.constant({ kind: "pd-leader-moves" as const }) },
    )
    .map((one) => ({ ...lasting, ...one }));

/** The stories: half of them are killed, and a third has no fault. */
export const dryRunStories: fc.Arbitrary<DryRunStory> = fc
    .record({
        options: quiet,
        size: sizes,
        next: fc.oneof(fc.constant(undefined), fc.constant(undefined), sizes),
        killedAt: fc.oneof(fc.constant(-1), fc.nat(60)),
        faults: fc.array(fault, { maxLength: 2 }),
        pause: fc.constantFrom(3_000, 12_000, 25_000, 90_000, 180_000),
        more: fc.constantFrom(90_000, 180_000, 300_000),
        revision: fc.constantFrom("r1", "r2", "r2", "r3"),
    })
    .map(({ options, size, next = size, killedAt, faults, pause, more, revision }) => {
        // Two members have no quorum while one restarts, and either may lead afterwards.
        const from: Goal = { ...size, pd: size.pd === 2 ? 3 : size.pd, revision: "r1", policy: shortTimeouts };
        const to = {
            ...from,
            ...next,
            pd: next.pd === 2 ? 3 : next.pd,
            tiflash: next.tiflash ?? from.tiflash,
            revision,
        };
        // Kubernetes does not know of a node's end at once. An unchanged program asks no rollout for anything.
        const after = killedAt < 0 && revision === "r1" ? { ...to, revision: "r2" } : to;
        return { options, from, killedAt, faults, pause: faults.length > 0 ? more : pause, to: after };
    });

/** Plays the story. */
export async function compare({ options, from, killedAt, faults, pause, to }: DryRunStory): Promise<Compared> {
    const { simulation, stack } = await deployed(from, options);
    const { world } = simulation;
    await pass(simulation, 180_000);
    if (killedAt >= 0) {
        await up(simulation, stack, { ...from, revision: "r2" }, { change: killedAt, when: "after", how: "kill" });
    }
    faults.forEach((one) => strike(world, structuredClone(one)));
    await pass(simulation, pause);
    const gates = await foreseenBy(simulation, stack, to);
    const since = world.log.length;
    const result = await up(simulation, stack, to);
    return {
        foreseen: stopOf(gates),
        isRefused: gates.some(({ refused }) => refused !== undefined),
        failed: failureOf(result),
        planned: inShort(gates.flatMap(({ foreseen }) => (foreseen ? actionsOf(foreseen) : []))),
        taken: inShort(takenSince(world, since)),
        log: world.log.slice(-80),
    };
}
