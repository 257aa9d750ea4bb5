import type { PlanPorts } from "../cluster/gatePorts";
import { type Decide, dryRun, type DryRun } from "../lifecycle/dryRun/dryRun";
import { added, type LookOptions } from "../lifecycle/vocabulary/look";
import type { Observation } from "../lifecycle/vocabulary/observation";

/** So often a preview asks for more. A decision that needs another question for each of many pods is not foreseen to its end. */
const mostLooks = 6;

/**
 * Runs an update's decider dry, and asks the live cluster for what it asks for.
 * @param seen what was observed with these options.
 * @param ask observes with more: what is lacking is added to the last answers where that is possible.
 */
export async function runDry(
    decide: Decide,
    { seen, look }: { readonly seen: Observation; readonly look: LookOptions },
    ask: PlanPorts["look"],
    onceBegun?: (live: Observation) => Observation,
): Promise<DryRun> {
    let options = look;
    const run = dryRun(decide, seen, onceBegun);
    let next = run.next();
    for (let looks = 0; !next.done; looks++) {
        const more = added(options, next.value);
        if (more === undefined || looks >= mostLooks) {
            return { moves: [], end: { is: "not foreseen" }, facts: [], foreseen: seen };
        }
        options = more;
        next = run.next(await ask(options, { isCloser: true }));
    }
    return next.value;
}
