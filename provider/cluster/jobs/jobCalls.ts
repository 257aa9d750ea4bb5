import type { KubeConfig, V1CronJob, V1Job, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { gateFieldManager } from "../../../topology/annotations";
import { KubernetesApiError, undefinedIfNotFound, withErrorContext, withRetries } from "../apiCall";
import { apiConfiguration } from "../apiClient";
import { keptConnections } from "../keptConnections";

/** The calls that the gate of a Job makes. */
export interface JobCalls {
    job(name: string): Promise<V1Job | undefined>;
    /** The pods with the label of a Job of this name. Whose they are, their owner says. */
    pods(job: string): Promise<V1Pod[]>;
    /** The pods of all Jobs that have not ended. */
    livePods(): Promise<V1Pod[]>;
    /** The CronJobs with a label. */
    cronJobs(labelSelector: string): Promise<V1CronJob[]>;
    /** The Jobs with a label. */
    jobs(labelSelector: string): Promise<V1Job[]>;
    log(pod: string, container: string): Promise<string>;
    /**
     * Lets a suspended Job run, if it is still the one with this UID.
     * @param assertAllowed throws if the Job must not begin any more. Called in the last moment before the request leaves.
     */
    unsuspend(name: string, uid: string, assertAllowed: () => void): Promise<void>;
    /**
     * @param assertAllowed as for `unsuspend`. Default: the Job is suspended, or may be made at any time.
     * @returns the UID of the Job; undefined if another one of its name is there.
     */
    create(job: V1Job, assertAllowed?: () => void): Promise<string | undefined>;
    /** Deletes the Job with this UID, and its pods. That it is gone, or is another one, counts as success. */
    remove(name: string, uid: string): Promise<void>;
}

/** Selects pods whose containers have not all ended. */
export const livePods = "status.phase!=Succeeded,status.phase!=Failed";

const logLines = 30;
const logBytes = 256 * 1024;

/** @returns the calls in one namespace, made with the official client. */
export async function createJobCalls(config: KubeConfig, namespace: string): Promise<JobCalls> {
    const client = await import("@kubernetes/client-node");
    const server = config.getCurrentCluster()?.server ?? "unknown";
    const authentication = keptConnections(config);
    const configuration = apiConfiguration(client, config, { authentication });
    const batch = new client.BatchV1Api(configuration);
    const guardedBy = (assertAllowed: (() => void) | undefined) =>
        new client.BatchV1Api(apiConfiguration(client, config, { authentication, assertAllowed }));
    const core = new client.CoreV1Api(configuration);
    const jsonPatch = client.setHeaderOptions("Content-Type", client.PatchStrategy.JsonPatch);
    const read = <T>(what: string, request: () => Promise<T>) =>
        withRetries(() => withErrorContext(server, what, request));
    return {
        job: (name) =>
            undefinedIfNotFound(read(`read Job ${name}`, () => batch.readNamespacedJob({ namespace, name }))),
        pods: async (job) => {
            // Every version of Kubernetes sets this label; the one with a prefix came with 1.27.
            const labelSelector = `job-name=${job}`;
            return (await read("list pods", () => core.listNamespacedPod({ namespace, labelSelector }))).items;
        },
        livePods: async () => {
            const which = { namespace, labelSelector: "job-name", fieldSelector: livePods };
            return (await read("list pods", () => core.listNamespacedPod(which))).items;
        },
        cronJobs: async (labelSelector) =>
            (await read("list CronJobs", () => batch.listNamespacedCronJob({ namespace, labelSelector }))).items,
        jobs: async (labelSelector) =>
            (await read("list Jobs", () => batch.listNamespacedJob({ namespace, labelSelector }))).items,
        log: (name, container) => {
            const which = { namespace, name, container, tailLines: logLines, limitBytes: logBytes };
            return read(`read the log of ${name}`, () => core.readNamespacedPodLog(which));
        },
        unsuspend: async (name, uid, assertAllowed) => {
            const body = [
                { op: "test", path: "/metadata/uid", value: uid },
                { op: "replace", path: "/spec/suspend", value: false },
            ];
            await withErrorContext(server, `start Job ${name}`, () =>
                guardedBy(assertAllowed).patchNamespacedJob(
                    { namespace, name, body, fieldManager: gateFieldManager },
                    jsonPatch,
                ),
            );
        },
        create: (body, assertAllowed) => {
            const what = `create Job ${body.metadata?.name}`;
            const request = () =>
                guardedBy(assertAllowed).createNamespacedJob({ namespace, body, fieldManager: gateFieldManager });
            return undefinedIfStatus([409], async () => (await withErrorContext(server, what, request)).metadata?.uid);
        },
        remove: async (name, uid) => {
            const body = { propagationPolicy: "Background", preconditions: { uid } };
            const request = () => batch.deleteNamespacedJob({ namespace, name, body });
            await undefinedIfStatus([404, 409], () => withErrorContext(server, `delete Job ${name}`, request));
        },
    };
}

async function undefinedIfStatus<T>(statuses: readonly number[], request: () => Promise<T>): Promise<T | undefined> {
    try {
        return await request();
    } catch (error) {
        if (error instanceof KubernetesApiError && statuses.includes(error.status ?? 0)) {
            return undefined;
        }
        throw error;
    }
}
