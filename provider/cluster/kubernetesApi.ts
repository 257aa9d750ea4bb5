import type {
    ApiException,
    AppsV1Api,
    CoreV1Api,
    KubeConfig,
    Middleware,
    V1Lease,
} from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { Component, ObservedMember } from "../lifecycle/observation";
import { observeClaim, observePod, observeStatefulSet, RELEASED_CLAIM_ANNOTATION } from "./objects";

/** A call to the API server ends after this long, so that an unreachable one is an error within 10 seconds. */
const CALL_TIMEOUT_MILLISECONDS = 8_000;
/** Field manager of what gates write: never the Kubernetes provider's, so that neither undoes the other. */
const FIELD_MANAGER = "pulumi-tidb";

/** The generated client knows no time-outs of its own. */
const timeLimit: Middleware = {
    pre: (context) => {
        context.setSignal(AbortSignal.timeout(CALL_TIMEOUT_MILLISECONDS));
        return Promise.resolve(context);
    },
    post: (context) => Promise.resolve(context),
};

/** A call to the API server that failed. The message names call and server. */
export class KubernetesApiError extends Error {
    override readonly name = "KubernetesApiError";
    constructor(
        message: string,
        /** HTTP status; `undefined` when there was no answer. */
        readonly status: number | undefined,
        options?: ErrorOptions,
    ) {
        super(message, options);
    }
}

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
    releaseClaim(namespace: string, claim: string, at: Date): Promise<void>;
    deleteClaim(namespace: string, claim: string, uid: string): Promise<void>;
    readLease(namespace: string, name: string): Promise<V1Lease | undefined>;
    patchLease(namespace: string, name: string, patch: object): Promise<V1Lease>;
    readSecret(namespace: string, name: string): Promise<Record<string, string> | undefined>;
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
    const orMissing = <T>(what: string, request: () => Promise<T>) => missing(call(what, request));
    return {
        server,
        readMember: (id, component) => readMember({ apps, core, call, orMissing }, id, component),
        deletePod: async (namespace, name, uid) => {
            await orMissing(`delete pod ${name}`, () =>
                core.deleteNamespacedPod({ namespace, name, body: { preconditions: { uid } } }),
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
        readLease: (namespace, name) =>
            orMissing(`read Lease ${name}`, () => coordination.readNamespacedLease({ namespace, name })),
        patchLease: (namespace, name, body) =>
            call(`write Lease ${name}`, () =>
                coordination.patchNamespacedLease({ namespace, name, body, fieldManager: FIELD_MANAGER }, mergePatch),
            ),
        readSecret: async (namespace, name) => {
            const secret = await orMissing(`read Secret ${name}`, () => core.readNamespacedSecret({ namespace, name }));
            return (
                secret &&
                Object.fromEntries(
                    Object.entries(secret.data ?? {}).map(([key, value]) => [
                        key,
                        Buffer.from(value, "base64").toString("utf8"),
                    ]),
                )
            );
        },
    };
}

interface Calls {
    apps: AppsV1Api;
    core: CoreV1Api;
    call: <T>(what: string, request: () => Promise<T>) => Promise<T>;
    orMissing: <T>(what: string, request: () => Promise<T>) => Promise<T | undefined>;
}

async function readMember(calls: Calls, { namespace, cluster, instance }: ClusterId, component: Component) {
    const labelSelector = `app.kubernetes.io/instance=${instance},app.kubernetes.io/component=${component}`;
    const name = `${cluster}-${component}`;
    const [statefulSet, pods, claims] = await Promise.all([
        calls.orMissing(`read StatefulSet ${name}`, () => calls.apps.readNamespacedStatefulSet({ namespace, name })),
        calls.call(`list pods of ${name}`, () => calls.core.listNamespacedPod({ namespace, labelSelector })),
        calls.call(`list claims of ${name}`, () =>
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

async function named<T>(server: string, what: string, request: () => Promise<T>): Promise<T> {
    try {
        return await request();
    } catch (error) {
        const status = (error as ApiException<unknown>).code as unknown;
        const known = typeof status === "number";
        const why = known ? apiMessage(error as ApiException<unknown>) : networkMessage(error as Error);
        throw new KubernetesApiError(
            `the API server at ${server} did not ${what}: ${known ? `${status} ${why}` : why}`,
            known ? status : undefined,
            { cause: error },
        );
    }
}

function apiMessage(error: ApiException<unknown>): string {
    const { body } = error;
    if (typeof body === "string") {
        try {
            return (JSON.parse(body) as { message?: string }).message ?? body;
        } catch {
            return body;
        }
    }
    return (body as { message?: string } | undefined)?.message ?? error.message;
}

function networkMessage(error: Error): string {
    if (error.name === "AbortError" || error.name === "TimeoutError") {
        return `no answer within ${CALL_TIMEOUT_MILLISECONDS / 1000} s`;
    }
    const cause = (error as { cause?: Error }).cause;
    return cause?.message ?? error.message;
}

async function missing<T>(request: Promise<T>): Promise<T | undefined> {
    try {
        return await request;
    } catch (error) {
        if (error instanceof KubernetesApiError && error.status === 404) {
            return undefined;
        }
        throw error;
    }
}
