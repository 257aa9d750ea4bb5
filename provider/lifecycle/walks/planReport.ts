import { sourcesInWords } from "../estimates/estimateWords";
import type { Estimate } from "../estimates/expectedTime";
import { notShown } from "../estimates/rates";
import { sumOfGates, type SummedEstimate } from "../estimates/sumOfGates";
import { type MemberRisk, warnedRisks } from "./warnedRisks";
import { counted, listed } from "../vocabulary/counted";
import { duration, type PlanItem, secondsOf, showPlan } from "./describePlan";
import { doneWith } from "./doneInWords";
import { isWork, stepsOf, type Work, workOf } from "./planWork";

/** The plan of one gate, as reports show it. */
export interface GatePlan {
    /** The StatefulSet or the cluster that the gate is for. */
    readonly of: string;
    readonly plan: readonly PlanItem[];
    /** Why there is no exact plan, as in the gate's inputs; empty if there is one. */
    readonly deferred: string;
    /** Why the cluster could not be read, although the program did not change and so there is no step. Default: it was read. */
    readonly unread?: string;
    /** Whether the gate refused what the program asks for. Default: no. */
    readonly isRefused?: true;
    /** What the gate's warnings put at risk in the plan of the whole cluster, in short. Default: nothing. */
    readonly risks?: readonly string[];
    /** The same of single members: on the lines of their gates, and of the cluster. Default: nothing. */
    readonly memberRisks?: readonly MemberRisk[];
    /** How long its steps are expected to take by the cluster's own records. Default: such steps are not estimated. */
    readonly estimate?: Estimate;
}

/**
 * @returns the estimates of the gates with steps, and of other work that takes its time, summed up. Undefined if the steps of none are estimated: then the steps' own times
 * are all there is.
 */
export function estimateOfGates(
    gates: readonly Pick<GatePlan, "of" | "plan" | "estimate">[],
): SummedEstimate | undefined {
    const withSteps = gates.filter(
        ({ plan, estimate }) => stepsOf(workOf(plan)).length > 0 || (estimate && workOf(plan).length > 0),
    );
    return withSteps.every(({ estimate }) => estimate === undefined)
        ? undefined
        : sumOfGates(
              withSteps.map(({ of, plan, estimate = notEstimated }) => {
                  return { of, estimate, isBare: stepsOf(workOf(plan)).length === 0 };
              }),
          );
}

/** The RolloutGate of the same StatefulSet has an estimate of its own. */
function named({ of, plan, estimate }: GatePlan): Pick<GatePlan, "of" | "plan" | "estimate"> {
    const isOfSettings = estimate === undefined && stepsOf(workOf(plan)).every(({ kind }) => kind === "set");
    return { of: isOfSettings ? `the settings of ${of}` : of, plan, estimate };
}

const notEstimated: Estimate = notShown("how long such steps take");

/** @returns how many steps a plan has. Notes are not steps, and neither is what the update only reads or waits for. */
export function countSteps(plan: readonly PlanItem[]): number {
    return workOf(plan).length;
}

/**
 * Reports the plan of one gate: a line with the number of steps, the estimated time and the risk, then one line for each
 * entry. The steps of a cluster are numbered in their order, because Pulumi shows the gates in any order.
 * @param before how many steps the gates before this one have.
 * @param warned what warnings about the cluster put at risk.
 * @returns the lines; `undefined` if there is nothing to do and nothing to note.
 */
export function reportPlan(
    { of, plan, deferred, estimate }: GatePlan,
    before: number,
    warned: readonly string[],
): string | undefined {
    if (plan.length === 0) {
        return undefined;
    }
    const reason = reasonOf(deferred);
    const expected = estimateOfGates([{ of, plan, estimate }]);
    // The cluster's summary says once, for all gates, why there is no estimate.
    const time = expected?.seconds === undefined && expected ? { ...expected, missing: [] } : expected;
    const heading = [
        ...sizeAndRisk(plan, before, reason.length > 0, warned, time),
        ...heldOf(plan),
        ...missingOf(plan),
        ...reason,
    ];
    const numbers = stepNumbers(plan, before);
    const lines = showPlan(plan).map((words, index) => `  ${numbers[index] ? `${numbers[index]}.` : "-"} ${words}`);
    return [`${of}: ${heading.length > 0 ? heading.join("; ") : "no step"}`, ...lines].join("\n");
}

