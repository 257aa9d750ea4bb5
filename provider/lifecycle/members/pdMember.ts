import { components, topology } from "../../../topology/members";
import { pdFailover } from "../stages/failover/pdFailover";
import { batchDecided } from "../stages/batches/batchDecided";
import { claimsReleasedFrom, removedVolumesReleased } from "../stages/claims";
import { droppedId } from "../stages/outOfPd";
import {
    lacksMembers,
    leaderThatMayBe,
    memberInPd,
    memberKnown,
    memberNames,
    membersListed,
} from "../stages/pdMembership";
import { notAsked } from "../vocabulary/evidence";
import { type DroppedByHand, type MemberLifecycle, silentPd } from "../vocabulary/memberLifecycle";
import type { ObservedPdMember } from "../vocabulary/observation";
import { leaderTarget, podLeads } from "../stages/pdLeader";
import { majority, mayBeIn, quorumOfThoseWhoStay, quorumWithoutMember } from "../stages/pdQuorum";
import { noBackupBeforeRestart } from "../stages/runningBackups";
import { claimUids, removalForgotten, removalOf } from "../stages/removalRecord";
import { itselfHasJustStarted } from "../stages/sharedStages";
import { isStopped } from "../stages/stores";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";

/** PD's rules. Facts from tidb-operator pkg/manager/member/pd_upgrader.go and pd_scaler.go, with checks that those omit. */

/** Another member is PD's leader, verified before this one stops. */
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
        const mayBe = isStopped(view) ? undefined : leaderThatMayBe(view);
        if (mayBe !== undefined) {
            return { lacks: `PD's leader ${mayBe.name} is in no known pod, and may be ${view.podName}` };
        }
        return podLeads(view) ? { lacks: `${view.podName} is PD's leader` } : true;
    },
    act: (view) => {
        const to = leaderTarget(view);
        const { leader } = view.pd;
        return to !== undefined && leader.known && leader.value !== undefined
            ? { do: "transfer-leader", to, from: leader.value }
            : undefined;
    },
    advice: "check PD's log: no other member can take over the leadership",
};

/** PD's health list reports the member healthy, and the member itself reports that it is ready. */
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
            return { lacks: `PD reports ${view.pdMember.name || view.podName} as unhealthy` };
        }
        // With a PD address set by the user, single members cannot be queried.
        if (readyMembers === notAsked) {
            return true;
        }
        if (!readyMembers.known) {
            return lacksFact(readyMembers, "which PD members are ready is");
        }
        return readyMembers.value.includes(view.podName)
            ? true
            : { lacks: `${view.pdMember.name} reports that it is not ready` };
    },
    heals: itselfHasJustStarted,
    advice: "check that PD member's log",
};

/** The pod's member, including one that never started, has been removed from PD. The last member cannot be removed. */
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
        return (
            one && {
                do: "remove-member",
                member: one.name,
                memberId: one.memberId,
                pod: view.podName,
                onClaims: claimUids(view),
            }
        );
    },
    advice: "check PD's log: it does not remove the member",
};

/** The record of a removal is kept until PD reports whether the member has left. */
const pdKnown: Stage = {
    name: "pd-answers",
    holds: (view) => {
        const lacks = removalOf(view) === undefined ? undefined : lacksMembers(view.pd.members);
        return lacks === undefined ? true : { lacks };
    },
    advice: "check the PD pods; the cluster is not changed until PD answers",
};

/** PD is removed last, because the other members cannot run without it for long. */
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

function droppedByHand({ pd: { members }, pdMembers, pdMember, podName }: PodView): DroppedByHand | undefined {
    if (!members.known || lacksMembers(members) !== undefined) {
        return silentPd;
    }
    if (pdMember !== undefined) {
        const { name, memberId } = pdMember;
        const words = `\`pd-ctl member delete ${name === "" ? `id ${memberId}` : `name ${name}`}\`, which needs a quorum of the others`;
        // A member without a name has never started, so it has no data.
        const isCopied = members.value.some((member) => member.name !== "" && !pdMembers.includes(member));
        return isCopied ? { is: "by-commands", words } : { is: "only-copy" };
    }
    const others = members.value.filter((one) => mayBeIn(one, podName));
    return others.length === 0
        ? undefined
        : {
              is: "not-known",
              why: `PD lists members of no known pod (${memberNames(others)})`,
              first: `make sure that ${podName} is not one of them`,
              mayStop: true,
          };
}

export const pdLifecycle: MemberLifecycle = {
    component: "pd",
    leavesProgram: "refused",
    looks: {
        rollout: ["health", "leader", "ready-members"],
        scale: ["health", "leader"],
        state: ["health"],
        settings: ["leader"],
        // PD must not be scaled to 0 while they run.
        dependants: components.filter((one) => one !== "pd" && topology[one].partOf !== "pd"),
    },
    // The first PD needs all its members to form.
    withoutPd: "restart-dead",
    beforeRestart: [noBackupBeforeRestart, membersListed, batchDecided, quorumWithoutMember, leaderElsewhere],
    afterRestart: [memberHealthy],
    beforeRemoval: [
        notNeeded,
        membersListed,
        memberKnown,
        quorumOfThoseWhoStay,
        leaderElsewhere,
        memberRemoved,
        claimsReleasedFrom(memberInPd),
        removalForgotten,
    ],
    afterRemovalTakenBack: [pdKnown, removedVolumesReleased(memberInPd), removalForgotten],
    failover: pdFailover,
    inPd: memberInPd,
    isDroppedByPd: (view) => droppedId(view, memberInPd) !== undefined,
    droppedByHand,
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
            : `${healthy} of ${target.replicas} PD members are healthy, expected at least ${needed}`;
    },
    startWaitsFor: "healthy in PD",
    restartRisk: ({ pd, target }) =>
        (pd.members.known ? pd.members.value.length : target.replicas) <= 2
            ? "PD has no quorum during the restart"
            : undefined,
    noneLeft: "no PD is left: no other member works without it",
};
