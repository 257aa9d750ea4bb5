import { claimName } from "../../../topology/podNames";
import { counted } from "../vocabulary/counted";
import { type Notice, noticesOf } from "../vocabulary/notices";
import type { Observation } from "../vocabulary/observation";
import { claimsOf, viewsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { ordinalsOf } from "../walks/scale";
import { addedTemplates, droppedTemplates, lackedVolumes } from "../stages/podVolumes";
import { podsWithNewVolumes } from "./planReplacement";
import type { RefusedChange } from "./refusedChange";
import { isReplacing } from "./replacement";

/** What a preview says of volumes that are added or taken out, besides its steps. */

/**
 * Until all pods have the volumes, Kubernetes neither makes nor removes pods in the usual way, so nothing else changes their number meanwhile.
 * @param replaced the dead pods that a failover is to replace.
 * @returns why such a change is refused; undefined if it is not.
 */
export function refusedTogether(
    observation: Observation,
    target: MemberTarget,
    replaced: readonly string[],
): RefusedChange | undefined {
    const { component, replicas } = target;
    const { statefulSet } = observation.members[component] ?? {};
    const lacked = viewsOf(observation, target).flatMap((view) => lackedVolumes(view));
    const changed = [...addedTemplates(statefulSet, target), ...droppedTemplates(statefulSet, target), ...lacked];
    if (statefulSet === undefined || changed.length === 0) {
        return undefined;
    }
    const { leaving, coming } = ordinalsOf(observation, target);
    const beside = (what: string, next: string): RefusedChange => ({
        field: "storageVolumes",
        reason: `found another number or names of volumes (${[...new Set(changed.map(({ name }) => name))].join(", ")}) together with ${what}, expected one of them: Kubernetes makes no pod above one that lacks a volume. Next: ${next}`,
    });
    if (replaced.length > 0) {
        const next = "put the volumes back until that is over; or switch the failover off for this update";
        return beside(`a replacement of ${replaced.join(", ")}`, next);
    }
    if (leaving.length + coming.length > 0) {
        return beside(`${statefulSet.replicas} to ${replicas} replicas`, "change one, run `pulumi up`, then the other");
    }
    if (isReplacing(observation, component) || podsWithNewVolumes(observation, target).length > 0) {
        return beside("a replacement of volumes", "change one, run `pulumi up`, then the other");
    }
    return undefined;
}

/** @returns what becomes of volumes that the program does not have any more. */
export function droppedVolumes(observation: Observation, target: MemberTarget): Notice[] {
    const { statefulSet } = observation.members[target.component] ?? {};
    const dropped = droppedTemplates(statefulSet, target);
    const claims = viewsOf(observation, target).flatMap((view) => {
        const names = dropped.map(({ name }) => claimName(name, observation.cluster, target.component, view.ordinal));
        return claimsOf(view).filter(({ name }) => names.includes(name));
    });
    const [first] = claims;
    const added = addedTemplates(statefulSet, target).map(({ name }) => name);
    const [more, verb] =
        claims.length > 1 ? [` and ${counted(claims.length - 1, "more claim")}`, "stay"] : ["", "stays"];
    const moves = added.length === 0 ? "" : `. Nothing moves to ${added.join(", ")}, which starts empty`;
    return noticesOf(
        "claims-of-dropped-volumes",
        first && `${first.name}${more} ${verb} when no pod has the volume any more${moves}: delete what is not needed`,
    );
}
