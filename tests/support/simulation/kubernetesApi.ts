import type { V1Lease, V1PersistentVolumeClaim, V1Pod, V1StatefulSet } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { staleOnConflict } from "../../../provider/cluster/staleOnConflict";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { type MemberReads, observeMembers } from "../../../provider/cluster/observeMembers";
import type { Room } from "../../../provider/lifecycle/vocabulary/drain";
import { known, notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import type { StatefulSetReplicas } from "../../../provider/lifecycle/vocabulary/actions";
import {
    clusterTlsAnnotation,
    gateFieldManager,
    outdatedClaimAnnotation,
    releasedClaimAnnotation,
    releasedIdAnnotation,
    templateRevisionAnnotation,
    versionAnnotation,
} from "../../../topology/annotations";
import type { Component } from "../../../topology/members";
import {
    assertMountable,
    hasBadImage,
    imageTagOf,
    isCordoned,
    isCut,
    isFull,
    nodeGraceMilliseconds,
    nodeOf,
    stopPod,
} from "./kubernetes";
import { nodeLabelsOf } from "./storeLabels";
import type { SimulatedProcess } from "./process";
import { judgeAddedReplicas, judgeClaims, judgeGrowth, judgeRecords, judgeReplicas, judgeRestart } from "./rules";
import type { Claim, Kubernetes, Pod, StatefulSet, World } from "./world";

/**
 * @returns the API server of one Kubernetes, as one process calls it
 * @param assertMay called right before each change that a gate makes, once it is connected
 */
export function createModelKubernetesApi(
    world: World,
    cluster: Kubernetes,
    process: SimulatedProcess,
    assertMay: () => void = () => undefined,
): KubernetesApi {
    const send = async <T>(work: () => T): Promise<T> => {
        if (world.now < cluster.unreachableUntil) {
            await process.sleep(2_000);
            throw new KubernetesApiError("the API server did not answer within 2 s", undefined);
        }
        return process.send(cluster, work);
    };
    const sendChange = async <T>(work: () => T): Promise<T> => {
        await process.connect();
        assertMay();
        return send(work);
    };
    const reads: MemberReads = {
        statefulSet: (name) => send(() => statefulSetOf(cluster, name)),
        pods: (components) => send(() => podsOf(cluster, components)),
        wholePod: () => Promise.resolve(undefined),
        claims: () => send(() => cluster.claims.map((claim) => claimOf(cluster, claim))),
        node: (name) => send(() => nodeAnswer(world, cluster, name)),
        time: () => send(() => world.now + cluster.clock),
        room: () =>
            send(() =>
                known<Room>(
                    isFull(world, cluster) ? { is: "nowhere", why: "full" } : { is: "somewhere", nodes: ["node"] },
                    "",
                    0,
                ),
            ),
        place: () => Promise.resolve(notAsked),
        volume: () => Promise.resolve(notAsked),
        expands: () => Promise.resolve(known(true, "", 0)),
        revisions: (component) =>
            Promise.resolve(
                known(
                    revisionsOf(cluster, component).map(
                        (name) =>
                            ({ metadata: { name, annotations: { [templateRevisionAnnotation]: name } } }) as never,
                    ),
                    "",
                    0,
                ),
            ),
    };
    const api: Partial<KubernetesApi> = {
        server: "the model",
        guardedBy: (guard) => createModelKubernetesApi(world, cluster, process, guard),
        readMembers: (id, components, wanted, now, nodes) => observeMembers(reads, id, components, wanted, now, nodes),
        deletePod: (_namespace, name, uid, resourceVersion) =>
            staleOnConflict(`pod ${name}`, () =>
                sendChange(() => {
                    const pod = cluster.pods.find((one) => one.name === name);
                    if (!pod) {
                        return;
                    }
                    if (pod.uid !== uid || pod.resourceVersion !== resourceVersion) {
                        throw new KubernetesApiError("409 Precondition failed", 409);
                    }
                    judgeRestart(world, process, cluster, pod);
                    stopPod(world, cluster, name);
                }),
            ),
        releaseClaim: (_namespace, name, uid, at, id) =>
            (at === null ? changeClaim : giveUpClaim)(name, uid, (claim) =>
                Object.assign(claim, { released: at !== null, releasedId: id }),
            ),
        noteOutdated: (_namespace, name, uid, parts) =>
            changeClaim(name, uid, (claim) => Object.assign(claim, { outdated: parts.join(",") })),
        resizeClaim: (_namespace, name, uid, size) =>
            changeClaim(name, uid, (claim) => {
                judgeGrowth(world, process, cluster, claim);
                Object.assign(claim, { size, growsAt: world.now + (world.driver?.takes ?? 0) });
            }),
        remakeStatefulSet: async (_namespace, name, uid, manifest) => {
            const component = name.slice(cluster.name.length + 1) as Component;
            const isIt = (set: StatefulSet | undefined) => set !== undefined && setUid(component, set) === uid;
            const isOther = await sendChange(() => {
                const set = cluster.statefulSets[component];
                if (isIt(set)) {
                    set!.isHeld = true;
                }
                return set !== undefined && !isIt(set);
            });
            if (isOther) {
                return;
            }
            await process.sleep(200);
            await sendChange(() => {
                const { volumes = [] } = madeFrom(manifest as V1StatefulSet, world.now);
                assertMountable(volumes, cluster.statefulSets[component]?.mounts ?? []);
                if (isIt(cluster.statefulSets[component])) {
                    delete cluster.statefulSets[component];
                }
            });
            await sendChange(() => {
                cluster.statefulSets[component] ??= madeFrom(manifest as V1StatefulSet, world.now);
            });
        },
        keepStatefulSet: () => sendChange(() => undefined),
        deleteClaim: (_namespace, name, uid, resourceVersion) =>
            giveUpClaim(name, uid, (claim) => (claim.terminating = true), resourceVersion),
        noteVersion: (_namespace, name, uid, version, tls) =>
            changeClaim(name, uid, (claim) => Object.assign(claim, { version, tls })),
        setReplicas: (_namespace, from, replicas) =>
            changeReplicas(from, (component, set) => {
                if (replicas < set.replicas) {
                    judgeReplicas(world, cluster, component, replicas);
                } else {
                    judgeAddedReplicas(world, process, cluster, component, replicas);
                }
                cluster.statefulSets[component] = {
                    ...set,
                    replicas,
                    seenAt: world.now + 200,
                    gatesOwnReplicas: true,
                };
            }),
        giveReplicasBack: (_namespace, from) =>
            changeReplicas(from, (_component, set) => (set.gatesOwnReplicas = false)),
        readLease: () => send(() => structuredClone(cluster.lease)),
        patchLease: (_namespace, _name, patch) =>
            send(() => {
                judgeRecords(world, process, cluster, patch as Patch);
                return patchLease(cluster, patch as Patch);
            }),
    };
    const changeClaim = (name: string, uid: string, change: (claim: Claim) => void) =>
        staleOnConflict(`claim ${name}`, () =>
            sendChange(() => {
                const claim = cluster.claims.find((one) => one.name === name);
                if (claim && claim.uid !== uid) {
                    throw new KubernetesApiError("409 Precondition failed", 409);
                }
                if (claim) {
                    change(claim);
                }
            }),
        );
    const changeReplicas = (
        { name, uid, replicas }: StatefulSetReplicas,
        change: (component: Component, set: StatefulSet) => void,
    ) =>
        staleOnConflict(`StatefulSet ${name}`, () =>
            sendChange(() => {
                const component = name.slice(cluster.name.length + 1) as Component;
                const set = cluster.statefulSets[component];
                if (set?.replicas !== replicas || uid !== setUid(component, set)) {
                    throw new KubernetesApiError("409 the object has been modified", 409);
                }
                change(component, set);
            }),
        );
    const giveUpClaim = (name: string, uid: string, change: (claim: Claim) => void, resourceVersion?: string) =>
        changeClaim(name, uid, (claim) => {
            if (resourceVersion !== undefined && resourceVersion !== versionOf(claim)) {
                throw new KubernetesApiError("409 Precondition failed", 409);
            }
            judgeClaims(world, process, cluster, claim);
            change(claim);
        });
    return api as KubernetesApi;
}

/** A patch of the Lease. */
export interface Patch {
    metadata?: { resourceVersion?: string; annotations?: Record<string, string | null> };
    spec?: object;
}

/** Applies a merge patch: `null` removes a field, and a stale version is a conflict. */
function patchLease(cluster: Kubernetes, { metadata = {}, spec = {} }: Patch): V1Lease {
    const { lease } = cluster;
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== lease.metadata?.resourceVersion) {
        throw new KubernetesApiError("409 the object has been modified", 409);
    }
    const annotations = merged(lease.metadata?.annotations, metadata.annotations) as Record<string, string>;
    cluster.lease = {
        metadata: { ...lease.metadata, annotations, resourceVersion: String(++cluster.revision) },
        spec: merged(lease.spec, spec),
    };
    return structuredClone(cluster.lease);
}

