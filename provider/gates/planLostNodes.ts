import type { LostNodesTarget } from "../lifecycle/lostNodes/lostPods";
import { type LossPlan, planLoss } from "../lifecycle/lostNodes/planLoss";
import { lookCloser, type LookOptions } from "../lifecycle/vocabulary/look";
import type { Observation } from "../lifecycle/vocabulary/observation";

/** Plans what is given up with nodes that are gone. The regions of lost stores are listed only once everything else lets them go. */
export async function planLostNodes(
    look: (options: LookOptions) => Promise<Observation>,
    options: LookOptions,
    target: LostNodesTarget,
): Promise<{ observation: Observation; plan: Exclude<LossPlan, { look: unknown }> }> {
    for (let asked = options; ;) {
        const observation = await look(asked);
        const plan = planLoss(observation, target);
        if (!("look" in plan)) {
            return { observation, plan };
        }
        asked = lookCloser(asked, plan.look);
    }
}
