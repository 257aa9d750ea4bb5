import type { NoticeCode } from "../vocabulary/notices";
import type { Lack } from "./describeMissing";
import { type PlanStep, stepInWords } from "./planStep";

/**
 * One entry of a gate's plan, as data:
 *
 * - a step with a pod or a StatefulSet;
 * - a step that is certain, but only PD's answers decide how and when it is taken, and PD does not answer;
 * - work that no pod notices, in words;
 * - what the update reads first, because the API server does not answer, in words. It is not work;
 * - something that the cluster lacks and the update waits for, in words, with the pod, because a step with it may end the wait;
 * - where the update waits for what none of its steps brings about, or fails, in short and in words with what to do next;
 * - a note on what the program changed, in words. It is not work, and it counts as a warning if the change does not have
 *   the effect that it suggests;
 * - how to consent to the plan, where `operations.approval` asks for it, in words and with the plan's digest. It is not work. `given`
 *   says whether somebody has consented to it, and `others` which consents are to other plans: they are no part of the gate's input, which
 *   must not change between a preview and its update.
 */
export type PlanItem =
    | { readonly is: "step"; readonly step: PlanStep }
    | { readonly is: "undecided step"; readonly step: PlanStep }
    | { readonly is: "task"; readonly words: string }
    | { readonly is: "reading"; readonly words: string }
    | ({ readonly is: "missing"; readonly words: string } & Partial<Lack>)
    | { readonly is: "held"; readonly where: string; readonly words: string }
    | { readonly is: "note"; readonly code: NoticeCode; readonly words: string; readonly isWarning: boolean }
    | ({ readonly is: "approval"; readonly words: string; readonly digest: string } & Told);

/** @returns the short form of the line of a hold: what comes before the first colon. */
export function whereOfHold(words: string): string {
    return words.split(": ", 1)[0];
}

/** What is known of consents. Default: nothing. */
interface Told {
    readonly given?: string;
    readonly others?: string;
}

/** @returns the plan as a gate's input `plan` has it: one line for each entry, short enough for a preview to show in full. */
export function describePlan(plan: readonly PlanItem[]): string[] {
    return plan.map(describeItem);
}

/** @returns the plan as it is shown: its lines with what is known of a consent. */
export function showPlan(plan: readonly PlanItem[]): string[] {
    return plan.map((item) => {
        const { others, given }: Told = item.is === "approval" ? item : {};
        return [describeItem(item), others, given].filter(Boolean).join("; ");
    });
}

function describeItem(item: PlanItem): string {
    switch (item.is) {
        case "step":
            return describeStep(item.step);
        case "undecided step":
            return describeUndecided(item.step);
        case "task":
        case "reading":
        case "missing":
        case "held":
        case "note":
        case "approval":
            return item.words;
    }
}

/** The steps after which their pod is a new one, which runs the newest template. */
const renewsPods: readonly PlanStep["kind"][] = ["restart", "move"];
/** The steps after which their pod exists. */
const makesPods: readonly PlanStep["kind"][] = ["start", ...renewsPods];

/**
 * @param earlier the plans of the cluster's gates before this one.
 * @returns the plan without what is lacking until an earlier gate has taken its step with that pod: the step says it already. What
 * is left, somebody or something else must change. Restarts on a newer template are for the RolloutGate to show. Consents to other plans are named once, too.
 */
export function withoutForeseen(plan: readonly PlanItem[], earlier: readonly PlanItem[]): PlanItem[] {
    const steps = earlier.flatMap((item) => ("step" in item ? [item.step] : []));
    const isNamed = earlier.some((item) => "others" in item && item.others);
    const items = plan.map((item) => (isNamed && item.is === "approval" ? { ...item, others: "" } : item));
    return items.filter(
        (item) =>
            item.is !== "missing" ||
            (!item.isStale &&
                !steps.some(
                    ({ kind, target }) => target === item.pod && (item.exists ? renewsPods : makesPods).includes(kind),
                )),
    );
}

/** @returns the step as one line: `restart basic-tikv-2 (…): …`. */
export function describeStep(step: PlanStep): string {
    const does = step.does.length > 0 ? `: ${step.does.join(", ")}` : "";
    const risk = step.risk ? `; risk: ${step.risk}` : "";
    const own = step.isOpenEnded ? "nobody knows how long" : `~${duration(secondsOf(step))}`;
    const time = step.beside === undefined ? own : `beside ${step.beside}`;
    const until = step.waitsFor === undefined ? "" : `; until ${step.waitsFor}`;
    return `${stepInWords(step)} (${step.why})${does}${until} (${time})${risk}`;
}

/** @returns the step as one line while PD is unreachable, because only PD's answers decide how and when it is taken. */
export function describeUndecided(step: PlanStep): string {
    return `${stepInWords(step)} (${step.why}): once PD answers`;
}

/** @returns how long the step takes: by the records of the cluster, or by a rule of thumb. */
export function secondsOf({ expectedSeconds, estimateSeconds }: PlanStep): number {
    return expectedSeconds ?? estimateSeconds;
}

/** @returns an estimated time: in seconds below two minutes, in minutes above. */
export function duration(seconds: number): string {
    return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

/** @returns the entries of steps that can be taken as described. */
export function stepItems(steps: readonly PlanStep[]): PlanItem[] {
    return steps.map((step) => ({ is: "step", step }));
}

/** @returns the entries of steps that are certain but wait for PD's answers. */
export function undecidedItems(steps: readonly PlanStep[]): PlanItem[] {
    return steps.map((step) => ({ is: "undecided step", step }));
}
