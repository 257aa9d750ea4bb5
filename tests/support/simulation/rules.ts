import { pdLockKey } from "../../../provider/cluster/pdLock";
import { defaultTimes } from "../../../sandbox/dataPlane/facts/defaultTimes";
import type { OperationRecords } from "../../../provider/lifecycle/vocabulary/observation";
import type { Component } from "../../../topology/members";
import { isSwitchedUpgrade } from "../../../provider/lifecycle/vocabulary/smoothUpgrade";
import { imageTagOf, isCordoned, isCut, isFull, nodeOf } from "./kubernetes";
import { isDownByRun, judgeMajorities, judgeTiflashReplicas, knownDown } from "./majorities";
import { listFault } from "./pdStores";
import type { SimulatedProcess } from "./process";
import { leadersOf } from "./regions";
import { clusterOf, liveStores, memberRuns, noteViolation, podNameOf, podWithClaim, runs } from "./truth";
import type { Claim, Kubernetes, Member, Pod, Store, World } from "./world";

/**
 * Checks the promises of docs/safety.md against the model's truth and against what a process could know when its last
 * look started.
 */

/** How far an answer about a store's leaders is behind the truth, apart from the age of the store's gauge. */
const answerMilliseconds = 1_500;
/** How long PD calls a store Up after its last heartbeat. */
const upMilliseconds = 22_000;

/** Rules 1 to 3: a running pod is taken down. */
export function judgeRestart(world: World, process: SimulatedProcess, cluster: Kubernetes, pod: Pod): void {
    judgeLocks(world, process, `delete ${pod.name}`, pod.component === "pd" && !process.lookHadPd);
    if (!runs(pod)) {
        return;
    }
    judgeMove(world, process, cluster, pod);
    const found =
        pod.component === "pd"
            ? judgePdRestart(world, process, pod.name)
            : pod.component === "tidb"
              ? (judgeTidbRestart(cluster, pod) ?? judgeTidbDown(process, cluster, pod))
              : judgeStoreRestart(world, process, cluster, pod);
    if (found) {
        noteViolation(world, `${found}: ${cluster.key} ${pod.name} is taken down`);
    }
}

/** Rule 13: a pod that is to run as before leaves its node only while another one has room for it. */
function judgeMove(world: World, process: SimulatedProcess, cluster: Kubernetes, pod: Pod): void {
    const isStale = pod.revision !== cluster.statefulSets[pod.component]?.revision;
    const node = nodeOf(cluster, pod);
    const { fullSince = Infinity } = cluster;
    const wasFull = isFull(world, cluster) && fullSince < process.lookedAt;
    if (!isStale && isCordoned(world, node) && (node.cordonedSince ?? Infinity) < process.lookedAt && wasFull) {
        noteViolation(world, `rule 13: ${cluster.key} ${pod.name} leaves its node, and no other one takes it`);
    }
}

/** Rule 17: a TiDB pod restarts into a later version only while TiDB knows that it is being upgraded. */
function judgeTidbRestart(cluster: Kubernetes, pod: Pod): string | undefined {
    const to = imageTagOf("tidb", cluster.statefulSets.tidb?.revision ?? "");
    return isSwitchedUpgrade(imageTagOf("tidb", pod.revision), to) && !cluster.isUpgrading
        ? "rule 17: TiDB was not told of its upgrade"
        : undefined;
}

/** Rule 18: no more TiDB pods are down by runs than the program says, side by side only while all others run, and one does. */
function judgeTidbDown({ lookedAt }: SimulatedProcess, cluster: Kubernetes, pod: Pod): string | undefined {
    const { tidbTakenDown: down, mostTidbDown } = cluster;
    const beside = [...down].filter((name) => name !== pod.name);
    const wanted = cluster.statefulSets.tidb?.replicas ?? 0;
    const tidb = Array.from({ length: wanted }, (_, ordinal) => podNameOf(cluster, "tidb", ordinal));
    const others = cluster.pods.filter(({ name }) => tidb.includes(name) && name !== pod.name && !down.has(name));
    const lost = others.find((one) => !runs(one) && (one.downSince ?? one.createdAt) < lookedAt);
    down.add(pod.name);
    if (beside.length === 0) {
        return undefined;
    }
    return beside.length + 1 > mostTidbDown
        ? `rule 18: ${beside.join(", ")} are down by a run too, and at most ${mostTidbDown} may be`
        : others.length === 0 || lost
          ? `rule 18: it is taken down beside ${beside.join(", ")}, and ${lost ? `${lost.name} does not run` : "no other one is left"}`
          : undefined;
}

