import { counted, listed } from "../vocabulary/counted";
import type { SummedEstimate } from "./sumOfGates";

/**
 * @returns what follows the time of a plan: from which records it is, what has only a rule of thumb and why, and what else takes
 * time that nobody knows.
 */
export function sourcesInWords({ seconds, operations, missing }: SummedEstimate): string {
    const steps = missing.filter(({ work }) => work === undefined);
    const bare = missing.flatMap(({ work = [] }) => work);
    const reasons = [...new Set(steps.map(({ why }) => why))].map(
        (why) => `${listedOnce(steps.filter((one) => one.why === why).map(({ of }) => of))}: ${why}`,
    );
    const details = [
        ...(operations.length === 0 ? [] : [`as observed in ${since(operations)}`]),
        ...(reasons.length > 0 ? [`rules of thumb for ${reasons.join("; ")}`] : []),
        // Why there is no record is said elsewhere.
        ...(reasons.length === 0 && seconds === undefined ? ["rules of thumb"] : []),
    ];
    const beside = bare.length === 0 ? "" : `, and ${listedOnce(bare)}, which has no estimate`;
    return `${details.length === 0 ? "" : ` (${details.join("; ")})`}${beside}`;
}

/** Ids of operations begin with their time: `20261124T034512.123Z-3f9a1c-2`. */
function since(operations: readonly string[]): string {
    const [oldest] = operations;
    const time = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})/.exec(oldest);
    const words = time ? `${time[1]}-${time[2]}-${time[3]} ${time[4]}:${time[5]} UTC` : oldest;
    const many = counted(operations.length, "operation");
    return operations.length === 1 ? `the operation of ${words}` : `${many} since ${words}`;
}

function listedOnce(words: readonly string[]): string {
    return listed([...new Set(words)]);
}
