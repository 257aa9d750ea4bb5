import { maySeemDead } from "../lifecycle/failover/findDead";
import { planFailover } from "../lifecycle/failover/planFailover";
import { failuresOf, withReplacements } from "../lifecycle/failover/records";
import { planLoss } from "../lifecycle/lostNodes/planLoss";
import type { Notice } from "../lifecycle/vocabulary/notices";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { answerTo, type Asking, untilKnown } from "../lifecycle/dryRun/asking";
import type { DueStep } from "../lifecycle/dryRun/planSteps";
import type { GateProgramInputs } from "./inputs";
import { lookForFailover, lookForFailoverOrLoss } from "./looks";

/** What a gate plans for the dead of its member. */
export interface PlannedFailover {
    readonly steps: readonly DueStep[];
    readonly remarks: readonly Notice[];
    /** What the program asks for and no failure on record answers to. */
    readonly warnings: readonly Notice[];
    /** The seconds after which the next one is dead if it stays as it is. Default: none is about to be. */
    readonly dueInSeconds?: number | undefined;
    /** The pods whose failures are forgotten: they are back, and no replacement is there. */
    readonly forgotten: readonly string[];
    /** What was seen of it, and the same as it will be. Undefined if nothing was to be asked. */
    readonly seen?: Observation;
    readonly foreseen?: Observation;
    readonly target: MemberTarget;
}

/**
 * Plans the failover of a gate's member. A cluster in which all pods are Ready, and no failover is on record, costs no call.
 * @param first what Kubernetes alone shows of the member.
 * @param target the member as the program asks for it.
 */
export function* planMemberFailover(
    { component, failover, lostNodes = [] }: Pick<GateProgramInputs, "component" | "failover" | "lostNodes">,
    first: Observation,
    target: MemberTarget,
): Asking<PlannedFailover> {
    const nothing = { steps: [], remarks: [], warnings: [], forgotten: [], target: withReplacements(first, target) };
    // A first deployment has no store, and its PD may not answer yet.
    const mayFail = failuresOf(first, target).length > 0 || maySeemDead(first, target);
    if (failover === undefined || !mayFail) {
        return nothing;
    }
    const isLossPlanned = lostNodes.length > 0;
    const look = isLossPlanned ? lookForFailoverOrLoss(component) : lookForFailover(component);
    const lost = { nodes: lostNodes, policy: target.policy };
    // The pods that an earlier gate of the same update gives up start empty, so nothing replaces them.
    const { seen, found } = yield* untilKnown(yield* answerTo({ all: look }), (live) =>
        isLossPlanned ? planLoss(live, lost) : { steps: [] },
    );
    const givenUp = found.steps.flatMap(({ kind, target: pod }) => (kind === "give-up" ? [pod] : []));
    return seen.pdTrouble === undefined ? { seen, ...planFailover(seen, target, failover, { givenUp }) } : nothing;
}
