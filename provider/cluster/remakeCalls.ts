import type { V1ManagedFieldsEntry, V1StatefulSet } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import { setTimeout as sleep } from "node:timers/promises";
import { gateFieldManager, providerFieldManager, remakeFinalizer } from "../../topology/annotations";
import type { StatefulSetManifest } from "../lifecycle/vocabulary/fixedFields";
import { KubernetesApiError, undefinedIfNotFound } from "./apiCall";
import type { RawCall } from "./rawCall";
import { StaleDecision } from "./staleDecision";
import { staleOnConflict } from "./staleOnConflict";

/** Calls that create a StatefulSet again, with its pods left running. */
export interface RemakeCalls {
    /**
     * Deletes the StatefulSet that the manifest was read from without its pods, and creates it as the manifest has it; it takes the pods over by its
     * selector. Its fields belong to the same field managers as before. What a killed run has done of that is not done again; a StatefulSet with
     * another UID stays as it is.
     * @throws KubernetesApiError before anything is deleted if the API server would refuse the new one.
     * @throws StaleDecision if it has changed since it was read, or is not gone yet.
     */
    remakeStatefulSet(namespace: string, name: string, uid: string, manifest: StatefulSetManifest): Promise<void>;
    /** Takes the finalizer off a StatefulSet that was not deleted. */
    keepStatefulSet(namespace: string, name: string, uid: string): Promise<void>;
}

/** How often, and for how many milliseconds, a run looks whether the garbage collector has released the pods. */
const [releasedTries, releasedPause] = [50, 200];
/** How often the owners of the fields are given back, until nothing else has changed the object meanwhile. */
const fieldTries = 5;
/** What keeps an object until the garbage collector has released what it owns. */
const orphanFinalizer = "orphan";

/** @returns what is needed to create the StatefulSet again: all but what the API server sets by itself. */
export function manifestOf({ metadata = {}, ...others }: V1StatefulSet): StatefulSetManifest {
    const managedFields = metadata.managedFields?.filter((one) => one.subresource !== "status" && !isOfHold(one));
    const own = { creationTimestamp: undefined, generation: undefined, deletionTimestamp: undefined };
    const deletion = { deletionGracePeriodSeconds: undefined, selfLink: undefined };
    const finalizers = metadata.finalizers?.filter((one) => one !== remakeFinalizer && one !== orphanFinalizer);
    const kept = { ...metadata, ...own, ...deletion, managedFields, finalizers };
    return { ...others, metadata: kept, status: undefined } as unknown as StatefulSetManifest;
}

/** Whether a manager has nothing but the finalizer that holds the StatefulSet. */
function isOfHold({ manager, fieldsV1 }: V1ManagedFieldsEntry): boolean {
    const { "f:metadata": metadata = {}, ...others } = (fieldsV1 ?? {}) as Record<string, object | undefined>;
    return manager === gateFieldManager && Object.keys({ ...metadata, ...others }).join() === "f:finalizers";
}

