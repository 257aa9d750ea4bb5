import { releasedClaimAnnotation } from "../../../topology/annotations";
import type { InPd } from "../vocabulary/memberLifecycle";
import { claimsOf, type PodView, type Stage } from "../vocabulary/stage";
import { droppedId } from "./outOfPd";
import { removedId } from "./removalRecord";
import { isUp } from "./stores";

/** Facts from tidb-operator pkg/manager/member/scaler.go. The annotation that marks released claims is the operator's. */

/**
 * The volumes of a leaving pod are marked as released, with the id of the store or member that has left PD, so the ordinal's next pod
 * starts with empty ones. The volumes of PD's last member are kept: PD cannot remove it.
 * @param inPd Default: PD has nothing of the member's volumes.
 */
export function claimsReleasedFrom(inPd?: InPd): Stage {
    const idOf = (view: PodView) => inPd && droppedId(view, inPd);
    // A mark from before the process ran, or of an earlier version, has no id.
    const kept = (view: PodView) => {
        const id = idOf(view);
        return claimsOf(view).filter((one) => !one.released || (id !== undefined && one.releasedId !== id));
    };
    return {
        name: "claims-released",
        holds: (view) => {
            const unmarked = view.pdMembers.length > 0 ? [] : kept(view);
            return unmarked.length === 0
                ? true
                : { lacks: `${unmarked.map((claim) => claim.name).join(", ")} not marked as released` };
        },
        act: (view) => {
            const storeOrMember = idOf(view);
            return {
                do: "release-claims",
                pod: view.podName,
                claims: kept(view),
                ...(storeOrMember === undefined ? {} : { storeOrMember }),
            };
        },
        advice: "check that this user is allowed to patch persistentvolumeclaims",
    };
}

/** The same for a member of whose volumes PD has nothing. */
export const claimsReleased = claimsReleasedFrom();

/** A member or store that PD had already dropped when its removal was reverted never runs again. Its volumes are released and replaced. */
export function removedVolumesReleased(inPd: InPd): Stage {
    const released = claimsReleasedFrom(inPd);
    return {
        ...released,
        holds: (view) => {
            const id = removedId(view);
            return id !== undefined && inPd.hasDropped(view, id) ? released.holds(view) : true;
        },
    };
}

/**
 * Volumes released by an earlier scale-in, and the pod that still uses them, are gone before their ordinal comes back. The data of a
 * Tombstone store is never used again. The mark alone deletes nothing: PD is asked whether it has a store or member of the pod.
 * @param inPd Default: PD has nothing of the member's volumes.
 */
export function releasedClaimsDeleted(inPd?: InPd): Stage {
    const old = (view: PodView) => claimsOf(view).filter((claim) => claim.released);
    const entryOf = (view: PodView) => {
        const listed = inPd?.listed.holds(view) ?? true;
        return listed !== true && "lacks" in listed
            ? listed.lacks
            : old(view)
                  .map(({ releasedId }) => inPd?.entry(view, releasedId))
                  .find((entry) => entry !== undefined);
    };
    return {
        name: "released-claims-deleted",
        holds: (view) => {
            if (old(view).length === 0) {
                return true;
            }
            const names = old(view)
                .map((claim) => claim.name)
                .join(", ");
            const entry = entryOf(view);
            return {
                lacks: `${names}, released by an earlier scale-in, not deleted ${entry === undefined ? "yet" : `while ${entry}`}`,
            };
        },
        act: (view) => (entryOf(view) === undefined ? { do: "delete-claims", claims: old(view) } : undefined),
        advice: `check PD's lists, and the claims: a pod that still uses one, or a finalizer, keeps it from being deleted. To keep the volumes, take the mark off: kubectl annotate pvc <names> ${releasedClaimAnnotation}-`,
    };
}

/**
 * A pod that stays keeps its volumes, so they are not marked as released. Otherwise the version that uses them is never
 * recorded, and the next deployment deletes them as those of an earlier scale-in.
 * @param isOutsidePd whether PD stores nothing about the member's volumes, so PD cannot have dropped what is on them.
 */
export function keptVolumesUnmarked(isOutsidePd: boolean): Stage {
    const marked = (view: PodView) => claimsOf(view).filter((claim) => claim.released && !claim.terminating);
    return {
        name: "kept-volumes-unmarked",
        holds: (view) => {
            const isKept = isOutsidePd || (view.store !== undefined && isUp(view.store)) || view.pdMember?.healthy;
            const still = isKept ? marked(view) : [];
            return still.length === 0
                ? true
                : {
                      lacks: `${still.map((claim) => claim.name).join(", ")} still marked as released by a scale-in that was reverted`,
                  };
        },
        act: (view) => ({ do: "keep-claims", claims: marked(view) }),
        advice: "check that this user is allowed to patch persistentvolumeclaims",
    };
}

/**
 * A pod that stays although PD has dropped what is on its volumes gets new volumes. The claims are deleted first, so the
 * next pod cannot bind them; they disappear once the old pod is gone.
 */
export function givenUpVolumesReplaced(inPd: InPd): Stage {
    const old = (view: PodView) =>
        claimsOf(view).filter(({ releasedId }) => releasedId !== undefined && inPd.hasDropped(view, releasedId));
    return {
        name: "given-up-volumes-replaced",
        holds: (view) =>
            old(view).length === 0
                ? true
                : {
                      lacks: `${view.podName} still has ${old(view)
                          .map((claim) => claim.name)
                          .join(", ")}, released when it was removed from PD`,
                  },
        act: (view) => {
            const kept = old(view).filter((claim) => !claim.terminating);
            if (kept.length > 0) {
                return { do: "delete-claims", claims: kept };
            }
            return view.pod && !view.pod.terminating
                ? {
                      do: "delete-pod",
                      pod: view.podName,
                      uid: view.pod.uid,
                      resourceVersion: view.pod.resourceVersion,
                  }
                : undefined;
        },
        advice: "check the claims and the pod: a finalizer can keep them from being deleted",
    };
}
