import type { AppsV1Api, CoreV1Api, KubeConfig, V1Lease } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import type { Component, ObservedMember } from "../lifecycle/observation";
import { KubernetesApiError, missing, named, repeated, timeLimit } from "./apiCall";
import {
    observeClaim,
    observePod,
    observeStatefulSet,
    RELEASED_CLAIM_ANNOTATION,
    SHUTDOWN_ANNOTATION,
} from "./objects";

/** Field manager of what gates write: never the Kubernetes provider's, so that neither undoes the other. */
const FIELD_MANAGER = "pulumi-tidb";

/** Where a cluster's objects are, and how they are told from others. */
export interface ClusterId {
    namespace: string;
    /** Name of the TidbCluster, the start of its objects' names. */
    cluster: string;
    /** Value of their label `app.kubernetes.io/instance`. */
    instance: string;
}

/** The few calls that gates make of Kubernetes. */
export interface KubernetesApi {
    /** Address of the API server, for messages. */
    readonly server: string;
    readMember(id: ClusterId, component: Component): Promise<ObservedMember>;
    deletePod(namespace: string, pod: string, uid: string): Promise<void>;
    /** Notes on the pod when its graceful shutdown was begun. */
    noteShutdown(namespace: string, pod: string, uid: string, at: Date): Promise<void>;
    releaseClaim(namespace: string, claim: string, at: Date): Promise<void>;
    deleteClaim(namespace: string, claim: string, uid: string): Promise<void>;
    /** Deletes a StatefulSet in the foreground: it is there until its pods have ended. */
    deleteStatefulSet(namespace: string, name: string, uid: string): Promise<void>;
    readLease(namespace: string, name: string): Promise<V1Lease | undefined>;
    patchLease(namespace: string, name: string, patch: object): Promise<V1Lease>;
    readSecret(namespace: string, name: string): Promise<Record<string, string> | undefined>;
    /** A Secret's data as text, and its annotations. */
    readSecretObject(namespace: string, name: string): Promise<SecretObject | undefined>;
    /** Makes a Secret; one of that name which is there already stays as it is. */
    createSecret(namespace: string, name: string, labels: Texts, data: Texts): Promise<void>;
    annotateSecret(namespace: string, name: string, annotations: Texts): Promise<void>;
}

type Texts = Record<string, string>;

/** A Secret, as far as gates care. */
export interface SecretObject {
    data: Texts;
    annotations: Texts;
}

