import type { PodView } from "../../vocabulary/stage";
import type { NotProven } from "./memberBatch";

/**
 * With `podManagementPolicy: OrderedReady`, Kubernetes starts no pod while one with a lower ordinal is not Ready
 * (kubernetes.io, StatefulSet, Pod Management Policies). One more failure would keep all pods of a batch down.
 *
 * @returns why the member's pods restart one by one whatever else is proven; undefined if they start side by side.
 */
export function startsInOrder({ observation, target }: Pick<PodView, "observation" | "target">): NotProven | undefined {
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
