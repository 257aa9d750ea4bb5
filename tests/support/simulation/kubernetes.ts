import type { Component } from "../../../topology/members";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { chanceUpTo } from "./chance";
import { podNameOf, podWithClaim, runs } from "./truth";
import type { Claim, Kubernetes, Node, Pod, World } from "./world";

/** How long Kubernetes waits for a node's status before it marks its pods not Ready. */
export const nodeGraceMilliseconds = 40_000;
const nodeClocks = [0, 5_400_000, -3_600_000, 40_000, -7_000];

/** Advances the controllers and nodes of one Kubernetes. */
export function stepKubernetes(world: World, cluster: Kubernetes): void {
    const { now } = world;
    const isGone = (pod: Pod) => pod.stopsAt !== undefined && pod.stopsAt <= now && !isCut(world, nodeOf(cluster, pod));
    if (cluster.pods.some(isGone)) {
        cluster.pods = cluster.pods.filter((pod) => !isGone(pod));
    }
    if (cluster.claims.some(({ terminating }) => terminating)) {
        cluster.claims = cluster.claims.filter((claim) => !claim.terminating || podWithClaim(cluster, claim.uid));
    }
    cluster.claims.forEach((claim) => stepClaim(world, cluster, claim));
    for (const component of Object.keys(cluster.statefulSets) as Component[]) {
        stepStatefulSet(world, cluster, component);
    }
    cluster.pods.forEach((pod) => stepPod(world, cluster, pod));
}

/** The driver enlarges a volume, and then a node its file system: that of a pod that runs, or only that of a new one. */
function stepClaim(world: World, cluster: Kubernetes, claim: Claim): void {
    if (claim.growsAt !== undefined && claim.growsAt <= world.now) {
        claim.waitsSince = claim.growsAt;
        claim.growsAt = undefined;
    }
    const { waitsSince } = claim;
    const pod = podWithClaim(cluster, claim.uid);
    if (waitsSince !== undefined && runs(pod) && (!world.driver?.needsNewPods || pod!.createdAt > waitsSince)) {
        claim.capacity = claim.size;
        claim.waitsSince = undefined;
    }
}

/** Writes a StatefulSet as Pulumi does, which never changes its claim template. Its controller sees the change a moment later. */
export function writeStatefulSet(
    world: World,
    cluster: Kubernetes,
    component: Component,
    replicas: number,
    revision: string,
    size?: string,
    mounts: readonly string[] = [],
): void {
    const old = cluster.statefulSets[component];
    const { volumes = mounts } = old ?? {};
    assertMountable(volumes, mounts);
    if (old?.replicas !== replicas || old.revision !== revision) {
        if (old?.gatesOwnReplicas && old.replicas !== replicas) {
            throw new Error(`conflict: the replicas of ${component} belong to the field manager of gates`);
        }
        const seen = old?.seen ?? { replicas: 0, revision: "" };
        cluster.statefulSets[component] = {
            size,
            volumes,
            ...old,
            mounts,
            replicas,
            revision,
            seen,
            seenAt: world.now + 200,
        };
    }
}

/** The API server takes no pod template with a volume that has no claim template. */
export function assertMountable(volumes: readonly string[], mounts: readonly string[]): void {
    const lacking = mounts.filter((name) => !volumes.includes(name));
    if (lacking.length > 0) {
        throw new KubernetesApiError(`422 volumeMounts: Not found: ${lacking.join(", ")}`, 422);
    }
}

/** Stops a pod. Its process ends at once if its node can be reached. The pod is gone a moment later. */
export function stopPod(world: World, cluster: Kubernetes, name: string): void {
    const pod = cluster.pods.find((one) => one.name === name);
    if (pod && pod.stopsAt === undefined) {
        pod.stopsAt = world.now + 300;
        touch(cluster, pod);
        stepPod(world, cluster, pod);
    }
}

/** The node of a pod. Each pod has a separate node with a separate clock. */
export function nodeOf(cluster: Kubernetes, { node }: Pick<Pod, "node">): Node {
    const index = Object.keys(cluster.nodes).length;
    cluster.nodes[node] ??= {
        clock: nodeClocks[index % nodeClocks.length],
        cutUntil: 0,
        cutSince: 0,
        downUntil: 0,
    };
    return cluster.nodes[node];
}

/** @returns whether the API server receives nothing from the node */
export function isCut({ now }: World, node: Node): boolean {
    return now < node.cutUntil;
}

/** @returns whether the node takes no new pod */
export function isCordoned({ now }: World, { cordonedUntil = 0 }: Node): boolean {
    return now < cordonedUntil;
}

/** @returns whether no other node has room for a pod */
export function isFull({ now }: World, { fullUntil = 0 }: Kubernetes): boolean {
    return now < fullUntil;
}

/** The node of a new pod: its own, or another one while that is cordoned. Without room the model starts it where it was. */
function freeNode(world: World, cluster: Kubernetes, own: string): string {
    const free = ["", "b", "c"]
        .map((suffix) => `${own}${suffix}`)
        .find((node) => !isCordoned(world, nodeOf(cluster, { node })));
    return isFull(world, cluster) ? own : (free ?? own);
}

function stepStatefulSet(world: World, cluster: Kubernetes, component: Component): void {
    const set = cluster.statefulSets[component]!;
    if (set.isHeld) {
        return;
    }
    if (set.seenAt <= world.now) {
        set.seen = { replicas: set.replicas, revision: set.revision };
    }
    if (set.seen.revision === "") {
        return;
    }
    const pods = cluster.pods.filter((one) => one.component === component);
    for (const pod of pods) {
        if (pod.ordinal >= set.seen.replicas) {
            stopPod(world, cluster, pod.name);
        }
    }
    for (const batch of slowStart(set.seen.replicas)) {
        let hasFailed = false;
        for (const ordinal of batch) {
            const pod = pods.find((one) => one.ordinal === ordinal);
            if (pod === undefined) {
                makePod(world, cluster, component, ordinal, set.seen.revision);
            }
            // It tries to add the volume, which the API server refuses.
            hasFailed ||= pod !== undefined && (set.volumes ?? []).some((name) => !pod.volumes.includes(name));
        }
        if (hasFailed) {
            return;
        }
    }
}

