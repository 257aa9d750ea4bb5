import { lacksMembers, memberInPd, membersListed } from "../pdMembership";
import { quorumOfThoseWhoStay } from "../pdQuorum";
import type { FailureRecord } from "../../vocabulary/failureRecord";
import { claimsOnRecord, type Finding, type PodView, type Stage } from "../../vocabulary/stage";
import type { FailoverPolicy, MemberFailover, Verdict } from "../../vocabulary/memberFailover";
import { lacksQuorum } from "./quorum";
import { isStarting, vanishedAt } from "./tidbFailover";

/**
 * How a dead PD member is found and replaced: the member leaves PD, then its pod and its claims are deleted, then one more replica
 * counts. Facts from tidb-operator pkg/manager/member/pd_failover.go. Each step is found again from what is seen: the member by its
 * id, the pod and the claims by their UIDs.
 */

function memberVerdict({ pd: { members }, pdMembers, podName }: PodView): Verdict {
    if (!members.known) {
        return { is: "unknown", why: `PD's members are not known: ${members.why}` };
    }
    if (pdMembers.length !== 1) {
        return { is: "unknown", why: `PD lists ${pdMembers.length} members for ${podName}` };
    }
    const [{ name, healthy, lacksHealth }] = pdMembers;
    if (name === "") {
        return { is: "unknown", why: "its PD member has never started" };
    }
    if (lacksHealth) {
        return { is: "unknown", why: "PD does not say whether its member is healthy" };
    }
    return healthy ? { is: "alive", why: "PD says healthy" } : { is: "dead", why: "PD says unhealthy" };
}

/** PD asks its members for their health at the moment of the question, and a short pause of the network looks like death (tikv/pd server/cluster). */
const unhealthySeconds = 60;

/** Its volume is deleted, so one answer is not enough: no look of this run may show the member healthy for a while. */
function memberStaysUnhealthy({ member }: FailureRecord, { periodSeconds }: FailoverPolicy): Stage {
    const steadyFor = Math.min(unhealthySeconds, periodSeconds);
    return {
        name: "member-stays-unhealthy",
        holds: ({ pdMembers }) =>
            pdMembers.some(({ memberId }) => memberId === member?.id)
                ? {
                      lacks: `PD calls ${member?.name} unhealthy; the failover removes it once that has lasted ${steadyFor} s in a row`,
                      steadyFor,
                  }
                : true,
        timeout: () => ({ seconds: 2 * unhealthySeconds, then: "fail" }),
        advice: "check the member's log and its network",
    };
}

function deadMemberRemoved({ member }: FailureRecord): Stage {
    const listed = ({ pd: { members } }: PodView) =>
        members.known ? members.value.find(({ memberId }) => memberId === member?.id) : undefined;
    return {
        name: "dead-member-removed",
        holds: (view) => {
            const { members } = view.pd;
            const lacks = lacksMembers(members);
            if (lacks !== undefined) {
                return { lacks };
            }
            return listed(view) ? { lacks: `${member?.name} is still a member of PD` } : true;
        },
        act: (view) => {
            const one = listed(view);
            return one && !one.healthy
                ? { do: "remove-member", member: one.name, memberId: one.memberId, pod: view.podName, isDead: true }
                : undefined;
        },
        advice: "check PD's log: it does not remove the member",
    };
}

/** What lacks if the pod may belong to a member of PD: then neither it nor its volume is deleted. */
function lacksAbsence(view: PodView, { member }: FailureRecord): Finding | undefined {
    const lacks = memberInPd.entry(view, member?.id);
    return lacks === undefined ? undefined : { lacks };
}

/** The claims on record that nothing has begun to delete. */
function keptClaims(view: PodView, { claims }: FailureRecord) {
    return claimsOnRecord(view, claims).filter(({ terminating }) => !terminating);
}

/**
 * The pod's deletion has begun. A pod on a dead node stays until the node is gone or back, so its end is not waited for. A later pod
 * that got hold of the old volume before that was deleted goes too.
 */
function deadPodDeleted(failure: FailureRecord): Stage {
    const { podUid, claims } = failure;
    const usesOldVolume = (view: PodView) =>
        view.pod !== undefined &&
        (view.pod.uid === podUid || claimsOnRecord(view, claims).some(({ terminating }) => terminating));
    return {
        name: "dead-pod-deleted",
        holds: (view) =>
            view.pod && !view.pod.terminating && usesOldVolume(view)
                ? (lacksAbsence(view, failure) ?? { lacks: `${view.podName} has not been deleted` })
                : true,
        act: (view) => {
            const { pod } = view;
            return pod && lacksAbsence(view, failure) === undefined
                ? {
                      do: "delete-pod",
                      pod: pod.name,
                      uid: pod.uid,
                      resourceVersion: pod.resourceVersion,
                      isDead: true,
                  }
                : undefined;
        },
        advice: "check the pod, and who may delete pods in this namespace",
    };
}

function deadClaimsDeleted(failure: FailureRecord): Stage {
    return {
        name: "dead-claims-deleted",
        holds: (view) => {
            const kept = keptClaims(view, failure);
            const lacks = `${kept.map(({ name }) => name).join(", ")} not deleted yet`;
            return kept.length === 0 ? true : (lacksAbsence(view, failure) ?? { lacks });
        },
        act: (view) =>
            lacksAbsence(view, failure) === undefined
                ? {
                      do: "delete-claims",
                      claims: keptClaims(view, failure).map(({ name, uid, resourceVersion }) => ({
                          name,
                          uid,
                          resourceVersion,
                      })),
                      ofDead: view.podName,
                  }
                : undefined,
        advice: "check that this user is allowed to delete persistentvolumeclaims",
    };
}

export const pdFailover: MemberFailover = {
    looks: ["health", "cluster-id"],
    asksStatus: false,
    // Its volume is deleted. Room for the pod may come, and a process that has ended may start again.
    countsUnscheduled: false,
    countsEnded: false,
    verdict: memberVerdict,
    vanishedAt,
    unsound: lacksQuorum,
    identity: ({ pdMember }) => (pdMember ? { member: { name: pdMember.name, id: pdMember.memberId } } : {}),
    livesAgain: isStarting,
    named: ({ podName, pdMember }) => `PD member ${pdMember?.name ?? podName}`,
    beforeReplacement: (failure, policy) => [
        membersListed,
        stillQuorum(failure),
        memberStaysUnhealthy(failure, policy),
        deadMemberRemoved(failure),
        deadPodDeleted(failure),
        deadClaimsDeleted(failure),
        // The deletion of the claims may have come after a new pod of the name.
        deadPodDeleted(failure),
    ],
    // Another member of the pod is judged anew.
    hasComeBack: ({ pdMembers }, { member }) =>
        pdMembers.some(({ healthy, memberId }) => healthy || memberId !== member?.id),
    isUndone: ({ pd: { members } }, { member }) =>
        members.known && members.value.some(({ memberId }) => memberId === member?.id),
    recovers: "by-itself",
    waitsFor: "healthy in PD",
    replacementSeconds: 30 + unhealthySeconds,
    risk: () => "what is on the dead member's volume is deleted; the other members have all of it",
};

/** The quorum is looked at as long as the failed member is in PD. Afterwards its pod may be another member. */
function stillQuorum({ member }: FailureRecord): Stage {
    return {
        ...quorumOfThoseWhoStay,
        holds: (view) =>
            view.pdMembers.some(({ memberId }) => memberId === member?.id) ? quorumOfThoseWhoStay.holds(view) : true,
    };
}
