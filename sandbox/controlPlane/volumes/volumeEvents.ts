import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { createHash } from "node:crypto";
import type { VolumeEvent } from "./step";

/** Writes an Event on a claim, or on the pod it names. One that exists already is counted, as Kubernetes does. */
export async function writeEvent(
    kubernetes: typeof k8s,
    core: k8s.CoreV1Api,
    claim: k8s.V1PersistentVolumeClaim,
    { type, reason, message, from, on }: VolumeEvent,
): Promise<void> {
    const { namespace = "", name: of = "", uid = "" } = (on ?? claim).metadata ?? {};
    const kind = on === undefined ? "PersistentVolumeClaim" : "Pod";
    const digest = createHash("sha256").update([uid, reason, message].join("\n")).digest("hex").slice(0, 16);
    const name = `${of}.${digest}`;
    const now = new Date();
    try {
        const body = {
            metadata: { namespace, name },
            involvedObject: { apiVersion: "v1", kind, namespace, name: of, uid },
            source: { component: from, ...(from === "kubelet" ? { host: on?.spec?.nodeName } : {}) },
            reportingComponent: from,
            firstTimestamp: now,
            lastTimestamp: now,
            ...{ type, reason, message, count: 1 },
        };
        await core.createNamespacedEvent({ namespace, body });
    } catch (error) {
        if ((error as { code?: number }).code !== 409) {
            throw error;
        }
        const { count = 1 } = await core.readNamespacedEvent({ namespace, name });
        const body = { count: count + 1, lastTimestamp: now.toISOString() };
        const merge = kubernetes.setHeaderOptions("Content-Type", kubernetes.PatchStrategy.MergePatch);
        await core.patchNamespacedEvent({ namespace, name, body }, merge);
    }
}
