import { type Decide, dryRun, type DryRun } from "../lifecycle/dryRun/dryRun";
import { lookCloser, type LookOptions } from "../lifecycle/vocabulary/look";
import type { Observation } from "../lifecycle/vocabulary/observation";

/**
 * Runs an update's decider dry, and asks the live cluster for what it asks for.
 * @param seen what was observed with these options.
 * @param ask observes with more.
 */
export async function runDry(
    decide: Decide,
    { seen, look }: { readonly seen: Observation; readonly look: LookOptions },
    ask: (options: LookOptions) => Promise<Observation>,
    onceBegun?: (live: Observation) => Observation,
): Promise<DryRun> {
    let options = look;
    const run = dryRun(decide, seen, onceBegun);
    for (let next = run.next(); ;) {
        if (next.done) {
            return next.value;
        }
        options = lookCloser(options, next.value);
        next = run.next(await ask(options));
    }
}
