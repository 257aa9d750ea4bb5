import { notAsked } from "../../vocabulary/evidence";
import type { Observation } from "../../vocabulary/observation";
import type { MemberTarget } from "../../vocabulary/target";
import { leads, podLeads } from "../pdLeader";
import { countsForQuorum, majority } from "../pdQuorum";
import { atMost } from "./atMost";
import type { MemberBatch, ProofFinding } from "./memberBatch";

/**
 * PD members that restart side by side: so few that the others are a quorum, and only while all others are healthy. The leader is never
 * one of them. It restarts last, so its leadership moves once, to a member that has restarted.
 */
export const pdBatch: MemberBatch = {
    isWell: ({ pdMembers, pdMember }) => pdMembers.length === 1 && pdMember?.healthy === true,
    canJoin: ({ pd, pdMember }) => leads(pd, pdMember) === false,
    choose: (candidates) => {
        const [{ observation }] = candidates;
        const { members } = observation.pd;
        return atMost(candidates, members.known ? mostDown(members.value.length) : Infinity, prove);
    },
    prove,
    triesOneFirst: true,
    goesLast: podLeads,
    otherwise: "PD's members restart one by one where it is not proven that the others are a quorum",
};

/** @returns how many of `count` members may be down: the others are a majority. */
function mostDown(count: number): number {
    return count - majority(count);
}

function prove(observation: Observation, { component }: MemberTarget, pods: object): ProofFinding {
    const { members, leader } = observation.pd;
    if (!members.known || !leader.known) {
        const fact = members.known ? leader : members;
        return fact === notAsked
            ? { look: { parts: ["health", "leader"] } }
            : { why: fact.known ? "" : fact.why, mayPass: true };
    }
    const all = members.value;
    const batch = all.filter(({ podName }) => podName !== undefined && Object.hasOwn(pods, podName));
    const leading = all.find(({ name }) => name !== "" && name === leader.value);
    if (leading === undefined) {
        return { why: "PD has no leader", mayPass: true };
    }
    if (batch.includes(leading)) {
        return { why: `${leading.name} leads PD` };
    }
    const margin = mostDown(all.length) - batch.length;
    if (margin < 0) {
        return { why: `at most ${mostDown(all.length)} of PD's ${all.length} members may be down` };
    }
    const own = observation.members[component]?.pods ?? [];
    const bad = all.find((member) => !batch.includes(member) && !countsForQuorum(own, member));
    return bad === undefined
        ? { proof: { by: "members", margin } }
        : { why: `PD member ${bad.name || "that never started"} is not healthy` };
}
