import { memberLifecycles } from "../members/memberLifecycles";
import type { FailoverPolicy } from "../vocabulary/memberFailover";
import type { Move, WaitMove } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import type { ProblemCode } from "../vocabulary/problemCodes";
import { viewsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { findDead, mustAskDeaths } from "./findDead";
import { failuresOf, isReplaced } from "./records";

/**
 * Returns the move of a roll-out, which gives way to a failover: a wait that a dead store holds up ends at once and says so, instead
 * of at its timeout. The next update replaces the store before it restarts anything.
 * @param target the member as the program asks for it, without replacements.
 */
export function givingWay(
    move: Move,
    observation: Observation,
    target: MemberTarget,
    policy: FailoverPolicy | undefined,
): Move {
    const { failover } = memberLifecycles[target.component];
    if (move.kind !== "wait" || policy === undefined || failover === undefined) {
        return move;
    }
    const replaced = move.step === "other-stores-up" ? deadOnRecord(observation, target) : undefined;
    if (replaced !== undefined) {
        const next = `no store restarts while another one is not Up. Bring ${replaced} back, or remove its store from PD for good (pd-ctl store delete <id>), then run \`pulumi up\` again`;
        return fail("replaced-store-down", move, `${move.waitingFor}; it is dead and replaced`, next);
    }
    if (!hasDownStore(observation, target)) {
        return move;
    }
    if (mustAskDeaths(observation, target)) {
        const { looks: parts, asksStatus: status } = failover;
        return { kind: "look", at: { deathsOf: target.component, parts, status } };
    }
    const [dead] = findDead(observation, target, policy).toReplace;
    return dead === undefined
        ? move
        : fail(
              "member-dead",
              move,
              `${failover.named(dead.view)} is dead: ${dead.why}`,
              "run `pulumi up` again: it replaces the dead one first. The rest waits until that one is back, or has left PD",
          );
}

function fail(code: ProblemCode, { step, target }: WaitMove, seen: string, next: string): Move {
    return { kind: "fail", problem: { code, step, target, seen, next } };
}

/** Only PD's own Down is worth asking more: during every restart a pod is not Ready for a while. */
function hasDownStore({ pd: { stores } }: Observation, { component }: MemberTarget): boolean {
    return (
        stores.known && stores.value.some(({ own, engine, state }) => own && engine === component && state === "Down")
    );
}

/** @returns a pod that a failover has replaced, and whose store PD still calls Down. */
function deadOnRecord(observation: Observation, target: MemberTarget): string | undefined {
    const recorded = new Set(failuresOf(observation, target).map(({ pod }) => pod));
    return viewsOf(observation, target).find(
        (view) => recorded.has(view.podName) && isReplaced(view) && view.store?.state === "Down",
    )?.podName;
}
