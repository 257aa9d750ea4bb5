import type { FailureRecord } from "../vocabulary/failureRecord";
import type { InPd } from "../vocabulary/memberLifecycle";
import { claimsOf, claimsOnRecord, type PodView, type Stage } from "../vocabulary/stage";
import { removedId } from "./removalRecord";
import { isStopped, neverRan } from "./stores";

/**
 * Whether a pod that leaves is out of PD, for stores and for PD's own members. A pod that PD does not list is not known to be out: its
 * process may be about to register, or PD may list it under another name. A mark on its volumes is a hint, never a proof.
 */

/** For how long a process that has never run may still register itself with PD, in seconds. tikv_scaler.go: 5 resyncs. */
const registrationSeconds = 150;

/** @returns the id of the pod's store or member that PD confirms to have dropped: by the record of its removal, a mark, or PD's own list. */
export function droppedId(view: PodView, inPd: InPd): string | undefined {
    if (getsNewVolumes(view)) {
        return undefined;
    }
    const marked = claimsOf(view).map(({ releasedId }) => releasedId);
    const ids = [removedId(view), ...failuresOf(view), ...marked, inPd.tombstoneOf?.(view)];
    return ids.find((id) => id !== undefined && inPd.hasDropped(view, id));
}

/** The ordinal's next pod starts on volumes of which PD's records say nothing, and registers with PD. */
function getsNewVolumes(view: PodView): boolean {
    return view.pod?.terminating !== false && claimsOf(view).some(({ terminating }) => terminating);
}

/** The ids of what a failover has replaced, or was given up with a node, as long as the pod or a volume is the one on record: a later one is another's. */
function failuresOf(view: PodView): (string | undefined)[] {
    const { records } = view.observation;
    const all = [
        records.failovers?.[view.target.component]?.failures[view.podName],
        records.lostVolumes?.[view.podName],
    ];
    const isSame = ({ podUid, claims }: Pick<FailureRecord, "podUid" | "claims">) =>
        claimsOnRecord(view, claims).length > 0 || view.pod?.uid === podUid;
    return all.map((one) => (one && isSame(one) ? (one.member?.id ?? one.storeId?.toString()) : undefined));
}

/**
 * PD lists the pod; or PD has dropped it, by id; or its process certainly never ran, seen for 150 s under the lock, and PD lists nothing
 * that may be the pod.
 * @param what names it in messages.
 * @param isListed whether PD lists exactly one for the pod.
 */
export function knownInPd(
    what: "store" | "member",
    inPd: InPd,
    isListed: (view: PodView) => boolean,
    advice: string,
): Stage {
    return {
        name: `${what}-known`,
        holds: (view) => {
            if (isListed(view) || isOut(view, inPd)) {
                return true;
            }
            const entry = inPd.entry(view);
            if (entry !== undefined) {
                return { lacks: entry };
            }
            const lacks = `PD lists no ${what} for ${view.podName}, whose process`;
            if (!hasNeverRun(view)) {
                return { lacks: `${lacks} may have one` };
            }
            // It may still start. It gets the time that tidb-operator gives it.
            const mayStart = `${lacks} has not run yet: it may still start within ${registrationSeconds} s`;
            return { lacks: mayStart, steadyFor: registrationSeconds, needsLock: true };
        },
        advice,
    };
}

/** @returns for how long the removal of a pod waits to see whether its process, which has never run, registers with PD. */
export function secondsToRegister(view: PodView, inPd: InPd): number {
    const isListed = view.stores.length > 0 || view.pdMembers.length > 0;
    return !isListed && hasNeverRun(view) && !isOut(view, inPd) ? registrationSeconds : 0;
}

function isOut(view: PodView, inPd: InPd): boolean {
    return droppedId(view, inPd) !== undefined || isReleasedByHand(view, inPd);
}

/** A user states that nothing of PD is on the volumes, the process does not run, and PD does not contradict. */
function isReleasedByHand(view: PodView, inPd: InPd): boolean {
    const claims = claimsOf(view);
    const isMarked = claims.length > 0 && claims.every(({ releasedByHand }) => releasedByHand);
    return isMarked && !getsNewVolumes(view) && isStopped(view) && inPd.entry(view) === undefined;
}

/** A pod that does not exist has not run if no volume can have come from an earlier pod of its name. */
function hasNeverRun(view: PodView): boolean {
    return view.pod === undefined ? claimsOf(view).every(({ released }) => released) : neverRan(view);
}
