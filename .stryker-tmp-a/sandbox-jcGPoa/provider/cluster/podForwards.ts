import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { type Forward, forwardPort } from "./portForward";

/** A pod as a forward knows it: one that was made anew under the same name is another. */
export interface ForwardedPod {
    name: string;
    uid: string;
}

/**
 * Forwards to one port of some pods, kept while their pods live. A connection to a pod that is gone may hang instead
 * of failing, so that none outlives its pod.
 */
export class PodForwards {
    private readonly forwards = new Map<string, Promise<Forward>>();

    constructor(
        private readonly config: KubeConfig,
        private readonly namespace: string,
        private readonly port: number,
    ) {}

    /** @returns the forward of a pod, opened where there is none. */
    to(pod: ForwardedPod): Promise<Forward> {
        const forward = this.forwards.get(pod.uid) ?? forwardPort(this.config, this.namespace, pod.name, this.port);
        this.forwards.set(pod.uid, forward);
        return forward;
    }

    /** Closes the forwards of all other pods. */
    keepOnly(pods: readonly ForwardedPod[]): void {
        for (const [uid, forward] of this.forwards) {
            if (!pods.some((pod) => pod.uid === uid)) {
                this.forwards.delete(uid);
                void forward.then((one) => one.close());
            }
        }
    }
}
