import { podOrdinal } from "../../../topology/podNames";
import { isSmaller } from "../vocabulary/claimState";
import { type Fact, notAsked } from "../vocabulary/evidence";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import type { Condition } from "../vocabulary/problemCodes";
import { oneLine } from "./cause";
import { lastSeen, newest } from "./events";
import type { ClaimFacts } from "./facts";
import type { Claim, Event } from "./objects";

/**
 * What Kubernetes says of a volume that grows slowly. An error that the driver may get over stands in the Events of the claim alone
 * (external-resizer: `ResourceExhausted`).
 */

const growth: Condition = "volume-grown";

/** Conditions of a claim that have the driver's words: the wait has them already. */
const saidByClaim = ["ControllerResizeError", "NodeResizeError"];

/** @returns the claims whose growth a wait, or its timeout, is about. */
export function growingIn(move: Move, { members, cluster }: Observation): string[] {
    const at = move.kind === "wait" ? move : move.kind === "fail" ? move.problem : undefined;
    return at?.step !== growth
        ? []
        : Object.values(members).flatMap(({ component, claims }) => {
              const ordinal = podOrdinal(at.target, cluster, component);
              const own = claims.filter((one) => one.ordinal === ordinal && !one.released && !one.terminating);
              return own.filter(({ state }) => isSmaller(state?.capacity, state?.requested)).map(({ name }) => name);
          });
}

/** @returns the move with the last warning about each of the claims that its wait is about. */
export function judgeGrowth(move: Move, observation: Observation, read: readonly ClaimFacts[]): Move {
    const growing = growingIn(move, observation);
    const words = read.filter(({ name }) => growing.includes(name)).flatMap((one) => inWords(one) ?? []);
    const said = words.map((one) => `; ${one}`).join("");
    if (move.kind === "wait") {
        return { ...move, waitingFor: `${move.waitingFor}${said}` };
    }
    return move.kind === "fail"
        ? { kind: "fail", problem: { ...move.problem, seen: `${move.problem.seen}${said}` } }
        : move;
}

function inWords({ name, claim, events }: ClaimFacts): string | undefined {
    const lacking = [claim, events].find((one: Fact<unknown>) => !one.known && one !== notAsked);
    if (lacking?.known === false) {
        return `not known: the events of claim ${name}: ${lacking.why}`;
    }
    const warning = claim.known && claim.value && events.known ? lastWarning(claim.value, events.value) : undefined;
    return warning && `${warning.reason} of claim ${name}: ${oneLine(warning.message ?? "")}`;
}

/** One from before this growth began explains nothing. Both times are those of Kubernetes. */
function lastWarning({ status }: Claim, events: readonly Event[]): Event | undefined {
    const conditions = (status?.conditions ?? []).filter((one) => one.status === "True");
    if (conditions.some(({ type, message }) => saidByClaim.includes(type) && message)) {
        return undefined;
    }
    const began = conditions.find(({ type }) => type === "Resizing")?.lastTransitionTime;
    const since = began === undefined ? -Infinity : new Date(began).getTime();
    return newest(events.filter((one) => one.type === "Warning" && lastSeen(one) >= since));
}
