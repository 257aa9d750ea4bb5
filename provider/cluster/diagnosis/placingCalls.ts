import type { V1Node, V1PersistentVolume, V1PersistentVolumeClaim, V1Pod } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import type { ReadCalls } from "../readCalls";
import { pages } from "./pages";

/** What decides where a pod can run. All but the claim belongs to the whole Kubernetes cluster. */
export interface PlacingCalls {
    claim(name: string): Promise<V1PersistentVolumeClaim | undefined>;
    nodes(): Promise<V1Node[]>;
    /** The pods of all namespaces that have not ended. */
    allPods(): Promise<V1Pod[]>;
    volumes(): Promise<V1PersistentVolume[]>;
}

/** @returns the calls; the claims are those of one namespace. */
export function placingCalls(
    { core, read, readOrMissing }: Pick<ReadCalls, "core" | "read" | "readOrMissing">,
    namespace: string,
): PlacingCalls {
    return {
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
        volumes: () => pages((page) => read("list volumes", () => core.listPersistentVolume(page))),
    };
}