function merged(old: object = {}, patch: object = {}): object {
    return Object.fromEntries(Object.entries({ ...old, ...patch }).filter(([, value]) => value !== null));
}

const podObjects = new WeakMap<Pod, V1Pod>();

/** The pods with the cluster's labels, including one of another StatefulSet that somebody gave the same labels. */
function podsOf(cluster: Kubernetes, components: readonly Component[]): V1Pod[] {
    const pods = cluster.pods
        .filter(({ component }) => components.includes(component))
        .map((pod) => podOf(cluster, pod));
    const [one] = pods;
    return one === undefined
        ? []
        : [{ ...one, metadata: { ...one.metadata, name: `x-${one.metadata?.name}` } }, ...pods];
}

function podOf(cluster: Kubernetes, pod: Pod): V1Pod {
    const made = podObjects.get(pod);
    if (made?.metadata?.resourceVersion === pod.resourceVersion) {
        return made;
    }
    const { name, uid, resourceVersion, component, reported, stopsAt, createdAt, revision, node } = pod;
    const isBad = hasBadImage(cluster, pod) && reported.container !== "running";
    const startedAt = new Date(Math.floor(reported.startedAt / 1000) * 1000);
    const states = {
        running: { state: { running: { startedAt } }, lastState: {}, restartCount: 0 },
        stopped: { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: {} }, restartCount: 1 },
        "not-started": {
            state: { waiting: { reason: isBad ? "ErrImagePull" : "ContainerCreating" } },
            lastState: {},
            restartCount: 0,
        },
    };
    const object = {
        metadata: {
            name,
            uid,
            resourceVersion,
            labels: { "controller-revision-hash": revision },
            creationTimestamp: new Date(Math.floor((createdAt + cluster.clock) / 1000) * 1000),
            deletionTimestamp: stopsAt === undefined ? undefined : new Date(createdAt + cluster.clock),
        },
        spec: {
            nodeName: node,
            volumes: [component, ...pod.volumes].map((one) => ({
                name: one,
                persistentVolumeClaim: { claimName: `${one}-${name}` },
            })),
            containers: [{ name: component, image: `model/${component}:${imageTagOf(component, revision)}` }],
        },
        status: {
            phase: "Running",
            conditions: [
                {
                    type: "Ready",
                    status: reported.ready ? "True" : "False",
                    lastTransitionTime: new Date(Math.floor(reported.readySince / 1000) * 1000),
                },
            ],
            containerStatuses: [{ name: component, ready: reported.ready, ...states[reported.container] }],
        },
    } as unknown as V1Pod;
    podObjects.set(pod, object);
    return object;
}

