import { GateError } from "../../../provider/gates/gateError";
import { actionsOf, type DryRun } from "../../../provider/lifecycle/dryRun/dryRun";
import { type Action, isNote } from "../../../provider/lifecycle/vocabulary/actions";
import { isDeepStrictEqual } from "node:util";
import { type Foreseen, Refused, type RunResult } from "./operate";
import type { World } from "./world";

/** A preview compared with the update that follows it. */

/** What a preview says of the update, or what the update did. */
export interface Course {
    readonly actions: readonly Action[];
    /** Where it waits for what it does not bring about, or fails: the stage and its target. Default: it is done. */
    readonly stop?: string;
    /**
     * Whether which stores restart side by side is open from the beginning: pods of TiKV start that no action makes, or peers lag behind, so that the
     * proof is waited for. Default: it is not, or that is not known.
     */
    readonly areBatchesOpen?: boolean;
}

/** Where the preview says that it does not foresee the rest. */
export const notForeseen = "not foreseen";

const refused = "refused";

/** @returns what the preview says: all that comes after the first gate that is not done is not reached. */
export function foreseenCourse(gates: readonly Foreseen[]): Course {
    const actions: Action[] = [];
    let areBatchesOpen = false;
    for (const { runs, isRefused, isOpen } of gates) {
        for (const run of runs) {
            actions.push(...compared(actionsOf(run)));
            areBatchesOpen ||= run.moves.some(
                ({ is, move: { step, target } }) =>
                    step === "batch-decided" || (is === "start" && target.includes("-tikv-")),
            );
            const stop = stopOf(run);
            if (stop !== undefined) {
                return { actions, stop, areBatchesOpen };
            }
        }
        if (isRefused || isOpen) {
            return { actions, stop: isRefused ? refused : notForeseen, areBatchesOpen };
        }
    }
    return { actions, areBatchesOpen };
}

/** @returns what the update has done since the log had that many lines. */
export function courseOf({ error }: RunResult, world: World, since: number): Course {
    const actions = compared(takenSince(world, since));
    const at =
        error instanceof Refused ? refused : error instanceof GateError ? whereOf(error.problem) : error?.message;
    return at === undefined ? { actions } : { actions, stop: at };
}

/**
 * @param isSideBySide whether the program lets several pods leave or restart at once. Then only time decides whose turn is next, and
 * the order is that of each pod.
 * @returns how the update differs from what was foreseen; undefined if it does not.
 */
export function difference(foreseen: Course, update: Course, isSideBySide: boolean): string | undefined {
    if (foreseen.stop !== notForeseen && foreseen.stop !== update.stop) {
        const isFailure = foreseen.stop === undefined;
        return isFailure ? "failure not foreseen" : update.stop === undefined ? "held but done" : "another stop";
    }
    const [wanted, found] = [foreseen, update].map(({ actions }) =>
        byTurn(withoutLaterBatches(actions, foreseen.areBatchesOpen), isSideBySide),
    );
    const isSame = [...new Set([...wanted.keys(), ...found.keys()])].every((turn) => {
        const expected = wanted.get(turn) ?? [];
        const taken = found.get(turn) ?? [];
        const more = taken.slice(expected.length);
        // A run that fails ends its evictions.
        const mayFollow = (action: string) => update.stop !== undefined && endsEviction.test(action);
        return (
            isDeepStrictEqual(taken.slice(0, expected.length), expected) &&
            (foreseen.stop === notForeseen || more.every(mayFollow))
        );
    });
    return isSame ? undefined : "other actions";
}

const endsEviction = /^(end-eviction|note-eviction-gone|forget-eviction)/;

/** @returns the actions in names: all of them, or those of each pod. */
function byTurn(actions: readonly Action[], isSideBySide: boolean): Map<string, string[]> {
    const turns = new Map<string, string[]>();
    for (const action of actions) {
        const { pod, storeId, of } = action as { pod?: string; storeId?: number; of?: string };
        const store = storeId ?? of;
        const podOfStore = actions.flatMap((one) =>
            "storeId" in one && "pod" in one && String(one.storeId) === String(store) ? one.pod : [],
        );
        const turn = isSideBySide ? String(pod ?? podOfStore[0] ?? store) : "all";
        turns.set(turn, [...(turns.get(turn) ?? []), inNames(action)]);
    }
    return turns;
}

function stopOf({ end }: DryRun): string | undefined {
    switch (end.is) {
        case "done":
            return undefined;
        case "held":
            return whereOf(end.at);
        case "fails":
            return whereOf(end.problem);
        case "not foreseen":
            return notForeseen;
    }
}

function whereOf({ step, target }: { readonly step: string; readonly target?: string }): string {
    return `${step} ${target}`;
}

/**
 * Without what only records what runs, which nothing waits for, and what the last gate does. Whether PD's limits are raised depends on
 * how PD spreads the leaders meanwhile.
 */
function compared(actions: readonly Action[]): Action[] {
    const all = actions.filter((action) => !isNote(action) && !/-(labels|limits)$/.test(action.do));
    return withoutRaised(all);
}

/**
 * Without numbers of replicas that a rollout raises because Pulumi has not: a preview does not see whether Pulumi's state has the number already,
 * as after a scale-in that was killed before Pulumi recorded it, and taken back.
 */
function withoutRaised(actions: readonly Action[]): Action[] {
    const isRaise = (action: Action | undefined) =>
        action?.do === "set-replicas" && action.replicas > action.from.replicas;
    return actions.filter(
        (action, at) => !isRaise(action) && !(action.do === "give-replicas-back" && isRaise(actions[at - 1])),
    );
}

/**
 * Without the batches of TiKV after the first change of a store. Whether stores restart side by side then depends on how soon PD hears, by its
 * regions' next heartbeats, that those of the changed one have caught up, and where it moves regions: the proof is waited for, and not for long.
 */
function withoutLaterBatches(actions: readonly Action[], isOpen = false): Action[] {
    const isChange = (action: Action) => changesStore.has(action.do) && inNames(action).includes("-tikv-");
    const isBatch = (action: Action) =>
        (action.do === "begin-batch" || action.do === "forget-batch") && action.component === "tikv";
    const first = isOpen ? 0 : actions.findIndex(isChange);
    return actions.filter((action, at) => first === -1 || at < first || !isBatch(action));
}

const changesStore: ReadonlySet<Action["do"]> = new Set(["delete-pod", "remove-store", "delete-claims"]);

/** Pods, claims and stores that are only foreseen have no ids yet. */
export function inNames(action: Action): string {
    const { from, claims } = action as { from?: { name: string }; claims?: { name: string }[] };
    const { pod, to, replicas } = action as { pod?: string; to?: string | number; replicas?: number };
    const ofBatch = action.do === "begin-batch" ? Object.keys(action.stores) : [];
    const names = [pod, to, from?.name, replicas, ...ofBatch, ...(claims ?? []).map(({ name }) => name)];
    return [action.do, ...names.filter((one) => one !== undefined)].join(" ");
}

/** @returns the actions that runs have taken since the log had that many lines. */
function takenSince({ log }: World, since: number): Action[] {
    return log.slice(since).flatMap((line) => {
        const found = /\{"do":.*\}$/.exec(line);
        return found ? [JSON.parse(found[0]) as Action] : [];
    });
}
