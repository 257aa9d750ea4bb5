import { randomBytes } from "node:crypto";
import { PartialFailure } from "../provider";
import { containsUnknowns, type PropertyMap } from "../values";
import {
    type KubernetesClient,
    keyOf as keyOfObject,
    KubernetesError,
    type KubernetesObject,
    type ObjectKey,
} from "./client";
import { ClusterUnreachable } from "./kubeconfig";
import { annotation, asObject, checkpoint, idOf, skipsAwait } from "./objects";
import { awaitReady, NotReady } from "./readiness";

/** The key of the object that these properties describe. */
export function keyOf(properties: PropertyMap): ObjectKey {
    return keyOfObject(asObject(properties));
}

/**
 * Whether the type is a Patch, such as `kubernetes:core/v1:ConfigMapPatch`, which sets fields of an object with another
 * owner.
 */
export function isPatch(type: string): boolean {
    return type.endsWith("Patch");
}

/** Whether to take over fields from other managers (`pulumi.com/patchForce`). */
export function isForced(inputs: PropertyMap): boolean {
    return annotation(inputs, "pulumi.com/patchForce") === "true";
}

/** Every resource has its own field manager, so two resources of one object cannot undo each other's changes. */
export function fieldManagerOf(inputs: PropertyMap, outputs: PropertyMap = {}): string {
    const asked = annotation(inputs, "pulumi.com/patchFieldManager");
    const known = outputs.__fieldManager;
    return asked ?? (typeof known === "string" ? known : `pulumi-kubernetes-${randomBytes(4).toString("hex")}`);
}

/** Returns the client. If the cluster cannot be reached, throws with the message of pulumi-kubernetes. */
export async function reach(getClient: () => Promise<KubernetesClient>): Promise<KubernetesClient> {
    return getClient().catch((error: Error) => {
        throw new Error(`configured Kubernetes cluster is unreachable: ${error.message}`);
    });
}

const retries = 5;

/**
 * Creates an object that must not exist yet. It is applied rather than posted, so its fields belong to the resource's
 * manager from the start. Waits for a missing namespace or kind, because something else may be about to create it.
 */
export async function createNew(
    client: KubernetesClient,
    object: KubernetesObject,
    fieldManager: string,
): Promise<KubernetesObject> {
    for (let attempt = 0; ; attempt++) {
        try {
            if ((await client.get(keyOfObject(object))) !== undefined) {
                const { kind, metadata } = object;
                throw new KubernetesError(
                    409,
                    "AlreadyExists",
                    `${kind} "${metadata.name}" already exists\n\nThe resource already exists in the cluster. To take it ` +
                        "over, set upsertExistingObjects on the provider (PULUMI_K8S_UPSERT_EXISTING_OBJECTS=true).",
                );
            }
            return await client.apply(object, { fieldManager });
        } catch (error) {
            if (!(error instanceof KubernetesError && error.status === 404 && attempt < retries)) {
                throw error;
            }
            await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** attempt));
        }
    }
}

/**
 * Predicts the result of a creation: the server's answer to a dry run, without the status, which no new object has. If
 * the server cannot tell (unknown values, a namespace that does not exist yet, no access), returns the inputs.
 */
export async function previewCreate(
    getClient: () => Promise<KubernetesClient>,
    type: string,
    inputs: PropertyMap,
    fieldManager: string,
): Promise<PropertyMap> {
    if (containsUnknowns(inputs) || isPatch(type)) {
        return inputs;
    }
    try {
        const client = await getClient();
        const object = await client.create(asObject(inputs), { fieldManager, dryRun: true });
        delete object.status;
        return checkpoint(object, inputs, fieldManager);
    } catch (error) {
        const isRefusal = error instanceof KubernetesError && ![403, 404, 409].includes(error.status);
        if (isRefusal || !(error instanceof KubernetesError || error instanceof ClusterUnreachable)) {
            throw error;
        }
        return inputs;
    }
}

/**
 * Waits until a written object is ready. If it does not become ready, throws an error that keeps the object in the
 * state.
 */
export async function untilReady(
    client: KubernetesClient,
    written: KubernetesObject,
    inputs: PropertyMap,
    fieldManager: string,
    report: (message: string) => void,
): Promise<PropertyMap> {
    if (skipsAwait(inputs) || isPatch(String(inputs.kind))) {
        return checkpoint(written, inputs, fieldManager);
    }
    const seconds = Number(annotation(inputs, "pulumi.com/timeoutSeconds"));
    try {
        const live = await awaitReady(client, written, report, seconds > 0 ? seconds * 1000 : undefined);
        return checkpoint(live, inputs, fieldManager);
    } catch (error) {
        if (!(error instanceof NotReady)) {
            throw error;
        }
        const { kind } = written;
        throw new PartialFailure(
            `${kind} "${idOf(written)}" was written, but failed to become ready: ${error.message}`,
            idOf(written),
            checkpoint(error.object, inputs, fieldManager),
            [error.message],
        );
    }
}

/** Adds the name of our field manager to a conflict between field managers. Returns other messages unchanged. */
export function explain(error: Error, fieldManager: string): string {
    if (error instanceof KubernetesError && error.status === 409 && error.reason === "Conflict") {
        return (
            `server-side apply field conflict detected: the resource managed by field manager "${fieldManager}" had an ` +
            `apply conflict: ${error.message}`
        );
    }
    return error.message;
}
