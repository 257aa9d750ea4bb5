import { components, topology } from "../../../topology/members";
import { claimsReleased } from "../stages/claims";
import { notAsked } from "../vocabulary/evidence";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import type { ObservedPdMember } from "../vocabulary/observation";
import { leaderTarget, leads } from "../stages/pdLeader";
import { majority, quorumOfThoseWhoStay, quorumWithoutMember } from "../stages/pdQuorum";
import { removedMemberVolumesReleased, removalForgotten, removalOf } from "../stages/removalRecord";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";

/** PD's rules. Facts from tidb-operator pkg/manager/member/pd_upgrader.go and pd_scaler.go; where those look away, we look. */

/** The leader is another member, seen there before this one goes. */
const leaderElsewhere: Stage = {
    name: "leader-elsewhere",
    holds: (view) => {
        const { members, leader } = view.pd;
        if (!members.known || !leader.known) {
            return lacksFact(members.known ? (leader as typeof notAsked) : members, "PD's leader is");
        }
        if (leaderTarget(view) === undefined) {
            return true;
        }
        if (leader.value === undefined) {
            return { lacks: "PD has no leader" };
        }
        return view.pdMembers.some((member) => leads(view.pd, member))
            ? { lacks: `${view.podName} is PD's leader` }
            : true;
    },
    act: (view) => {
        const to = leaderTarget(view);
        const { leader } = view.pd;
        return to !== undefined && leader.known && leader.value !== undefined
            ? { do: "transfer-leader", to, from: leader.value }
            : undefined;
    },
    advice: "look at PD's log: another member cannot take the leadership over",
};

/** PD's own health list calls the member healthy, and the member itself says that it is ready. */
const memberHealthy: Stage = {
    name: "member-healthy",
    holds: (view) => {
        const { members, readyMembers } = view.pd;
        if (!members.known) {
            return lacksFact(members, "PD's members are");
        }
        if (!view.pdMember) {
            return { lacks: `${view.podName} has not joined PD` };
        }
        if (!view.pdMember.healthy) {
            return { lacks: `PD calls ${view.pdMember.name || view.podName} unhealthy` };
        }
        // Behind an address of the user's no single member can be asked.
        if (readyMembers === notAsked) {
            return true;
        }
        if (!readyMembers.known) {
            return lacksFact(readyMembers, "which members of PD are ready is");
        }
        return readyMembers.value.includes(view.podName)
            ? true
            : { lacks: `${view.pdMember.name} says that it is not ready` };
    },
    advice: "look at the log of that PD member",
};

/** The member is out of PD, and so is one that never started: only then may its pod go for good. The last one has no PD to be taken out of. */
const memberRemoved: Stage = {
    name: "member-removed",
    holds: (view) => {
        const { members } = view.pd;
        if (!members.known) {
            return lacksFact(members, "PD's members are");
        }
        const [one] = view.pdMembers;
        return one && members.value.length !== 1
            ? { lacks: `${one.name || `a member that never started (id ${one.memberId})`} is still a member of PD` }
            : true;
    },
    act: (view) => {
        const [one] = view.pdMembers;
        return one && { do: "remove-member", member: one.name, memberId: one.memberId, pod: view.podName };
    },
    advice: "look at PD's log: it does not let the member go",
};

/** PD has members, and this pod is none of them. */
function isOut(view: PodView): boolean {
    const { members } = view.pd;
    return members.known && members.value.length > 0 && view.pdMembers.length === 0;
}

/** Nothing of a removal is forgotten before PD has said whether the member is out. */
const pdKnown: Stage = {
    name: "pd-answers",
    holds: (view) =>
        removalOf(view) === undefined || view.pd.members.known ? true : lacksFact(view.pd.members, "PD's members are"),
    advice: "look at the PD pods; nothing is done to the cluster while PD cannot be asked",
};

/** PD goes last: what runs without it does not live long. */
const notNeeded: Stage = {
    name: "pd-not-needed",
    holds: (view) => {
        const problem = pdLifecycle.refuseReplicas(view.observation, view.target);
        return problem === undefined ? true : { lacks: problem };
    },
    timeout: () => ({ seconds: 0, then: "fail" }),
    advice: "scale the other members to 0 first",
};

function healthyMembers(members: readonly ObservedPdMember[]): number {
    return members.filter((member) => member.healthy).length;
}

export const pdLifecycle: MemberLifecycle = {
    component: "pd",
    leavesProgram: "refused",
    looks: {
        rollout: ["health", "leader", "ready-members"],
        scale: ["health", "leader"],
        state: ["health"],
        // So that it is not scaled to 0 under them.
        dependants: components.filter((one) => one !== "pd" && topology[one].partOf !== "pd"),
    },
    // The first PD needs all its members to form.
    withoutPd: "restart-dead",
    beforeRestart: [quorumWithoutMember, leaderElsewhere],
    afterRestart: [memberHealthy],
    beforeRemoval: [notNeeded, quorumOfThoseWhoStay, leaderElsewhere, memberRemoved, claimsReleased, removalForgotten],
    afterRemovalTakenBack: [pdKnown, removedMemberVolumesReleased(isOut), removalForgotten],
    isRemovedFromPd: isOut,
    refuseReplicas: (observation, target) => {
        const dependants = Object.values(observation.members).filter(
            (member) => member.component !== "pd" && member.pods.length > 0,
        );
        return target.replicas === 0 && dependants.length > 0
            ? `PD cannot be scaled to 0 while ${dependants.map((member) => member.component).join(" and ")} run: expected at least 1`
            : undefined;
    },
    lacks: ({ observation, pd, pdMember, podName }) => {
        if (!pd.members.known) {
            return observation.pdTrouble ? `wait for PD member ${podName}: ${pd.members.why}` : undefined;
        }
        return pdMember?.healthy === true
            ? undefined
            : `wait for PD member ${podName}: ${pdMember ? "it is unhealthy" : "it has not joined"}`;
    },
    available: ({ pd }, target) => {
        if (!pd.members.known) {
            return `PD's members are not known: ${pd.members.why}`;
        }
        const healthy = healthyMembers(pd.members.value);
        const needed = majority(Math.max(target.replicas, pd.members.value.length));
        return healthy >= needed
            ? undefined
            : `${healthy} of ${target.replicas} PD members are healthy, ${needed} must be`;
    },
    restartDoes: (view) => [
        ...(view.pdMembers.some((member) => leads(view.pd, member))
            ? [`transfer leadership to ${leaderTarget(view) ?? "nobody: no other is healthy"}`]
            : []),
    ],
    startWaitsFor: "healthy in PD",
    restartWaitsFor: "healthy in PD",
    restartRisk: ({ pd, target }) =>
        (pd.members.known ? pd.members.value.length : target.replicas) <= 2 ? "PD has no quorum meanwhile" : undefined,
    removalDoes: () => "remove the member from PD",
    estimateRestartSeconds: () => 15,
    estimateRemovalSeconds: () => 5,
};
