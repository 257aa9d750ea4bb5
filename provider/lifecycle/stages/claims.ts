import type { ObservedClaim } from "../vocabulary/observation";
import type { PodView, Stage } from "../vocabulary/stage";

/** Facts from tidb-operator pkg/manager/member/scaler.go; the annotation that marks given-up claims is the operator's. */

/** The volumes of a pod that goes are marked, so that the ordinal's next pod starts with empty ones. */
export const claimsReleased: Stage = {
    name: "claims-released",
    holds: (view) => {
        const kept = claimsOf(view).filter((claim) => !claim.released);
        return kept.length === 0
            ? true
            : { lacks: `${kept.map((claim) => claim.name).join(", ")} not marked as given up` };
    },
    act: (view) => ({
        do: "release-claims",
        pod: view.podName,
        claims: claimsOf(view).filter((claim) => !claim.released),
    }),
    advice: "check that this user may patch persistentvolumeclaims",
};

/** Volumes that an earlier scale-in gave up are gone before their ordinal comes back, and the pod that still stops with them: a Tombstone store's data is never used again. */
export const releasedClaimsDeleted: Stage = {
    name: "released-claims-deleted",
    holds: (view) => {
        const old = claimsOf(view).filter((claim) => claim.released);
        return old.length === 0
            ? true
            : { lacks: `${old.map((claim) => claim.name).join(", ")}, given up by an earlier scale-in, still there` };
    },
    act: (view) => ({ do: "delete-claims", claims: claimsOf(view).filter((claim) => claim.released) }),
    advice: "look at the claims: a pod that still uses one, or a finalizer, keeps it",
};

/** @returns the claims of the pod's ordinal. */
export function claimsOf(view: PodView): ObservedClaim[] {
    return view.member.claims.filter((claim) => claim.ordinal === view.ordinal);
}

/**
 * A pod that stays, though PD has let go of what is on its volumes, gets new ones: their claims are deleted first, so
 * that the pod made next cannot bind them, and go once the pod does.
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
                          .join(", ")}, given up when it was taken out of PD`,
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
        advice: "look at the claims and the pod: a finalizer can keep them",
    };
}
