import { isLeftAlone } from "./leftAlone";
import { openBatch } from "./leftBatch";
import { isStale } from "../stages/sharedStages";
import { memberLifecycles } from "../members/memberLifecycles";
import type { Observation } from "../vocabulary/observation";
import { viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";

/** @returns what a member lacks, one line each: pods that are not Ready, unhealthy PD members, stores that are not Up. */
export function describeMissing(observation: Observation, target: MemberTarget): string[] {
    const missing: string[] = [];
    const { lacks, leftOpen } = memberLifecycles[target.component];
    for (let ordinal = 0; ordinal < target.replicas; ordinal++) {
        const view = viewOf(observation, target, ordinal);
        if (isLeftAlone(view)) {
            continue;
        }
        if (!view.pod) {
            missing.push(`wait for ${view.podName}: it does not exist`);
        } else if (!view.pod.ready) {
            const trouble = view.pod.trouble ?? view.pod.sidecarTrouble;
            missing.push(`wait for ${view.podName} to be Ready${trouble ? `: ${trouble}` : ""}`);
        } else if (isStale(view)) {
            missing.push(`wait for ${view.podName} to run the newest template`);
        } else {
            missing.push(...[lacks?.(view)].filter((one) => one !== undefined));
        }
    }
    const left = [...(leftOpen?.(observation) ?? []), ...openBatch(observation, target.component)];
    return [...missing, ...left.map(({ missing: words }) => words)];
}
