import type { V1Lease, V1PersistentVolumeClaim, V1Pod, V1StatefulSet } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import { checkManifest } from "../../components/checkManifest";
import { clusterObjects } from "../../components/render";
import { leaseAnnotations, versionAnnotation } from "../../topology/annotations";
import { componentLabel, instanceLabel, managedByLabel, nameLabel, revisionLabel } from "../../topology/labels";
import { leaseName } from "../../topology/names";

/** The played cluster's name and place. */
export const playedId = { namespace: "tidb", cluster: "basic", instance: "basic" } as const;
export const playedVersion = "v8.5.4";
const pdMembers = 3;

export const revisions = { old: "basic-tikv-6d5f7c9b8d", new: "basic-tikv-7c8b9d6f5d" } as const;

type Member = "pd" | "tikv";

/** The objects that a large cluster has in Kubernetes when it runs. */
export interface PlayedObjects {
    readonly lease: V1Lease;
    readonly statefulSets: readonly V1StatefulSet[];
    readonly pods: readonly V1Pod[];
    readonly claims: readonly V1PersistentVolumeClaim[];
}

/** @returns the objects, as large as the API server answers them: from our own templates, with status and managed fields. */
export function playedObjects(stores: number, clusterId: string): PlayedObjects {
    const statefulSets = [renderedStatefulSet("pd", pdMembers), renderedStatefulSet("tikv", stores)];
    const [pd, tikv] = statefulSets;
    return {
        lease: {
            apiVersion: "coordination.k8s.io/v1",
            kind: "Lease",
            metadata: {
                ...identity(leaseName(playedId.cluster)),
                labels: {
                    [componentLabel]: "lease",
                    [managedByLabel]: "pulumi-tidb",
                    [nameLabel]: "tidb-cluster",
                    [instanceLabel]: playedId.instance,
                },
                annotations: { [leaseAnnotations.pdClusterId]: clusterId },
            },
            spec: {},
        },
        statefulSets,
        pods: [
            ...ordinals(pdMembers).map((one) => playedPod(pd, "pd", one)),
            ...ordinals(stores).map((one) => playedPod(tikv, "tikv", one)),
        ],
        claims: [
            ...ordinals(pdMembers).map((one) => playedClaim(pd, "pd", one)),
            ...ordinals(stores).map((one) => playedClaim(tikv, "tikv", one)),
        ],
    };
}

function renderedStatefulSet(member: Member, replicas: number): V1StatefulSet {
    const manifest = {
        metadata: { name: playedId.cluster, namespace: playedId.namespace },
        spec: {
            version: playedVersion,
            pd: { replicas: pdMembers, requests: { cpu: "2", memory: "8Gi", storage: "10Gi" }, config: {} },
            tikv: { replicas: 3, requests: { cpu: "8", memory: "32Gi", storage: "500Gi" }, config: {} },
            tidb: { replicas: 2, config: {} },
        },
    };
    const objects = clusterObjects(checkManifest(manifest));
    const name = `${playedId.cluster}-${member}`;
    const found = objects.find((object) => object.kind === "StatefulSet" && object.metadata.name === name);
    const rendered = structuredClone(found) as unknown as V1StatefulSet;
    const revision = revisions.new.replace("tikv", member);
    return {
        ...rendered,
        metadata: { ...rendered.metadata, ...identity(name), generation: 1 },
        spec: { ...rendered.spec!, replicas },
        status: {
            replicas,
            readyReplicas: replicas,
            observedGeneration: 1,
            updateRevision: revision,
            currentRevision: revision,
        },
    };
}

/** @returns a Ready pod of the StatefulSet, as its controller and its node write it. */
export function playedPod(
    from: V1StatefulSet,
    member: Member,
    ordinal: number,
    change: { isReady?: boolean; startedAt?: Date } = {},
): V1Pod {
    const { isReady = true, startedAt = new Date(Date.now() - 3_600_000) } = change;
    const { metadata: template, spec } = structuredClone(from.spec!.template);
    const name = `${playedId.cluster}-${member}-${ordinal}`;
    const at = whole(startedAt) as unknown as Date;
    const container = spec!.containers[0];
    return {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
            ...template,
            ...identity(name),
            creationTimestamp: at,
            generateName: `${playedId.cluster}-${member}-`,
            labels: {
                ...template?.labels,
                "apps.kubernetes.io/pod-index": String(ordinal),
                "statefulset.kubernetes.io/pod-name": name,
                [revisionLabel]: revisions.new.replace("tikv", member),
            },
            ownerReferences: [
                {
                    apiVersion: "apps/v1",
                    kind: "StatefulSet",
                    name: from.metadata!.name!,
                    uid: from.metadata!.uid!,
                    controller: true,
                    blockOwnerDeletion: true,
                },
            ],
            managedFields: [
                managedBy("kube-controller-manager", {
                    "f:metadata": fieldsOf(template ?? {}),
                    "f:spec": fieldsOf(spec!),
                }),
                managedBy("kubelet", { "f:status": statusFields }),
            ],
        },
        spec: {
            ...spec!,
            nodeName: `node-${ordinal}.example.internal`,
            hostname: name,
            schedulerName: "default-scheduler",
        },
        status: {
            phase: isReady ? "Running" : "Pending",
            hostIP: "10.0.0.1",
            podIP: "10.1.0.1",
            qosClass: "Burstable",
            startTime: at,
            conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
                (type) => ({
                    type,
                    status: isReady || type === "PodScheduled" ? "True" : "False",
                    lastTransitionTime: at,
                }),
            ),
            containerStatuses: [
                {
                    name: container.name,
                    image: container.image!,
                    imageID: `docker.io/${container.image}@sha256:${"0123456789abcdef".repeat(4)}`,
                    containerID: `containerd://${"fedcba9876543210".repeat(4)}`,
                    ready: isReady,
                    started: isReady,
                    restartCount: 0,
                    state: isReady ? { running: { startedAt: at } } : { waiting: { reason: "ContainerCreating" } },
                },
            ],
        },
    };
}

