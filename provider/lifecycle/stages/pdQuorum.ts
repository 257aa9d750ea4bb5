import type { ObservedPdMember, ObservedPod } from "../vocabulary/observation";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { hasJustStarted } from "./sharedStages";
import { isStopped } from "./stores";

/** Whether PD keeps its quorum. */

/** @returns the majority of `count` PD members. */
export function majority(count: number): number {
    return Math.floor(count / 2) + 1;
}

/**
 * The other PD members are a quorum without this one. With one or two members they cannot be: restarting one interrupts
 * PD, and the plan says so beforehand.
 */
export const quorumWithoutMember: Stage = {
    name: "quorum-without-member",
    holds: (view) => {
        const { members } = view.pd;
        if (!members.known) {
            return lacksFact(members, "PD's members are");
        }
        const all = members.value;
        if (all.length === 0) {
            return { lacks: "PD lists no members" };
        }
        const own = view.pdMembers.length > 0 ? view.pdMembers : mayBeOwn(view, all);
        const others = all.filter((member) => !own.includes(member));
        const healthy = others.filter((member) => countsForQuorum(view.member.pods, member));
        if (all.length <= 2 && healthy.length === others.length) {
            return true;
        }
        // A member that does not run is already missing from the quorum.
        if (isStopped(view) && !view.pdMembers.some((member) => member.healthy)) {
            return true;
        }
        return healthy.length >= majority(all.length)
            ? true
            : {
                  lacks: `only ${healthy.length} of the ${others.length} other PD members are healthy, expected at least ${majority(all.length)} (not healthy: ${names(others.filter((member) => !healthy.includes(member)))})`,
              };
    },
    heals: (view) => {
        const { members } = view.pd;
        const others = members.known ? members.value.filter((one) => !view.pdMembers.includes(one)) : [];
        const lacking = others.filter((one) => !countsForQuorum(view.member.pods, one));
        return lacking.every(({ podName }) => hasJustStarted(view, podName));
    },
    advice: "repair the unhealthy PD members first; otherwise PD would lose its quorum",
};

/** Before a member is removed, the remaining members are a quorum. */
export const quorumOfThoseWhoStay: Stage = {
    name: "quorum-of-those-who-stay",
    holds: (view) => {
        const { members } = view.pd;
        if (!members.known) {
            return lacksFact(members, "PD's members are");
        }
        if (view.pdMembers.length === 0) {
            return true;
        }
        const staying = members.value.filter((member) => !view.pdMembers.includes(member));
        if (staying.length === 0) {
            return true;
        }
        const healthy = staying.filter((member) => countsForQuorum(view.member.pods, member)).length;
        return healthy >= majority(staying.length)
            ? true
            : { lacks: `only ${healthy} of the ${staying.length} PD members that would stay are healthy` };
    },
    advice: "repair the unhealthy PD members first; otherwise the removal would cost PD its quorum",
};

/** @returns whether PD reports the member healthy and, if the member is or may be ours, its pod is not about to stop. @param pods ours. */
export function countsForQuorum(pods: readonly ObservedPod[], member: ObservedPdMember): boolean {
    const { healthy, name, podName, otherDomain } = member;
    const pod = pods.find((one) => one.name === (podName ?? otherDomain?.podName));
    const runs =
        pod !== undefined && !pod.terminating && (!pod.container.known || pod.container.value.is === "running");
    return healthy && name !== "" && (runs || (podName === undefined && pod === undefined));
}

/** @returns the member that may be the pod's, where PD lists none for it: a pod never counts towards the quorum of the others. */
function mayBeOwn({ podName }: PodView, all: readonly ObservedPdMember[]): readonly ObservedPdMember[] {
    const mayBe = all.filter((one) => mayBeIn(one, podName));
    const one = mayBe.find(({ otherDomain }) => otherDomain !== undefined) ?? mayBe.find(({ healthy }) => healthy);
    return one === undefined ? [] : [one];
}

function names(members: readonly ObservedPdMember[]): string {
    return members.map((member) => member.name || "a member that never started").join(", ") || "none";
}

/** @returns whether the member may be in this pod, for which PD does not list it: of another domain only one with the pod's name. */
export function mayBeIn({ podName, isElsewhere, otherDomain }: ObservedPdMember, pod: string): boolean {
    return podName === undefined && !isElsewhere && (otherDomain === undefined || otherDomain.podName === pod);
}

/** @returns whether a member that is not listed for this pod is in PD under no other name. */
export function isInNoOther(members: readonly ObservedPdMember[], pod: string): boolean {
    return !members.some((one) => mayBeIn(one, pod));
}
