import { randomBytes } from "node:crypto";
import type { CoreV1Api, EventsV1Api, V1ConfigMap, V1MicroTime } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import type { ObjectEvent } from "../../lifecycle/journal/objectEvents";
import type { ReadCalls } from "../readCalls";

/** The calls about the journal and about Events. */
export interface JournalCalls {
    readConfigMap(namespace: string, name: string): Promise<V1ConfigMap | undefined>;
    createConfigMap(namespace: string, body: V1ConfigMap): Promise<V1ConfigMap>;
    patchConfigMap(namespace: string, name: string, patch: object): Promise<V1ConfigMap>;
    /** @param by the lock holder's name of this process. */
    createEvent(namespace: string, event: ObjectEvent, by: string, at: Date): Promise<void>;
}

/** The name under which gates report Events. */
const controller = "pulumi-tidb.io/gates";
/** Kubernetes refuses a longer name of the process that reports an Event. */
const longestInstance = 128;

/** How much of the object's name an Event's own name has: Kubernetes refuses names of more than 253 characters. */
const longestObject = 230;

const apiVersions = {
    Pod: "v1",
    PersistentVolumeClaim: "v1",
    Secret: "v1",
    StatefulSet: "apps/v1",
    Lease: "coordination.k8s.io/v1",
} as const;

/** @param call makes a change, and names it in the error if it fails. */
export function journalCalls(
    { core, readOrMissing }: Pick<ReadCalls, "core" | "readOrMissing">,
    events: Pick<EventsV1Api, "createNamespacedEvent">,
    microTime: (at: Date) => V1MicroTime,
    call: <T>(what: string, request: () => Promise<T>) => Promise<T>,
    fieldManager: string,
    mergePatch: Parameters<CoreV1Api["patchNamespacedConfigMap"]>[1],
): JournalCalls {
    return {
        readConfigMap: (namespace, name) =>
            readOrMissing(`read ConfigMap ${name}`, () => core.readNamespacedConfigMap({ namespace, name })),
        createConfigMap: (namespace, body) =>
            call(`create ConfigMap ${body.metadata?.name}`, () =>
                core.createNamespacedConfigMap({ namespace, body, fieldManager }),
            ),
        patchConfigMap: (namespace, name, body) =>
            call(`write ConfigMap ${name}`, () =>
                core.patchNamespacedConfigMap({ namespace, name, body, fieldManager }, mergePatch),
            ),
        createEvent: async (namespace, { object, reason, note, isWarning }, by, at) => {
            const body = {
                metadata: {
                    name: `${object.name.slice(0, longestObject)}.${randomBytes(8).toString("hex")}`,
                    namespace,
                },
                eventTime: microTime(at),
                reportingController: controller,
                reportingInstance: by.slice(0, longestInstance),
                type: isWarning ? "Warning" : "Normal",
                action: reason,
                reason,
                note,
                regarding: { ...object, namespace, apiVersion: apiVersions[object.kind] },
            };
            await call(`create an Event on ${object.kind} ${object.name}`, () =>
                events.createNamespacedEvent({ namespace, body, fieldManager }),
            );
        },
    };
}
