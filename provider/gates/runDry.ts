import type { PlanPorts } from "../cluster/gatePorts";
import type { Asking } from "../lifecycle/dryRun/asking";
import { added, type Look, type LookOptions } from "../lifecycle/vocabulary/look";

/** So often a preview asks for more. A decision that needs another question for each of many pods is not foreseen to its end. */
const mostLooks = 6;

/**
 * Asks the live cluster for what a dry run, or another decision about a plan, asks for.
 * @param look what its first observation was made with.
 * @param ports observe with more: what is lacking is added to the last answers where that is possible.
 * @param widened asks one question for all that will be asked one by one. Default: each is asked by itself.
 */
export async function runDry<Found>(
    run: Asking<Found>,
    look: LookOptions,
    ports: Pick<PlanPorts, "look">,
    widened: (look: Look) => Look = (one) => one,
): Promise<Found> {
    let options = look;
    let next = run.next();
    for (let looks = 0; !next.done; looks++) {
        const more = looks < mostLooks ? added(options, widened(next.value)) : undefined;
        options = more ?? options;
        next = run.next(more && (await ports.look(more, { isCloser: true })));
    }
    return next.value;
}
