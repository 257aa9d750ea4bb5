import { topology } from "../../../topology/members";
import { podName } from "../../../topology/podNames";
import type { DueStep } from "../dryRun/planSteps";
import { memberLifecycles } from "../members/memberLifecycles";
import { bytesInWords } from "../vocabulary/bytesInWords";
import { isSmaller } from "../vocabulary/claimState";
import type { Observation } from "../vocabulary/observation";
import { type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { replicasOf } from "../walks/scale";
import { bytesOf, hasData } from "./dataVolumes";
import { changeInWords, outdatedClaims } from "./outdated";
import type { RefusedChange } from "./refusedChange";
import { replacementOrder, withSpares } from "./replacement";
import { wantedClaims } from "./wantedClaims";

/** The plan of replacing volumes: its steps, and why it is refused. */

/** @returns the steps that replace a member's volumes, in their order. The spares come first, and leave at the end. */
export function dueReplacements(observation: Observation, target: MemberTarget): DueStep[] {
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
    const { engine } = topology[view.target.component];
    const share = (placement.known ? placement.value.lowSpaceRatio : undefined) ?? mostUsed;
    const data = wantedClaims(view).filter(({ wanted }) => engine !== undefined && hasData(engine, wanted.name));
    const shrinks = outdatedClaims(view).some(({ claim, wanted }) => isSmaller(wanted.storage, claim.state?.capacity));
    const size = bytesOf(data.map(({ wanted }) => wanted.storage));
    const used = view.store?.usedBytes;
    return shrinks && size !== undefined && used !== undefined && used > size * share
        ? `found ${data.map(({ wanted }) => wanted.storage).join(" and ")}, expected more: the store of ${view.podName} has ${bytesInWords(used)}, and PD moves no region to a store that is ${Math.round(100 * share)}% full`
        : undefined;
}
