import { memberLifecycles } from "../members/memberLifecycles";
import { memberBatches } from "../stages/batches/memberBatches";
import type { Observation } from "../vocabulary/observation";
import { type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { ordinalsOf } from "./scale";

/** What the plan of a rollout foresees, because the update brings it about first. */

/** @returns the pods that the gate before the rollout removes, the first one first. */
export function leavingViews(observation: Observation, target: MemberTarget): PodView[] {
    return ordinalsOf(observation, target).leaving.map((ordinal) => viewOf(observation, target, ordinal));
}

/** @returns the observation once those pods have left. The regions of a store that is being emptied are on others then, which are Up. */
export function afterScaleIn(observation: Observation, target: MemberTarget): Observation {
    const { foresees } = memberLifecycles[target.component];
    return leavingViews(observation, target).reduce((seen, { ordinal }) => {
        const view = viewOf(seen, target, ordinal);
        return foresees?.(view, "removed") ?? onceWell(view);
    }, observation);
}

/** @returns whether the pod serves: a rollout does not wait for it, unless it has served too shortly. */
export function isWell(view: PodView): boolean {
    const { pod, target } = view;
    return pod?.ready === true && !pod.terminating && memberBatches[target.component]?.isWell(view) !== false;
}

/** @returns the observation once the pod is well: the update waits for that before it goes on. */
export function onceWell(view: PodView): Observation {
    return memberBatches[view.target.component]?.onceWell(view) ?? view.observation;
}