/** Rule 17: TiDB is told that it is being upgraded, or that this is over. */
export function judgeUpgrade(world: World, process: SimulatedProcess, cluster: Kubernetes, begins: boolean): void {
    judgeLocks(world, process, begins ? "start the upgrade" : "finish the upgrade");
    if (recordsOf(cluster).smoothUpgrade === undefined) {
        noteViolation(world, "rule 17: TiDB is told of an upgrade without a record");
    }
    const versions = new Set(
        cluster.pods.filter((pod) => pod.component === "tidb" && runs(pod)).map(({ revision }) => revision),
    );
    if (!begins && versions.size > 1) {
        noteViolation(world, `rule 17: the upgrade is finished while TiDB runs ${[...versions].join(" and ")}`);
    }
}

function judgePdRestart(world: World, process: SimulatedProcess, name: string): string | undefined {
    const { members, leadership } = world.pd;
    const rest = members.filter((member) => member.name !== name);
    if (rest.length > 0 && leadership?.leader === name && leadership.beganAt <= process.lookedAt) {
        return "rule 3: the pod is the PD leader";
    }
    const standing = rest.filter((member) => seemsToRun(world, process, member)).length;
    return members.length <= 2 || standing * 2 > members.length
        ? undefined
        : "rule 3: the remaining PD members are not a quorum";
}

/** @returns whether the member runs, or ran when the process started its look */
function seemsToRun(world: World, process: SimulatedProcess, member: Member): boolean {
    const pod = podWithClaim(world.clusters.ours, member.claim);
    return runs(pod) || (pod?.downSince ?? 0) > process.lookedAt - 1_000;
}

function judgeStoreRestart(world: World, process: SimulatedProcess, cluster: Kubernetes, pod: Pod): string | undefined {
    const store = world.stores.find((one) => one.claim === pod.claim && one.of === cluster.key);
    if (!store || store.phase === "Tombstone") {
        return undefined;
    }
    if (store.engine === "tiflash") {
        const bad = liveStores(world, "tiflash").find(
            (one) => one !== store && !isDownByRun(cluster, one) && knownDown(world, process, one.id),
        );
        const lost = judgeTiflashReplicas(world, process, cluster, store);
        store.isTakenDown = true;
        return bad ? `rule 2: TiFlash store ${bad.id} is down` : lost;
    }
    if (liveStores(world, "tikv").length < 2) {
        return undefined;
    }
    if (
        store.leadsSince !== undefined &&
        // Its last leader may have left after the model's last step.
        leadersOf(world, store.id) > 0 &&
        store.leadsSince <= knownLeading(world, process, store) &&
        !isDeadlineOver(world, cluster, store.id)
    ) {
        return `rule 1: store ${store.id} leads regions`;
    }
    const lost = judgeMajorities(world, process, store);
    store.isTakenDown = true;
    return lost;
}

/**
 * @returns since when a store must have led regions for a process to know it. Its gauge may be as old as its timer. Leaders from before
 * the eviction are known at once: PD's count has them, or the gauge was refreshed between two readings under the eviction.
 */
function knownLeading(world: World, process: SimulatedProcess, store: Store): number {
    const answered = process.lookedAt - answerMilliseconds;
    const eviction = world.pd.evictions.get(store.id);
    return Math.max(answered - defaultTimes.regionGauge, Math.min(answered, eviction?.since ?? -Infinity));
}

/** The user's deadline counts only while PD keeps leaders away from the store. */
function isDeadlineOver(world: World, { evictDeadlineSeconds }: Kubernetes, store: number): boolean {
    const eviction = world.pd.evictions.get(store);
    return (
        evictDeadlineSeconds !== undefined &&
        eviction !== undefined &&
        world.now - eviction.since >= evictDeadlineSeconds * 1000
    );
}

