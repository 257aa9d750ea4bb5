import type { V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
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
/** Kubernetes writes times in whole seconds. */
const at = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+Z$/, "Z");

/** @returns the objects of a large cluster, by resource, as large as in answers of the API server: our templates with status and managed fields. */
export function playedObjects(stores: number, clusterId: string) {
    const statefulSets = [renderedStatefulSet("pd", pdMembers), renderedStatefulSet("tikv", stores)];
    const ofEach = <T>(play: (from: V1StatefulSet, ordinal: number) => T): T[] =>
        statefulSets.flatMap((one) => Array.from({ length: one.spec!.replicas! }, (_, ordinal) => play(one, ordinal)));
    const lease = {
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
    };
    const pods = ofEach(playedPod);
    return { pods, persistentvolumeclaims: ofEach(playedClaim), statefulsets: statefulSets, leases: [lease] };
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
    const counts = { replicas, readyReplicas: replicas, observedGeneration: 1 };
    return {
        ...rendered,
        metadata: { ...rendered.metadata, ...identity(name), generation: 1 } as never,
        spec: { ...rendered.spec!, replicas },
        status: { ...counts, updateRevision, currentRevision: updateRevision },
    };
}

/** @returns a Ready pod of the StatefulSet, as its controller and its node write it. */
function playedPod({ metadata: owner, spec: of }: V1StatefulSet, ordinal: number) {
    const { metadata: template, spec } = of!.template;
    const name = `${owner!.name}-${ordinal}`;
    const [{ name: container, image = "" }] = spec!.containers;
    const conditions = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
    const controller = { kind: "StatefulSet", name: owner!.name, uid: owner!.uid, controller: true };
    return {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
            ...template,
            ...identity(name),
            generateName: `${owner!.name}-`,
            labels: {
                ...template?.labels,
                "apps.kubernetes.io/pod-index": String(ordinal),
                "statefulset.kubernetes.io/pod-name": name,
                [revisionLabel]: `${owner!.name}-${revision}`,
            },
            ownerReferences: [{ ...controller, apiVersion: "apps/v1", blockOwnerDeletion: true }],
            managedFields: [managedBy({ "f:metadata": template, "f:spec": spec })],
        },
        spec: { ...spec, nodeName: nodeOf(ordinal), hostname: name, schedulerName: "default-scheduler" },
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

function playedClaim({ metadata: owner, spec: of }: V1StatefulSet, ordinal: number) {
    const [{ metadata, spec }] = of!.volumeClaimTemplates!;
    const name = `${metadata!.name}-${owner!.name}-${ordinal}`;
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
                "volume.kubernetes.io/selected-node": nodeOf(ordinal),
                [versionAnnotation]: playedVersion,
            },
            finalizers: ["kubernetes.io/pvc-protection"],
            managedFields: [managedBy({ "f:metadata": metadata, "f:spec": spec })],
        },
        spec: { ...spec, volumeName: `pvc-${name}`, volumeMode: "Filesystem" },
        status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: spec?.resources?.requests },
    };
}

function nodeOf(ordinal: number): string {
    return `node-${ordinal}.example.internal`;
}

let made = 0;

/** @returns the metadata of an object, with a UID that no other one has. */
function identity(name: string) {
    made += 1;
    const uid = `${Buffer.from(name).toString("hex").slice(-8)}-0000-4000-8000-${String(made).padStart(12, "0")}`;
    return { name, namespace: playedId.namespace, uid, resourceVersion: "1000", creationTimestamp: at };
}

/** Who wrote which fields, which is about as long as the fields themselves. */
function managedBy(fieldsV1: object) {
    const by = { manager: "kube-controller-manager", operation: "Update", apiVersion: "v1" };
    return { ...by, time: at, fieldsType: "FieldsV1", fieldsV1 };
}
