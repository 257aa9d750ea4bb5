import { defaultTimes } from "../../../sandbox/dataPlane/facts/defaultTimes";
import { leaseEnd } from "../../../sandbox/dataPlane/facts/etcd";
import { isolationLevel } from "../../../sandbox/dataPlane/facts/isolation";
import { shareForSchedulers } from "../../../sandbox/dataPlane/facts/schedulers";
import { stateByHeartbeatAge } from "../../../sandbox/dataPlane/facts/storeState";
import { labelsOf } from "./storeLabels";
import { pdClock } from "./tikv";
import { hasQuorum, memberRuns, podWithClaim, runs, storeById } from "./truth";
import type { Heard, Leadership, World } from "./world";

const electionMilliseconds = 1_500;
/** A member that has run for this long has copied the leaders of all regions from PD's leader. */
const copiedAfterMilliseconds = 60_000;

/** Advances PD: members join, a leader is elected, and the leader learns from reports. */
export function stepPd(world: World): void {
    joinMembers(world);
    stepLeadership(world);
    const { leadership } = world.pd;
    if (leadership) {
        learn(world, leadership);
    }
    stepEtcd(world);
}

function joinMembers(world: World): void {
    const { pd, clusters } = world;
    const isFormed = pd.members.length > 0;
    for (const pod of clusters.ours.pods.filter((one) => one.component === "pd" && runs(one))) {
        if (!pd.members.some((member) => member.claim === pod.claim) && (!isFormed || pd.leadership)) {
            const memberId = String(9_000_000_000_000_000_000n + BigInt(world.nextId++));
            const clock = (pod.ordinal % 3) * 700 - 700;
            pd.members = [
                ...pd.members.filter(({ name }) => name !== pod.name),
                { name: pod.name, memberId, claim: pod.claim, clock },
            ];
        }
    }
}

function stepLeadership(world: World): void {
    const { pd } = world;
    const leader = pd.members.find(({ name }) => name === pd.leadership?.leader);
    if (pd.leadership && (!leader || !memberRuns(world, leader) || !hasQuorum(world))) {
        pd.lastLeadership = pd.leadership;
        pd.leadership = undefined;
    }
    if (pd.leadership === undefined) {
        pd.leaderlessSince ??= world.now;
        const next = pd.members.filter((member) => memberRuns(world, member)).at(-1);
        if (next && hasQuorum(world) && world.now - pd.leaderlessSince >= electionMilliseconds) {
            begin(world, next.name);
        }
    }
    if (pd.transfer && pd.transfer.at <= world.now) {
        const to = pd.members.find(({ name }) => name === pd.transfer?.to);
        pd.transfer = undefined;
        if (to && pd.leadership && to.name !== pd.leadership.leader && memberRuns(world, to)) {
            pd.lastLeadership = pd.leadership;
            begin(world, to.name);
        }
    }
}

/**
 * A new leader knows what its own process has copied. If it has run for long, it knows everything as of the moment the
 * leadership was lost. If it was restarted, it knows the regions but not their leaders.
 */
function begin(world: World, leader: string): void {
    const { pd } = world;
    const member = pd.members.find(({ name }) => name === leader)!;
    const since = podWithClaim(world.clusters.ours, member.claim)?.runsSince ?? world.now;
    const last = pd.lastLeadership;
    const hasCopy =
        last !== undefined && world.now - since >= copiedAfterMilliseconds && world.now - last.beganAt > 5_000;
    const clock = pd.clock + member.clock;
    pd.leaderlessSince = undefined;
    pd.revision += 1;
    pd.leadership = {
        leader,
        term: pd.revision,
        beganAt: world.now,
        since: Math.max(world.now + clock, (last?.since ?? 0) + (last ? world.now - last.beganAt : 0)) + 3_000,
        isLoaded: false,
        evicted: new Set(),
        paused: new Set(),
        heard: hasCopy ? new Map(last.heard) : new Map<number, Heard>(),
        // It is saved only from time to time, so it is older than what the last leader knew.
        stores: new Map([...(last?.stores ?? [])].map(([id, at]) => [id, at - 25_000])),
        connected: new Set(),
        status: hasCopy ? { ...last.status } : { missPeer: 0, downPeer: 0, pendingPeer: 0 },
        countedAt: world.now,
    };
    // A new etcd leader restarts the full time of every lease.
    pd.leases.forEach((lease) => (lease.endsAt = leaseEnd(world.now, lease.ttl)));
}