function setUid(component: Component, { remade = 0 }: StatefulSet): string {
    return `set-${component}${remade === 0 ? "" : `-${remade}`}`;
}

/** A StatefulSet that is created again: its controller takes the pods over once it sees it. */
function madeFrom({ metadata, spec }: V1StatefulSet, now: number): StatefulSet {
    const { replicas = 0, volumeClaimTemplates: [template, ...others] = [] } = spec ?? {};
    return {
        replicas,
        revision: metadata?.annotations?.[templateRevisionAnnotation] ?? "",
        seen: { replicas: 0, revision: "" },
        seenAt: now + 200,
        gatesOwnReplicas: (metadata?.managedFields ?? []).length > 0,
        size: template?.spec?.resources?.requests?.storage,
        volumes: others.map((one) => one.metadata?.name ?? ""),
        mounts: (spec?.template.spec?.containers[0].volumeMounts ?? []).map((one) => one.name),
        remade: Number(/-(\d+)$/.exec(metadata?.uid ?? "")?.[1] ?? 0) + 1,
    };
}

function statefulSetOf(cluster: Kubernetes, name: string): V1StatefulSet | undefined {
    const component = name.slice(cluster.name.length + 1) as Component;
    const set = cluster.statefulSets[component];
    if (!set) {
        return undefined;
    }
    const isSettled = set.seen.replicas === set.replicas && set.seen.revision === set.revision;
    return {
        metadata: {
            name,
            uid: setUid(component, set),
            generation: 2,
            deletionTimestamp: set.isHeld ? new Date(0) : undefined,
            annotations: { [templateRevisionAnnotation]: set.revision },
            managedFields: set.gatesOwnReplicas
                ? [{ manager: gateFieldManager, operation: "Update", fieldsV1: { "f:spec": { "f:replicas": {} } } }]
                : [],
        },
        spec: {
            replicas: set.replicas,
            podManagementPolicy: "Parallel",
            serviceName: `${name}-peer`,
            template: {
                spec: {
                    containers: [
                        {
                            name: component,
                            image: `model/${component}:${imageTagOf(component, set.revision)}`,
                            volumeMounts: (set.mounts ?? []).map((one) => ({ name: one })),
                        },
                    ],
                },
            },
            volumeClaimTemplates: [component, ...(set.volumes ?? [])].map((one) => ({
                metadata: { name: one },
                spec: { resources: { requests: { storage: one === component ? (set.size ?? "") : "1Gi" } } },
            })),
        },
        status: { observedGeneration: isSettled ? 2 : 1, updateRevision: set.seen.revision || undefined },
    } as unknown as V1StatefulSet;
}

