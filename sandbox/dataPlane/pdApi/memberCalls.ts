import { saidVersion } from "../faults";
import { type ClusterState, maxReplicas, type Member, reportedClusterId } from "../model/cluster";
import { deleteMember, isAlive, leaderOf, submitTransfer } from "../model/members";
import type { WireMember, WireMemberHealth, WireMembers } from "pulumi-tidb/provider/pd/wire";
import { json, type PdAnswer, type PdRoute } from "./call";

/** Calls about PD itself: members, leader, versions. */
export const memberRoutes: PdRoute[] = [
    { method: "GET", pattern: /^\/pd\/api\/v1\/health$/, handle: health },
    { method: "GET", pattern: /^\/pd\/api\/v1\/members$/, handle: members },
    { method: "DELETE", pattern: /^\/pd\/api\/v1\/members\/name\/([^/]+)$/, handle: deleteByName },
    { method: "DELETE", pattern: /^\/pd\/api\/v1\/members\/id\/([^/]+)$/, handle: deleteById },
    { method: "GET", pattern: /^\/pd\/api\/v1\/leader$/, handle: (state) => json(identity(leaderOf(state)!)) },
    { method: "POST", pattern: /^\/pd\/api\/v1\/leader\/transfer\/([^/]+)$/, handle: transfer },
    { method: "POST", pattern: /^\/pd\/api\/v1\/leader\/resign$/, handle: resign },
    {
        method: "GET",
        pattern: /^\/pd\/api\/v1\/cluster$/,
        handle: (state) => json({ id: reportedClusterId(state), max_peer_count: maxReplicas(state) }),
    },
    { method: "GET", pattern: /^\/pd\/api\/v1\/cluster\/status$/, handle: clusterStatus },
    { method: "GET", pattern: /^\/pd\/api\/v1\/version$/, handle: version },
    { method: "GET", pattern: /^\/pd\/api\/v1\/status$/, handle: status },
    { method: "GET", pattern: /^\/pd\/api\/v1\/ping$/, handle: () => json(null) },
];

function health(state: ClusterState): PdAnswer {
    const answer: WireMemberHealth[] = state.members.map((member) => ({
        name: member.name,
        member_id: member.id,
        client_urls: [member.clientUrl],
        health: isAlive(state, member),
    }));
    return json(answer);
}

function members(state: ClusterState): PdAnswer {
    const leader = described(state, leaderOf(state)!);
    const answer: WireMembers = {
        header: { cluster_id: reportedClusterId(state) },
        members: state.members.map((member) => described(state, member)),
        leader,
        etcd_leader: leader,
    };
    return json(answer);
}

function deleteByName(state: ClusterState, _request: unknown, name: string): PdAnswer {
    const member = state.members.find((one) => one.name === name);
    if (member === undefined) {
        return json(`not found, pd: ${name}`, 404);
    }
    return remove(state, member, name);
}

/** The message is PD's own, which repeats etcd's message. */
const memberNotFound = "[PD:etcd:ErrEtcdMemberRemove]etcdserver: member not found: etcdserver: member not found";

function deleteById(state: ClusterState, _request: unknown, id: string): PdAnswer {
    const member = state.members.find((one) => String(one.id) === id);
    return member === undefined ? json(memberNotFound, 500) : remove(state, member, id);
}

function remove(state: ClusterState, member: Member, called: string): PdAnswer {
    if (state.faults.deletionRefused) {
        return json("etcdserver: request timed out", 500);
    }
    deleteMember(state, member);
    return json(`removed, pd: ${called}`);
}

function transfer(state: ClusterState, _request: unknown, name: string): PdAnswer {
    return submitTransfer(state, name)
        ? json("The transfer command is submitted.")
        : json("no valid pd to transfer etcd leader", 500);
}

function resign(state: ClusterState): PdAnswer {
    return submitTransfer(state, undefined)
        ? json("The resign command is submitted.")
        : json("no valid pd to transfer etcd leader", 500);
}

function clusterStatus(state: ClusterState): PdAnswer {
    return json({
        raft_bootstrap_time: new Date(state.createdAt).toISOString(),
        is_initialized: state.stores.length > 0,
        replication_status: "",
    });
}

function version(state: ClusterState): PdAnswer {
    return json({ version: versionOf(state, leaderOf(state)!), build_time: "", hash: "", branch: "" });
}

function status(state: ClusterState): PdAnswer {
    const start = Math.floor(state.createdAt / 1000);
    return json({
        build_ts: "None",
        version: versionOf(state, leaderOf(state)!),
        git_hash: "None",
        start_timestamp: start,
    });
}

function identity(member: Member): WireMember {
    return {
        name: member.name,
        member_id: member.id,
        peer_urls: [member.peerUrl],
        client_urls: [member.clientUrl],
    };
}

/** A member is named after its pod. */
function versionOf({ faults }: ClusterState, { name, version: tag }: Member): string {
    return saidVersion(faults, name, tag);
}

function described(state: ClusterState, member: Member): WireMember {
    return { ...identity(member), deploy_path: "/", binary_version: versionOf(state, member), git_hash: "None" };
}
