import { claimName } from "../../../topology/podNames";
import type { FixedFields, RefusedChange } from "../vocabulary/fixedFields";
import { memberLifecycles } from "../members/members";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";

/**
 * A StatefulSet that comes back (its member was suspended, or somebody deleted it) must find the volumes of before:
 * they hold stores and members that PD still counts on.
 * @returns why it may not be made as it was asked for; `undefined` where it may.
 */
export function refusedForVolumes(
    observation: Observation,
    target: MemberTarget,
    wanted: FixedFields,
): RefusedChange | undefined {
    const { component, replicas } = target;
    const member = observation.members[component];
    if (member === undefined || member.statefulSet || !memberLifecycles[component].isRemovedFromPd) {
        return undefined;
    }
    const kept = member.claims.filter((claim) => !claim.released && !claim.terminating);
    const names = (claims: typeof kept): string => claims.map(({ name }) => name).join(", ");
    const leftOut = kept.filter((claim) => claim.ordinal >= replicas);
    if (leftOut.length > 0) {
        const had = Math.max(...leftOut.map((claim) => claim.ordinal)) + 1;
        return {
            field: "replicas",
            reason: `found ${replicas}, expected ${had}: there is no StatefulSet, and ${names(leftOut)} of an earlier one may hold data that PD counts on. Deploy ${had} replicas and scale in after that; or delete those claims, if what is on them is given up`,
        };
    }
    const templates = wanted.claims.map((claim) => claim.name);
    const unused = kept.filter(
        ({ name, ordinal }) =>
            !templates.some((template) => name === claimName(template, observation.cluster, component, ordinal)),
    );
    return unused.length === 0
        ? undefined
        : {
              field: "storageVolumes",
              reason: `found ${templates.join(", ") || "none"}, but ${names(unused)} of an earlier StatefulSet may hold data that PD counts on, and no pod would use it. Name the volumes as before; or delete those claims, if what is on them is given up`,
          };
}
