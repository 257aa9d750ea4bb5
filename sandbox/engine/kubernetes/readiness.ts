import { type KubernetesClient, keyOf, type KubernetesObject } from "./client";

/** What is known of an object during the wait for its readiness. */
interface Observation {
    object: KubernetesObject;
    endpoints?: KubernetesObject;
    /** How long the object has not changed. */
    quietMilliseconds: number;
}

/** Returns what is missing, or an empty text if the object is ready. */
type Readiness = (observation: Observation) => string;

/** How long a Service's endpoints must stay unchanged, as in pulumi-kubernetes (await/service.go). */
const settleMilliseconds = 10_000;
const pollMilliseconds = 150;
/** How long an object may take to become ready or be deleted, unless the program sets a timeout: 10 minutes. */
const awaitMilliseconds = 10 * 60 * 1000;

function status(object: KubernetesObject): Record<string, unknown> {
    return (object.status ?? {}) as Record<string, unknown>;
}

function number(value: unknown): number {
    return typeof value === "number" ? value : 0;
}

const deployment: Readiness = ({ object }) => {
    const { observedGeneration, updatedReplicas, readyReplicas, replicas, conditions } = status(object);
    const wanted = number((object.spec as { replicas?: number }).replicas ?? 1);
    if (number(observedGeneration) < number(object.metadata.generation)) {
        return "the controller has not seen it yet";
    }
    const list = (conditions ?? []) as { type: string; status: string; message?: string }[];
    const failed = list.find(({ type, status: state }) => type === "Progressing" && state === "False");
    const available = list.some(({ type, status: state }) => type === "Available" && state === "True");
    if (
        available &&
        number(updatedReplicas) >= wanted &&
        number(readyReplicas) >= wanted &&
        number(replicas) === wanted
    ) {
        return "";
    }
    return (
        failed?.message ?? `${number(readyReplicas)}/${wanted} Pods ready, ${number(updatedReplicas)} of this revision`
    );
};

const statefulSet: Readiness = ({ object }) => {
    const { observedGeneration, replicas, readyReplicas, currentReplicas, currentRevision, updateRevision } =
        status(object);
    const spec = object.spec as { replicas?: number; updateStrategy?: { type?: string } };
    const wanted = number(spec.replicas);
    const generation = number(object.metadata.generation);
    if (number(observedGeneration) < generation) {
        return "the controller has not seen it yet";
    }
    const counted = number(replicas) === wanted && number(readyReplicas) === wanted;
    if (generation > 1 && spec.updateStrategy?.type === "OnDelete") {
        return counted ? "" : `${number(readyReplicas)}/${wanted} Pods ready`;
    }
    if (counted && number(currentReplicas) === wanted && currentRevision !== "" && currentRevision === updateRevision) {
        return "";
    }
    return `${number(readyReplicas)}/${wanted} Pods ready, revision ${String(currentRevision)} of ${String(updateRevision)}`;
};

const daemonSet: Readiness = ({ object }) => {
    const { observedGeneration, desiredNumberScheduled, numberAvailable, updatedNumberScheduled } = status(object);
    const wanted = number(desiredNumberScheduled);
    const seen = number(observedGeneration) >= number(object.metadata.generation);
    return seen && number(numberAvailable) >= wanted && number(updatedNumberScheduled) >= wanted
        ? ""
        : `${number(numberAvailable)}/${wanted} Pods available`;
};

const service: Readiness = ({ object, endpoints, quietMilliseconds }) => {
    const spec = object.spec as { type?: string; clusterIP?: string; selector?: object };
    if (spec.type === "LoadBalancer") {
        const { ingress } = (status(object).loadBalancer ?? {}) as { ingress?: unknown[] };
        if ((ingress ?? []).length === 0) {
            return "no address of the load balancer yet";
        }
    }
    const withoutPods = spec.type === "ExternalName" || spec.clusterIP === "None" || spec.selector === undefined;
    if (withoutPods) {
        return "";
    }
    const subsets = (endpoints?.subsets ?? []) as { notReadyAddresses?: unknown[] }[];
    const pending = subsets.some(({ notReadyAddresses }) => (notReadyAddresses ?? []).length > 0);
    return !pending && quietMilliseconds >= settleMilliseconds ? "" : "finding Pods to direct traffic to";
};

