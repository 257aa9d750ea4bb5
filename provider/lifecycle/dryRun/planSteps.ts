import type { Component } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import {
    type Action,
    describeAction,
    inStep,
    isBookkeeping,
    isEndOfPlan,
    type StepKind,
    stepOf,
} from "../vocabulary/actions";
import type { Observation } from "../vocabulary/observation";
import type { PlanStep } from "../walks/planStep";
import type { DryRun, ForeseenMove } from "./dryRun";

/** The steps of a plan: the moves of a dry run, by pod. */

/** A step that the update must take, whether or not it is foreseen how. */
export interface DueStep extends Pick<PlanStep, "kind" | "component" | "target" | "why"> {
    /** What happens after its actions. Default: nothing. */
    readonly lastly?: string;
    /** What is waited for at its end. Default: nothing that its actions do not say. */
    readonly waitsFor?: string;
    /** How long it takes at least, by a rule of thumb, in seconds. Default: a moment. */
    readonly seconds?: number;
    /** Whether its time is not known, even by a rule of thumb. Default: it is. */
    readonly isOpenEnded?: true;
    /** @returns what it puts at risk. @param seen the cluster right before its main action. Default: nothing. */
    risk?(seen: Observation): string | undefined;
}

/** What a step is due for that only the dry run shows. */
export interface FoundStep {
    readonly component: Component;
    /** @returns the reason in words. */
    why(kind: StepKind, target: string): string;
    /** @returns the kind of the step, by what the cluster shows of what was begun with its pod. Default: that of its actions. */
    kind?(target: string, byActions: StepKind): StepKind;
    /** @returns whether an earlier run has left something open there, so that even its record is a step. Default: it has not. */
    isLeft?(target: string): boolean;
}

/** The kinds, from the one that says most of what is done with a pod. */
const byWeight: readonly StepKind[] = [
    ...([
        "replace",
        "give-up",
        "renew",
        "spare",
        "empty-volume",
        "restart",
        "grow",
        "modify",
        "recreate",
        "move",
        "remove",
        "suspend",
        "recover",
        "set",
    ] as const),
    ...(["take-back", "label", "start", "wait", "clean-up"] as const),
];

/** The steps of a plan, by how far the dry run went. */
export interface PlannedSteps {
    /** In the order in which they are begun. */
    readonly foreseen: readonly PlanStep[];
    /** Those that are due after its end. */
    readonly rest: readonly PlanStep[];
}

/** @returns all steps of a plan, in its order. */
export function allSteps({ foreseen, rest }: PlannedSteps): PlanStep[] {
    return [...foreseen, ...rest];
}

/**
 * @param due the steps that are due, in the order in which they are expected.
 * @param live the cluster as it is: the risks of what is not foreseen are seen there.
 * @param found what is said of steps that are not among these.
 */
export function planSteps(
    { moves, end }: DryRun,
    due: readonly DueStep[],
    live: Observation,
    found: FoundStep,
): PlannedSteps {
    const name = memberName(live.cluster, found.component);
    const dueOf = new Map([...due].reverse().map((one) => [one.target, one]));
    const groups = groupsOf(moves, (target) => target !== name || dueOf.has(name) || found.isLeft?.(target) === true);
    const foreseen = [...groups].flatMap(([target, group]) => {
        const known = dueOf.get(target);
        const kind = known?.kind ?? kindOf(group) ?? (found.isLeft?.(target) === true ? "clean-up" : undefined);
        if (kind === undefined) {
            return [];
        }
        const step = known ?? foundStep(found.kind?.(target, kind) ?? kind, target, found);
        return [stepFrom(step, group, live)];
    });
    const seen = new Set(foreseen.map(({ target }) => target));
    const others = notForeseen(
        due.filter(({ target }) => !seen.has(target)),
        live,
    );
    const stop = end.is === "held" ? end.at : end.is === "fails" ? end.problem : undefined;
    if (stop !== undefined && foreseen.length === 0 && others.length === 0) {
        // The update waits there, or fails, so it must run.
        const wait = foundStep("wait", stop.target ?? name, found);
        return { foreseen: [stepFrom(wait, [], live)], rest: [] };
    }
    return end.is === "done" ? { foreseen: [...foreseen, ...others], rest: [] } : { foreseen, rest: others };
}

