import { memberLifecycles } from "./members";
import type { Memory } from "./memory";
import type { Move } from "./move";
import type { Observation, ObservedClaim } from "./observation";
import { waitForPd } from "./patience";
import { firstUnfinished, type PodView, type Stage, viewOf } from "./stage";
import type { MemberTarget } from "./target";

/** Facts from tidb-operator pkg/manager/member/scaler.go; the annotation that marks given-up claims is the operator's. */

const patience = (view: PodView) => ({ seconds: view.target.policy.podReadyTimeoutSeconds, then: "fail" }) as const;

/** The volumes of a pod that goes are marked, so that the ordinal's next pod starts with empty ones. */
const claimsReleased: Stage = {
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
    patience,
    advice: "check that this user may patch persistentvolumeclaims",
};

/** Volumes that an earlier scale-in gave up are gone before their ordinal comes back: a Tombstone store's data is never used again. */
const releasedClaimsDeleted: Stage = {
    name: "released-claims-deleted",
    holds: (view) => {
        const old = claimsOf(view).filter((claim) => claim.released);
        return view.pod || old.length === 0
            ? true
            : { lacks: `${old.map((claim) => claim.name).join(", ")}, given up by an earlier scale-in, still there` };
    },
    act: (view) => ({ do: "delete-claims", claims: claimsOf(view).filter((claim) => claim.released) }),
    patience,
    advice: "look at the claims: a pod that still uses one, or a finalizer, keeps it",
};

function claimsOf(view: PodView): ObservedClaim[] {
    return view.member.claims.filter((claim) => claim.ordinal === view.ordinal);
}

/** Ordinals that the StatefulSet has or will have, told apart by what becomes of them. */
export function ordinalsOf(
    observation: Observation,
    target: MemberTarget,
): { leaving: number[]; staying: number[]; coming: number[] } {
    const member = observation.members[target.component];
    const have = member?.statefulSet?.replicas ?? 0;
    const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
    return {
        leaving: range(target.replicas, have).reverse(),
        staying: range(0, Math.min(have, target.replicas)),
        coming: range(have, target.replicas),
    };
}

/**
 * The next move before the StatefulSet may be given its new number of replicas: stores and members that go leave PD
 * first, volumes that come back are empty, and a removal that was taken back is undone.
 */
export function nextScaleMove(observation: Observation, target: MemberTarget, memory: Memory): Move {
    const lifecycle = memberLifecycles[target.component];
    const { leaving, staying, coming } = ordinalsOf(observation, target);
    if (leaving.length > 0 && lifecycle.beforeRemoval.length > 0 && !observation.pd) {
        return waitForPd(observation, target, memory);
    }
    const views = (ordinals: number[]) => ordinals.map((ordinal) => viewOf(observation, target, ordinal));
    const moves = [
        ...unfinished(views(staying), lifecycle.afterRemovalTakenBack, memory, Infinity),
        ...unfinished(
            views(leaving),
            [...lifecycle.beforeRemoval, claimsReleased],
            memory,
            target.policy.scaleInParallelism,
        ),
        ...unfinished(views(coming), [releasedClaimsDeleted], memory, Infinity),
    ];
    return mostUrgent(moves);
}

function unfinished(views: PodView[], stages: readonly Stage[], memory: Memory, atOnce: number): Move[] {
    const moves: Move[] = [];
    for (const view of views) {
        const move = firstUnfinished(stages, view, memory);
        if (move && moves.push(move) >= atOnce) {
            break;
        }
    }
    return moves;
}

/** A failure stops everything; otherwise what can be done now is done before anything is waited for. */
function mostUrgent(moves: Move[]): Move {
    for (const kind of ["fail", "look", "act", "wait"] as const) {
        const move = moves.find((one) => one.kind === kind);
        if (move) {
            return move;
        }
    }
    return { kind: "done" };
}
