import { memberName } from "../../../topology/names";
import { describeAction, isOptional } from "../vocabulary/actions";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { LeftBehind } from "../vocabulary/memberLifecycle";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import { waitOrFail } from "../vocabulary/waitOrFail";

/** @returns the move that ends what was left behind; undefined if nothing was, or if PD refuses to end what does no harm. */
export function cleanUp(
    found: LeftBehind | undefined,
    observation: Observation,
    target: MemberTarget,
    memory: Memory,
): Move | undefined {
    if (!found) {
        return undefined;
    }
    const wait = { step: "left-behind", target: memberName(observation.cluster, target.component) } as const;
    const advice = "check PD's log, then run `pulumi up` again";
    if ("look" in found) {
        return { kind: "look", at: found.look };
    }
    if ("stays" in found) {
        return { kind: "done", remarks: [{ code: "left-behind", message: found.stays }] };
    }
    if ("lacks" in found) {
        return waitOrFail(observation, target, memory, { ...wait, lacks: found.lacks, advice });
    }
    const { action } = found;
    if (mayAct(memory, action, observation.now)) {
        return { kind: "act", action, ...wait };
    }
    if (isOptional(action)) {
        return undefined; // PD has refused it, and the user was told. It stays on record.
    }
    const lacks = `an earlier run left something behind; tried to ${describeAction(action)}`;
    return waitOrFail(observation, target, memory, { ...wait, lacks, advice });
}
