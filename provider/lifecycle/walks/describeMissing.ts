import { isLeftAlone } from "./leftAlone";
import { isStale } from "../stages/sharedStages";
import { memberLifecycles } from "../members/memberLifecycles";
import type { Observation } from "../vocabulary/observation";
import { viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";

/** Something that a member lacks, in one line. */
export interface Lack {
    readonly words: string;
    readonly pod: string;
    /** Set if the pod exists, so its start alone does not bring it to what is wanted. A restart may. */
    readonly exists?: true;
    /** Set if the pod runs an older template. The RolloutGate restarts it, unless it already runs what the program asks for. */
    readonly isStale?: true;
}

/**
 * @returns what a member lacks: pods that are not Ready, unhealthy PD members, stores that are not Up. What an earlier run left
 * behind is not among it: the update ends that itself, and the member's rollout has it as a step.
 */
export function describeMissing(observation: Observation, target: MemberTarget): Lack[] {
    const missing: Lack[] = [];
    const { lacks } = memberLifecycles[target.component];
    for (let ordinal = 0; ordinal < target.replicas; ordinal++) {
        const view = viewOf(observation, target, ordinal);
        const { podName: pod } = view;
        if (isLeftAlone(view)) {
            continue;
        }
        if (!view.pod) {
            missing.push({ pod, words: `wait for ${pod}: it does not exist` });
        } else if (!view.pod.ready) {
            const trouble = view.pod.trouble ?? view.pod.sidecarTrouble;
            missing.push({ pod, exists: true, words: `wait for ${pod} to be Ready${trouble ? `: ${trouble}` : ""}` });
        } else if (isStale(view)) {
            missing.push({ pod, isStale: true, words: `wait for ${pod} to run the newest template` });
        } else {
            const words = lacks?.(view);
            missing.push(...(words === undefined ? [] : [{ pod, exists: true as const, words }]));
        }
    }
    return missing;
}