function learn(world: World, leadership: Leadership): void {
    const { pd } = world;
    if (
        !leadership.isLoaded &&
        pd.isBootstrapped &&
        leadership.heard.size >= world.regions.length * shareForSchedulers
    ) {
        leadership.isLoaded = true;
        leadership.evicted = new Set([...pd.evictions.keys(), ...leadership.evicted]);
    }
    if (leadership.isLoaded) {
        patrol(world, leadership);
    }
    if (world.now - leadership.countedAt >= defaultTimes.regionCount) {
        leadership.countedAt = world.now;
        const heard = [...leadership.heard.values()];
        leadership.status = {
            missPeer: heard.filter((one) => isShort(world, one)).length,
            downPeer: heard.filter(({ down }) => down.length > 0).length,
            pendingPeer: heard.filter(({ behind }) => behind.length > 0).length,
        };
        leadership.isolation = leadership.patrol?.isolation;
    }
}

/** The checker looks at all regions at the end of each round, so what it counts is as old as a round when the next one ends. */
function patrol(world: World, leadership: Leadership): void {
    leadership.patrol ??= { at: leadership.countedAt };
    const isDue = world.now - leadership.patrol.at >= world.patrolSeconds * 1000;
    // A round of a moment is played only when its counts are read.
    const isRead = world.patrolSeconds >= 1 || world.now - leadership.countedAt >= defaultTimes.regionCount;
    if (isDue && isRead) {
        leadership.patrol = { at: world.now, isolation: countIsolation(world, [...leadership.heard.values()]) };
    }
}

/** PD's leader counts only regions that it has heard of, at the first location label in which all their TiKV stores differ. */
function countIsolation(world: World, heard: readonly Heard[]): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { peers } of heard) {
        const stores = peers.flatMap((peer) => storeById(world, peer.store) ?? []);
        const labels = stores.filter(({ engine }) => engine === "tikv").map((store) => labelsOf(store));
        const level = isolationLevel(labels, world.zones > 0 ? ["zone"] : []);
        counts[level] = (counts[level] ?? 0) + world.weight;
    }
    return counts;
}

/** @returns whether the region was reported with fewer voters than PD should keep */
export function isShort(world: World, { peers }: Heard): boolean {
    const voters = peers.filter(({ role }) => role === "voter" || role === "demoting").length;
    const stores = world.stores.filter(({ engine, phase }) => engine === "tikv" && phase === "Serving").length;
    return voters < Math.min(world.maxReplicas, stores);
}

/** Ends expired leases while etcd has a quorum. */
function stepEtcd(world: World): void {
    const { pd } = world;
    if (hasQuorum(world)) {
        const ended = pd.leases.filter(({ endsAt }) => endsAt <= world.now).map(({ id }) => id);
        if (ended.length > 0) {
            pd.leases = pd.leases.filter(({ id }) => !ended.includes(id));
            pd.keys = pd.keys.filter(({ leaseId }) => !ended.includes(leaseId));
        }
    }
}

/** @returns the state that PD gives to the store */
export function storeState(world: World, id: number): string {
    const store = storeById(world, id);
    const { leadership } = world.pd;
    if (!store || store.phase !== "Serving") {
        return store?.phase ?? "Tombstone";
    }
    const last = leadership?.stores.get(id);
    return last === undefined ? "New" : stateByHeartbeatAge(world.now + pdClock(world) - last, defaultTimes);
}
