import { memberLifecycles } from "../members/memberLifecycles";
import { claimsOf } from "../stages/claims";
import { isUp } from "../stages/stores";
import type { Observation, ObservedClaim } from "../vocabulary/observation";
import { type PodView, type Stage, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";

/**
 * A pod keeps the volume of a claim that somebody has deleted (https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection):
 * both go once the pod stops. No claim can be undeleted, so such a pod is not stopped.
 */

/** The member, and its number of pods as far as pods leave. */
export type Viewed = Pick<MemberTarget, "component" | "policy"> & Partial<Pick<MemberTarget, "replicas">>;

/** @returns the claims whose volumes go with the pod, unless it leaves. The mark of a scale-in counts for nothing where what runs there is in use again. */
function claimsBeingDeleted(view: PodView): ObservedClaim[] {
    const isPodBesidePd = memberLifecycles[view.target.component].isDroppedByPd === undefined;
    const isInUse = isPodBesidePd || isUp(view.store) || view.pdMember?.healthy === true;
    const stays = view.pod !== undefined && view.ordinal < view.target.replicas;
    return stays ? claimsOf(view).filter(({ terminating, released }) => terminating && (!released || isInUse)) : [];
}

/** @returns whether the pod loses a volume once it stops, unless PD has certainly dropped what is on it. A record alone is no proof: it outlives a node that comes back. */
export function losesVolumes(view: PodView): boolean {
    return claimsBeingDeleted(view).length > 0 && !isDropped(view);
}

function isDropped(view: PodView): boolean {
    return memberLifecycles[view.target.component].isDroppedByPd?.(view) === true;
}

/** @returns the condition that the pod comes back with its volumes. It fails at once: waiting does not bring a claim back. */
export function volumesStay(view: PodView): Stage {
    return {
        name: "volumes-stay",
        holds: (seen) => (losesVolumes(seen) ? { lacks: deletedInWords(namesOfDeleted(seen)) } : true),
        timeout: () => ({ seconds: 0, then: "fail" }),
        advice: wayOut(view),
    };
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

/** @returns what a person can do about such claims of a pod. */
export function wayOut(view: PodView): string {
    const { podName, target } = view;
    // What PD has dropped is on all of its volumes.
    const others = claimsOf(view).filter(({ terminating }) => !terminating);
    const alsoOthers =
        others.length === 0
            ? ""
            : `\`kubectl delete pvc --wait=false ${others.map(({ name }) => name).join(" ")}\` and `;
    const empty = `${alsoOthers}\`kubectl delete pod ${podName}\`, which starts with new volumes; then run \`pulumi up\` again`;
    if (isDropped(view)) {
        return `PD has dropped what is on it: ${empty}`;
    }
    const dropped = memberLifecycles[target.component].droppedByHand?.(view);
    switch (dropped?.is) {
        case "by-commands":
            return `a claim cannot be undeleted: have PD drop the data on the volume while the others have it (${dropped.words}), then ${empty}`;
        case "only-copy":
            return `a claim cannot be undeleted, and nothing else has this data: keep the disk (\`kubectl patch pv\` with \`persistentVolumeReclaimPolicy: Retain\`), and back the cluster up before the pod stops`;
        case undefined:
            return `a claim cannot be undeleted: copy what is still needed from the volume, and \`kubectl delete pod ${podName}\`, which starts with a new one; then run \`pulumi up\` again`;
    }
}
