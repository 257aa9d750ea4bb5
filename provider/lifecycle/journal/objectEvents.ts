import { memberName, leaseName } from "../../../topology/names";
import { isBookkeeping, objectsOf } from "../vocabulary/actions";
import type { ActionObject } from "../vocabulary/actions/actionKind";
import type { Action } from "../vocabulary/actions";
import type { Problem } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import type { ActEntry } from "./journalOperation";

/** A Kubernetes Event on an object. `kubectl describe` shows it. */
export interface ObjectEvent {
    readonly object: {
        readonly kind: ActionObject["kind"] | "Lease";
        readonly name: string;
        /** Undefined for an object that was not observed. */
        readonly uid?: string;
    };
    /** In CamelCase: `BeginEviction`. */
    readonly reason: string;
    readonly note: string;
    readonly isWarning: boolean;
}

/** Kubernetes refuses a note of more than 1,024 bytes. A character that is cut in two becomes one of 3 bytes. */
const longestNote = 1_020;

/**
 * @returns the Events of an action: on each object that it concerns, and for a pod that goes also on its StatefulSet, because
 * the next pod of that name is another object. None for an action that only updates this package's own records.
 */
export function actionEvents(action: Action, { words, held, seen }: ActEntry, observation: Observation): ObjectEvent[] {
    if (isBookkeeping(action)) {
        return [];
    }
    const safe = held === undefined ? "" : `. Held: ${held.join(", ")}`;
    const note = shortNote(`${words}${safe}. Seen: ${seen.join("; ")}`);
    const objects = objectsOf(action).map((one) => ({ ...one, uid: one.uid ?? uidOf(observation, one.name) }));
    const owner = action.do === "delete-pod" ? statefulSetOf(observation, action.pod) : undefined;
    const all = [...objects, ...(owner ? [owner] : [])];
    return (all.length > 0 ? all : [leaseOf(observation)]).map((object) => ({
        object,
        reason: camelCase(action.do),
        note,
        isWarning: false,
    }));
}

/** @returns the Event of an operation that failed or was stopped: on the pod concerned, or else on the cluster's Lease. */
export function endEvent(
    what: string,
    { step, target, seen, next }: Omit<Problem, "code">,
    outcome: "failed" | "stopped",
    observation: Observation,
): ObjectEvent {
    const uid = target === undefined ? undefined : uidOf(observation, target);
    const object = uid === undefined ? leaseOf(observation) : { kind: "Pod" as const, name: target ?? "", uid };
    const note = shortNote(`${what} ${outcome} at ${step}: ${seen}. Next: ${next}`);
    return { object, reason: `Operation${camelCase(outcome)}`, note, isWarning: outcome === "failed" };
}

function uidOf({ members }: Observation, pod: string): string | undefined {
    return Object.values(members)
        .flatMap(({ pods }) => pods)
        .find(({ name }) => name === pod)?.uid;
}

function statefulSetOf({ members, cluster }: Observation, pod: string): ObjectEvent["object"] | undefined {
    const member = Object.values(members).find(({ pods }) => pods.some(({ name }) => name === pod));
    const uid = member?.statefulSet?.uid;
    return member && { kind: "StatefulSet", name: memberName(cluster, member.component), uid };
}

function leaseOf({ cluster }: Observation): ObjectEvent["object"] {
    return { kind: "Lease", name: leaseName(cluster) };
}

function camelCase(words: string): string {
    return words
        .split("-")
        .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
        .join("");
}

/** @returns the note, or as much of it as Kubernetes takes. */
function shortNote(note: string): string {
    return Buffer.from(note).subarray(0, longestNote).toString();
}
