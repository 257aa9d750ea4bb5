import type { CoreV1Event, StorageV1Api, V1Node, V1Pod, V1StorageClass } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import type { ReadCalls } from "../readCalls";
import { pages } from "./pages";
import { type PlacingCalls, placingCalls } from "./placingCalls";

/** What a diagnosis reads from the API server. */
export interface DiagnosisCalls extends PlacingCalls {
    pod(name: string): Promise<V1Pod | undefined>;
    node(name: string): Promise<V1Node | undefined>;
    /** @param of the object that the events are about, as a field selector. */
    events(of: string): Promise<CoreV1Event[]>;
    classes(): Promise<V1StorageClass[]>;
    /** The last lines of a container. @param previous of the process before the one that runs. */
    log(pod: string, container: string, previous: boolean): Promise<string>;
}

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
        node: (name) => readOrMissing(`read node ${name}`, () => core.readNode({ name })),
        events: (fieldSelector) =>
            pages((page) => read("list events", () => core.listNamespacedEvent({ namespace, fieldSelector, ...page }))),
        ...placingCalls({ core, read, readOrMissing }, namespace),
        classes: () => pages((page) => read("list StorageClasses", () => storage.listStorageClass(page))),
        log: (name, container, previous) => {
            const which = { namespace, name, container, previous, tailLines: logLines, limitBytes: logBytes };
            return read(`read the log of ${name}`, () => core.readNamespacedPodLog(which));
        },
    };
}
