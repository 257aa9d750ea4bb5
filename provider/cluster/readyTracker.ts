import type { ObservedPod } from "../lifecycle/vocabulary/observation";

/**
 * Tracks since when this process has seen each pod Ready, by its own clock. Kubernetes reports it too, but by the clock of
 * the pod's node, which may be hours off.
 */
export class ReadyTracker {
    private readonly since = new Map<string, number>();

    /** @param at when the pod was read, by the run's own clock. */
    track(pod: ObservedPod, at: number): ObservedPod {
        if (!pod.ready) {
            this.since.delete(pod.uid);
            return pod;
        }
        const readySince = this.since.get(pod.uid) ?? at;
        this.since.set(pod.uid, readySince);
        return { ...pod, readySince };
    }
}
