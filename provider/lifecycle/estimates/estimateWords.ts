import { counted } from "../vocabulary/counted";
import { duration } from "../walks/describePlan";
import type { SummedEstimate } from "./sumOfGates";

/**
 * @param isWhole whether everything could be planned: otherwise the time is a lower bound.
 * @returns how long a plan is expected to take and from which records, or why nobody can say, if that is given. It follows the number of steps.
 */
export function estimateInWords({ seconds, operations, missing }: SummedEstimate, isWhole: boolean): string {
    const steps = missing.filter(({ work }) => work === undefined);
    const bare = missing.flatMap(({ work = [] }) => work);
    const beside = bare.length === 0 ? "" : `, and ${listed(bare)}, which has no estimate`;
    const reasons = [...new Set(steps.map(({ why }) => why))].map(
        (why) => `${listed(steps.filter((one) => one.why === why).map(({ of }) => of))}: ${why}`,
    );
    const thumb = "the times of these steps are rules of thumb";
    if (seconds === undefined && reasons.length === 0) {
        return "no estimate";
    }
    if (seconds === undefined) {
        return `no estimate (${[...reasons, thumb].join("; ")})${beside}`;
    }
    const bound = isWhole && steps.length === 0 ? "about" : "at least";
    const from = operations.length === 0 ? [] : [`as observed in ${since(operations)}`];
    const details = [...from, ...(reasons.length === 0 ? [] : [`no estimate for ${[...reasons, thumb].join("; ")}`])];
    const said = `${bound} ${duration(Math.ceil(seconds))}`;
    return `${said}${details.length === 0 ? "" : ` (${details.join("; ")})`}${beside}`;
}

/** Ids of operations begin with their time: `20261124T034512.123Z-3f9a1c-2`. */
function since(operations: readonly string[]): string {
    const [oldest] = operations;
    const time = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})/.exec(oldest);
    const words = time ? `${time[1]}-${time[2]}-${time[3]} ${time[4]}:${time[5]} UTC` : oldest;
    const many = counted(operations.length, "operation");
    return operations.length === 1 ? `the operation of ${words}` : `${many} since ${words}`;
}

function listed(words: readonly string[]): string {
    const each = [...new Set(words)];
    return each.length < 2 ? each.join("") : `${each.slice(0, -1).join(", ")} and ${each.at(-1)}`;
}