/** Reports the plan of a gate that is not one of a cluster's: beside one of those, two steps would be number 1 of what looks like one plan. */
export function reportOwnPlan(plan: GatePlan): string | undefined {
    return reportPlan({ ...plan, of: `${plan.of}, a plan of its own` }, 0, []);
}

/**
 * Summarizes the plans of a cluster's gates in one line: the number of steps, the estimated time, what is done with how
 * many pods of each member, the risk, and what could not be planned.
 * @returns the line; `undefined` if there is nothing to do.
 */
export function summarizePlans(cluster: string, gates: readonly GatePlan[]): string | undefined {
    const plan = gates.flatMap((gate) => gate.plan);
    const deferred = gates.filter((gate) => reasonOf(gate.deferred).length > 0);
    // Without work elsewhere the warning of the gate says it all.
    const unread = workOf(plan).length > 0 ? gates.filter((gate) => gate.unread !== undefined) : [];
    const parts = [
        ...summaryOf(
            plan,
            deferred.length > 0 || unread.length > 0,
            warnedRisks(gates),
            estimateOfGates(gates.map(named)),
        ),
        ...deferralsOf(deferred, gates),
        ...unreadOf(unread),
    ];
    return parts.length === 0 ? undefined : `${cluster}: ${parts.join("; ")}`;
}

/**
 * Says what becomes of the steps that a preview shows beside a refusal. Pulumi runs its own preview before an update, unless it
 * is told not to.
 * @returns the line; `undefined` if no gate has a step.
 */
export function besideRefusal(gates: readonly GatePlan[]): string | undefined {
    const withSteps = gates.filter(({ plan }) => countSteps(plan) > 0);
    const steps = withSteps.reduce((sum, { plan }) => sum + countSteps(plan), 0);
    const whose = listed([...new Set(withSteps.map(({ of }) => of))]);
    return steps === 0
        ? undefined
        : `this preview fails, because a gate refuses what the program asks for: see its error. \`pulumi up\` with a preview takes no step. Without a preview (\`--skip-preview\`, the Automation API) it can take the ${counted(steps, "step")} of ${whose} before it reaches the refusal`;
}

/**
 * Summarizes the plan of a cluster: the number of steps with the estimated time and what is done, and the risk.
 * @param isDeferred whether some gate has no exact plan or could not read the cluster.
 * @param warned what warnings about the cluster put at risk.
 * @param time how long the steps are expected to take. Default: the sum of the steps' own times.
 * @returns the parts of the summary; none if there is no step and the update waits for nothing.
 */
export function summaryOf(
    plan: readonly PlanItem[],
    isDeferred: boolean,
    warned: readonly string[],
    time?: SummedEstimate,
): string[] {
    const work = workOf(plan);
    const [size, ...risk] = sizeAndRisk(plan, 0, isDeferred, warned, time);
    return size === undefined
        ? [...heldOf(plan), ...missingOf(plan)]
        : [`${size}: ${doneWith(work).join("; ")}`, ...risk, ...heldOf(plan)];
}

/**
 * Numbers the steps of a cluster in their order.
 * @param before how many steps come before this plan.
 * @returns the number of each entry; `undefined` for an entry that is not a step.
 */
export function stepNumbers(plan: readonly Pick<PlanItem, "is">[], before = 0): (number | undefined)[] {
    let number = before;
    return plan.map(({ is }) => (isWork(is) ? ++number : undefined));
}

