import type { ObservedClaim } from "../vocabulary/observation";
import type { PodView, Stage } from "../vocabulary/stage";
import { isUp } from "./stores";

/** Facts from tidb-operator pkg/manager/member/scaler.go. The annotation that marks released claims is the operator's. */

/** The volumes of a leaving pod are marked as released, so the ordinal's next pod starts with empty ones. */
export const claimsReleased: Stage = {
    name: "claims-released",
    holds: (view) => {
        const kept = claimsOf(view).filter((claim) => !claim.released);
        return kept.length === 0
            ? true
            : { lacks: `${kept.map((claim) => claim.name).join(", ")} not marked as released` };
    },
    act: (view) => ({
        do: "release-claims",
        pod: view.podName,
        claims: claimsOf(view).filter((claim) => !claim.released),
    }),
    advice: "check that this user is allowed to patch persistentvolumeclaims",
};

/**
 * Volumes released by an earlier scale-in, and the pod that still uses them, are gone before their ordinal comes back.
 * The data of a Tombstone store is never used again.
 */
export const releasedClaimsDeleted: Stage = {
    name: "released-claims-deleted",
    holds: (view) => {
        const old = claimsOf(view).filter((claim) => claim.released);
        return old.length === 0
            ? true
            : {
                  lacks: `${old.map((claim) => claim.name).join(", ")}, released by an earlier scale-in, not deleted yet`,
              };
    },
    act: (view) => ({ do: "delete-claims", claims: claimsOf(view).filter((claim) => claim.released) }),
    advice: "check the claims: a pod that still uses one, or a finalizer, keeps it from being deleted",
};

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
        advice: claimsReleased.advice,
    };
}

/** @returns the claims of the pod's ordinal. */
export function claimsOf(view: PodView): ObservedClaim[] {
    return view.member.claims.filter((claim) => claim.ordinal === view.ordinal);
}

/**
 * A pod that stays although PD has dropped what is on its volumes gets new volumes. The claims are deleted first, so the
 * next pod cannot bind them; they disappear once the old pod is gone.
 */
export function givenUpVolumesReplaced(isRemovedFromPd: (view: PodView) => boolean): Stage {
    const old = (view: PodView) => claimsOf(view).filter((claim) => claim.released);
    return {
        name: "given-up-volumes-replaced",
        holds: (view) =>
            old(view).length === 0 || !isRemovedFromPd(view)
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
