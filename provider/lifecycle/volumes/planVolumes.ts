import { memberName } from "../../../topology/names";
import type { DueStep } from "../dryRun/planSteps";
import { isSmaller } from "../vocabulary/claimState";
import { counted } from "../vocabulary/counted";
import { type Notice, noticesOf } from "../vocabulary/notices";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import { otherTemplates } from "./claimTemplates";
import { remakeLeft } from "./remake";
import { growthOrder } from "./nextVolumesMove";
import { growingClaims, sizedClaims, smallClaims } from "./sizedClaims";

/** @returns the steps that bring a member's volumes to the program's sizes, as Kubernetes alone shows them, in their order. */
export function dueVolumes(observation: Observation, target: MemberTarget): DueStep[] {
    const { component } = target;
    const grow = growthOrder(observation, target).flatMap((view): DueStep[] => {
        const claims = [...smallClaims(view), ...growingClaims(view)];
        const sizes = new Set(claims.map(({ claim: { state }, wanted }) => `${state?.capacity} to ${wanted}`));
        return claims.length === 0
            ? []
            : [
                  {
                      ...{ kind: "grow", component, target: view.podName, why: [...sizes].join(", ") },
                      waitsFor: "its file system has the size, which some drivers enlarge only when the pod starts",
                  },
              ];
    });
    const { statefulSet } = observation.members[component] ?? {};
    const left = remakeLeft(observation, component);
    const isDeleted = left !== undefined && (statefulSet?.uid !== left.uid || statefulSet.terminating);
    const other = otherTemplates(statefulSet, target);
    const why = isDeleted
        ? "an earlier run has deleted it without its pods"
        : other.length > 0
          ? `new pods get ${other.map(({ name, storage }) => `${storage} for ${name}`).join(", ")}`
          : "an earlier run was to create it again, and has not deleted it";
    const recreate: DueStep = {
        kind: isDeleted || other.length > 0 ? "recreate" : "clean-up",
        ...{ component, target: memberName(observation.cluster, component), why },
    };
    return [...grow, ...(left !== undefined || other.length > 0 ? [recreate] : [])];
}

/** @returns the notice of claims that are larger than the program says: a user has enlarged them, and nothing takes that back. */
export function largerVolumes(observation: Observation, target: MemberTarget): Notice[] {
    const larger = growthOrder(observation, target)
        .flatMap(sizedClaims)
        .filter(({ claim: { state }, wanted }) => isSmaller(wanted, state?.requested));
    const [first] = larger;
    if (first === undefined) {
        return [];
    }
    const [others, verb] =
        larger.length === 1 ? ["", "is"] : [` and ${counted(larger.length - 1, "more claim")}`, "are"];
    const { claim, wanted } = first;
    return noticesOf(
        "volumes-larger",
        `${claim.name} (${claim.state?.requested})${others} ${verb} larger than the program's ${wanted}. It stays so, and new pods get ${wanted}: set the program's size to that of the claim`,
    );
}
