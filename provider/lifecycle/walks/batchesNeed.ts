import type { Look } from "../vocabulary/look";
import { needsConsent } from "../vocabulary/actions";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { memberBatches } from "../stages/batches/memberBatches";
import { askedSideBySide, type MemberTarget } from "../vocabulary/target";
import { restartsIn } from "./wantedTemplate";
import { planBatches } from "./planBatches";

/** @returns what a plan of batches must read first, and a remark if a batch is asked for and none is proven. */
export function batchesNeed(observation: Observation, target: MemberTarget): { look?: Look; remark?: string } {
    const { look, why } = planBatches(observation, target, restartsIn(observation, target));
    const remark = `${askedSideBySide(target)}; ${memberBatches[target.component]?.otherwise}: ${why}`;
    return { ...(look ? { look } : {}), ...(why === undefined ? {} : { remark }) };
}

/**
 * A person consents to the plan as the preview shows it, with all of its batches. The run knows them before it compares.
 * @returns the move, or what must be read before it is known whether it needs consent.
 */
export function consentNeeds(move: Move, observation: Observation, target: MemberTarget): Move {
    const look = move.kind === "act" && needsConsent(move.action) ? batchesNeed(observation, target).look : undefined;
    return look === undefined ? move : { kind: "look", at: look };
}
