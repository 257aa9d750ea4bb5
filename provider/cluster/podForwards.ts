import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { type Forward, forwardPort } from "./portForward";

/** A pod as a port-forward identifies it: a recreated pod of the same name is a different pod. */
export interface ForwardedPod {
    name: string;
    uid: string;
}

/**
 * Port-forwards to one port of some pods, kept while their pods live. A connection to a pod that is gone may hang instead
 * of failing, so no port-forward outlives its pod.
 */
export class PodForwards {
    private readonly forwards = new Map<string, Promise<Forward>>();

    constructor(
        private readonly config: KubeConfig,
        private readonly namespace: string,
        private readonly port: number,
    ) {}

    /** @returns the port-forward to a pod; opens one if there is none. */
    to(pod: ForwardedPod): Promise<Forward> {
        const forward = this.forwards.get(pod.uid) ?? forwardPort(this.config, this.namespace, pod.name, this.port);
        this.forwards.set(pod.uid, forward);
        return forward;
    }

    /** Closes the port-forwards to all other pods. */
    keepOnly(pods: readonly ForwardedPod[]): void {
        for (const [uid, forward] of this.forwards) {
            if (!pods.some((pod) => pod.uid === uid)) {
                this.forwards.delete(uid);
                void forward.then((one) => one.close());
            }
        }
    }
}
