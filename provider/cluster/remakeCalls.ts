import type { V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setTimeout as sleep } from "node:timers/promises";
import type { StatefulSetManifest } from "../lifecycle/vocabulary/remakeRecord";
import { undefinedIfNotFound } from "./apiCall";
import type { RawCall } from "./rawCall";
import { StaleDecision } from "./staleDecision";
import { staleOnConflict } from "./staleOnConflict";

/** Calls that create a StatefulSet again, with its pods left running. */
export interface RemakeCalls {
    /**
     * Deletes the StatefulSet that the manifest was read from without its pods, and creates it as the manifest has it; it takes the pods over by its
     * selector. Its fields belong to the same field managers as before. What a killed run has done of that is not done again.
     * @throws StaleDecision if it has changed since it was read, or is not gone yet.
     */
    remakeStatefulSet(namespace: string, name: string, uid: string, manifest: StatefulSetManifest): Promise<void>;
}

/** How often, and for how many milliseconds, a run looks whether the old one is gone: the garbage collector first releases its pods. */
const [goneTries, gonePause] = [50, 200];

/** @returns what is needed to create the StatefulSet again: all but what the API server sets by itself. */
export function manifestOf({ metadata = {}, ...others }: V1StatefulSet): StatefulSetManifest {
    const managedFields = metadata.managedFields?.filter(({ subresource }) => subresource === undefined);
    const kept = { ...metadata, managedFields, creationTimestamp: undefined, generation: undefined };
    return { ...others, metadata: kept, status: undefined } as unknown as StatefulSetManifest;
}

/** @param call the described calls of the API server. */
export function remakeCalls(
    raw: RawCall,
    call: <T>(what: string, request: () => Promise<T>) => Promise<T>,
    fieldManager: string,
): RemakeCalls & { readStatefulSet(namespace: string, name: string): Promise<V1StatefulSet | undefined> } {
    const pathOf = (namespace: string) => `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/statefulsets`;
    const send = async (what: string, ...request: Parameters<RawCall>): Promise<V1StatefulSet> =>
        JSON.parse((await call(what, () => raw(...request))).toString("utf8")) as V1StatefulSet;
    const readStatefulSet = (namespace: string, name: string) =>
        undefinedIfNotFound(
            send(`read StatefulSet ${name}`, "GET", `${pathOf(namespace)}/${encodeURIComponent(name)}`),
        );
    return {
        readStatefulSet,
        remakeStatefulSet: (namespace, name, uid, manifest) =>
            staleOnConflict(`StatefulSet ${name}`, async () => {
                const path = `${pathOf(namespace)}/${encodeURIComponent(name)}`;
                const { metadata, ...others } = manifest as V1StatefulSet;
                const { resourceVersion, managedFields } = metadata ?? {};
                const named = { ...metadata, uid: undefined, resourceVersion: undefined, managedFields: undefined };
                let live = await readStatefulSet(namespace, name);
                if (live?.metadata?.uid === uid && live.metadata?.deletionTimestamp === undefined) {
                    const preconditions = { uid, resourceVersion };
                    const body = {
                        kind: "DeleteOptions",
                        apiVersion: "v1",
                        propagationPolicy: "Orphan",
                        preconditions,
                    };
                    await send(`delete StatefulSet ${name} without its pods`, "DELETE", path, { body });
                }
                for (let tries = 0; live?.metadata?.uid === uid; tries++) {
                    if (tries === goneTries) {
                        throw new StaleDecision(`StatefulSet ${name} is still being deleted; it is observed again`);
                    }
                    await sleep(gonePause);
                    live = await readStatefulSet(namespace, name);
                }
                live ??= await send(`create StatefulSet ${name}`, "POST", pathOf(namespace), {
                    query: { fieldManager },
                    body: { ...others, metadata: named },
                });
                // Whoever creates an object owns its fields: without this, the next update of Pulumi would end in a conflict.
                await send(`give the fields of StatefulSet ${name} back`, "PATCH", path, {
                    query: { fieldManager },
                    contentType: "application/merge-patch+json",
                    body: {
                        metadata: {
                            uid: live.metadata?.uid,
                            resourceVersion: live.metadata?.resourceVersion,
                            managedFields,
                        },
                    },
                });
            }),
    };
}
