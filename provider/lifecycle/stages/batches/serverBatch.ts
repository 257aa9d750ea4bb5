import type { Observation } from "../../vocabulary/observation";
import { type PodView, viewsOf } from "../../vocabulary/stage";
import type { MemberTarget } from "../../vocabulary/target";

import { atMost } from "./atMost";
import type { MemberBatch, ProofFinding } from "./memberBatch";

/** Servers without data, each of which does what the others do: some restart side by side while all others serve. One always does. */
export const serverBatch: MemberBatch = {
    isWell: (view) => lacksOf(view) === undefined,
    choose: (candidates) => atMost(candidates, candidates[0].target.replicas - 1, prove),
    prove,
    triesOneFirst: true,
    otherwise: "pods restart one by one where it is not certain that all others serve",
};

function prove(observation: Observation, target: MemberTarget, pods: object): ProofFinding {
    const others = viewsOf(observation, target).filter(({ podName }) => !Object.hasOwn(pods, podName));
    const why = others.length === 0 ? "none would be left" : others.map(lacksOf).find((lacks) => lacks !== undefined);
    return why === undefined ? { proof: { by: "pods", margin: others.length } } : { why };
}

/** @returns why the pod does not certainly serve. */
function lacksOf({ pod, podName, observation: { podStatus } }: PodView): string | undefined {
    if (pod?.ready !== true || pod.terminating) {
        return `${podName} is not Ready`;
    }
    const trouble = podStatus?.[podName];
    return trouble === null ? undefined : `the status page of ${podName} ${trouble ?? "has not been queried"}`;
}