/** Rules 3 and 4: a member is removed from PD. */
export function judgeMemberRemoval(world: World, process: SimulatedProcess, member: Member): void {
    judgeLocks(world, process, `remove ${member.name}`);
    const { members, leadership } = world.pd;
    const rest = members.filter((one) => one !== member);
    const standing = rest.filter((one) => seemsToRun(world, process, one)).length;
    const { ours } = world.clusters;
    const stays = !leaves(ours, "pd", member.name);
    if (stays && !isOutdated(ours, "pd", member.name)) {
        noteViolation(world, `rule 4: PD member ${member.name} is removed, although its ordinal stays`);
    } else if (stays && standing < (ours.wanted.pd ?? 0)) {
        noteViolation(world, `rule 25: PD member ${member.name} gets another volume while only ${standing} others run`);
    } else if (leadership?.leader === member.name && leadership.beganAt <= process.lookedAt) {
        noteViolation(world, `rule 3: the PD leader ${member.name} is removed`);
    } else if (standing * 2 <= rest.length) {
        noteViolation(world, `rule 3: the members that remain without ${member.name} are not a quorum`);
    }
}

/** Rules 4 and 5: a store is removed from PD, or its removal is cancelled. */
export function judgeStoreChange(
    world: World,
    process: SimulatedProcess,
    store: Store,
    phase: "Offline" | "Serving",
): void {
    judgeLocks(world, process, `set store ${store.id} ${phase}`);
    const cluster = world.clusters[process.cluster];
    if (store.of !== process.cluster) {
        noteViolation(world, `rule 4: store ${store.id} of another cluster is set ${phase}`);
    } else if (phase === "Serving") {
        if (!recordsOf(cluster).removals[store.id]) {
            noteViolation(world, `rule 4: somebody else's removal of store ${store.id} is undone`);
        }
    } else if (!leaves(cluster, store.engine, store.podName) && !isOutdated(cluster, store.engine, store.podName)) {
        noteViolation(world, `rule 4: store ${store.id} is removed, although its ordinal stays`);
    } else {
        const up = world.stores.filter(
            (one) =>
                one !== store &&
                one.engine === store.engine &&
                one.phase === "Serving" &&
                (one.down === undefined || one.down.since > process.lookedAt - upMilliseconds),
        ).length;
        const needed = store.engine === "tikv" ? world.maxReplicas : world.tiflashReplicas;
        const wanted = cluster.wanted[store.engine] ?? 0;
        if (!leaves(cluster, store.engine, store.podName) && up < wanted) {
            noteViolation(world, `rule 25: store ${store.id} gets another volume while only ${up} others are Up`);
        }
        if (up < needed) {
            noteViolation(
                world,
                `rule 5: ${up} Up ${store.engine} stores would remain, and the replicas need ${needed}`,
            );
        }
    }
}

/** Rule 6: an eviction is started. */
export function judgeEviction(world: World, process: SimulatedProcess, store: number): void {
    judgeLocks(world, process, `evict store ${store}`);
    const there = world.pd.evictions.get(store);
    if (!recordsOf(world.clusters[process.cluster]).evictions[store]) {
        noteViolation(world, `rule 6: an eviction of store ${store} is started without a record`);
    }
    if (there && there.owner !== process.cluster && there.since < process.lookedAt) {
        noteViolation(world, `rule 6: an eviction of store ${store} is started while ${there.owner} has one`);
    }
}

/**
 * Rule 6: an eviction is ended. PD keeps one scheduler per store, without a name. So nobody can tell theirs from ours while
 * ours is open, or while it was ended under an earlier leader and no run has yet seen that PD dropped it.
 */
export function judgeEvictionEnd(world: World, process: SimulatedProcess, store: number): void {
    judgeLocks(world, process, `end the eviction of store ${store}`);
    const there = world.pd.evictions.get(store);
    const record = recordsOf(world.clusters[process.cluster]).evictions[store];
    const term = world.pd.leadership && String(world.pd.leadership.term);
    const mayBeOurs = record && !record.isGone && (record.endedAt === undefined || record.endedUnder !== term);
    if (there && there.owner !== process.cluster && !mayBeOurs) {
        noteViolation(world, `rule 6: the eviction of store ${store} by ${there.owner} is ended`);
    }
}