const job: Readiness = ({ object }) => {
    const conditions = (status(object).conditions ?? []) as { type: string; status: string; message?: string }[];
    return conditions.some(({ type, status: state }) => type === "Complete" && state === "True")
        ? ""
        : "not complete yet";
};

const pod: Readiness = ({ object }) => {
    const { phase, conditions } = status(object);
    const list = (conditions ?? []) as { type: string; status: string }[];
    const ready = list.some(({ type, status: state }) => type === "Ready" && state === "True");
    return phase === "Succeeded" || (phase === "Running" && ready) ? "" : `phase ${String(phase)}`;
};

const volumeClaim: Readiness = ({ object }) => (status(object).phase === "Bound" ? "" : "not bound yet");
const volume: Readiness = ({ object }) =>
    ["Available", "Bound"].includes(String(status(object).phase)) ? "" : "not available yet";

const readiness: Record<string, Readiness> = {
    "apps/v1/Deployment": deployment,
    "apps/v1/StatefulSet": statefulSet,
    "apps/v1/DaemonSet": daemonSet,
    "batch/v1/Job": job,
    "v1/Pod": pod,
    "v1/Service": service,
    "v1/PersistentVolumeClaim": volumeClaim,
    "v1/PersistentVolume": volume,
};

/** The object did not become ready in time. */
export class NotReady extends Error {
    constructor(
        message: string,
        readonly object: KubernetesObject,
    ) {
        super(message);
    }
}

/**
 * Waits until an object that was just written is ready, by the conditions of pulumi-kubernetes. Kinds that
 * pulumi-kubernetes does not wait for are ready at once.
 */
export async function awaitReady(
    client: KubernetesClient,
    written: KubernetesObject,
    report: (message: string) => void,
    timeoutMilliseconds: number = awaitMilliseconds,
): Promise<KubernetesObject> {
    const check = readiness[`${written.apiVersion}/${written.kind}`];
    if (check === undefined) {
        return written;
    }
    const started = Date.now();
    let [object, seen, quietSince, reported] = [written, "", started, ""];
    for (;;) {
        const [live, endpoints] = await Promise.all([
            client.get(keyOf(written)),
            written.kind === "Service" ? client.get({ ...keyOf(written), kind: "Endpoints" }) : undefined,
        ]);
        object = live ?? object;
        const text = JSON.stringify(endpoints?.subsets ?? null);
        [seen, quietSince] = text === seen ? [seen, quietSince] : [text, Date.now()];
        const missing =
            live === undefined
                ? "it was deleted"
                : check({ object, endpoints, quietMilliseconds: Date.now() - quietSince });
        if (missing === "") {
            return object;
        }
        if (Date.now() - started > timeoutMilliseconds) {
            throw new NotReady(`timed out after ${timeoutMilliseconds / 1000} s: ${missing}`, object);
        }
        if (missing !== reported) {
            reported = missing;
            report(`waiting: ${missing}`);
        }
        await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
    }
}

/** Waits until an object is gone, including its finalizers and dependents. */
export async function awaitDeleted(
    client: KubernetesClient,
    deleted: { apiVersion: string; kind: string; name: string; namespace?: string; uid?: string },
    timeoutMilliseconds: number = awaitMilliseconds,
): Promise<void> {
    for (const started = Date.now(); ;) {
        const live = await client.get(deleted);
        // An object of the same name with another UID is not the deleted one.
        if (live === undefined || (deleted.uid !== undefined && live.metadata.uid !== deleted.uid)) {
            return;
        }
        if (Date.now() - started > timeoutMilliseconds) {
            const finalizers = JSON.stringify(live.metadata.finalizers ?? []);
            throw new Error(
                `${deleted.kind} ${deleted.name} still exists after ${timeoutMilliseconds / 1000} s (finalizers ${finalizers})`,
            );
        }
        await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
    }
}
