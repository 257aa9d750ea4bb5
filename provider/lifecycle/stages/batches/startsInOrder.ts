import { type PodView, viewsOf } from "../../vocabulary/stage";
import { lowestLacking } from "../podVolumes";
import type { NotProven } from "./memberBatch";

/**
 * With `podManagementPolicy: OrderedReady`, Kubernetes starts no pod while one with a lower ordinal is not Ready
 * (kubernetes.io, StatefulSet, Pod Management Policies). One more failure would keep all pods of a batch down.
 *
 * Nor does it make one again above a pod that lacks a volume of its StatefulSet.
 *
 * @returns why the member's pods restart one by one whatever else is proven; undefined if they start side by side.
 */
export function startsInOrder({ observation, target }: Pick<PodView, "observation" | "target">): NotProven | undefined {
    const lacking = lowestLacking(viewsOf(observation, target));
    if (lacking !== undefined) {
        return { why: `Kubernetes makes no pod above ${lacking.podName} before that has its new volume` };
    }
    const policy = observation.members[target.component]?.statefulSet?.fixed.podManagementPolicy;
    if (policy === "Parallel") {
        return undefined;
    }
    return policy === undefined
        ? { why: "the podManagementPolicy of the StatefulSet is not known" }
        : {
              why: `podManagementPolicy is ${policy}: Kubernetes starts no pod while one with a lower ordinal is not Ready`,
          };
}
