import type { KubeConfig, V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import {
    clusterTlsAnnotation,
    gateFieldManager,
    outdatedClaimAnnotation,
    grownByAnnotation,
    releasedClaimAnnotation,
    releasedIdAnnotation,
    shutdownAnnotation,
    versionAnnotation,
} from "../../topology/annotations";
import type { Component } from "../../topology/members";
import type { BoundVolume, ReclaimPolicy } from "../lifecycle/vocabulary/boundVolume";
import type { ObservedPod } from "../lifecycle/vocabulary/observation";
import type { RunningBackup } from "../lifecycle/vocabulary/runningBackup";
import type { OutdatedIn } from "../lifecycle/vocabulary/fixedFields";
import type { GrownBy } from "../lifecycle/vocabulary/volumeGrowth";
import type { ClusterId } from "./clusterId";
import type * as kubernetesClient from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { ServerClock, undefinedIfNotFound, withErrorContext, withRetries } from "./apiCall";
import { apiConfiguration, type ApiOptions } from "./apiClient";
import { steadyNow } from "./clock";
import { type DeployedCluster, readDeployedCluster } from "./deployedCluster";
import { diagnosisCalls } from "./diagnosis/diagnosisCalls";
import { readDiagnosis } from "./diagnosis/readDiagnosis";
import type { DiagnosisFacts, DiagnosisRequest } from "../lifecycle/diagnosis/facts";
import { type LiveMember, readLiveMember } from "./liveMember";
import { staleOnConflict } from "./staleOnConflict";
import { keptConnections } from "./keptConnections";
import { listCalls } from "./listCalls";
import { memberReads } from "./memberReads";
import { ClusterWatch } from "./watch/clusterWatch";
import type { ObservedApi } from "./observedApi";
import { observeBackups } from "./observeBackups";
import { observeMembers } from "./observeMembers";
import { type JournalCalls, journalCalls } from "./journal/journalCalls";
import { rawCall } from "./rawCall";
import { type RemakeCalls, remakeCalls } from "./remakeCalls";
import { type ReplicasCalls, replicasCalls } from "./replicasCalls";
import { type SecretCalls, secretCalls } from "./secretCalls";

export type { SecretObject } from "./secretCalls";

/** The few Kubernetes calls that gates make. */
export interface KubernetesApi extends SecretCalls, JournalCalls, ReplicasCalls, RemakeCalls, ObservedApi {
    /** Address of the API server, for messages. */
    readonly server: string;
    /**
     * Guards every request that changes something.
     * @param assertAllowed throws if nothing may be changed any more. It is called in the last moment before such a request leaves: after the
     * login, on an open connection.
     * @returns the same calls. They throw the error of `assertAllowed` itself, and nothing was sent.
     */
    guardedBy(assertAllowed: () => void): KubernetesApi;
    /** Reads what the last update left of a member: the revision of its template, and its configuration. */
    readLiveMember(namespace: string, statefulSet: string): Promise<LiveMember | undefined>;
    /** Reads what Kubernetes shows of a deployed cluster; undefined if it has no Lease. */
    readDeployedCluster(namespace: string, cluster: string): Promise<DeployedCluster | undefined>;
    /** Reads why pods are not right. What cannot be read is not known: it never rejects for that. */
    readDiagnosis(id: ClusterId, request: DiagnosisRequest, now: () => number): Promise<DiagnosisFacts>;
    /** Reads only the pods of a member. */
    readPods(id: ClusterId, component: Component, now: () => number): Promise<ObservedPod[]>;
    /** Reads which backups of the cluster run in its namespace. */
    readBackups(id: ClusterId): Promise<RunningBackup[]>;
    /**
     * Deletes exactly the pod that was observed. A pod that is already gone counts as success.
     * @throws StaleDecision if the pod has changed since, or another pod has its name
     */
    deletePod(namespace: string, pod: string, uid: string, resourceVersion: string): Promise<void>;
    /** Records on the pod when its graceful shutdown began; `null` deletes the record. */
    noteShutdown(namespace: string, pod: string, uid: string, at: Date | null): Promise<void>;
    /**
     * Marks the claim as released: the ordinal's next pod starts with an empty volume. `at`: `null` deletes the mark. `id`: of the store or
     * PD member on the volume. Default: its process never ran.
     */
    releaseClaim(namespace: string, claim: string, uid: string, at: Date | null, id?: string): Promise<void>;
    /** Marks the claim as one whose volume is to be replaced, because of these; or, for none, takes the mark off. */
    noteOutdated(namespace: string, claim: string, uid: string, parts: readonly OutdatedIn[]): Promise<void>;
    /** Records on the claim which version ran on its volume, and whether it used TLS between members, if that is known. */
    noteVersion(namespace: string, claim: string, uid: string, version: string, tls?: boolean): Promise<void>;
    /** Requests another size for the claim, and records the growth if it is an automatic one. @throws StaleDecision if another claim has its name. */
    resizeClaim(namespace: string, claim: string, uid: string, size: string, grown?: GrownBy): Promise<void>;
    /** Requests another VolumeAttributesClass for the claim. @throws StaleDecision if another claim has its name. */
    modifyClaim(namespace: string, claim: string, uid: string, attributesClass: string): Promise<void>;
    /** Gives exactly the volume that was observed another reclaim policy. @throws StaleDecision if it has changed since. */
    setReclaimPolicy(volume: BoundVolume, policy: ReclaimPolicy): Promise<void>;
    /** Deletes exactly the claim that was observed, as `deletePod` does a pod. */
    deleteClaim(namespace: string, claim: string, uid: string, resourceVersion: string): Promise<void>;
    /** Deletes a StatefulSet in the foreground: it remains until its pods have ended. */
    deleteStatefulSet(namespace: string, name: string, uid: string): Promise<void>;
    /** @returns a watch of the cluster's objects, which has not begun. */
    watch(id: ClusterId): ClusterWatch;
    patchLease(namespace: string, name: string, patch: object): Promise<V1Lease>;
}

/** @returns the calls, made with the official client. */
export async function createKubernetesApi(config: KubeConfig): Promise<KubernetesApi> {
    const client = await import("@kubernetes/client-node");
    return callsOver({ client, config, clock: new ServerClock(steadyNow), authentication: keptConnections(config) });
}

/** What all calls of one API server share. */
interface Shared extends Required<Pick<ApiOptions, "authentication" | "clock">> {
    readonly client: typeof kubernetesClient;
    readonly config: KubeConfig;
}

function callsOver(shared: Shared, assertAllowed?: () => void): KubernetesApi {
    const { client, config, clock, authentication } = shared;
    const server = config.getCurrentCluster()?.server ?? "unknown";
    const configuration = apiConfiguration(client, config, { authentication, clock, assertAllowed });
    const apps = new client.AppsV1Api(configuration);
    const core = new client.CoreV1Api(configuration);
    const coordination = new client.CoordinationV1Api(configuration);
    const fieldManager = gateFieldManager;
    const mergePatch = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
    const call = <T>(what: string, request: () => Promise<T>) => withErrorContext(server, what, request);
    const read = <T>(what: string, request: () => Promise<T>) => withRetries(() => call(what, request));
    const readOrMissing = <T>(what: string, request: () => Promise<T>) => undefinedIfNotFound(read(what, request));
    const version = new client.VersionApi(configuration);
    const raw = rawCall(client, configuration, authentication, assertAllowed);
    const listsOf = (namespace: string) => listCalls(raw, namespace);
    const { readStatefulSet, ...remakes } = remakeCalls(raw, call);
    const storage = new client.StorageV1Api(configuration);
    const readWholeStatefulSet = (namespace: string, name: string) =>
        withRetries(() => readStatefulSet(namespace, name));
    const reads = { apps, core, storage, version, read, readOrMissing, readWholeStatefulSet };
    const secrets = secretCalls(reads, call, fieldManager, mergePatch);
    /** Changes one object. Another object may have its name by now; an object that is gone needs no change. */
    const change = (object: string, what: string, request: () => Promise<unknown>) =>
        staleOnConflict(object, async () => {
            await undefinedIfNotFound(call(what, request));
        });
    const patchClaim = (namespace: string, name: string, what: string, body: object) =>
        change(`claim ${name}`, what, () =>
            core.patchNamespacedPersistentVolumeClaim({ namespace, name, body, fieldManager }, mergePatch),
        );
    const annotateClaim = (namespace: string, name: string, uid: string, annotations: Record<string, string | null>) =>
        patchClaim(namespace, name, `mark claim ${name}`, { metadata: { uid, annotations } });
    const readLease = (namespace: string, name: string) =>
        readOrMissing(`read Lease ${name}`, () => coordination.readNamespacedLease({ namespace, name }));
    return {
        guardedBy: (guard) => callsOver(shared, guard),
        server,
        serverNow: () => clock.now(),
        readMembers: (id, components, wanted, now, nodes) =>
            observeMembers(memberReads(reads, listsOf(id.namespace), id), id, components, wanted, now, nodes),
        readLiveMember: (namespace, name) => readLiveMember(reads, namespace, name),
        readDeployedCluster: (namespace, cluster) =>
            readDeployedCluster(reads, (name) => readLease(namespace, name), namespace, cluster),
        readDiagnosis: (id, request, now) =>
            readDiagnosis(diagnosisCalls(reads, storage, id.namespace), secrets, id, request, now),
        readPods: async (id, component, now) => {
            const podsAlone = { statefulSet: () => Promise.resolve(undefined), claims: () => Promise.resolve([]) };
            const from = { ...memberReads(reads, listsOf(id.namespace), id), ...podsAlone };
            return (await observeMembers(from, id, [component], {}, now)).flatMap(({ pods }) => pods);
        },
        readBackups: (id) => observeBackups(reads, id),
        deletePod: (namespace, name, uid, resourceVersion) =>
            change(`pod ${name}`, `delete pod ${name}`, () =>
                core.deleteNamespacedPod({ namespace, name, body: { preconditions: { uid, resourceVersion } } }),
            ),
        noteShutdown: (namespace, name, uid, at) => {
            const body = { metadata: { uid, annotations: { [shutdownAnnotation]: at?.toISOString() ?? null } } };
            return change(`pod ${name}`, `note the shutdown of pod ${name}`, () =>
                core.patchNamespacedPod({ namespace, name, body, fieldManager }, mergePatch),
            );
        },
        releaseClaim: (namespace, name, uid, at, id) =>
            annotateClaim(namespace, name, uid, {
                [releasedClaimAnnotation]: at?.toISOString() ?? null,
                [releasedIdAnnotation]: id ?? null,
            }),
        noteOutdated: (namespace, name, uid, parts) =>
            annotateClaim(namespace, name, uid, { [outdatedClaimAnnotation]: parts.join(",") || null }),
        noteVersion: (namespace, name, uid, version, tls) =>
            annotateClaim(namespace, name, uid, {
                [versionAnnotation]: version,
                ...(tls === undefined ? {} : { [clusterTlsAnnotation]: String(tls) }),
            }),
        resizeClaim: (namespace, name, uid, size, grown) =>
            patchClaim(namespace, name, `resize claim ${name} to ${size}`, {
                metadata: { uid, ...(grown && { annotations: { [grownByAnnotation]: JSON.stringify(grown) } }) },
                spec: { resources: { requests: { storage: size } } },
            }),
        modifyClaim: (namespace, name, uid, volumeAttributesClassName) =>
            patchClaim(namespace, name, `modify claim ${name} to ${volumeAttributesClassName}`, {
                metadata: { uid },
                spec: { volumeAttributesClassName },
            }),
        setReclaimPolicy: ({ name, uid, resourceVersion }, policy) => {
            const body = { metadata: { uid, resourceVersion }, spec: { persistentVolumeReclaimPolicy: policy } };
            return change(`volume ${name}`, `set the reclaim policy of volume ${name} to ${policy}`, () =>
                core.patchPersistentVolume({ name, body, fieldManager }, mergePatch),
            );
        },
        deleteClaim: (namespace, name, uid, resourceVersion) => {
            const body = { preconditions: { uid, resourceVersion } };
            return change(`claim ${name}`, `delete claim ${name}`, () =>
                core.deleteNamespacedPersistentVolumeClaim({ namespace, name, body }),
            );
        },
        deleteStatefulSet: (namespace, name, uid) => {
            const body = { preconditions: { uid }, propagationPolicy: "Foreground" };
            return change(`StatefulSet ${name}`, `delete StatefulSet ${name}`, () =>
                apps.deleteNamespacedStatefulSet({ namespace, name, body }),
            );
        },
        ...remakes,
        ...replicasCalls(reads, apps, {
            scale: (namespace, name, body) =>
                call(`change the replicas of StatefulSet ${name}`, () =>
                    apps.patchNamespacedStatefulSetScale({ namespace, name, body, fieldManager }, mergePatch),
                ),
            whole: (namespace, name, body) =>
                call(`take over the replicas of StatefulSet ${name}`, () =>
                    apps.patchNamespacedStatefulSet({ namespace, name, body, fieldManager }, mergePatch),
                ),
        }),
        readLease,
        patchLease: (namespace, name, body) =>
            call(`write Lease ${name}`, () =>
                coordination.patchNamespacedLease({ namespace, name, body, fieldManager }, mergePatch),
            ),
        watch: (id) => {
            const { namespace } = id;
            const lists = {
                statefulSets: (labelSelector: string) =>
                    read("list StatefulSets", () => apps.listNamespacedStatefulSet({ namespace, labelSelector })),
                pods: (labelSelector: string) => read("list pods", () => listsOf(namespace).podMetadata(labelSelector)),
                claims: () => read("list claims", () => listsOf(namespace).claims()),
                leases: (fieldSelector: string) =>
                    read("list Leases", () => coordination.listNamespacedLease({ namespace, fieldSelector })),
            };
            return new ClusterWatch(config, id, lists);
        },
        ...secrets,
        ...journalCalls(
            reads,
            new client.EventsV1Api(configuration),
            (at) => new client.V1MicroTime(at),
            call,
            fieldManager,
            mergePatch,
        ),
    };
}
