import type { Stack } from "./operate";
import { storeState } from "./pd";
import { isBehind } from "./regions";
import { clusterOf, podWithClaim, runs } from "./truth";
import type { Kubernetes, Store, World } from "./world";

/** The ages, in seconds, between which a run decides differently: of leaders, heartbeats, locks, and timeouts of the model. */
const ages = [1, 3, 10, 30, 120, 150, 300, 1_800];

/**
 * @returns all that a run can find in a world and in Pulumi's state, without what only tells apart one course of time from
 * another: UIDs, versions, terms, names of runs, and which of several regions a store leads. Times are ages, roughly.
 */
export function whatRunsFind(world: World, stack: Stack): string {
    const { clusters, stores, regions, evictionsStuckUntil, now } = world;
    const nameOf = (id: number) => stores.find((store) => store.id === id)?.podName ?? String(id);
    const found = {
        stack,
        clusters: Object.values(clusters).map((cluster) => ofKubernetes(world, cluster)),
        pd: ofPd(world, nameOf),
        stores: stores.map((store) => ofStore(world, store)),
        regions: regions.map(({ peers, leader, shortUntil, jointUntil }) => ({
            peers: peers.map((peer) => [nameOf(peer.store), peer.role, isBehind(world, peer)]),
            isLed: leader !== undefined,
            isShort: shortUntil > now,
            isJoint: jointUntil > now,
        })),
        areEvictionsStuck: evictionsStuckUntil > now,
        isUnused: world.faults,
    };
    return withoutNames(JSON.stringify(found), now);
}

function ofKubernetes({ now }: World, cluster: Kubernetes) {
    const { statefulSets, pods, claims, nodes, lease, isUpgrading, tidbTakenDown, serverLabels } = cluster;
    return {
        statefulSets: Object.entries(statefulSets).map(([component, set]) => [component, { ...set, seenAt: 0 }]),
        pods: pods.map((pod) => ({
            ...[pod.name, pod.revision, pod.node, pod.claim],
            isStopping: pod.stopsAt !== undefined,
            isStarting: pod.startsAt > now,
            isCrashed: pod.crashedUntil > now,
            runs: runs(pod),
            reported: { ...pod.reported, startedAt: 0, readySince: 0 },
        })),
        claims,
        nodes: Object.entries(nodes).map(([name, { cutUntil, downUntil, cordonedUntil = 0 }]) => [
            name,
            ...[cutUntil, downUntil, cordonedUntil].map((until) => until > now),
        ]),
        annotations: lease.metadata?.annotations,
        holder: lease.spec?.holderIdentity ? [lease.spec.renewTime, lease.spec.leaseDurationSeconds] : undefined,
        isUpgrading,
        serverLabels: pods.map(({ uid }) => serverLabels.get(uid)),
        tidbTakenDown: [...tidbTakenDown],
    };
}

function ofPd({ pd, now, regions }: World, nameOf: (id: number) => string) {
    const { leadership } = pd;
    return {
        members: pd.members.map(({ name, claim }) => [name, claim]),
        leader: leadership && {
            name: leadership.leader,
            since: leadership.beganAt,
            isLoaded: leadership.isLoaded,
            hasHeard: leadership.heard.size >= regions.length,
            evicted: [...leadership.evicted].map(nameOf),
            paused: [...leadership.paused].map(nameOf),
            connected: [...leadership.connected].map(nameOf),
            status: leadership.status,
            isolation: leadership.isolation,
        },
        isMoving: pd.transfer !== undefined,
        evictions: [...pd.evictions].map(([id, { owner, since }]) => [nameOf(id), owner, since]),
        limits: [pd.limits, pd.schedule.by, pd.schedule.bySomebody],
        list: pd.list,
        locks: pd.keys.map(({ leaseId }) => (pd.leases.find(({ id }) => id === leaseId)?.endsAt ?? 0) > now),
    };
}

function ofStore(world: World, store: Store) {
    const { podName, of, phase, claim, gauge, leadsSince, isTakenDown, busy, gaugeGoneUntil } = store;
    return {
        store: [podName, of, phase, claim, storeState(world, store.id)],
        runs: runs(podWithClaim(clusterOf(world, store), claim)),
        counts: gauge === undefined ? "nothing" : gauge > 0,
        leads: leadsSince !== undefined,
        isTakenDown,
        isBusy: busy !== undefined && busy.until > world.now,
        isSilent: gaugeGoneUntil > world.now,
    };
}

/** Replaces times by ages, and the names that each run and each pod has for itself. */
function withoutNames(text: string, now: number): string {
    const age = (time: number) => `age ${ages.filter((each) => now - time >= each * 1000).length}`;
    return text
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (date) => age(Date.parse(date)))
        .replace(/\b1[67]\d{11}(\.\d+)?\b/g, (time) => age(Number(time)))
        .replace(/\bpod-\d+/g, "pod")
        .replace(/\b(ours|theirs) \d+/g, "$1");
}
