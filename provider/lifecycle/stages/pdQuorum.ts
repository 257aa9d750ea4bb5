import type { ObservedPdMember } from "../vocabulary/observation";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { isStopped } from "./stores";

/** Whether PD keeps its quorum. */

/** PD's majority of `count` members. */
export function majority(count: number): number {
    return Math.floor(count / 2) + 1;
}

/**
 * The rest of PD is a quorum without this member. One or two members have no such rest: taking one down stops PD for
 * as long as it restarts, which the plan says beforehand.
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
        const others = all.filter((member) => !view.pdMembers.includes(member));
        const standing = others.filter((member) => countsForQuorum(view, member));
        if (all.length <= 2 && standing.length === others.length) {
            return true;
        }
        // What does not run is missing already.
        if (isStopped(view) && !view.pdMembers.some((member) => member.healthy)) {
            return true;
        }
        return standing.length >= majority(all.length)
            ? true
            : {
                  lacks: `only ${standing.length} of the ${others.length} other PD members are healthy, ${majority(all.length)} must be (not healthy: ${names(others.filter((member) => !standing.includes(member)))})`,
              };
    },
    advice: "bring the unhealthy PD members back first; PD would lose its quorum otherwise",
};

/** What stays is a quorum, before a member is removed. */
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
        const healthy = staying.filter((member) => countsForQuorum(view, member)).length;
        return healthy >= majority(staying.length)
            ? true
            : { lacks: `only ${healthy} of the ${staying.length} PD members that would stay are healthy` };
    },
    advice: "bring the unhealthy PD members back first; the removal would cost PD its quorum",
};

/** PD calls the member healthy, and its pod, where it is one of ours, is not about to stop. */
function countsForQuorum({ member }: PodView, { healthy, name, podName }: ObservedPdMember): boolean {
    const pod = member.pods.find((one) => one.name === podName);
    const runs =
        pod !== undefined && !pod.terminating && (!pod.container.known || pod.container.value.is === "running");
    return healthy && name !== "" && (podName === undefined || runs);
}

function names(members: readonly ObservedPdMember[]): string {
    return members.map((member) => member.name || "one that never started").join(", ") || "none";
}
