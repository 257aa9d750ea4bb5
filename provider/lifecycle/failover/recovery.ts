import { memberLifecycles } from "../members/memberLifecycles";
import type { Observation } from "../vocabulary/observation";
import { viewsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import type { FailoverPolicy } from "../vocabulary/memberFailover";
import { failuresOf, withReplacements } from "./records";

/** When a failover is over, so its replacements go. Facts from tidb-operator common_store_failover.go, pd_failover.go, tidb_failover.go. */

/**
 * @returns whether every pod that the program asks for is Ready and healthy. What is not known is not healthy.
 * @param target the member as the program asks for it, without replacements.
 */
export function areAllBack(observation: Observation, target: MemberTarget): boolean {
    const { failover } = memberLifecycles[target.component];
    return (
        failover !== undefined &&
        target.replicas > 0 &&
        viewsOf(observation, target).every(
            (view) => view.pod?.ready === true && !view.pod.terminating && failover.verdict(view, 0).is === "alive",
        )
    );
}

/** @returns whether the member's replacements go now: all are back, and it goes by itself or the program asks for it. */
export function isOver(observation: Observation, target: MemberTarget, policy: FailoverPolicy | undefined): boolean {
    return (
        failuresOf(observation, target).length > 0 &&
        mayEnd(observation, target, policy) &&
        areAllBack(observation, target)
    );
}

function mayEnd({ records }: Observation, { component }: MemberTarget, policy: FailoverPolicy | undefined): boolean {
    const uid = records.failovers?.[component]?.uid;
    return (
        memberLifecycles[component].failover?.recovers === "by-itself" ||
        policy?.recovers === true ||
        (uid !== undefined && policy?.recoverByUid === uid)
    );
}

/** @returns the number of replicas that the member is to have: without replacements once its failover is over. */
export function targetNow(
    observation: Observation,
    target: MemberTarget,
    policy: FailoverPolicy | undefined,
): MemberTarget {
    return isOver(observation, target, policy) ? target : withReplacements(observation, target);
}
