import { describeAction } from "../vocabulary/actions";
import type { ActMove, WaitMove } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import type { JournalEntry, JournalOperation, WaitEntry } from "./journalOperation";
import { podPhases, type SeenPhase } from "./podPhase";
import { seenCounts } from "./seenCounts";
import { seenFacts } from "./seenFacts";

/** The record of an operation while it runs. Each function returns another one. */
export interface Recording {
    readonly operation: JournalOperation;
    /** The last known phase of each pod. */
    readonly phases: ReadonlyMap<string, SeenPhase>;
    /** The uids of the pods that were seen. Undefined until an observation has said which pods there are. */
    readonly uids?: ReadonlySet<string>;
    /** Position of the wait that lasts; undefined if nothing is waited for. */
    readonly waitingAt?: number;
}

/** A wait that ended sooner is not worth an entry. */
const shortWaitMilliseconds = 1_000;
/** When an operation has more entries than this, the oldest quarter of them is dropped. */
const mostEntries = 20_000;

/** @returns the record of an operation that begins. */
export function beginRecording(operation: Omit<JournalOperation, "pods" | "entries">): Recording {
    return { operation: { ...operation, pods: [], entries: [] }, phases: new Map() };
}

/**
 * @returns the record with what changed on the pods. The first observation says which pods there are. A pod that takes the place of another
 * is a change even if it is as well as the other one was: it may have started between two looks.
 */
export function recordLook(recording: Recording, observation: Observation): Recording {
    const { operation, phases: before } = recording;
    const seen = podPhases(observation);
    const all = Object.values(observation.members).flatMap((member) => member.pods);
    const names = all.map(({ name }) => name);
    const pods = recording.uids ? operation.pods : names;
    const uids = new Set(recording.uids ?? all.map(({ uid }) => uid));
    const first = new Set(pods);
    const at = observation.now;
    const phases = new Map(before);
    const entries: JournalEntry[] = [];
    const enter = (pod: string, { uid, ...is }: SeenPhase): void => {
        const was: SeenPhase | undefined = phases.get(pod) ?? (first.has(pod) ? { phase: "up" } : undefined);
        // Of a pod that is not read from the beginning, nobody knows whether there was another one.
        const isNew = was !== undefined && uid !== undefined && !uids.has(uid);
        phases.set(pod, is);
        if (uid !== undefined) {
            uids.add(uid);
        }
        if (isNew || was?.phase !== is.phase || plain(was.why) !== plain(is.why)) {
            entries.push({ is: "pod", at, pod, ...is, ...(isNew ? { isNew } : {}) });
        }
    };
    for (const [pod, is] of seen) {
        enter(pod, is);
    }
    const existing = new Set(names);
    for (const [pod, { phase }] of before) {
        if (!existing.has(pod) && !seen.has(pod) && phase !== "gone" && wasLookedAt(observation, pod)) {
            enter(pod, { phase: "gone" });
        }
    }
    return { ...recording, phases, uids, operation: withEntries({ ...operation, pods }, entries) };
}

/** @returns the record with an action that was taken, or that failed, and what was seen when it was decided. */
export function recordAction(
    recording: Recording,
    { action, step, target, held }: Pick<ActMove, "action" | "step" | "target" | "held">,
    observation: Observation,
    at: number,
    failed?: string,
): Recording {
    const over = recordWaitOver(recording, at);
    const entry: JournalEntry = {
        is: "act",
        at,
        do: action.do,
        words: describeAction(action),
        step,
        target,
        ...(held === undefined ? {} : { held }),
        seen: seenFacts(observation, action, target),
        ...seenCounts(observation, target),
        ...(failed === undefined ? {} : { failed }),
    };
    const operation = withEntries(over.operation, [entry]);
    return { ...over, operation: operation.entries.length > mostEntries ? withoutOldest(operation, 0.25) : operation };
}

/**
 * @returns the record with what is waited for now. A wait that alternates with others, with no action in between, goes on.
 */
