import { memberLifecycles } from "../members/memberLifecycles";
import { claimsOf } from "../stages/claims";
import type { Observation, ObservedClaim } from "../vocabulary/observation";
import { type PodView, type Stage, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import type { MemberRisk } from "./warnedRisks";

/**
 * A pod keeps the volume of a claim that somebody has deleted (https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection):
 * both go once the pod stops. No claim can be undeleted, so such a pod is not stopped.
 */

type Viewed = Pick<MemberTarget, "component" | "policy">;

/** @returns the claims whose volumes go with the pod. Those that this package has released or given up are none: nothing on them is needed. */
export function claimsBeingDeleted(view: PodView): ObservedClaim[] {
    const { records } = view.observation;
    const { component } = view.target;
    const givenUp = [
        ...(records.lostVolumes?.[view.podName]?.claims ?? []),
        ...(records.failovers?.[component]?.failures[view.podName]?.claims ?? []),
    ];
    const deleted = claimsOf(view).filter(
        ({ terminating, released, uid }) => terminating && !released && !givenUp.some((one) => one.uid === uid),
    );
    const isNeeded = view.pod !== undefined && memberLifecycles[component].isRemovedFromPd?.(view) !== true;
    return isNeeded ? deleted : [];
}

/** @returns the condition that the pod comes back with its volumes. It fails at once: waiting does not bring a claim back. */
export function volumesStay(view: PodView): Stage {
    return {
        name: "volumes-stay",
        holds: (seen) => {
            const claims = claimsBeingDeleted(seen);
            return claims.length === 0 ? true : { lacks: deletedInWords(namesOf(claims)) };
        },
        timeout: () => ({ seconds: 0, then: "fail" }),
        advice: wayOut(view),
    };
}

/** @returns why the first of these pods that are to stop must not; undefined if all of them keep their volumes. */
export function refusedForDeletedClaims(
    observation: Observation,
    target: Viewed,
    stops: readonly string[],
): { property: string; reason: string } | undefined {
    const view = podsLosingVolumes(observation, target).find(({ podName }) => stops.includes(podName));
    const { component } = target;
    return view === undefined
        ? undefined
        : {
              property: `spec.${memberLifecycles[component].field ?? component}`,
              reason: `found a step that stops ${view.podName}, expected none: ${deletedInWords(namesOf(claimsBeingDeleted(view)))}. Next: ${wayOut(view)}`,
          };
}

/** @returns the member's pods that lose a volume once they stop. */
export function podsLosingVolumes(observation: Observation, target: Viewed): PodView[] {
    const pods = observation.members[target.component]?.pods ?? [];
    return pods
        .map(({ ordinal }) => viewOf(observation, { replicas: pods.length, ...target }, ordinal))
        .filter((view) => claimsBeingDeleted(view).length > 0);
}

/** @returns warnings of such pods, for a plan that stops none of them. */
export function warnedOfDeletedClaims(
    observation: Observation,
    target: Viewed,
): { warnings: string[]; memberRisks: MemberRisk[] } {
    const views = podsLosingVolumes(observation, target);
    return {
        warnings: views.map(
            (view) => `${view.podName}: ${deletedInWords(namesOf(claimsBeingDeleted(view)))}. Next: ${wayOut(view)}`,
        ),
        memberRisks: views.map(({ podName }) => ({
            words: `${podName} loses its volume once it stops`,
            members: [target.component],
        })),
    };
}

function namesOf(claims: readonly ObservedClaim[]): string[] {
    return claims.map(({ name }) => name);
}

/** @returns what is wrong with claims that are being deleted, in words. */
export function deletedInWords(names: readonly string[]): string {
    const [are, their] = names.length === 1 ? ["is", "its volume"] : ["are", "their volumes"];
    return `${names.length === 1 ? "claim" : "claims"} ${names.join(", ")} ${are} being deleted, and Kubernetes deletes ${their} once the pod stops`;
}

/** @returns what a person can do about such claims of a pod. */
export function wayOut(view: PodView): string {
    const { podName, target } = view;
    const dropped = memberLifecycles[target.component].droppedByHand?.(view);
    return dropped === undefined
        ? `a claim cannot be undeleted: copy what is still needed from the volume, and \`kubectl delete pod ${podName}\`, which starts with an empty one; then run \`pulumi up\` again`
        : `a claim cannot be undeleted: have PD drop the data on the volume while the others have it (${dropped}), then \`kubectl delete pod ${podName}\`, which starts with an empty one; then run \`pulumi up\` again`;
}