/** @returns the calls over the official client. */
export async function createKubernetesApi(config: KubeConfig): Promise<KubernetesApi> {
    const client = await import("@kubernetes/client-node");
    const server = config.getCurrentCluster()?.server ?? "unknown";
    const configuration = client.createConfiguration({
        baseServer: new client.ServerConfiguration(server, {}),
        authMethods: { default: config },
        promiseMiddleware: [timeLimit],
    });
    const apps = new client.AppsV1Api(configuration);
    const core = new client.CoreV1Api(configuration);
    const coordination = new client.CoordinationV1Api(configuration);
    const mergePatch = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
    const call = <T>(what: string, request: () => Promise<T>) => named(server, what, request);
    const read = <T>(what: string, request: () => Promise<T>) => repeated(() => call(what, request));
    const orMissing = <T>(what: string, request: () => Promise<T>) => missing(call(what, request));
    const readOrMissing = <T>(what: string, request: () => Promise<T>) => missing(read(what, request));
    const readSecretObject = async (namespace: string, name: string): Promise<SecretObject | undefined> => {
        const secret = await readOrMissing(`read Secret ${name}`, () => core.readNamespacedSecret({ namespace, name }));
        const inClear = ([key, value]: [string, string]) => [key, Buffer.from(value, "base64").toString("utf8")];
        return (
            secret && {
                data: Object.fromEntries(Object.entries(secret.data ?? {}).map(inClear)) as Texts,
                annotations: secret.metadata?.annotations ?? {},
            }
        );
    };
    return {
        server,
        readMember: (id, component) => readMember({ apps, core, read, readOrMissing }, id, component),
        deletePod: async (namespace, name, uid) => {
            await orMissing(`delete pod ${name}`, () =>
                core.deleteNamespacedPod({ namespace, name, body: { preconditions: { uid } } }),
            );
        },
        noteShutdown: async (namespace, name, uid, at) => {
            const body = { metadata: { uid, annotations: { [SHUTDOWN_ANNOTATION]: at.toISOString() } } };
            await orMissing(`note the shutdown of pod ${name}`, () =>
                core.patchNamespacedPod({ namespace, name, body, fieldManager: FIELD_MANAGER }, mergePatch),
            );
        },
        releaseClaim: async (namespace, name, at) => {
            const body = { metadata: { annotations: { [RELEASED_CLAIM_ANNOTATION]: at.toISOString() } } };
            await orMissing(`mark claim ${name}`, () =>
                core.patchNamespacedPersistentVolumeClaim(
                    { namespace, name, body, fieldManager: FIELD_MANAGER },
                    mergePatch,
                ),
            );
        },
        deleteClaim: async (namespace, name, uid) => {
            await orMissing(`delete claim ${name}`, () =>
                core.deleteNamespacedPersistentVolumeClaim({ namespace, name, body: { preconditions: { uid } } }),
            );
        },
        deleteStatefulSet: async (namespace, name, uid) => {
            await orMissing(`delete StatefulSet ${name}`, () =>
                apps.deleteNamespacedStatefulSet({
                    namespace,
                    name,
                    body: { preconditions: { uid }, propagationPolicy: "Foreground" },
                }),
            );
        },
        readLease: (namespace, name) =>
            readOrMissing(`read Lease ${name}`, () => coordination.readNamespacedLease({ namespace, name })),
        patchLease: (namespace, name, body) =>
            call(`write Lease ${name}`, () =>
                coordination.patchNamespacedLease({ namespace, name, body, fieldManager: FIELD_MANAGER }, mergePatch),
            ),
        readSecret: async (namespace, name) => (await readSecretObject(namespace, name))?.data,
        readSecretObject,
        createSecret: async (namespace, name, labels, stringData) => {
            const body = { metadata: { name, labels }, type: "Opaque", stringData };
            try {
                await call(`make Secret ${name}`, () =>
                    core.createNamespacedSecret({ namespace, body, fieldManager: FIELD_MANAGER }),
                );
            } catch (error) {
                if (!(error instanceof KubernetesApiError && error.status === 409)) {
                    throw error;
                }
            }
        },
        annotateSecret: async (namespace, name, annotations) => {
            const body = { metadata: { annotations } };
            await call(`annotate Secret ${name}`, () =>
                core.patchNamespacedSecret({ namespace, name, body, fieldManager: FIELD_MANAGER }, mergePatch),
            );
        },
    };
}

interface Calls {
    apps: AppsV1Api;
    core: CoreV1Api;
    read: <T>(what: string, request: () => Promise<T>) => Promise<T>;
    readOrMissing: <T>(what: string, request: () => Promise<T>) => Promise<T | undefined>;
}

async function readMember(calls: Calls, { namespace, cluster, instance }: ClusterId, component: Component) {
    const labelSelector = `app.kubernetes.io/instance=${instance},app.kubernetes.io/component=${component}`;
    const name = `${cluster}-${component}`;
    const [statefulSet, pods, claims] = await Promise.all([
        calls.readOrMissing(`read StatefulSet ${name}`, () =>
            calls.apps.readNamespacedStatefulSet({ namespace, name }),
        ),
        calls.read(`list pods of ${name}`, () => calls.core.listNamespacedPod({ namespace, labelSelector })),
        calls.read(`list claims of ${name}`, () =>
            calls.core.listNamespacedPersistentVolumeClaim({ namespace, labelSelector }),
        ),
    ]);
    return {
        component,
        statefulSet: statefulSet && observeStatefulSet(statefulSet),
        pods: pods.items
            .map(observePod)
            .filter((pod) => pod !== undefined)
            .sort((a, b) => a.ordinal - b.ordinal),
        claims: claims.items.map(observeClaim).filter((claim) => claim !== undefined),
    };
}