/** The revisions that Kubernetes has not deleted: the newest one that the controller has seen, and those of pods. */
function revisionsOf({ statefulSets, pods }: Kubernetes, component: Component): string[] {
    const own = pods.filter((pod) => pod.component === component).map(({ revision }) => revision);
    const { seen } = statefulSets[component as Pod["component"]] ?? {};
    return [...new Set([...own, ...(seen?.revision ? [seen.revision] : [])])];
}

/** It differs as soon as anything of the claim does. */
function versionOf(claim: Claim): string {
    return JSON.stringify(claim);
}

function claimOf(cluster: Kubernetes, claim: Claim) {
    const { name, uid, component, released, releasedId, terminating, version, tls, isLabelled } = claim;
    const labels = { "app.kubernetes.io/instance": cluster.name, "app.kubernetes.io/component": component };
    return {
        metadata: {
            name,
            uid,
            resourceVersion: versionOf(claim),
            labels: isLabelled ? labels : {},
            annotations: {
                ...(claim.outdated ? { [outdatedClaimAnnotation]: claim.outdated } : {}),
                ...(released ? { [releasedClaimAnnotation]: "then" } : {}),
                ...(releasedId === undefined ? {} : { [releasedIdAnnotation]: releasedId }),
                ...(version === undefined ? {} : { [versionAnnotation]: version }),
                ...(tls === undefined ? {} : { [clusterTlsAnnotation]: String(tls) }),
            },
            deletionTimestamp: terminating ? new Date(0) : undefined,
        },
        ...volumeOf(cluster, claim),
    } as unknown as V1PersistentVolumeClaim;
}

function volumeOf({ clock }: Kubernetes, { size, capacity, growsAt, waitsSince }: Claim): object {
    if (size === undefined) {
        return {};
    }
    const waiting = waitsSince === undefined ? [] : [["FileSystemResizePending", waitsSince] as const];
    const conditions = [...(growsAt === undefined ? [] : [["Resizing", growsAt] as const]), ...waiting].map(
        ([type, at]) => ({ type, status: "True", lastTransitionTime: new Date(at + clock) }),
    );
    return {
        spec: { storageClassName: "fast", resources: { requests: { storage: size } } },
        status: { phase: "Bound", capacity: { storage: capacity }, conditions },
    };
}

function nodeAnswer(world: World, cluster: Kubernetes, name: string) {
    const node = nodeOf(cluster, { node: name });
    const isKnown = !isCut(world, node) || world.now - node.cutSince <= nodeGraceMilliseconds;
    const status = isKnown ? "True" : "Unknown";
    const lastTransitionTime = new Date((isKnown ? 0 : node.cutSince + nodeGraceMilliseconds) + cluster.clock);
    const spec = { unschedulable: isCordoned(world, node) };
    return {
        metadata: { labels: nodeLabelsOf(world, name) },
        spec,
        status: { conditions: [{ type: "Ready", status, reason: "NodeStatusUnknown", lastTransitionTime }] },
    } as never;
}
