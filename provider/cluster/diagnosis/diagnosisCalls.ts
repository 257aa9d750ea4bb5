import type {
    CoreV1Api,
    CoreV1Event,
    StorageV1Api,
    V1ListMeta,
    V1Node,
    V1PersistentVolume,
    V1PersistentVolumeClaim,
    V1Pod,
    V1StorageClass,
} from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { ReadCalls } from "../memberReads";

/** What a diagnosis reads from the API server. */
export interface DiagnosisCalls {
    pod(name: string): Promise<V1Pod | undefined>;
    /** @param of the object that the events are about, as a field selector. */
    events(of: string): Promise<CoreV1Event[]>;
    claim(name: string): Promise<V1PersistentVolumeClaim | undefined>;
    nodes(): Promise<V1Node[]>;
    /** The pods of all namespaces that have not ended. */
    allPods(): Promise<V1Pod[]>;
    classes(): Promise<V1StorageClass[]>;
    volumes(): Promise<V1PersistentVolume[]>;
    /** The last lines of a container. @param previous of the process before the one that runs. */
    log(pod: string, container: string, previous: boolean): Promise<string>;
}

/** Objects in one answer. */
const pageSize = 500;
/** More than this is not read for a sentence in a message. */
const mostPages = 20;
const logLines = 30;
const logBytes = 256 * 1024;

/** @returns the calls, in one namespace. */
export function diagnosisCalls(
    { core, read, readOrMissing }: Pick<ReadCalls, "core" | "read" | "readOrMissing">,
    storage: StorageV1Api,
    namespace: string,
): DiagnosisCalls {
    return {
        pod: (name) => readOrMissing(`read pod ${name}`, () => core.readNamespacedPod({ namespace, name })),
        events: (fieldSelector) =>
            pages((page) => read("list events", () => core.listNamespacedEvent({ namespace, fieldSelector, ...page }))),
        claim: (name) =>
            readOrMissing(`read claim ${name}`, () => core.readNamespacedPersistentVolumeClaim({ namespace, name })),
        nodes: () => pages((page) => read("list nodes", () => core.listNode(page))),
        allPods: () =>
            pages((page) => {
                const fieldSelector = "status.phase!=Succeeded,status.phase!=Failed";
                return read("list the pods of all namespaces", () =>
                    core.listPodForAllNamespaces({ ...page, fieldSelector }),
                );
            }),
        classes: () => pages((page) => read("list StorageClasses", () => storage.listStorageClass(page))),
        volumes: () => pages((page) => read("list volumes", () => core.listPersistentVolume(page))),
        log: (name, container, previous) => {
            const which = { namespace, name, container, previous, tailLines: logLines, limitBytes: logBytes };
            return read(`read the log of ${name}`, () => core.readNamespacedPodLog(which));
        },
    };
}

type Page = Parameters<CoreV1Api["listNode"]>[0];

async function pages<T>(list: (page: Page) => Promise<{ items: T[]; metadata?: V1ListMeta }>): Promise<T[]> {
    const all: T[] = [];
    let next: string | undefined;
    for (let count = 0; count < mostPages; count += 1) {
        const { items, metadata } = await list({ limit: pageSize, ...(next ? { _continue: next } : {}) });
        all.push(...items);
        next = metadata?._continue;
        if (!next) {
            return all;
        }
    }
    throw new TooMany(`there are more than ${mostPages * pageSize}, which are not read`);
}

/** A list is too long to be read for a diagnosis. */
export class TooMany extends Error {
    override readonly name = "TooMany";
}