export function recordWait(
    recording: Recording,
    { step, target, waitingFor }: Pick<WaitMove, "step" | "target" | "waitingFor">,
    at: number,
): Recording {
    const { entries } = recording.operation;
    const current = recording.waitingAt === undefined ? undefined : (entries[recording.waitingAt] as WaitEntry);
    const isSame = (one: WaitEntry) =>
        one.step === step && one.target === target && plain(one.why) === plain(waitingFor);
    if (current && isSame(current)) {
        return current.last === waitingFor || (current.last === undefined && current.why === waitingFor)
            ? recording
            : withWait(recording, recording.waitingAt!, { ...current, last: waitingFor });
    }
    const over = current ? recordWaitOver(recording, at, true) : recording;
    const earlier = lastIndex(over.operation.entries, isSame);
    if (earlier !== undefined) {
        const again = { ...(over.operation.entries[earlier] as WaitEntry), until: undefined, last: waitingFor };
        return { ...withWait(over, earlier, again), waitingAt: earlier };
    }
    const operation = withEntries(over.operation, [{ is: "wait", at, step, target, why: waitingFor }]);
    return { ...over, operation, waitingAt: operation.entries.length - 1 };
}

/** @returns the record without a wait that lasts. @param keepsShort whether a short wait stays. Default: no. */
function recordWaitOver(recording: Recording, at: number, keepsShort = false): Recording {
    const { waitingAt, ...rest } = recording;
    if (waitingAt === undefined) {
        return recording;
    }
    const wait = recording.operation.entries[waitingAt] as WaitEntry;
    if (!keepsShort && at - wait.at < shortWaitMilliseconds) {
        const entries = recording.operation.entries.filter((_, index) => index !== waitingAt);
        return { ...rest, operation: { ...recording.operation, entries } };
    }
    return withWait(rest, waitingAt, { ...wait, until: at });
}

/** @returns the record of an operation that waited for another run to end. A short wait is left out. */
export function recordOtherRun(recording: Recording, what: string, since: number, at: number): Recording {
    if (at - since < shortWaitMilliseconds) {
        return recording;
    }
    const over = recordWaitOver(recording, since);
    const wait: WaitEntry = { is: "wait", at: since, until: at, step: "lock", target: what, why: "another run to end" };
    return { ...over, operation: withEntries(over.operation, [wait]) };
}

/** @returns the record of an operation that has ended. */
export function endRecording(
    recording: Recording,
    at: number,
    outcome: NonNullable<JournalOperation["outcome"]>,
    why?: string,
): Recording {
    const over = recordWaitOver(recording, at);
    return { ...over, operation: { ...over.operation, ended: at, outcome, ...(why === undefined ? {} : { why }) } };
}

/** @returns the operation without its oldest entries. @param share the share of the entries that goes. */
export function withoutOldest(operation: JournalOperation, share: number): JournalOperation {
    const gone = Math.ceil(operation.entries.length * share);
    return { ...operation, dropped: (operation.dropped ?? 0) + gone, entries: operation.entries.slice(gone) };
}

function withEntries(operation: JournalOperation, more: readonly JournalEntry[]): JournalOperation {
    return more.length === 0 ? operation : { ...operation, entries: [...operation.entries, ...more] };
}

function withWait(recording: Recording, index: number, wait: WaitEntry): Recording {
    const { operation } = recording;
    const entries = operation.entries.map((entry, at) => (at === index ? wait : entry));
    return { ...recording, operation: { ...operation, entries } };
}

/** The position of a wait like this after the last action. */
function lastIndex(entries: readonly JournalEntry[], isSame: (one: WaitEntry) => boolean): number | undefined {
    for (let index = entries.length - 1; index >= 0; index -= 1) {
        const entry = entries[index];
        if (entry.is === "act") {
            return undefined;
        }
        if (entry.is === "wait" && isSame(entry)) {
            return index;
        }
    }
    return undefined;
}

/** A text without its numbers: what is left of a wait changes at each look. */
function plain(text: string | undefined): string | undefined {
    return text?.replace(/\d+/g, "#");
}

function wasLookedAt({ members, cluster }: Observation, pod: string): boolean {
    return Object.keys(members).some((component) => pod.startsWith(`${cluster}-${component}-`));
}
