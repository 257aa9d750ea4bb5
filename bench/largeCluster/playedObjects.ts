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
const revision = "7c8b9d6f5d";

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
    const ofEach = <T>(play: (from: V1StatefulSet, ordinal: number) => T): T[] =>
        statefulSets.flatMap((one) => Array.from({ length: one.spec!.replicas! }, (_, ordinal) => play(one, ordinal)));
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
        pods: ofEach(playedPod),
        claims: ofEach(playedClaim),
    };
}

function renderedStatefulSet(member: "pd" | "tikv", replicas: number): V1StatefulSet {
    const manifest = {
        metadata: { name: playedId.cluster, namespace: playedId.namespace },
        spec: {
            version: playedVersion,
            pd: { replicas: pdMembers, requests: { cpu: "2", memory: "8Gi", storage: "10Gi" }, config: {} },
            tikv: { replicas: 3, requests: { cpu: "8", memory: "32Gi", storage: "500Gi" }, config: {} },
            tidb: { replicas: 2, config: {} },
        },
    };
    const name = `${playedId.cluster}-${member}`;
    const objects = clusterObjects(checkManifest(manifest));
    const found = objects.find((object) => object.kind === "StatefulSet" && object.metadata.name === name);
    const rendered = structuredClone(found) as unknown as V1StatefulSet;
    const updateRevision = `${name}-${revision}`;
    return {
        ...rendered,
        metadata: { ...rendered.metadata, ...identity(name), generation: 1 },
        spec: { ...rendered.spec!, replicas },
        status: {
            ...{ replicas, readyReplicas: replicas, observedGeneration: 1 },
            ...{ updateRevision, currentRevision: updateRevision },
        },
    };
}

/** @returns a Ready pod of the StatefulSet, as its controller and its node write it. */
function playedPod({ metadata: owner, spec: of }: V1StatefulSet, ordinal: number): V1Pod {
    const { metadata: template, spec } = structuredClone(of!.template);
    const name = `${owner!.name}-${ordinal}`;
    const at = whole(new Date(Date.now() - 3_600_000));
    const [{ name: container, image = "" }] = spec!.containers;
    const conditions = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
    return {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
            ...template,
            ...identity(name),
            creationTimestamp: at,
            generateName: `${owner!.name}-`,
            labels: {
                ...template?.labels,
                "apps.kubernetes.io/pod-index": String(ordinal),
                "statefulset.kubernetes.io/pod-name": name,
                [revisionLabel]: `${owner!.name}-${revision}`,
            },
            ownerReferences: [
                {
                    ...{ apiVersion: "apps/v1", kind: "StatefulSet", name: owner!.name!, uid: owner!.uid! },
                    ...{ controller: true, blockOwnerDeletion: true },
                },
            ],
            managedFields: [managedBy({ "f:metadata": template, "f:spec": spec })],
        },
        spec: {
            ...spec!,
            nodeName: `node-${ordinal}.example.internal`,
            hostname: name,
            schedulerName: "default-scheduler",
        },
        status: {
            ...{ phase: "Running", hostIP: "10.0.0.1", podIP: "10.1.0.1", qosClass: "Burstable", startTime: at },
            conditions: conditions.map((type) => ({ type, status: "True", lastTransitionTime: at })),
            containerStatuses: [
                {
                    name: container,
                    image,
                    imageID: `docker.io/${image}@sha256:${"0123456789abcdef".repeat(4)}`,
                    containerID: `containerd://${"fedcba9876543210".repeat(4)}`,
                    ...{ ready: true, started: true, restartCount: 0, state: { running: { startedAt: at } } },
                },
            ],
        },
    };
}

function playedClaim({ metadata: owner, spec: of }: V1StatefulSet, ordinal: number): V1PersistentVolumeClaim {
    const template = structuredClone(of!.volumeClaimTemplates![0]);
    const name = `${template.metadata!.name}-${owner!.name}-${ordinal}`;
    return {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: {
            ...identity(name),
            labels: of!.selector.matchLabels,
            annotations: {
                "pv.kubernetes.io/bind-completed": "yes",
                "pv.kubernetes.io/bound-by-controller": "yes",
                "volume.kubernetes.io/storage-provisioner": "ebs.csi.aws.com",
                "volume.kubernetes.io/selected-node": `node-${ordinal}.example.internal`,
                [versionAnnotation]: playedVersion,
            },
            finalizers: ["kubernetes.io/pvc-protection"],
            managedFields: [managedBy({ "f:metadata": template.metadata, "f:spec": template.spec })],
        },
        spec: { ...template.spec, volumeName: `pvc-${name}`, volumeMode: "Filesystem" },
        status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: template.spec?.resources?.requests },
    };
}

let made = 0;

/** @returns the metadata of an object, with a UID that no other one has. */
function identity(name: string) {
    made += 1;
    const uid = `${Buffer.from(name).toString("hex").slice(-8)}-0000-4000-8000-${String(made).padStart(12, "0")}`;
    return { name, namespace: playedId.namespace, uid, resourceVersion: "1000", creationTimestamp: whole(new Date()) };
}

/** Kubernetes writes times in whole seconds. */
function whole(at: Date): Date {
    return at.toISOString().replace(/\.\d+Z$/, "Z") as unknown as Date;
}

/** Who wrote which fields, which is about as long as the fields themselves. */
function managedBy(fieldsV1: object) {
    const by = { manager: "kube-controller-manager", operation: "Update", apiVersion: "v1" };
    return { ...by, time: whole(new Date()), fieldsType: "FieldsV1", fieldsV1 };
}
