import type { DryRun, DryRunning } from "../dryRun/dryRun";
import { needsConsent } from "../vocabulary/actions";
import type { Look } from "../vocabulary/look";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { viewsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";

/**
 * One batch needs the regions of its stores, and the next one those of others: a plan lists those of all at once. A batch on record may
 * have stores of pods that the program no longer wants.
 */
export function ofAllStores(look: Look, observation: Observation, target: MemberTarget): Look {
    if (!("regions" in look) || look.regions === "short" || !("ofStores" in look.regions)) {
        return look;
    }
    const ids = viewsOf(observation, target).flatMap(({ store }) => (store === undefined ? [] : [store.id]));
    return { regions: { ofStores: [...new Set([...ids.reverse(), ...look.regions.ofStores])] } };
}

/** A dry run as far as it is known without asking, and what it would ask for. */
export interface Unasked {
    readonly run: DryRun;
    /** Default: nothing, so it is whole. */
    readonly look?: Look;
}

/** @returns the dry run without what it asks for. */
export function untilAsked(running: DryRunning): Unasked {
    const first = running.next();
    if (first.done) {
        return { run: first.value };
    }
    const cut = running.next(undefined);
    if (!cut.done) {
        throw new Error("a dry run did not end where it got no answer");
    }
    return { run: cut.value, look: first.value };
}

/**
 * A person consents to the plan as the preview shows it. The run knows its batches before it compares. It asks for nothing else: another list of
 * regions would take the place of the one that the decision was made from.
 * @param left the dry run of what is left.
 * @returns the move, or what must be read before it is known whether it needs consent.
 */
export function consentNeeds(move: Move, left: () => Unasked, observation: Observation, target: MemberTarget): Move {
    const look = move.kind === "act" && needsConsent(move.action) ? left().look : undefined;
    const isOfBatches = look && "regions" in look && look.regions !== "short" && "ofStores" in look.regions;
    return isOfBatches ? { kind: "look", at: ofAllStores(look, observation, target) } : move;
}
