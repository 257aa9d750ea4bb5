import { memberName } from "../../../topology/names";
import { podName } from "../../../topology/podNames";
import type { DueStep } from "../dryRun/planSteps";
import { memberLifecycles } from "../members/memberLifecycles";
import { bytesInWords } from "../vocabulary/bytesInWords";
import { amountOf, isSmaller } from "../vocabulary/claimState";
import { counted } from "../vocabulary/counted";
import { type Notice, noticesOf } from "../vocabulary/notices";
import type { FixedClaim } from "../vocabulary/fixedFields";
import type { Observation, ObservedStatefulSet } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import { type PodView, viewOf } from "../vocabulary/stage";
import { replicasOf } from "../walks/scale";
import { otherTemplates } from "./claimTemplates";
import { remakeLeft } from "./remake";
import { growthOrder } from "./nextVolumesMove";
import type { RefusedChange } from "./refusedChange";
import { otherAttributes } from "./attributes";
import { changeInWords, outdatedClaims } from "./outdated";
import { replacementOrder, withSpares } from "./replacement";
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
    const why = isDeleted
        ? "an earlier run has deleted it without its pods"
        : other.length > 0
          ? `new pods get ${other.map((template) => templateInWords(template, statefulSet)).join(", ")}`
          : "an earlier run was to create it again, and has not deleted it";
    const recreate: DueStep = {
        kind: isDeleted || other.length > 0 ? "recreate" : "clean-up",
        ...{ component, target: memberName(observation.cluster, component), why },
    };
    return [
        ...grow,
        ...modify,
        ...(left !== undefined || other.length > 0 ? [recreate] : []),
        ...dueReplacements(observation, target),
    ];
}

function templateInWords(wanted: FixedClaim, statefulSet?: ObservedStatefulSet): string {
    const { name, storage, storageClass, attributesClass } = wanted;
    const live = statefulSet?.fixed.claims.find((one) => one.name === name);
    const [other, modified] = [live?.storageClass !== storageClass, live?.attributesClass !== attributesClass];
    return `${storage}${other ? ` of ${storageClass}` : ""}${modified ? ` with ${attributesClass}` : ""} for ${name}`;
}

/** The spares come first, and leave at the end. */
function dueReplacements(observation: Observation, target: MemberTarget): DueStep[] {
    const { component } = target;
    const { removalRisk, restartRisk, inPd } = memberLifecycles[component];
    const due = replacementOrder(observation, target);
    const live = replicasOf(observation.members[component] ?? { component, pods: [], claims: [] });
    const spares = due.length === 0 ? 0 : withSpares(observation, target) - Math.max(live, target.replicas);
    const risk = inPd ? removalRisk : restartRisk;
    return [
        ...Array.from({ length: spares }, (_, index): DueStep => {
            const name = podName(observation.cluster, component, Math.max(live, target.replicas) + index);
            return { kind: "spare", component, target: name, why: "it leaves once all volumes are replaced" };
        }),
        ...due.map((view): DueStep => {
            const { podName: name, ordinal } = view;
            return {
                ...{ kind: "renew", component, target: name, why: changeInWords(view), waitsFor: "it serves again" },
                risk: (seen) => risk?.(viewOf(seen, { ...target, renewing: [ordinal] }, ordinal)),
            };
        }),
    ];
}

/** @returns the pods whose volumes are replaced. */
export function podsWithNewVolumes(observation: Observation, target: MemberTarget): string[] {
    return replacementOrder(observation, target).map((view) => view.podName);
}

/** PD moves no more regions to a store that has used this share of its disk (`schedule.low-space-ratio`). */
const mostUsed = 0.8;

/** @returns why volumes are not replaced, as far as PD tells it; undefined if they are. */
export function refusedReplacement(observation: Observation, target: MemberTarget): RefusedChange | undefined {
    const due = replacementOrder(observation, target);
    const [first] = due;
    const small = due.flatMap((view) => tooSmall(view) ?? []);
    const [reason] = small;
    if (reason !== undefined) {
        return { field: "requests.storage", reason };
    }
    const replicas = withSpares(observation, target);
    if (first === undefined || replicas > (observation.members[target.component]?.statefulSet?.replicas ?? 0)) {
        return undefined;
    }
    const wide = { ...target, replicas, renewing: [first.ordinal] };
    const tooFew = memberLifecycles[target.component].refuseReplicas(observation, wide);
    return tooFew === undefined ? undefined : { field: "spareVolReplaceReplicas", reason: tooFew };
}

function tooSmall(view: PodView): string | undefined {
    const { placement } = view.pd;
    const share = (placement.known ? placement.value.lowSpaceRatio : undefined) ?? mostUsed;
    const data = outdatedClaims(view).find(
        ({ claim, wanted }) =>
            wanted.name === view.target.component && isSmaller(wanted.storage, claim.state?.capacity),
    );
    const size = data && bytesOf(data.wanted.storage);
    const used = view.store?.usedBytes;
    return data !== undefined && size !== undefined && used !== undefined && used > size * share
        ? `found ${data.wanted.storage}, expected more: the store of ${view.podName} has ${bytesInWords(used)}, and PD moves no region to a store that is ${Math.round(100 * share)}% full`
        : undefined;
}

function bytesOf(size: string): number | undefined {
    const amount = amountOf(size);
    return amount === undefined ? undefined : Number(amount / 1_000_000_000n);
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