/** Rule 15: PD's limit of moving leaders is changed. */
export function judgeLimit(world: World, process: SimulatedProcess, to: number): void {
    judgeLocks(world, process, `set the limit to ${to}`);
    const { limits, schedule } = world.pd;
    const record = recordsOf(world.clusters[process.cluster]).raisedLimits?.limits["leader-schedule-limit"];
    const isKnown = schedule.since < process.lookedAt;
    if (record === undefined) {
        noteViolation(world, `rule 15: the limit is set to ${to} without a record`);
    } else if (to > limits.schedule) {
        if (record.isSet) {
            noteViolation(
                world,
                `rule 15: the limit ${limits.schedule} that somebody has set meanwhile is raised to ${to}`,
            );
        }
        // A stale list shows what was so when it was first asked for.
        const stale = listFault(world)?.seen;
        // A store that is evicted gets no leader.
        const busy = liveStores(world, "tikv").find(
            ({ id, busy: one }) =>
                one &&
                !world.pd.evictions.has(id) &&
                one.since < process.lookedAt &&
                world.now < one.until &&
                (stale === undefined || stale.some((store) => store.id === id && store.isBusy)),
        );
        if (busy) {
            noteViolation(world, `rule 15: the limit is raised to ${to} while store ${busy.id} is busy`);
        }
    } else if (schedule.by === "somebody" && isKnown) {
        noteViolation(world, `rule 15: the limit ${limits.schedule} that somebody has set is changed to ${to}`);
    }
}

/** Rules 9 and 11: a volume is given up or deleted. */
export function judgeClaims(
    world: World,
    process: SimulatedProcess,
    cluster: Kubernetes,
    claim: { uid: string; name: string },
) {
    judgeLocks(world, process, `give up ${claim.name}`, true);
    const store = liveStores(world).find((one) => one.claim === claim.uid && one.of === cluster.key);
    const member = cluster.key === "ours" && world.pd.members.some((one) => one.claim === claim.uid);
    if (store || (member && world.pd.members.length > 1)) {
        const what = store ? `store ${store.id}` : "a PD member";
        noteViolation(world, `rule 9: ${claim.name} of ${cluster.key} is given up while ${what} uses it`);
    }
}

/** Rule 7: only the holder of the lock writes records. */
export function judgeRecords(
    world: World,
    process: SimulatedProcess,
    cluster: Kubernetes,
    { metadata }: { metadata?: { resourceVersion?: string; annotations?: object } },
): void {
    const isRecords = Object.keys(metadata?.annotations ?? {}).some((name) => name.endsWith("/records"));
    const wouldBeWritten =
        metadata?.resourceVersion === undefined || metadata.resourceVersion === cluster.lease.metadata?.resourceVersion;
    if (isRecords && wouldBeWritten && cluster.lease.spec?.holderIdentity !== process.holder) {
        noteViolation(world, `rule 7: ${process.holder} writes records without the lock`);
    }
}

/** Rule 7: a process acts on a cluster or a PD only while no other process holds its lock. */
function judgeLocks(world: World, process: SimulatedProcess, what: string, withoutPd = false): void {
    const { spec } = world.clusters[process.cluster].lease;
    if (spec?.holderIdentity !== process.holder) {
        noteViolation(
            world,
            `rule 7: ${process.holder} does ${what}, ${spec?.holderIdentity ?? "nobody"} has the lock`,
        );
    }
    const key = world.pd.keys.find((one) => one.key === pdLockKey);
    const holder = key && (JSON.parse(key.value) as { holder: string }).holder;
    if (!withoutPd && holder !== undefined && holder !== process.holder) {
        noteViolation(world, `rule 7: ${process.holder} does ${what}, ${holder} has the lock of PD`);
    }
}

/** Rule 24: the volumes of one pod grow at a time. */
export function judgeGrowth(world: World, process: SimulatedProcess, cluster: Kubernetes, claim: Claim): void {
    judgeLocks(world, process, `resize ${claim.name}`, true);
    const other = cluster.claims.find((one) => one.component === claim.component && one.growsAt !== undefined);
    if (other && other !== claim) {
        noteViolation(world, `rule 24: ${claim.name} grows while ${other.name} does`);
    }
}