/** @param isOwn whether what is done there is a step by itself. What this update began for the whole member ends with the pod before it. */
function groupsOf(moves: readonly ForeseenMove[], isOwn: (target: string) => boolean): Map<string, ForeseenMove[]> {
    const groups = new Map<string, ForeseenMove[]>();
    let last: string | undefined;
    // What Pulumi does next with the StatefulSet is no step: the object's own line shows it.
    for (const one of moves.filter((move) => move.is !== "act" || !isEndOfPlan(move.move.action))) {
        const of = podOf(one);
        const target = last === undefined || isOwn(of) ? of : last;
        const group = groups.get(target) ?? [];
        groups.set(target, group);
        group.push(one);
        last = target;
    }
    return groups;
}

/** @returns the steps that are due, without what an update does for them. */
export function notForeseen(due: readonly DueStep[], live: Observation): PlanStep[] {
    return due.map((one) => stepFrom(one, [], live));
}

function foundStep(kind: StepKind, target: string, { component, why }: FoundStep): DueStep {
    return { kind, component, target, why: why(kind, target) };
}

function stepFrom(
    { seconds = 0, lastly, risk, ...step }: DueStep,
    group: readonly ForeseenMove[],
    live: Observation,
): PlanStep {
    const shown = group.flatMap((one) => doesOf(one, step.target));
    const recorded = group.flatMap((one) => (one.is === "act" ? describeAction(one.move.action) : []));
    const does = shown.length > 0 || lastly !== undefined ? shown : recorded;
    const acts = group.filter((one) => one.is === "act");
    const decisive = acts.find((one) => stepOf(one.move.action) === step.kind) ?? acts.at(-1);
    const lasts = group.reduce((sum, one) => sum + one.seconds, 0);
    const waits = group.reduce((sum, one) => (one.is === "wait" ? sum + one.seconds : sum), 0);
    const said = risk?.(decisive?.seen ?? live);
    return {
        ...step,
        does: [...new Set([...does, ...(lastly === undefined ? [] : [lastly])])],
        estimateSeconds: step.isOpenEnded ? 0 : Math.ceil(Math.max(1, seconds, lasts)),
        ...(waits > 0 ? { waitSeconds: Math.ceil(waits) } : {}),
        ...(said === undefined ? {} : { risk: said }),
    };
}

/** A wait that is worth a word in the plan, in seconds. */
const longWait = 5;

function doesOf(one: ForeseenMove, target: string): string[] {
    switch (one.is) {
        case "act":
            return [inStep(one.move.action, target) ?? []].flat();
        case "start":
            return [];
        case "wait":
            return one.seconds === 0
                ? [`wait: ${one.move.waitingFor}`]
                : one.seconds < longWait
                  ? []
                  : [`wait ~${Math.ceil(one.seconds)} s (${one.move.waitingFor})`];
    }
}

/** @returns the pod that the move is of. What ends something of an earlier run is a move of the StatefulSet. */
export function podOf(one: ForeseenMove): string {
    const { action } = one.is === "act" ? one.move : { action: undefined };
    return action !== undefined && "pod" in action && one.move.step === "left-behind" ? action.pod : one.move.target;
}

/** @returns the kind of the step that consists of these moves; undefined if they are none: they only keep records, or wait. */
function kindOf(group: readonly ForeseenMove[]): StepKind | undefined {
    const kinds = group.flatMap((one): StepKind[] => {
        switch (one.is) {
            case "start":
                return ["start"];
            case "wait":
                return [];
            case "act":
                return kindOfAction(one.move.action);
        }
    });
    return byWeight.find((kind) => kinds.includes(kind));
}

function kindOfAction(action: Action): StepKind[] {
    const kind = stepOf(action);
    return kind !== undefined ? [kind] : isBookkeeping(action) ? [] : ["clean-up"];
}
