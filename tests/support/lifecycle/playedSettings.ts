import { type Fact, known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory, rememberAction, rememberWait } from "../../../provider/lifecycle/vocabulary/memory";
import { recordsAfter, recordsBefore } from "../../../provider/lifecycle/vocabulary/actions";
import type { Memory } from "../../../provider/lifecycle/vocabulary/memory";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import type { Observation, OperationRecords } from "../../../provider/lifecycle/vocabulary/observation";
import type {
    BarredKeys,
    ObservedSettings,
    Settings,
    SettingsRecord,
} from "../../../provider/lifecycle/vocabulary/settings";
import { inShort, now, observed } from "./observations";

/** Servers with settings, their ConfigMap, and what is on record: what a run of the settings' rules sees and changes. */
export interface PlayedSettings {
    /** By server; null if it does not answer. */
    live: Record<string, Settings | null>;
    /** The ConfigMap; null if it is not known, undefined if the member is not deployed. */
    file: Settings | null | undefined;
    record?: SettingsRecord;
    /** PD's limits that a run has raised. Default: none. */
    raisedLimits?: OperationRecords["raisedLimits"];
    /** Servers that answer, but take nothing over. */
    stubborn?: string[];
    /** How many TiKV pods the StatefulSet wants. Default: as many as answer or do not. */
    replicas?: number;
    /** Keys that a server could not be asked for, by server and key the reason. Default: none. */
    unasked?: ObservedSettings["unasked"];
    /** Keys that no server can be asked for. Default: none. */
    barred?: BarredKeys;
}

/** The member whose servers these are; PD's are the member as a whole, and its pods. */
function componentOf({ live }: PlayedSettings): "pd" | "tikv" | "tidb" {
    const [, component] = /^basic-(pd|tikv|tidb)/.exec(Object.keys(live)[0] ?? "") ?? [];
    return (component as "pd" | "tikv" | "tidb" | undefined) ?? "tikv";
}

/** @returns what is observed of the servers at this time. */
export function observedSettings(played: PlayedSettings, at = now): Observation {
    const names = Object.keys(played.live);
    const component = componentOf(played);
    const pods = names.filter((name) => /-\d+$/.test(name)).length;
    const { observation } = observed(
        component,
        component === "pd" ? {} : { live: played.replicas ?? pods, replicas: pods },
    );
    const live = names.map((name): [string, Fact<Settings>] => {
        const value = played.live[name];
        return [name, value === null ? notKnown(`${name} does not answer`) : known(value, name, at)];
    });
    const file = played.file === null ? notKnown("the ConfigMap is gone") : known(played.file, "the API server", at);
    return {
        ...observation,
        now: at,
        records: recordsOf(played, component),
        settings: { component, file, live: Object.fromEntries(live), unasked: played.unasked, barred: played.barred },
    };
}

/**
 * Takes each move until nothing is left, the next one waits, or it fails.
 * @param pause how long each action takes, in milliseconds.
 * @returns the moves in short.
 */
export function playedMoves(
    played: PlayedSettings,
    next: (observation: Observation, memory: Memory) => Move,
    pause = 100,
): string[] {
    const moves: string[] = [];
    const component = componentOf(played);
    let memory = emptyMemory;
    let at = now;
    for (let turn = 0; turn < 20; turn += 1) {
        const move = next(observedSettings(played, at), memory);
        moves.push(inShort(move));
        if (move.kind !== "act") {
            return moves;
        }
        memory = rememberAction(rememberWait(memory, move, at), move, at);
        at += pause;
        const before = recordsBefore(recordsOf(played, component), move.action, at);
        if (move.action.do === "set-settings") {
            for (const { server, settings } of move.action.sets.filter(
                (set) => !played.stubborn?.includes(set.server),
            )) {
                played.live[server] = { ...played.live[server], ...settings };
            }
        }
        played.record = recordsAfter(before, move.action, at).settings?.[component];
    }
    return moves;
}

function recordsOf({ record, raisedLimits }: PlayedSettings, component: "pd" | "tikv" | "tidb"): OperationRecords {
    return {
        evictions: {},
        removals: {},
        ...(record ? { settings: { [component]: record } } : {}),
        ...(raisedLimits ? { raisedLimits } : {}),
    };
}
