import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { OperationRecords } from "../../../provider/lifecycle/vocabulary/observation";

import type { PolicyRule } from "../../../topology/controllerPermissions";

/** How tests read and change the Kubernetes cluster behind the program's back. */
export interface KubernetesSide {
    createNamespace(name: string): Promise<void>;
    deleteNamespace(name: string): Promise<void>;
    pods(namespace: string): Promise<k8s.V1Pod[]>;
    /** The image of the container named after the component, by pod name. */
    images(namespace: string): Promise<Record<string, string>>;
    nodes(): Promise<k8s.V1Node[]>;
    /** Keeps new pods off the node, or lets them on it again. */
    cordon(node: string, unschedulable: boolean): Promise<void>;
    /** Changes labels of a node, as a person does. */
    labelNode(node: string, labels: Readonly<Record<string, string>>): Promise<void>;
    /**
     * Asks for the eviction of a pod as `kubectl drain` does, and changes nothing.
     * @returns the API server's answer: 201, or 429 if a PodDisruptionBudget refuses it
     */
    tryEviction(namespace: string, pod: string): Promise<number>;
    /** Ties a volume to a node, as a local volume is. */
    pinVolume(volume: string, node: string): Promise<void>;
    deletePod(namespace: string, name: string): Promise<void>;
    /** Deletes a StatefulSet with its pods, its Service and a ConfigMap, as a person does by mistake. */
    deleteMember(namespace: string, name: string, configMap: string): Promise<void>;
    /** Creates a claim of the default class, as a user does who restores a volume. */
    createClaim(namespace: string, name: string): Promise<void>;
    /** Deletes a claim, which stays as long as a pod uses it. */
    deleteClaim(namespace: string, name: string): Promise<void>;
    /** Deletes a Node object, as a cloud does when its machine is gone. @returns what makes it again */
    loseNode(name: string): Promise<() => Promise<void>>;
    /** Number of replicas and generation of a StatefulSet: the generation grows with each change of its specification. */
    statefulSet(namespace: string, name: string): Promise<{ replicas: number; generation: number }>;
    /** Plays the death of a node, or its return: its Ready condition, as the control plane writes it. */
    setNode(name: string, ready: "True" | "Unknown"): Promise<void>;
    /**
     * The same for the node of a pod, with that pod's Ready condition.
     * @returns the node's name
     */
    setNodeOf(namespace: string, pod: string, ready: "True" | "Unknown"): Promise<string>;
    /** Name and configuration of the ConfigMap that the template of a member's StatefulSet mounts. */
    mountedConfig(namespace: string, statefulSet: string): Promise<{ name: string; text: string }>;
    /** Creates a Secret or replaces its content. */
    writeSecret(namespace: string, name: string, data: Record<string, string>): Promise<void>;
    /** The content of the Secrets in clear text, by name. */
    secrets(namespace: string): Promise<Record<string, Record<string, string>>>;
    claims(namespace: string): Promise<k8s.V1PersistentVolumeClaim[]>;
    /** The volumes that are bound to claims of the namespace. */
    volumesIn(namespace: string): Promise<k8s.V1PersistentVolume[]>;
    /** The volumes of a class. */
    volumes(storageClass: string): Promise<k8s.V1PersistentVolume[]>;
    leases(namespace: string): Promise<k8s.V1Lease[]>;
    createLease(namespace: string, name: string): Promise<void>;
    /** The Events on objects of the namespace, as `kubectl describe` reads them. */
    events(namespace: string): Promise<k8s.CoreV1Event[]>;
    jobs(namespace: string): Promise<k8s.V1Job[]>;
    cronJobs(namespace: string): Promise<k8s.V1CronJob[]>;
    /** Runs a CronJob once, as `kubectl create job --from=cronjob/…` does. */
    runNow(namespace: string, cronJob: string, name: string): Promise<void>;
    /** Writes when a CronJob last began a Job: what it has after the clock has jumped. */
    setLastRun(namespace: string, cronJob: string, at: Date): Promise<void>;
    /** The log of the newest pod of a Job. */
    jobLog(namespace: string, name: string): Promise<string>;
    /** Deletes a Job with its pods, as its time to live does. */
    deleteJob(namespace: string, name: string): Promise<void>;
    /**
     * Gives a service account exactly these permissions in the namespace.
     * @param everywhere what it may do in the whole cluster. Default: nothing
     * @returns a kubeconfig for it
     */
    userWith(
        namespace: string,
        name: string,
        permissions: readonly PolicyRule[],
        everywhere?: readonly PolicyRule[],
    ): Promise<string>;
    /** Requests through the Lease that the running operation end at its next safe point. */
    requestStop(namespace: string, cluster: string, who: string): Promise<void>;
    /** The records in the cluster's Lease. Empty if nothing is left. */
    records(namespace: string, cluster: string): Promise<OperationRecords>;
}