/** @param call describes a call to the API server in its error. */
export function remakeCalls(
    raw: RawCall,
    call: <T>(what: string, request: () => Promise<T>) => Promise<T>,
): RemakeCalls & { readStatefulSet(namespace: string, name: string): Promise<V1StatefulSet | undefined> } {
    const pathOf = (namespace: string, name = "") =>
        ["/apis/apps/v1/namespaces", namespace, "statefulsets", ...(name ? [name] : [])].join("/");
    const send = async (what: string, ...request: Parameters<RawCall>): Promise<V1StatefulSet> =>
        JSON.parse((await call(what, () => raw(...request))).toString("utf8")) as V1StatefulSet;
    const readStatefulSet = (namespace: string, name: string) =>
        undefinedIfNotFound(send(`read StatefulSet ${name}`, "GET", pathOf(namespace, name)));
    const patch = (namespace: string, name: string, what: string, of: V1StatefulSet, metadata: object) => {
        const { uid, resourceVersion } = of.metadata ?? {};
        return send(what, "PATCH", pathOf(namespace, name), {
            query: { fieldManager: gateFieldManager },
            contentType: "application/merge-patch+json",
            body: { metadata: { uid, resourceVersion, ...metadata } },
        });
    };
    /** The names under which the provider creates and later changes an object: whoever creates it otherwise owns its fields, and conflicts with Pulumi. */
    const create = (namespace: string, name: string, manifest: V1StatefulSet, dryRun?: "All") => {
        const { metadata } = manifest;
        const named = { ...metadata, uid: undefined, resourceVersion: undefined, managedFields: undefined };
        return send(`create StatefulSet ${name}`, "POST", pathOf(namespace), {
            query: { fieldManager: providerFieldManager, ...(dryRun ? { dryRun } : {}) },
            body: { ...manifest, metadata: named },
        });
    };
    /** It exists, so a new one is refused in any case, but for its name only after everything else. */
    const assertValid = async (namespace: string, name: string, manifest: V1StatefulSet) => {
        try {
            await create(namespace, name, manifest, "All");
        } catch (error) {
            if (!(error instanceof KubernetesApiError && error.status === 409)) {
                throw error;
            }
        }
    };
    /** With our finalizer the object stays until it can be created again, so a killed run leaves no gap that Pulumi would stumble over. */
    const hold = async (namespace: string, name: string, live: V1StatefulSet) => {
        const finalizers = [...new Set([...(live.metadata?.finalizers ?? []), remakeFinalizer])];
        const held = await patch(namespace, name, `hold StatefulSet ${name}`, live, { finalizers });
        const { uid, resourceVersion } = held.metadata ?? {};
        const preconditions = { uid, resourceVersion };
        await send(`delete StatefulSet ${name} without its pods`, "DELETE", pathOf(namespace, name), {
            body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Orphan", preconditions },
        });
    };
    const release = (namespace: string, name: string, held: V1StatefulSet) => {
        const finalizers = held.metadata?.finalizers?.filter((one) => one !== remakeFinalizer);
        return patch(namespace, name, `release StatefulSet ${name}`, held, { finalizers });
    };
    /** The controller writes the status of the new one meanwhile. */
    const giveFieldsBack = async (
        namespace: string,
        name: string,
        made: V1StatefulSet,
        managedFields: V1ManagedFieldsEntry[] | undefined,
    ) => {
        let live: V1StatefulSet | undefined = made;
        for (let tries = 1; live && live.metadata?.uid === made.metadata?.uid; tries++) {
            try {
                await patch(namespace, name, `give the fields of StatefulSet ${name} back`, live, { managedFields });
                return;
            } catch (error) {
                if (!(error instanceof KubernetesApiError && error.status === 409 && tries < fieldTries)) {
                    throw error;
                }
                live = await readStatefulSet(namespace, name);
            }
        }
    };
    const untilReleased = async (namespace: string, name: string, uid: string): Promise<V1StatefulSet | undefined> => {
        for (let tries = 0; tries < releasedTries; tries++) {
            const live = await readStatefulSet(namespace, name);
            if (live?.metadata?.uid !== uid || !live.metadata.finalizers?.includes(orphanFinalizer)) {
                return live;
            }
            await sleep(releasedPause);
        }
        throw new StaleDecision(`the pods of StatefulSet ${name} are not released yet; it is observed again`);
    };
    return {
        readStatefulSet,
        remakeStatefulSet: (namespace, name, uid, wanted) =>
            staleOnConflict(`StatefulSet ${name}`, async () => {
                const manifest = wanted as V1StatefulSet;
                const live = await readStatefulSet(namespace, name);
                if (live !== undefined && live.metadata?.uid !== uid) {
                    return;
                }
                if (live?.metadata?.resourceVersion !== undefined && live.metadata.deletionTimestamp === undefined) {
                    const seen = { ...live, metadata: { ...live.metadata, resourceVersion: versionOf(manifest) } };
                    await assertValid(namespace, name, manifest);
                    await hold(namespace, name, seen);
                }
                const held = live && (await untilReleased(namespace, name, uid));
                const last = held?.metadata?.uid === uid ? held : undefined;
                if (last) {
                    await release(namespace, name, last);
                }
                const source = last ? (manifestOf(last) as V1StatefulSet) : manifest;
                const { volumeClaimTemplates } = manifest.spec ?? {};
                const spec = { ...source.spec, volumeClaimTemplates } as V1StatefulSet["spec"];
                const made = await create(namespace, name, { ...source, spec });
                await giveFieldsBack(namespace, name, made, source.metadata?.managedFields);
            }),
        keepStatefulSet: (namespace, name, uid) =>
            staleOnConflict(`StatefulSet ${name}`, async () => {
                const live = await readStatefulSet(namespace, name);
                if (live?.metadata?.uid === uid && live.metadata.finalizers?.includes(remakeFinalizer)) {
                    await release(namespace, name, live);
                }
            }),
    };
}

const versionOf = ({ metadata }: V1StatefulSet) => metadata?.resourceVersion;
