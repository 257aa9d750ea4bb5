import { isLeftAlone } from "./leftAlone";
import { leftOpenIn } from "./leftOpen";
import { isStale } from "../stages/sharedStages";
import { memberLifecycles } from "../members/memberLifecycles";
import type { Observation } from "../vocabulary/observation";
import { viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";

/** Something that a member lacks, in one line. */
export interface Lack {
    readonly words: string;
    /** The pod that a restart or a start would bring to what is wanted. */
    readonly pod?: string;
}

/** @returns what a member lacks: pods that are not Ready, unhealthy PD members, stores that are not Up. */
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
            missing.push({ words: `wait for ${pod} to be Ready${trouble ? `: ${trouble}` : ""}` });
        } else if (isStale(view)) {
            missing.push({ pod, words: `wait for ${pod} to run the newest template` });
        } else {
            const words = lacks?.(view);
            missing.push(...(words === undefined ? [] : [{ words }]));
        }
    }
    const left = leftOpenIn(observation, target.component);
    return [...missing, ...left.map(({ missing: words }) => ({ words }))];
}
