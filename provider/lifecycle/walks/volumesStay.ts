import { memberLifecycles } from "../members/memberLifecycles";
import { neverRan } from "../stages/stores";
import type { Observation, ObservedClaim } from "../vocabulary/observation";
import { onceFor } from "../vocabulary/onceFor";
import type { Condition } from "../vocabulary/problemCodes";
import { claimsOf, type PodView, type Stage, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";

/**
 * A pod keeps the volume of a claim that somebody has deleted (https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection):
 * both go once the pod stops. No claim can be undeleted, so such a pod is not stopped.
 */

/** The member, and its number of pods as far as pods leave. */
export type Viewed = Pick<MemberTarget, "component" | "policy"> & Partial<Pick<MemberTarget, "replicas">>;

/**
 * @returns the claims whose volumes go with the pod, unless it leaves, or stops already, as that of a dead PD member: nothing holds it then.
 * A pod without a node keeps no claim (Kubernetes' pkg/controller/volume/pvcprotection). That a scale-in once released them is no proof:
 * it may have been reverted.
 */
function claimsBeingDeleted(view: PodView): ObservedClaim[] {
    const { pod } = view;
    if (!someDeleted(view.member.claims)) {
        return [];
    }
    const stays = pod?.terminating === false && !isUnscheduled(view) && view.ordinal < view.target.replicas;
    return stays ? claimsOf(view).filter(({ terminating }) => terminating) : [];
}

const someDeleted = onceFor((claims: readonly ObservedClaim[]) => claims.some(({ terminating }) => terminating));

function isUnscheduled({ pod }: PodView): boolean {
    return pod?.node === undefined && neverRan({ pod });
}

/** @returns whether the pod loses a volume once it stops, unless PD has certainly dropped what is on it. A record alone is no proof: it outlives a node that comes back. */
export function losesVolumes(view: PodView): boolean {
    return claimsBeingDeleted(view).length > 0 && !isDropped(view);
}

function isDropped(view: PodView): boolean {
    return memberLifecycles[view.target.component].isDroppedByPd?.(view) === true;
}

/** The pod comes back with its volumes. It fails once PD has answered: waiting does not bring a claim back. */
export const volumesStay: Stage = noDeletedClaim("volumes-stay", losesVolumes);

/** @returns whether PD has dropped what is on the pod's deleted claims. */
export function isEmptied(view: PodView): boolean {
    return claimsBeingDeleted(view).length > 0 && isDropped(view);
}

/** The pod is not one whose volume PD has dropped. It fails at once: only a person lets such a pod start again. */
export const emptiedPodDeleted: Stage = noDeletedClaim("emptied-pod-deleted", isEmptied);

/** @param isHeldBy whether a deleted claim keeps the pod from going on. */
function noDeletedClaim(name: Condition, isHeldBy: (seen: PodView) => boolean): Stage {
    return {
        name,
        holds: (seen) => (isHeldBy(seen) ? { lacks: deletedInWords(namesOfDeleted(seen)) } : true),
        timeout: (seen) => ({
            seconds: mayBeKnown(seen) ? seen.target.policy.podReadyTimeoutSeconds : 0,
            then: "fail",
        }),
        advice: wayOut,
    };
}

/** @returns whether an answer of PD is missing that may let the pod go. */
function mayBeKnown(view: PodView): boolean {
    const dropped = memberLifecycles[view.target.component].droppedByHand?.(view);
    return !isDropped(view) && dropped?.is === "not-known" && dropped.mayBeKnown === true;
}

/** @returns the member's pods with claims that somebody has deleted. */
export function podsWithDeletedClaims(observation: Observation, target: Viewed): PodView[] {
    const pods = observation.members[target.component]?.pods ?? [];
    return pods
        .map(({ ordinal }) => viewOf(observation, { replicas: Infinity, ...target }, ordinal))
        .filter((view) => claimsBeingDeleted(view).length > 0);
}

/** @returns what is wrong with such a pod, and what to do, in words. */
export function deletedOf(view: PodView): string {
    return `${deletedInWords(namesOfDeleted(view))}. Next: ${wayOut(view)}`;
}

/** @returns the names of the pod's claims that somebody has deleted. */
export function namesOfDeleted(view: PodView): string[] {
    return claimsBeingDeleted(view).map(({ name }) => name);
}

/** @returns what is wrong with claims that are being deleted, in words. */
export function deletedInWords(names: readonly string[]): string {
    const [are, their] = names.length === 1 ? ["is", "its volume"] : ["are", "their volumes"];
    return `${names.length === 1 ? "claim" : "claims"} ${names.join(", ")} ${are} being deleted, and Kubernetes deletes ${their} once the pod stops`;
}

/** @returns whether the gate that scales deletes the pod, because a scale-in that was reverted has released all of its volumes. */
export function isReplacedByUpdate(view: PodView): boolean {
    return isDropped(view) && claimsOf(view).every(({ released }) => released);
}

/** @returns what a person can do about such claims of a pod. */
export function wayOut(view: PodView): string {
    const { podName, target } = view;
    const lifecycle = memberLifecycles[target.component];
    // What PD has dropped, or has never had, is on all volumes of the pod.
    const others = lifecycle.isDroppedByPd ? claimsOf(view).filter(({ terminating }) => !terminating) : [];
    const alsoOthers =
        others.length === 0
            ? ""
            : `\`kubectl delete pvc --wait=false ${others.map(({ name }) => name).join(" ")}\` and `;
    const start = lifecycle.isDroppedByPd ? "new volumes" : "a new one";
    const empty = `${alsoOthers}\`kubectl delete pod ${podName}\`, which starts with ${start}; then run \`pulumi up\` again`;
    if (isDropped(view)) {
        return `PD has dropped what is on it: ${isReplacedByUpdate(view) ? "`pulumi up` deletes the pod, which starts with new volumes" : empty}`;
    }
    const lost = "a claim cannot be undeleted";
    const dropped = lifecycle.droppedByHand?.(view);
    switch (dropped?.is) {
        case "by-commands":
            return `${lost}: have PD drop the data on the volume while the others have it (${dropped.words}), then ${empty}`;
        case "only-copy":
            return `${lost}, and nothing else has this data: keep the disk (\`kubectl patch pv\` with \`persistentVolumeReclaimPolicy: Retain\`), and raise the replicas; once the others have the data, \`npx pulumi-tidb diagnose\` says how to go on`;
        case "not-known":
            return `${lost}, and ${dropped.why}: ${dropped.first}${dropped.mayStop ? `; then ${empty}` : ""}`;
        case undefined:
            return `${lost}: copy what is still needed from the volume, and ${empty}`;
    }
}
