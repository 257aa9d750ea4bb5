import type { Observation, ObservedPdMember, ObservedPod } from "../vocabulary/observation";
import type { PodView } from "../vocabulary/stage";

/** PD's leader, and the choice of the next one. */

/** @returns whether the member is PD's leader; `undefined` if PD does not report its leader. */
export function leads({ leader }: Observation["pd"], member: ObservedPdMember | undefined): boolean | undefined {
    if (!leader.known || leader.value === undefined) {
        return undefined;
    }
    return member !== undefined && member.name !== "" && member.name === leader.value;
}

/**
 * Chooses the leader to take over before the pod stops: the highest healthy ordinal above this one (it already runs the
 * new revision), otherwise the lowest below, otherwise a healthy member of another cluster that shares this PD, otherwise
 * a member that will leave too.
 */
export function leaderTarget(view: PodView): string | undefined {
    const { members } = view.pd;
    if (!members.known) {
        return undefined;
    }
    const healthy = members.value.filter((member) => canLead(member, view.member.pods));
    const others = view.member.pods
        .map((pod) => ({ ordinal: pod.ordinal, member: healthy.find((one) => one.podName === pod.name) }))
        .filter(({ ordinal, member }) => ordinal !== view.ordinal && member !== undefined)
        .sort((a, b) => a.ordinal - b.ordinal);
    const staying = others.filter(({ ordinal }) => ordinal < view.target.replicas);
    const above = staying.filter(({ ordinal }) => ordinal > view.ordinal).at(-1);
    const below = staying.find(({ ordinal }) => ordinal < view.ordinal);
    const peer = healthy.find((member) => !view.member.pods.some((pod) => pod.name === member.podName));
    return (above?.member ?? below?.member ?? peer ?? others[0]?.member)?.name;
}

/** @returns whether the pod's member is PD's leader, as far as PD reports it. */
export function podLeads({ pd, pdMembers }: PodView): boolean {
    return pdMembers.some((member) => leads(pd, member));
}

/** A leadership transferred to a pod that is about to stop would be lost a moment later. */
function canLead({ healthy, name, podName }: ObservedPdMember, pods: readonly ObservedPod[]): boolean {
    return healthy && name !== "" && !pods.some((pod) => pod.name === podName && pod.terminating);
}

/** @returns a healthy member that is not the leader, for a leader change that no restart requires. */
export function leaderToTakeOver({ pd, members: { pd: own } }: Observation): string | undefined {
    const { members, leader } = pd;
    return members.known && leader.known
        ? members.value.find((member) => canLead(member, own?.pods ?? []) && member.name !== leader.value)?.name
        : undefined;
}
