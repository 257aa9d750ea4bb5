import { memberName } from "../../../topology/names";
import type { DueStep } from "../dryRun/planSteps";
import { isSmaller } from "../vocabulary/claimState";
import { counted } from "../vocabulary/counted";
import { type Notice, noticesOf } from "../vocabulary/notices";
import type { FixedClaim } from "../vocabulary/fixedFields";
import type { Observation, ObservedStatefulSet } from "../vocabulary/observation";
import { claimsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { otherTemplates } from "./claimTemplates";
import { addedTemplates } from "../stages/podVolumes";
import { dueReplacements } from "./planReplacement";
import { remakeLeft } from "./remake";
import { growthOrder } from "./nextVolumesMove";
import { otherAttributes } from "./attributes";
import { automaticGrowth, grownInWords, lastGrowth } from "./autoGrowth";
import { growingClaims, type SizedClaim, sizedClaims, smallClaims } from "./sizedClaims";

/** @returns the steps that enlarge a member's volumes, in their order. */
export function dueGrowth(observation: Observation, target: MemberTarget): DueStep[] {
    return growthOrder(observation, target).flatMap((view): DueStep[] => {
        const claims = [...smallClaims(view), ...growingClaims(view)];
        const sizes = new Set(claims.map(({ claim: { state }, wanted }) => `${state?.capacity} to ${wanted}`));
        const whys = new Set(claims.flatMap(({ due }) => due?.why ?? []));
        const why = [[...sizes].join(", "), ...whys].join(": ");
        return claims.length === 0
            ? []
            : [
                  {
                      ...{ kind: "grow", component: target.component, target: view.podName, why },
                      waitsFor: "its file system has the size, which some drivers enlarge only when the pod starts",
                  },
              ];
    });
}

/** @returns the steps that bring a member's volumes to their sizes, in their order. */
export function dueVolumes(observation: Observation, target: MemberTarget): DueStep[] {
    const { component } = target;
    const grow = dueGrowth(observation, target);
    const modify = growthOrder(observation, target).flatMap((view): DueStep[] => {
        const claims = otherAttributes(view);
        const changes = new Set(
            claims.map(
                ({ claim: { state }, wanted }) =>
                    `${state?.attributes?.current ?? "no class"} to ${wanted.attributesClass}`,
            ),
        );
        return claims.length === 0 || grow.some(({ target: pod }) => pod === view.podName)
            ? []
            : [{ kind: "modify", component, target: view.podName, why: [...changes].join(", ") }];
    });
    const { statefulSet } = observation.members[component] ?? {};
    const left = remakeLeft(observation, component);
    const isDeleted = left !== undefined && (statefulSet?.uid !== left.uid || statefulSet.terminating);
    const other = otherTemplates(statefulSet, target);
    const added = addedTemplates(statefulSet, target);
    const isOther = other.length + added.length > 0;
    const words = (some: readonly FixedClaim[]) => some.map((one) => templateInWords(one, statefulSet)).join(", ");
    const whys = [
        ...(other.length > 0 ? [`new pods get ${words(other)}`] : []),
        ...(added.length > 0 ? [`each pod gets ${words(added)} when it restarts`] : []),
    ];
    const why = isDeleted
        ? "an earlier run has deleted it without its pods"
        : isOther
          ? whys.join("; ")
          : "an earlier run was to create it again, and has not deleted it";
    const recreate: DueStep = {
        kind: isDeleted || isOther ? "recreate" : "clean-up",
        ...{ component, target: memberName(observation.cluster, component), why },
    };
    const isRemade = left !== undefined || isOther;
    return [...grow, ...modify, ...(isRemade ? [recreate] : []), ...dueReplacements(observation, target, isRemade)];
}

function templateInWords(wanted: FixedClaim, statefulSet?: ObservedStatefulSet): string {
    const { name, storage, storageClass, attributesClass } = wanted;
    const live = statefulSet?.fixed.claims.find((one) => one.name === name);
    const [other, modified] = [live?.storageClass !== storageClass, live?.attributesClass !== attributesClass];
    return `${storage}${other && storageClass !== "" ? ` of ${storageClass}` : ""}${modified ? ` with ${attributesClass}` : ""} for ${name}`;
}

/** @returns whether a volume is to grow because its disk is full. */
export function growsWithUse(observation: Observation, target: MemberTarget): boolean {
    return growthOrder(observation, target).some((view) => smallClaims(view).some(({ due }) => due !== undefined));
}

/** @returns why volumes of full disks do not grow. */
export function notGrowing(observation: Observation, target: MemberTarget): Notice[] {
    return growthOrder(observation, target).flatMap((view) =>
        claimsOf(view).flatMap((claim) => {
            const growth = automaticGrowth(claim, view);
            return growth !== undefined && "notice" in growth ? [growth.notice] : [];
        }),
    );
}

/** @returns the notices of claims that are larger than the program says: nothing takes that back. */
export function largerVolumes(observation: Observation, target: MemberTarget): Notice[] {
    const larger = growthOrder(observation, target)
        .flatMap(sizedClaims)
        .filter(({ claim: { state }, wanted }) => isSmaller(wanted, state?.requested));
    const isOurs = ({ claim }: SizedClaim) => lastGrowth(claim) !== undefined;
    const ours = larger.filter(isOurs);
    const others = larger.filter((one) => !isOurs(one));
    return [others, ours].flatMap((some) => noticesOf("volumes-larger", largerInWords(some)));
}

/** @param larger all of them grown by this package, or all by a user. */
function largerInWords(larger: readonly SizedClaim[]): string | undefined {
    const [first] = larger;
    if (first === undefined) {
        return undefined;
    }
    const { claim, wanted } = first;
    const grown = lastGrowth(claim);
    const [others, verb] =
        larger.length === 1 ? ["", "is"] : [` and ${counted(larger.length - 1, "more claim")}`, "are"];
    const why = grown === undefined ? "" : `: ${grownInWords(grown)}`;
    const next = grown === undefined ? ": set the program's size to that of the claim" : "";
    return `${claim.name} (${claim.state?.requested})${others} ${verb} larger than the program's ${wanted}${why}. It stays so, and new pods get ${wanted}${next}`;
}
