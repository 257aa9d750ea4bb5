import { revisionParts } from "../vocabulary/spread";
import { hasOtherRevision, runsNewest } from "../vocabulary/revision";
import type { PodView } from "../vocabulary/stage";
import { isInCrashLoop } from "./crashLoop";

/**
 * Whether the template may be why a process has ended: a bad setting ends each one that starts with it. Then the volume is not to blame,
 * and the corrected template makes the pod well. Only a pod that is well on the same template clears it.
 * @param period how long a pod must be Ready to be well, in milliseconds.
 * @returns what speaks against the template, and what comes first; undefined if nothing does.
 */
export function templateDoubt({ member, target, pod }: PodView, period: number): string | undefined {
    const { statefulSet, pods } = member;
    if (pod === undefined || statefulSet === undefined) {
        return "nothing is known of its template";
    }
    if (bringsOther(target.templateRevision ?? target.wantedTemplate, statefulSet.templateRevision)) {
        return "this update brings it another template, on which it restarts first";
    }
    const isNewest = runsNewest(pod, statefulSet);
    if (isNewest !== true) {
        return hasOtherRevision(pod, statefulSet)
            ? "its StatefulSet has another template for it, on which it restarts first"
            : "it is not known whether it runs the newest template";
    }
    const isWell = pods.some(
        (other) =>
            other.uid !== pod.uid &&
            other.ready &&
            !other.terminating &&
            other.revision === pod.revision &&
            !isInCrashLoop(other, period),
    );
    return isWell
        ? undefined
        : "no pod that is well runs its template, which may be why: correct what the last update changed, or take it back";
}

/** Constraints of ours where pods may run do not end a process. A member that an earlier version made has no digest. */
function bringsOther(wanted: string | undefined, live: string | undefined): boolean {
    return (
        wanted !== undefined && live !== undefined && revisionParts(wanted).template !== revisionParts(live).template
    );
}