/** The controller begins with one pod, then takes twice as many each time, and stops after the pods among which one has failed. */
function slowStart(replicas: number): number[][] {
    const batches: number[][] = [];
    for (let from = 0; from < replicas; from = 2 * from + 1) {
        const length = Math.min(from + 1, replicas - from);
        batches.push(Array.from({ length }, (_, index) => from + index));
    }
    return batches;
}

function makePod(world: World, cluster: Kubernetes, component: Component, ordinal: number, revision: string): void {
    const name = podNameOf(cluster, component, ordinal);
    const before = cluster.claims.length;
    const claim = claimFor(world, cluster, component, ordinal);
    // Images are pulled onto a node once. The other pods start in the same time.
    const isFirst = cluster.claims.length > before;
    if (!claim) {
        return;
    }
    const { now } = world;
    cluster.pods.push({
        name,
        component,
        ordinal,
        uid: `pod-${world.nextId++}`,
        resourceVersion: String(++cluster.revision),
        claim,
        volumes: cluster.statefulSets[component]?.volumes ?? [],
        revision,
        node: freeNode(world, cluster, `node-${component}-${ordinal}`),
        createdAt: now,
        startsAt: now + 800 + (isFirst ? chanceUpTo(world, world.delays.start ?? 0) : 0),
        crashedUntil: 0,
        sidecarDownUntil: 0,
        reported: { container: "not-started", startedAt: 0, ready: false, readySince: 0 },
    });
}

/** @returns the UID of the claim that a new pod gets; undefined while an old claim of that name is being deleted */
function claimFor(world: World, cluster: Kubernetes, component: Component, ordinal: number): string | undefined {
    const old = cluster.claims.find((one) => one.component === component && one.ordinal === ordinal);
    if (old) {
        return old.terminating ? undefined : old.uid;
    }
    const name = `${component}-${podNameOf(cluster, component, ordinal)}`;
    const size = cluster.statefulSets[component]?.size;
    const uid = `claim-${world.nextId++}`;
    cluster.claims.push({
        name,
        uid,
        component,
        ordinal,
        released: false,
        terminating: false,
        isLabelled: ordinal % 3 !== 1,
        ...(size === undefined ? {} : { size, capacity: size }),
    });
    return uid;
}

/** The pod's node starts or stops its process and reports to the API server. */
function stepPod(world: World, cluster: Kubernetes, pod: Pod): void {
    const node = nodeOf(cluster, pod);
    const may = mayRun(world, cluster, pod, node);
    if (may && !runs(pod)) {
        pod.runsSince = world.now;
        pod.downSince = undefined;
        cluster.tidbTakenDown.delete(pod.name);
    } else if (!may && runs(pod)) {
        pod.runsSince = undefined;
        pod.downSince = world.now;
        pod.downBy = world.now < node.downUntil ? "node" : "container";
    }
    if (!isCut(world, node)) {
        report(world, cluster, pod, node);
    } else if (pod.reported.ready && world.now - node.cutSince > nodeGraceMilliseconds) {
        pod.reported = { ...pod.reported, ready: false, readySince: world.now + cluster.clock };
        touch(cluster, pod);
    }
}

function mayRun(world: World, cluster: Kubernetes, pod: Pod, node: Node): boolean {
    const { now } = world;
    const isStopping = pod.stopsAt !== undefined && !isCut(world, node);
    return (
        !isStopping &&
        now >= pod.startsAt &&
        now >= pod.crashedUntil &&
        now >= node.downUntil &&
        (!hasBadImage(cluster, pod) || runs(pod)) &&
        !world.pd.removedClaims.has(pod.claim) &&
        // TiFlash crashes repeatedly while there is no cluster to join.
        (pod.component !== "tiflash" || world.stores.some(({ engine }) => engine === "tikv")) &&
        !world.stores.some((store) => store.claim === pod.claim && store.phase === "Tombstone")
    );
}

/** @returns whether the pod's image never starts */
export function hasBadImage({ badRevisions }: Kubernetes, { component, revision }: Pod): boolean {
    return badRevisions.has(revision) || badRevisions.has(`${component} ${revision}`);
}

function report(world: World, cluster: Kubernetes, pod: Pod, node: Node): void {
    const { now } = world;
    const isRunning = runs(pod);
    const ready = isRunning && now >= pod.sidecarDownUntil && pod.stopsAt === undefined;
    const container = isRunning ? "running" : pod.reported.container === "not-started" ? "not-started" : "stopped";
    const startedAt = isRunning ? pod.runsSince! + node.clock : pod.reported.startedAt;
    const { reported } = pod;
    if (reported.ready !== ready || reported.container !== container || reported.startedAt !== startedAt) {
        const readySince = ready === reported.ready ? reported.readySince : now + node.clock;
        pod.reported = { container, startedAt, ready, readySince };
        touch(cluster, pod);
    }
}

/** The API server gives each change of an object a new version. */
function touch(cluster: Kubernetes, pod: Pod): void {
    pod.resourceVersion = String(++cluster.revision);
}

/** @returns the tag of the image. TiDB's are versions between which an upgrade is smooth; the others' are the revision. */
export function imageTagOf(component: Component, revision: string): string {
    return component === "tidb" ? `v8.5.${/\d+/.exec(revision)?.[0] ?? 0}` : revision;
}
