import { claimsReleased } from "./claims";
import { buriedVolumesReleased, removalForgotten, removalOf } from "./removalRecord";
import type { MemberLifecycle } from "./memberLifecycle";
import type { ObservedPdMember } from "./observation";
import { isNameOf, type PodView, type Stage } from "./stage";

/** PD's rules. Facts from tidb-operator pkg/manager/member/pd_upgrader.go and pd_scaler.go; where those look away, we look. */

const patience = (view: PodView) => ({ seconds: view.target.policy.podReadyTimeoutSeconds, then: "fail" }) as const;

/** PD's majority of `count` members. */
export function majority(count: number): number {
    return Math.floor(count / 2) + 1;
}

/**
 * The rest of PD is a quorum without this member. One or two members have no such rest: taking one down stops PD for
 * as long as it restarts, which the plan says beforehand.
 */
const quorumWithoutMember: Stage = {
    name: "quorum-without-member",
    holds: (view) => {
        const members = view.pd.members ?? [];
        if (members.length === 0) {
            return { lacks: "PD lists no members" };
        }
        const others = members.filter((member) => !isNameOf(member.name, view.podName));
        const standing = others.filter((member) => isStanding(view, member));
        const healthy = standing.length;
        if (members.length <= 2 && healthy === others.length) {
            return true;
        }
        if (view.pod?.ready !== true && view.pdMember?.healthy !== true) {
            return true;
        }
        return healthy >= majority(members.length)
            ? true
            : {
                  lacks: `only ${healthy} of the ${others.length} other PD members are healthy, ${majority(members.length)} must be (not healthy: ${names(others.filter((member) => !standing.includes(member)))})`,
              };
    },
    patience,
    advice: "bring the unhealthy PD members back first; PD would lose its quorum otherwise",
};

/** PD calls the member healthy, and its pod is not about to stop. */
function isStanding(view: PodView, member: ObservedPdMember): boolean {
    const pod = view.member.pods.find((one) => isNameOf(member.name, one.name));
    const isOwn = /-pd-\d+$/.test(member.name) && member.name.startsWith(`${view.observation.cluster}-pd-`);
    return member.healthy && (pod ? pod.ready && !pod.terminating : !isOwn);
}

/** The leader is another member, seen there before this one goes. */
const leaderElsewhere: Stage = {
    name: "leader-elsewhere",
    holds: (view) => {
        if (leaderTarget(view) === undefined) {
            return true;
        }
        if (view.pd.leader === undefined) {
            return { lacks: "PD has no leader" };
        }
        return isNameOf(view.pd.leader, view.podName) ? { lacks: `${view.podName} is PD's leader` } : true;
    },
    act: (view) => {
        const to = leaderTarget(view);
        return to !== undefined && view.pd.leader !== undefined
            ? { do: "transfer-leader", to, from: view.pd.leader }
            : undefined;
    },
    patience,
    advice: "look at PD's log: another member cannot take the leadership over",
};

/**
 * Who shall lead: the highest healthy ordinal above this one (it is on the new revision already), else the lowest
 * below, else a healthy member of another cluster that shares this PD, else one that will leave itself.
 */
export function leaderTarget(view: PodView): string | undefined {
    const others = view.member.pods
        .map((pod) => ({ ordinal: pod.ordinal, member: memberOf(view, pod.name) }))
        .filter(({ ordinal, member }) => ordinal !== view.ordinal && member?.healthy)
        .sort((a, b) => a.ordinal - b.ordinal);
    const staying = others.filter(({ ordinal }) => ordinal < view.target.replicas);
    const above = staying.filter(({ ordinal }) => ordinal > view.ordinal).at(-1);
    const below = staying.find(({ ordinal }) => ordinal < view.ordinal);
    const peer = (view.pd.members ?? []).find(
        (member) => member.healthy && !view.member.pods.some((pod) => isNameOf(member.name, pod.name)),
    );
    return (above?.member ?? below?.member ?? peer ?? others[0]?.member)?.name;
}

function memberOf(view: PodView, podName: string): ObservedPdMember | undefined {
    return view.pd.members?.find((member) => isNameOf(member.name, podName));
}

/** PD's own health list calls the member healthy, and the member itself says that it is ready. */
const memberHealthy: Stage = {
    name: "member-healthy",
    holds: (view) => {
        if (!view.pdMember) {
            return { lacks: `${view.podName} has not joined PD` };
        }
        if (!view.pdMember.healthy) {
            return { lacks: `PD calls ${view.pdMember.name} unhealthy` };
        }
        return view.pd.readyMembers === undefined || view.pd.readyMembers.includes(view.podName)
            ? true
            : { lacks: `${view.pdMember.name} says that it is not ready` };
    },
    patience,
    advice: "look at the log of that PD member",
};

