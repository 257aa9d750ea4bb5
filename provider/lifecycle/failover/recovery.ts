import { topology } from "../../../topology/members";
import { memberLifecycles } from "../members/memberLifecycles";
import type { Observation } from "../vocabulary/observation";
import { removalOf } from "../stages/removalRecord";
import { claimsOf, type PodView, viewsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import type { FailoverPolicy } from "../vocabulary/memberFailover";
import { lacksReadyTime } from "./crashLoop";
import { lacksDeath, mayCrashAgain, stillDead } from "./findDead";
import { failuresOf, withReplacements } from "./records";

/** When a failover is over, so its replacements go. Facts from tidb-operator common_store_failover.go, pd_failover.go, tidb_failover.go. */

/** The period of a failover in tidb-operator. */
const usualPolicy = { periodSeconds: 300 };
/** An election or a restart takes less, in milliseconds. */
const longestMoment = usualPolicy.periodSeconds * 1000;

/**
 * @returns whether every pod that the program asks for is Ready and healthy, and none crashes again and again. What is not known is not healthy.
 * @param target the member as the program asks for it, without replacements.
 */
export function areAllBack(
    observation: Observation,
    target: MemberTarget,
    policy: FailoverPolicy | undefined,
): boolean {
    const { failover } = memberLifecycles[target.component];
    return (
        failover !== undefined &&
        target.replicas > 0 &&
        viewsOf(observation, target).every(
            (view) =>
                view.pod?.ready === true &&
                !view.pod.terminating &&
                !mayCrashAgain(view, policy ?? usualPolicy) &&
                failover.verdict(view, 0).is === "alive",
        )
    );
}

/**
 * @returns whether the member's replacements go now: all are back, nothing keeps them, and it goes by itself or the program asks for it. A removal that has
 * begun goes on as any other scale-in, also while PD or Kubernetes does not call each one well for a moment; unless one on record is
 * dead again, or neither of them calls it well: whoever cannot tell that it is dead cannot tell that it is back.
 */
export function isOver(observation: Observation, target: MemberTarget, policy: FailoverPolicy | undefined): boolean {
    const recorded = viewsOnRecord(observation, target);
    return (
        recorded.length > 0 &&
        mayEnd(observation, target, policy) &&
        ((areAllBack(observation, target, policy) && keepsReplacements(observation, target) === undefined) ||
            (hasBegunToEnd(observation, target) && recorded.every((view) => mayBeBack(view, policy))))
    );
}

/**
 * @returns why the replacements stay though all are back: what would refuse a scale-in of the program, which asks for none here;
 * undefined if they may go, or if PD was not asked.
 */
export function keepsReplacements(observation: Observation, target: MemberTarget): string | undefined {
    const { stores, placement } = observation.pd;
    const isKnown = topology[target.component].engine !== undefined && stores.known && placement.known;
    return isKnown ? memberLifecycles[target.component].refuseReplicas(observation, target) : undefined;
}

function mayBeBack(view: PodView, policy: FailoverPolicy | undefined): boolean {
    const { failover } = memberLifecycles[view.target.component];
    const { ready, death } = view.pod ?? {};
    const isMoment = !death?.notReadyFor.known || death.notReadyFor.value < longestMoment;
    const isUpForNow = (isMoment || ready === true) && !mayCrashAgain(view, policy ?? usualPolicy);
    const isWell = isUpForNow || failover?.verdict(view, 0).is === "alive";
    return isWell && (policy === undefined || stillDead(view, policy) !== "dead");
}

/** @returns whether an observation lacks what tells whether all are back, or whether a removal that has begun goes on. */
export function lacksWayBack(observation: Observation, target: MemberTarget, policy: FailoverPolicy): boolean {
    return (
        mayEnd(observation, target, policy) &&
        viewsOnRecord(observation, target).length > 0 &&
        (viewsOf(observation, target).some(({ pod }) => lacksReadyTime(pod, policy.periodSeconds * 1000)) ||
            (hasBegunToEnd(observation, target) && viewsOnRecord(observation, target).some(lacksDeath)))
    );
}

function viewsOnRecord(observation: Observation, target: MemberTarget): PodView[] {
    const pods = failuresOf(observation, target).map(({ pod }) => pod);
    return viewsOf(observation, target).filter(({ podName }) => pods.includes(podName));
}

/** Whether a replacement that is there is being removed: that is on record until its volume is marked as released. */
function hasBegunToEnd(observation: Observation, target: MemberTarget): boolean {
    const live = observation.members[target.component]?.statefulSet?.replicas ?? 0;
    return viewsOf(observation, withReplacements(observation, target))
        .slice(target.replicas, live)
        .some((view) => removalOf(view) !== undefined || claimsOf(view).some(({ released }) => released));
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
