import { known } from "../lifecycle/vocabulary/evidence";
import type { ObservedPod, SeenCrash } from "../lifecycle/vocabulary/observation";

/** Pods that were there at the first look have an unknown age: it counts as the longest. */
const unknownAge = -Infinity;

/** A run that has watched the pod for longer than the API server can tell knows it by itself. */
function longerSeen({ readyAtLeast }: ObservedPod, seenFor: number, at: number): Pick<ObservedPod, "readyAtLeast"> {
    const isLonger = readyAtLeast !== undefined && !(readyAtLeast.known && readyAtLeast.value >= seenFor);
    return isLonger ? { readyAtLeast: known(seenFor, "this run", at) } : {};
}

/**
 * Tracks since when this process has seen each pod Ready, by its own clock. Kubernetes reports it too, but by the clock of
 * the pod's node, which may be hours off.
 */
export class ReadyTracker {
    private readonly seen = new Map<string, { since: number; changedAt: number | undefined }>();
    private readonly crashes = new Map<string, { uid: string; lastAt: number; seen: readonly SeenCrash[] }>();
    private readonly first = new Map<string, { uid: string; at: number }>();

    /** @param at when the pod was read, by the run's own clock. */
    track(pod: ObservedPod, at: number): ObservedPod {
        const last = this.first.get(pod.name);
        const first = last?.uid === pod.uid ? last : { uid: pod.uid, at: last === undefined ? unknownAge : at };
        this.first.set(pod.name, first);
        return this.ready(this.crash({ ...pod, seenSince: first.at }, at), at);
    }

    /** Between two looks that find it so, it may have been anything else for at most the time between them. */
    private crash(pod: ObservedPod, at: number): ObservedPod {
        const { name, uid, backOff, container } = pod;
        if (backOff === undefined || !container.known || container.value.is !== "stopped") {
            return pod;
        }
        const last = this.crashes.get(name);
        const { seen, lastAt } = last?.uid === uid ? last : { seen: [], lastAt: -Infinity };
        const after = at - lastAt;
        const crashesSeen = [...seen.filter((one) => one.after > after), { since: at, after }];
        this.crashes.set(name, { uid, lastAt: at, seen: crashesSeen });
        return { ...pod, crashesSeen };
    }

    private ready(pod: ObservedPod, at: number): ObservedPod {
        if (!pod.ready) {
            this.seen.delete(pod.uid);
            return pod;
        }
        const last = this.seen.get(pod.uid);
        const changedAt = pod.readyChangedAt;
        // Otherwise it was not Ready for a while between two observations.
        const since = last?.changedAt === changedAt ? (last?.since ?? at) : at;
        this.seen.set(pod.uid, { since, changedAt });
        return { ...pod, readySince: since, ...longerSeen(pod, at - since, at) };
    }
}
