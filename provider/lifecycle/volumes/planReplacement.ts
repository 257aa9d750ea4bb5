import { topology } from "../../../topology/members";
import { memberName } from "../../../topology/names";
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

/** @returns the steps that replace a member's volumes, in their order. @param isRemade whether the StatefulSet is created again first: the spares come with it. */
export function dueReplacements(observation: Observation, target: MemberTarget, isRemade: boolean): DueStep[] {
    const { component } = target;
    const { cluster, members } = observation;
    const { removalRisk, restartRisk, inPd } = memberLifecycles[component];
    const due = replacementOrder(observation, target);
    const risk = inPd ? removalRisk : restartRisk;
    const there = Math.max(replicasOf(members[component] ?? { component, pods: [], claims: [] }), target.replicas);
    const spares = Array.from(
        { length: due.length === 0 ? 0 : withSpares(observation, target) - there },
        (_, index) => there + index,
    );
    const words = "a spare while volumes are replaced";
    const start: DueStep = { kind: "spare", component, target: memberName(cluster, component), why: words };
    return [
        ...(spares.length > 0 && !isRemade ? [start] : []),
        ...due.map((view): DueStep => {
            const { podName: name, ordinal } = view;
            return {
                ...{ kind: "renew", component, target: name, why: changeInWords(view), waitsFor: "it serves again" },
                risk: (seen) => risk?.(viewOf(seen, { ...target, renewing: [ordinal] }, ordinal)),
            };
        }),
        ...spares.map((ordinal): DueStep => {
            return { kind: "remove", component, target: podName(cluster, component, ordinal), why: words };
        }),
    ];
}

/** @returns the pods whose volumes are replaced. */
export function podsWithNewVolumes(observation: Observation, target: MemberTarget): string[] {
    return replacementOrder(observation, target).map((view) => view.podName);
}

/** PD moves no more regions to a store that has used this share of its disk (`schedule.low-space-ratio`). */
const mostUsed = 0.8;

/** @returns why a store's data does not fit on its new volumes, as far as PD tells how much it has; undefined if all do. */
export function tooSmallVolumes(observation: Observation, target: MemberTarget): RefusedChange | undefined {
    const [reason] = replacementOrder(observation, target).flatMap((view) => tooSmall(view) ?? []);
    return reason === undefined ? undefined : { field: "requests.storage", reason };
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