function sizeAndRisk(
    plan: readonly PlanItem[],
    before: number,
    isDeferred: boolean,
    warned: readonly string[],
    time: SummedEstimate | undefined,
): string[] {
    const work = workOf(plan);
    const isWhole = !isDeferred && work.every(({ is }) => is !== "undecided step");
    const isHeld = heldOf(plan).length > 0;
    const risks = work.length === 0 ? [] : riskOf(work, before, isWhole, isHeld, warned);
    return work.length === 0 ? [] : [sizeOf(work, isWhole, time), ...risks];
}

/**
 * The number of steps with the sum of the times that the plan shows for them.
 * @param isWhole whether everything could be planned: otherwise the sum is a lower bound.
 */
function sizeOf(work: readonly Work[], isWhole: boolean, expected: SummedEstimate | undefined): string {
    const steps = stepsOf(work);
    const undecided = work.filter(({ is }) => is === "undecided step").length;
    const seconds = steps.reduce((sum, step) => sum + secondsOf(step), expected?.bareSeconds ?? 0);
    const openEnded = steps.filter(({ isOpenEnded }) => isOpenEnded).length;
    const words = `${isWhole && openEnded === 0 ? "about" : "at least"} ${duration(Math.ceil(seconds))}${expected ? sourcesInWords(expected) : " (rules of thumb)"}`;
    const isBare = steps.length === openEnded && (expected?.bareSeconds ?? 0) === 0;
    const time = isBare && (openEnded > 0 || expected?.seconds === undefined) ? "" : `, ${words}`;
    const whose = undecided === work.length ? "" : `${undecided} of them `;
    return `${counted(work.length, "step")}${time}${undecided === 0 ? "" : `, ${whose}once PD answers`}`;
}

/** What the steps leave at risk. Steps that are not decided or not planned are never without risk. */
function riskOf(
    work: readonly Work[],
    before: number,
    isWhole: boolean,
    isHeld: boolean,
    warned: readonly string[],
): string[] {
    const atRisk = work.flatMap((item, index) => (item.is === "step" && item.step.risk ? [before + index + 1] : []));
    const found = [
        ...(atRisk.length === 0
            ? []
            : [`risk in ${atRisk.length === 1 ? "step" : "steps"} ${listed(atRisk.map(String))}`]),
        ...warned.map((risk) => `risk: see the warning: ${risk}`),
    ];
    if (found.length === 0) {
        return isWhole ? (stepsOf(work).length > 0 && !isHeld ? ["no risk found"] : []) : ["risk not known yet"];
    }
    return isWhole ? found : [`${found.join("; ")}, otherwise not known yet`];
}

/** Where the update waits for what none of its steps brings about, or fails. */
function heldOf(plan: readonly PlanItem[]): string[] {
    return plan.flatMap((item) => (item.is === "held" ? [item.where] : []));
}

function missingOf(plan: readonly PlanItem[]): string[] {
    const missing = plan.filter(({ is }) => is === "missing").length;
    return missing === 0 ? [] : [`the update waits for ${counted(missing, "condition")}`];
}

/** The reason without its prefix. A paused gate has no plan either, but says so in a warning of its own. */
function reasonOf(deferred: string): string[] {
    return deferred.startsWith("deferred: ") ? [deferred] : [];
}

/** What could not be planned, one entry for each reason. */
function deferralsOf(deferred: readonly GatePlan[], all: readonly GatePlan[]): string[] {
    const reasons = [...new Set(deferred.map((gate) => gate.deferred))];
    return reasons.map((reason) => {
        const gates = deferred.filter((gate) => gate.deferred === reason);
        const isWhole = all.every((gate) => gate.deferred === reason || gate.unread !== undefined);
        const whose = isWhole ? "" : ` of ${listed([...new Set(gates.map(({ of }) => of))])}`;
        return `plan${whose} ${reason}`;
    });
}

/** What could not be read, one entry for each reason. */
function unreadOf(unread: readonly GatePlan[]): string[] {
    const reasons = [...new Set(unread.map((gate) => gate.unread))];
    return reasons.map((reason) => {
        const gates = unread.filter((gate) => gate.unread === reason);
        return `${listed([...new Set(gates.map(({ of }) => of))])} could not be read: ${reason}`;
    });
}
