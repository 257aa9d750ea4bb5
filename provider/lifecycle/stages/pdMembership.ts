import type { Fact } from "../vocabulary/evidence";
import type { InPd } from "../vocabulary/memberLifecycle";
import type { ObservedPdMember } from "../vocabulary/observation";
import { lacksFact, type PodView, type Stage, viewOf } from "../vocabulary/stage";
import { droppedId, knownInPd } from "./outOfPd";
import { mayBeIn } from "./pdQuorum";

/**
 * Which of PD's members runs in which pod. A member that PD does not list for a pod is not known to be gone: its process may be about to
 * join, or PD may list it under another name or domain.
 */

/** @returns why PD's list of members says nothing; undefined if it does. Each PD lists itself, so an empty list is no answer. */
export function lacksMembers(members: Fact<readonly ObservedPdMember[]>): string | undefined {
    if (!members.known) {
        return `PD's members are not known: ${members.why}`;
    }
    return members.value.length === 0 ? "PD lists no members" : undefined;
}

/** @returns members in words: their names, or the ids of those that have none. */
export function memberNames(members: readonly ObservedPdMember[]): string {
    return members.map(({ name, memberId }) => name || `id ${memberId}`).join(", ");
}

/** What PD has of a PD pod: its own member. */
export const memberInPd: InPd = {
    get listed() {
        return membersListed;
    },
    entry: ({ pd: { members }, pdMembers, podName }, id) => {
        const lacks = lacksMembers(members);
        if (lacks !== undefined || !members.known) {
            return lacks;
        }
        const member = pdMembers[0] ?? members.value.find(({ memberId }) => memberId === id);
        if (member !== undefined) {
            return `PD lists member ${memberNames([member])} for ${podName}`;
        }
        const unknown = id === undefined ? members.value.filter((one) => mayBeIn(one, podName)) : [];
        return unknown.length === 0
            ? undefined
            : `PD lists members of no known pod (${memberNames(unknown)}), one of which may be ${podName}`;
    },
    // An earlier version recorded removals by name. A name says nothing of a member that PD lists under another one.
    hasDropped: (view, id) => /^\d+$/.test(id) && memberInPd.entry(view, id) === undefined,
};

/** The member of a pod that leaves is known. Absence from PD's list alone does not count. */
export const memberKnown = knownInPd(
    "member",
    memberInPd,
    ({ pdMembers }) => pdMembers.length > 0,
    "compare `pd-ctl member` with the pods: names, namespace and `clusterDomain` must match. A pod that starts joins PD and is removed then. If it can never join, or its member was removed by hand: kubectl annotate pvc <names> tidb.pingcap.com/pvc-defer-deleting=by-hand",
);

/**
 * PD lists a member for each Ready pod of the cluster, apart from those that it has removed. A list with a missing member is no evidence
 * about the other members either: PD may know the pod under another name.
 */
export const membersListed: Stage = {
    name: "members-listed",
    holds: (view) => {
        const { members } = view.pd;
        const lacks = lacksMembers(members);
        if (lacks !== undefined) {
            return members.known ? { lacks } : lacksFact(members, "PD's members are");
        }
        const lacking = view.member.pods
            .filter((pod) => pod.ready && !pod.terminating)
            .map((pod) => viewOf(view.observation, view.target, pod.ordinal))
            .filter((one) => one.pdMembers.length === 0 && droppedId(one, memberInPd) === undefined)
            .map(({ podName }) => `PD lists no member for ${podName}, which is Ready`);
        return lacking.length === 0 ? true : { lacks: lacking.join(", ") };
    },
    advice: "compare `pd-ctl member` with the pods: names, namespace and `clusterDomain` must match; a pod that has just started joins in a moment",
};

/** @returns the member that leads PD, if PD lists none for the pod and that member may be the pod's. */
export function leaderThatMayBe(view: PodView): ObservedPdMember | undefined {
    const { members, leader } = view.pd;
    return members.known && leader.known && view.pdMembers.length === 0
        ? members.value.find((one) => mayBeIn(one, view.podName) && one.name !== "" && one.name === leader.value)
        : undefined;
}