/** The member is out of PD: only then may its pod go for good. The last one has no PD to be taken out of. */
const memberRemoved: Stage = {
    name: "member-removed",
    holds: (view) =>
        view.pdMember && view.pd.members?.length !== 1
            ? { lacks: `${view.pdMember.name} is still a member of PD` }
            : true,
    act: (view) => view.pdMember && { do: "remove-member", member: view.pdMember.name, pod: view.podName },
    patience,
    advice: "look at PD's log: it does not let the member go",
};

/** What stays is a quorum, before a member is removed. */
const quorumOfThoseWhoStay: Stage = {
    name: "quorum-of-those-who-stay",
    holds: (view) => {
        if (!view.pdMember) {
            return true;
        }
        const staying = (view.pd.members ?? []).filter((member) => member !== view.pdMember);
        if (staying.length === 0) {
            return true;
        }
        const healthy = staying.filter((member) => isStanding(view, member)).length;
        return healthy >= majority(staying.length)
            ? true
            : { lacks: `only ${healthy} of the ${staying.length} PD members that would stay are healthy` };
    },
    patience,
    advice: "bring the unhealthy PD members back first; the removal would cost PD its quorum",
};

/** PD has members, and this is none of them. */
function isOut(view: PodView): boolean {
    return (view.pd.members?.length ?? 0) > 0 && view.pdMember === undefined;
}

/** Nothing of a removal is forgotten before PD has said whether the member is out. */
const pdKnown: Stage = {
    name: "pd-answers",
    holds: (view) =>
        removalOf(view) === undefined || view.pd.members
            ? true
            : { lacks: view.observation.pdTrouble ?? "PD did not list its members" },
    patience,
    advice: "look at the PD pods; nothing is done to the cluster while PD cannot be asked",
};

/** PD goes last: what runs without it does not live long. */
const notNeeded: Stage = {
    name: "pd-not-needed",
    holds: (view) => {
        const problem = pdLifecycle.refuseReplicas(view.observation, view.target);
        return problem === undefined ? true : { lacks: problem };
    },
    patience: () => ({ seconds: 0, then: "fail" }),
    advice: "scale the other members to 0 first",
};

export const pdLifecycle: MemberLifecycle = {
    component: "pd",
    looks: {
        rollout: ["health", "leader", "ready-members"],
        scale: ["health", "leader"],
        state: ["health"],
        // So that it is not scaled to 0 under them.
        dependants: ["tiproxy", "tiflash", "tikv", "pump", "tidb", "ticdc"],
    },
    // The first PD needs all its members to form.
    withoutPd: "restart-dead",
    beforeRestart: [quorumWithoutMember, leaderElsewhere],
    afterRestart: [memberHealthy],
    beforeRemoval: [notNeeded, quorumOfThoseWhoStay, leaderElsewhere, memberRemoved, claimsReleased, removalForgotten],
    afterRemovalTakenBack: [pdKnown, buriedVolumesReleased(isOut), removalForgotten],
    isBuried: isOut,
    refuseReplicas: (observation, target) => {
        const dependants = Object.values(observation.members).filter(
            (member) => member.component !== "pd" && member.pods.length > 0,
        );
        return target.replicas === 0 && dependants.length > 0
            ? `PD cannot be scaled to 0 while ${dependants.map((member) => member.component).join(" and ")} run: expected at least 1`
            : undefined;
    },
    lacks: ({ pd, pdMember, podName }) => {
        if (pd.members === undefined || pdMember?.healthy === true) {
            return undefined;
        }
        return `wait for PD member ${podName}: ${pdMember ? "it is unhealthy" : "it has not joined"}`;
    },
    available: (observation, target) => {
        const members = observation.pd?.members ?? [];
        const healthy = members.filter((member) => member.healthy).length;
        const needed = majority(Math.max(target.replicas, members.length));
        return healthy >= needed
            ? undefined
            : `${healthy} of ${target.replicas} PD members are healthy, ${needed} must be`;
    },
    restartDoes: (view) => [
        ...(view.pd.leader !== undefined && isNameOf(view.pd.leader, view.podName)
            ? [`transfer leadership to ${leaderTarget(view) ?? "nobody: no other is healthy"}`]
            : []),
    ],
    startWaitsFor: "healthy in PD",
    restartWaitsFor: "healthy in PD",
    restartRisk: (view) =>
        (view.pd.members?.length ?? view.target.replicas) <= 2 ? "PD has no quorum meanwhile" : undefined,
    removalDoes: () => "remove the member from PD",
    estimateRestartSeconds: () => 15,
    estimateRemovalSeconds: () => 5,
};

function names(members: ObservedPdMember[]): string {
    return members.map((member) => member.name).join(", ") || "none";
}
