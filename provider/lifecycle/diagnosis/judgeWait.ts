import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { type Cause, describeCause } from "./cause";
import { diagnosePod, type Unknown, unknownOf } from "./diagnosePod";
import type { DiagnosisFacts } from "./facts";
import { type WaitedPod, waitedPods } from "./waitedPods";

/** What the diagnoses of a run have found of one pod. Times are milliseconds of the run's own clock. */
export interface DiagnosedPod {
    /** The pod's UID; undefined if it did not exist. */
    readonly uid: string | undefined;
    readonly causes: readonly FoundCause[];
    /** What could not be read of it. */
    readonly unknown: readonly Unknown[];
}

interface FoundCause {
    readonly cause: Cause;
    /** When it was found first, and since then by every reading, and when last. */
    readonly since: number;
    readonly last: number;
    readonly occurrences: readonly string[];
}

/** What the diagnoses of a run have found, by pod. It is lost with the process. */
export type Diagnosed = Readonly<Record<string, DiagnosedPod>>;

/** @returns what is known after one more reading. A cause that it did not find any more begins anew if it comes back. */
export function remembered(before: Diagnosed, facts: DiagnosisFacts, now: number): Diagnosed {
    const found = facts.pods.map((pod): [string, DiagnosedPod] => {
        const uid = pod.pod?.metadata?.uid;
        const last = before[pod.name]?.uid === uid ? before[pod.name] : undefined;
        const causes = diagnosePod(pod).map((cause) => {
            const same = last?.causes.find((one) => keyOf(one.cause) === keyOf(cause));
            const occurrence = cause.final?.occurrence;
            const seen = same?.occurrences ?? [];
            const occurrences = occurrence === undefined || seen.includes(occurrence) ? seen : [...seen, occurrence];
            return { cause, since: same?.since ?? now, last: now, occurrences };
        });
        return [pod.name, { uid, causes, unknown: unknownOf([pod]) }];
    });
    return Object.fromEntries(found);
}

/** What occurs again is the same if it says the same; its words count how often it did. */
function keyOf({ of, reason, what, evidence, final }: Cause): string {
    return JSON.stringify([of, reason, final?.occurrence === undefined ? what : evidence, final !== undefined]);
}

/**
 * Puts what the diagnoses found into a move. A wait for pods says why they are not right; it ends at once if the causes cannot come
 * right without a change by a person, and as a failure that names the last cause if its time is over.
 */
export function judgeWait(move: Move, observation: Observation, diagnosed: Diagnosed): Move {
    const waited = waitedPods(move, observation);
    const pods = (waited?.pods ?? []).map((pod) => ({ pod, ...foundOf(pod, diagnosed) }));
    const shown = pods.find(({ causes }) => causes.length > 0) ?? pods.find(({ unknown }) => unknown.length > 0);
    if (shown === undefined) {
        return move;
    }
    const { pod, unknown } = shown;
    const cause = shown.causes.at(0)?.cause;
    if (move.kind === "fail") {
        const { problem } = move;
        const isNamed = problem.seen.startsWith(`${pod.name} `);
        const said = cause ? `; ${isNamed ? cause.what : ofPod(pod, cause.what)}` : "";
        const lacks = unknown.map(({ what, why }) => `; not known: ${what}: ${why}`).join("");
        const next = cause ? nextOf(cause) : problem.next;
        return { kind: "fail", problem: { ...problem, seen: `${problem.seen}${said}${lacks}`, next } };
    }
    if (move.kind !== "wait") {
        return move;
    }
    const finals = pods.map((one) => finalOf(one.pod, one.causes));
    const [final] = finals;
    if (waited?.needsEach && final !== undefined && finals.every((one) => one !== undefined)) {
        const seen = `${describeCause(final)}. It cannot come right by itself`;
        return {
            kind: "fail",
            problem: {
                code: "pod-cannot-recover",
                step: move.step,
                target: pods[0].pod.name,
                seen,
                next: nextOf(final),
            },
        };
    }
    const lacks = unknown.length === 0 ? "" : `; not known: ${unknown.map(({ what }) => what).join(", ")}`;
    if (cause === undefined) {
        return { ...move, waitingFor: `${move.waitingFor}${lacks}` };
    }
    const trouble = ` (${pod.name}: ${pod.pod?.trouble})`;
    const { waitingFor } = move;
    const about = waitingFor.endsWith(trouble) ? waitingFor.slice(0, -trouble.length) : waitingFor;
    const why = `${ofPod(pod, describeCause(cause))}; to fix it, ${cause.fix}${lacks}`;
    return { ...move, waitingFor: about.startsWith(`${pod.name} `) ? why : `${about} (${why})` };
}

/** @returns whether a later reading can end the wait: something was found that cannot come right by itself. */
export function mayEnd(move: Move, observation: Observation, diagnosed: Diagnosed): boolean {
    const waited = waitedPods(move, observation);
    return (
        waited?.needsEach === true &&
        waited.pods.every((pod) => foundOf(pod, diagnosed).causes.some(({ cause }) => cause.final !== undefined))
    );
}

const nothingFound: DiagnosedPod = { uid: undefined, causes: [], unknown: [] };

function foundOf({ name, pod }: WaitedPod, diagnosed: Diagnosed): DiagnosedPod {
    const found = Object.hasOwn(diagnosed, name) ? diagnosed[name] : undefined;
    // What was found of an earlier pod of that name says nothing about this one.
    return found !== undefined && found.uid === pod?.uid ? found : nothingFound;
}

function finalOf({ hasNewestTemplate }: WaitedPod, causes: readonly FoundCause[]): Cause | undefined {
    const over = causes.find(({ cause: { final }, since, last, occurrences }) => {
        const isSteady = final !== undefined && last - since >= final.afterSeconds * 1000;
        return isSteady && (final.occurrence === undefined || occurrences.length >= 2);
    });
    return hasNewestTemplate ? over?.cause : undefined;
}

function ofPod({ name, pod }: WaitedPod, what: string): string {
    const state = pod === undefined ? "has not been created" : pod.terminating ? "is still stopping" : "is not Ready";
    return `${name} ${state}: ${what}`;
}

function nextOf({ fix }: Cause): string {
    return `${fix}; then run \`pulumi up\` again: it continues from here`;
}