/** @returns clients for the kubeconfig of a sandbox */
export async function kubernetesSide(kubeconfigFile: string): Promise<KubernetesSide> {
    const client = await import("@kubernetes/client-node");
    const config = new client.KubeConfig();
    config.loadFromFile(kubeconfigFile);
    const core = config.makeApiClient(client.CoreV1Api);
    const batch = config.makeApiClient(client.BatchV1Api);
    const apps = config.makeApiClient(client.AppsV1Api);
    const coordination = config.makeApiClient(client.CoordinationV1Api);
    const rbac = config.makeApiClient(client.RbacAuthorizationV1Api);
    const pods = async (namespace: string) => (await core.listNamespacedPod({ namespace })).items;
    const leases = async (namespace: string) => (await coordination.listNamespacedLease({ namespace })).items;
    const readiness = (status: string) => ({
        status: {
            conditions: [
                { type: "Ready", status, reason: "NodeStatusUnknown", lastTransitionTime: new Date().toISOString() },
            ],
        },
    });
    const setNode = async (name: string, ready: "True" | "Unknown") => {
        const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.StrategicMergePatch);
        await core.patchNodeStatus({ name, body: readiness(ready) }, merge);
    };
    return {
        createNamespace: async (name) => {
            await core.createNamespace({ body: { metadata: { name } } });
        },
        deleteNamespace: async (name) => {
            await core.deleteNamespace({ name });
        },
        pods,
        images: async (namespace) =>
            Object.fromEntries(
                (await pods(namespace)).map((pod) => {
                    const component = pod.metadata?.labels?.["app.kubernetes.io/component"];
                    const container = pod.spec?.containers.find((one) => one.name === component);
                    return [pod.metadata?.name ?? "", container?.image ?? ""];
                }),
            ),
        cordon: async (name, unschedulable) => {
            const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
            await core.patchNode({ name, body: { spec: { unschedulable } } }, merge);
        },
        labelNode: async (name, labels) => {
            const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
            await core.patchNode({ name, body: { metadata: { labels } } }, merge);
        },
        nodes: async () => (await core.listNode()).items,
        tryEviction: async (namespace, name) => {
            const body = { metadata: { name, namespace }, deleteOptions: { dryRun: ["All"] } };
            try {
                await core.createNamespacedPodEviction({ namespace, name, body, dryRun: "All" });
                return 201;
            } catch (error) {
                if (error instanceof client.ApiException) {
                    return error.code;
                }
                throw error;
            }
        },
        pinVolume: async (name, node) => {
            const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
            const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }];
            const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
            await core.patchPersistentVolume({ name, body: { spec: { nodeAffinity } } }, merge);
        },
        loseNode: async (name) => {
            const { metadata, spec, status } = await core.readNode({ name });
            await core.deleteNode({ name });
            const { labels, annotations } = metadata ?? {};
            const body = { metadata: { name, labels, annotations }, spec, status };
            return async () => {
                await core.createNode({ body });
            };
        },
        deletePod: async (namespace, name) => {
            await core.deleteNamespacedPod({ namespace, name });
        },
        deleteMember: async (namespace, name, configMap) => {
            await apps.deleteNamespacedStatefulSet({ namespace, name });
            await core.deleteNamespacedService({ namespace, name });
            await core.deleteNamespacedConfigMap({ namespace, name: configMap });
        },
        createClaim: async (namespace, name) => {
            const resources = { requests: { storage: "1Gi" } };
            const body = { metadata: { name }, spec: { accessModes: ["ReadWriteOnce"], resources } };
            await core.createNamespacedPersistentVolumeClaim({ namespace, body });
        },
        deleteClaim: async (namespace, name) => {
            await core.deleteNamespacedPersistentVolumeClaim({ namespace, name });
        },
        statefulSet: async (namespace, name) => {
            const { metadata, spec } = await apps.readNamespacedStatefulSet({ namespace, name });
            return { replicas: spec?.replicas ?? 1, generation: metadata?.generation ?? 0 };
        },
        setNode,
        setNodeOf: async (namespace, name, ready) => {
            const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.StrategicMergePatch);
            const node = (await core.readNamespacedPod({ namespace, name })).spec?.nodeName ?? "";
            await setNode(node, ready);
            const body = readiness(ready === "True" ? "True" : "False");
            await core.patchNamespacedPodStatus({ namespace, name, body }, merge);
            return node;
        },
        mountedConfig: async (namespace, statefulSet) => {
            const { spec } = await apps.readNamespacedStatefulSet({ namespace, name: statefulSet });
            const volume = spec?.template.spec?.volumes?.find(({ configMap }) =>
                configMap?.name?.startsWith(statefulSet),
            );
            const name = volume?.configMap?.name ?? "";
            return {
                name,
                text: (await core.readNamespacedConfigMap({ namespace, name })).data?.["config-file"] ?? "",
            };
        },
        writeSecret: async (namespace, name, stringData) => {
            const body = { metadata: { name }, stringData };
            const { items } = await core.listNamespacedSecret({ namespace, fieldSelector: `metadata.name=${name}` });
            await (items.length > 0
                ? core.replaceNamespacedSecret({ namespace, name, body })
                : core.createNamespacedSecret({ namespace, body }));
        },
        secrets: async (namespace) => {
            const { items } = await core.listNamespacedSecret({ namespace });
            const clear = (data: Record<string, string> = {}) =>
                Object.fromEntries(
                    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
                );
            return Object.fromEntries(items.map(({ metadata, data }) => [metadata?.name ?? "", clear(data)]));
        },
        claims: async (namespace) => (await core.listNamespacedPersistentVolumeClaim({ namespace })).items,
        volumesIn: async (namespace) =>
            (await core.listPersistentVolume()).items.filter(({ spec }) => spec?.claimRef?.namespace === namespace),
        volumes: async (storageClass) =>
            (await core.listPersistentVolume()).items.filter(({ spec }) => spec?.storageClassName === storageClass),
        leases,
        jobs: async (namespace) => (await batch.listNamespacedJob({ namespace })).items,
        cronJobs: async (namespace) => (await batch.listNamespacedCronJob({ namespace })).items,
        runNow: async (namespace, cronJob, name) => {
            const { metadata, spec } = await batch.readNamespacedCronJob({ namespace, name: cronJob });
            const owner = { apiVersion: "batch/v1", kind: "CronJob", name: cronJob, uid: metadata?.uid ?? "" };
            const { metadata: made, spec: job } = spec?.jobTemplate ?? {};
            const body = { metadata: { ...made, name, ownerReferences: [{ ...owner, controller: true }] }, spec: job };
            await batch.createNamespacedJob({ namespace, body });
        },
        setLastRun: async (namespace, name, at) => {
            const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
            const body = { status: { lastScheduleTime: at.toISOString() } };
            await batch.patchNamespacedCronJobStatus({ namespace, name, body }, merge);
        },
        jobLog: async (namespace, name) => {
            const { items } = await core.listNamespacedPod({ namespace, labelSelector: `job-name=${name}` });
            return core.readNamespacedPodLog({ namespace, name: items.at(-1)?.metadata?.name ?? "" });
        },
        deleteJob: async (namespace, name) => {
            await batch.deleteNamespacedJob({ namespace, name, propagationPolicy: "Background" });
        },
        events: async (namespace) => (await core.listNamespacedEvent({ namespace })).items,
        createLease: async (namespace, name) => {
            await coordination.createNamespacedLease({ namespace, body: { metadata: { name } } });
        },
        userWith: async (namespace, name, permissions, everywhere = []) => {
            const metadata = { name };
            const rules = permissions as k8s.V1PolicyRule[];
            const apiGroup = "rbac.authorization.k8s.io";
            const roleRef = { apiGroup, kind: "Role", name };
            const subjects = [{ kind: "ServiceAccount", name, namespace }];
            await core.createNamespacedServiceAccount({ namespace, body: { metadata } });
            await rbac.createNamespacedRole({ namespace, body: { metadata, rules } });
            await rbac.createNamespacedRoleBinding({ namespace, body: { metadata, roleRef, subjects } });
            if (everywhere.length > 0) {
                const ofAll = { metadata, rules: everywhere as k8s.V1PolicyRule[] };
                await rbac.createClusterRole({ body: ofAll });
                const bound = { apiGroup, kind: "ClusterRole", name };
                await rbac.createClusterRoleBinding({ body: { metadata, roleRef: bound, subjects } });
            }
            const body = { spec: { audiences: [] } };
            const { status } = await core.createNamespacedServiceAccountToken({ namespace, name, body });
            const [cluster] = config.getClusters();
            const limited = new client.KubeConfig();
            limited.loadFromClusterAndUser(cluster, { name, token: status?.token });
            return limited.exportConfig();
        },
        requestStop: async (namespace, cluster, who) => {
            const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
            const body = { metadata: { annotations: { "pulumi-tidb.io/stop": who } } };
            await coordination.patchNamespacedLease({ namespace, name: `${cluster}-pulumi-tidb`, body }, merge);
        },
        records: async (namespace, cluster) => {
            const lease = (await leases(namespace)).find((one) => one.metadata?.name === `${cluster}-pulumi-tidb`);
            const text = lease?.metadata?.annotations?.["pulumi-tidb.io/records"];
            return text === undefined
                ? { evictions: {}, removals: {} }
                : { evictions: {}, removals: {}, ...(JSON.parse(text) as Partial<OperationRecords>) };
        },
    };
}
