import { memberUrls, podHost } from "../facts/addresses";
import { isQuorum } from "../facts/quorum";
import { memberFault } from "../faults";
import { type ClusterState, type Member, type Pod, record } from "./cluster";
import { identifier } from "./identifier";
import { endLeases } from "./etcd";
import { takeFile } from "./pdFile";
import { beginLeadership, endLeadership, stepLeadership } from "./leadership";

/** Whether a member's process runs and counts towards the quorum. */
export function isAlive(state: ClusterState, member: Member): boolean {
    const pod = podOfMember(state, member);
    return pod !== undefined && hasStarted(state, pod) && !memberFault(state.faults, pod.name).unhealthy;
}

/** Whether a majority of the members is alive. */
export function hasQuorum(state: ClusterState): boolean {
    const alive = state.members.filter((member) => isAlive(state, member)).length;
    return isQuorum(alive, state.members.length);
}

/** The member that leads PD and etcd. Undefined during an election, without a quorum, or because of a fault. */
export function leaderOf(state: ClusterState): Member | undefined {
    if (state.faults.noLeader || !hasQuorum(state)) {
        return undefined;
    }
    const leader = state.members.find((member) => member.name === state.leader);
    return leader !== undefined && isAlive(state, leader) ? leader : undefined;
}

/** The member that runs in a pod. Undefined while it starts, and for a deleted member. */
export function memberOfPod(state: ClusterState, podName: string): Member | undefined {
    const pod = state.pods.get(podName);
    return pod && hasStarted(state, pod) ? state.members.find((member) => member.claim === pod.claim) : undefined;
}

/** Requests a leader transfer to the named member or to any other. False if no member can take over. */
export function submitTransfer(state: ClusterState, name: string | undefined): boolean {
    const others = state.members.filter((member) => member.name !== state.leader && isAlive(state, member));
    const target = name === undefined ? others.at(-1) : state.members.find((member) => member.name === name);
    if (target === undefined || !isAlive(state, target)) {
        return false;
    }
    record(state, "leader-transfer-submitted", { member: target.name });
    if (!state.faults.leaderTransferNeverHappens && target.name !== state.leader) {
        state.nextLeader = { at: state.now + state.timings.leaderTransferMilliseconds, name: target.name };
    }
    return true;
}

/** Removes a member from PD. Its process stops serving and does not come back with the same data. */
export function deleteMember(state: ClusterState, member: Member): void {
    state.members = state.members.filter((other) => other !== member);
    state.deletedMemberClaims.add(member.claim);
    record(state, "member-deleted", { member: member.name });
}

/** Adds members whose pods have started, and elects a leader when it is time. */
export function stepMembers(state: ClusterState): void {
    for (const pod of state.pods.values()) {
        if (pod.component === "pd" && hasStarted(state, pod)) {
            joinMember(state, pod);
        }
    }
    stepLeader(state);
    stepLeadership(
        state,
        state.members.filter((member) => isAlive(state, member)),
    );
    if (hasQuorum(state)) {
        endLeases(state);
    }
}

function joinMember(state: ClusterState, pod: Pod): void {
    const known = state.members.find((member) => member.claim === pod.claim);
    if (known !== undefined) {
        known.version = pod.version;
        return;
    }
    const nameIsTaken = state.members.some((member) => member.name === pod.name);
    const canJoin = state.members.length === 0 || leaderOf(state) !== undefined;
    if (nameIsTaken || !canJoin || state.deletedMemberClaims.has(pod.claim)) {
        return;
    }
    if (state.members.length === 0) {
        takeFile(state, pod);
    }
    const host = podHost(pod.name, `${state.name}-pd-peer`, state.namespace);
    const urls = memberUrls(host, pod.tlsSecret === undefined ? "http" : "https");
    state.members.push({
        name: pod.name,
        id: identifier(`${pod.name}/${pod.claim}`),
        claim: pod.claim,
        peerUrl: urls.peer,
        clientUrl: urls.client,
        version: pod.version,
        knowsLeaders: true,
    });
    record(state, "member-joined", { member: pod.name, pod: pod.name });
    if (state.members.length === 1) {
        lead(state, state.members[0]);
    }
}

function stepLeader(state: ClusterState): void {
    if (state.nextLeader !== undefined && state.now >= state.nextLeader.at && !state.faults.noLeader) {
        const { name } = state.nextLeader;
        state.nextLeader = undefined;
        const candidates = state.members.filter((member) => isAlive(state, member));
        const next = candidates.find((member) => member.name === name) ?? candidates[0];
        if (next !== undefined && hasQuorum(state)) {
            lead(state, next, name !== undefined && next.name === name);
        }
    }
    if (leaderOf(state) === undefined && state.members.length > 0) {
        endLeadership(state);
        state.leader = undefined;
        state.nextLeader ??= { at: state.now + state.timings.leaderElectionMilliseconds };
    }
}

function lead(state: ClusterState, member: Member, transferred = false): void {
    const { name } = member;
    endLeadership(state);
    state.leader = name;
    beginLeadership(state, member);
    record(state, transferred ? "leader-transferred" : "leader-elected", { member: name });
}

function podOfMember(state: ClusterState, member: Member): Pod | undefined {
    // Asked many times in each step of the model: a loop makes no list of all pods.
    for (const pod of state.pods.values()) {
        if (pod.component === "pd" && pod.claim === member.claim) {
            return pod;
        }
    }
    return undefined;
}

function hasStarted(state: ClusterState, pod: Pod): boolean {
    return (
        pod.refused === undefined &&
        pod.runningSince !== undefined &&
        state.now >= pod.runningSince + state.timings.memberHealthyAfterMilliseconds
    );
}
