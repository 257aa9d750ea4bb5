import type { AppsV1Api, V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { StatefulSetManifest } from "../lifecycle/vocabulary/remakeRecord";
import type { ReadCalls } from "./readCalls";
import { StaleDecision } from "./staleDecision";

/** Calls that create a StatefulSet again, with its pods left running. */
export interface RemakeCalls {
    /**
     * Deletes a StatefulSet without its pods, and creates the other one, which takes them over by its selector. Whatever of that was done
     * before is not done again.
     * @param uid of the StatefulSet to delete. One with another UID stays: it has been created since.
     * @throws StaleDecision if the old one is not gone yet.
     */
    remakeStatefulSet(namespace: string, name: string, uid: string, manifest: StatefulSetManifest): Promise<void>;
}