function playedClaim(from: V1StatefulSet, member: Member, ordinal: number): V1PersistentVolumeClaim {
    const template = structuredClone(from.spec!.volumeClaimTemplates![0]);
    const name = `${template.metadata!.name}-${playedId.cluster}-${member}-${ordinal}`;
    const uid = uidOf(name);
    return {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: {
            ...identity(name),
            labels: from.spec!.selector.matchLabels,
            annotations: {
                "pv.kubernetes.io/bind-completed": "yes",
                "pv.kubernetes.io/bound-by-controller": "yes",
                "volume.kubernetes.io/storage-provisioner": "ebs.csi.aws.com",
                "volume.kubernetes.io/selected-node": `node-${ordinal}.example.internal`,
                [versionAnnotation]: playedVersion,
            },
            finalizers: ["kubernetes.io/pvc-protection"],
            managedFields: [
                managedBy("kube-controller-manager", {
                    "f:metadata": fieldsOf(template.metadata!),
                    "f:spec": fieldsOf(template.spec!),
                }),
                managedBy("kube-scheduler", {
                    "f:metadata": { "f:annotations": { "f:volume.kubernetes.io/selected-node": {} } },
                }),
            ],
        },
        spec: { ...template.spec, volumeName: `pvc-${uid}`, volumeMode: "Filesystem" },
        status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: template.spec?.resources?.requests },
    };
}

function identity(name: string) {
    return {
        name,
        namespace: playedId.namespace,
        uid: uidOf(name),
        resourceVersion: "1000",
        creationTimestamp: whole(new Date()) as unknown as Date,
    };
}

let made = 0;

/** @returns a UID of its own for each object made, so a recreated pod has another one. */
function uidOf(name: string): string {
    made += 1;
    return `${Buffer.from(name).toString("hex").slice(-8)}-0000-4000-8000-${String(made).padStart(12, "0")}`;
}

/** Kubernetes writes times in whole seconds. */
function whole(at: Date): string {
    return at.toISOString().replace(/\.\d+Z$/, "Z");
}

function ordinals(count: number): number[] {
    return Array.from({ length: count }, (_, ordinal) => ordinal);
}

/** The status that a kubelet writes. */
const statusFields = {
    "f:conditions": { 'k:{"type":"Ready"}': { ".": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {} } },
    "f:containerStatuses": {},
    "f:hostIP": {},
    "f:phase": {},
    "f:podIP": {},
    "f:startTime": {},
};

function managedBy(manager: string, fieldsV1: object) {
    return {
        manager,
        operation: "Update",
        apiVersion: "v1",
        time: whole(new Date()) as unknown as Date,
        fieldsType: "FieldsV1",
        fieldsV1,
    };
}

/** @returns the fields of a value as the API server notes who wrote them. */
function fieldsOf(value: object): object {
    return Object.fromEntries(
        Object.entries(value)
            .filter(([, field]) => field !== undefined)
            .map(([key, field]: [string, unknown]) => [
                `f:${key}`,
                Array.isArray(field)
                    ? Object.fromEntries(
                          field.map((one: unknown) => [
                              keyOf(one),
                              typeof one === "object" && one !== null ? { ".": {}, ...fieldsOf(one) } : {},
                          ]),
                      )
                    : typeof field === "object" && field !== null
                      ? fieldsOf(field)
                      : {},
            ]),
    );
}

function keyOf(element: unknown): string {
    const { name } = (element ?? {}) as { name?: string };
    return name === undefined ? `v:${JSON.stringify(element).slice(0, 40)}` : `k:{"name":${JSON.stringify(name)}}`;
}