/** Rules 4 and 9: what a new number of replicas breaks when Pulumi writes it into the StatefulSet. */
export function judgeReplicas(world: World, cluster: Kubernetes, component: Component, replicas: number): void {
    const old = cluster.statefulSets[component]?.replicas ?? 0;
    const to = `${cluster.key} ${component} from ${old} to ${replicas}`;
    for (let ordinal = replicas; ordinal < old; ordinal++) {
        const name = podNameOf(cluster, component, ordinal);
        if (liveStores(world).some((store) => store.podName === name && store.of === cluster.key)) {
            noteViolation(world, `rule 4: ${to}, but the store of ${name} is not Tombstone`);
        }
        const { members } = world.pd;
        if (component === "pd" && members.length > 1 && members.some((member) => member.name === name)) {
            noteViolation(world, `rule 4: ${to}, but ${name} is a member of PD`);
        }
    }
    for (let ordinal = old; ordinal < replicas; ordinal++) {
        const claim = cluster.claims.find((one) => one.component === component && one.ordinal === ordinal);
        const isTombstone = world.stores.some(({ claim: of, phase }) => of === claim?.uid && phase === "Tombstone");
        if (claim && (isTombstone || world.pd.removedClaims.has(claim.uid))) {
            noteViolation(world, `rule 9: ${to}, with the volume ${claim.name}, which was given up`);
        }
    }
}

/** Rule 12: a StatefulSet gets another number of replicas without an update: one more for each store that is dead for PD and Kubernetes. */
export function judgeAddedReplicas(
    world: World,
    process: SimulatedProcess,
    cluster: Kubernetes,
    component: Component,
    replicas: number,
): void {
    judgeLocks(world, process, `set ${component} to ${replicas} replicas`);
    const dead = liveStores(world).filter(
        ({ of, engine, down }) =>
            of === cluster.key &&
            engine === component &&
            down !== undefined &&
            down.since <= process.lookedAt - defaultTimes.storeDown,
    );
    const spares = cluster.claims.some((claim) => claim.component === component && isLarger(cluster, claim)) ? 1 : 0;
    const most = (cluster.wanted[component] ?? 0) + dead.length + spares;
    if (replicas > most) {
        noteViolation(
            world,
            `rule 12: ${component} gets ${replicas} replicas, and ${most} are explained by the dead and by volumes to replace`,
        );
    }
}

/** @returns the records in the cluster's Lease */
export function recordsOf({ lease }: Kubernetes): OperationRecords {
    const text = lease.metadata?.annotations?.["pulumi-tidb.io/records"];
    return { evictions: {}, removals: {}, ...(text ? (JSON.parse(text) as OperationRecords) : {}) };
}

function leaves(cluster: Kubernetes, component: Component, podName: string): boolean {
    return Number(podName.split("-").at(-1)) >= (cluster.wanted[component] ?? 0);
}

/** @returns whether the volume of the pod is one that the StatefulSet has another size for, so only another volume has it. */
function isOutdated(cluster: Kubernetes, component: Component, podName: string): boolean {
    const ordinal = Number(podName.split("-").at(-1));
    return cluster.claims.some(
        (claim) => claim.component === component && claim.ordinal === ordinal && isLarger(cluster, claim),
    );
}

function isLarger({ statefulSets }: Kubernetes, { component, size }: Claim): boolean {
    return parseInt(size ?? "") > parseInt(statefulSets[component]?.size ?? "");
}

/** @returns whether the store's pod and process are healthy, so its eviction can be ended */
export function isStoreHealthy(world: World, store: Store): boolean {
    const cluster = clusterOf(world, store);
    const pod = podWithClaim(cluster, store.claim);
    // While its node is cut off, Kubernetes marks the pod not Ready, and a gate has no other information.
    const isSeen = pod && !isCut(world, nodeOf(cluster, pod));
    return store.phase === "Serving" && isSeen === true && runs(pod) && !pod.stopsAt && memberRunsAny(world);
}

function memberRunsAny(world: World): boolean {
    return world.pd.members.some((member) => memberRuns(world, member));
}
