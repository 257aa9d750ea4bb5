import type { Estimate } from "./expectedTime";

/** The estimate of one gate, or of a part of a plan. */
export interface NamedEstimate {
    /** What it is for: a StatefulSet, or a gate. */
    readonly of: string;
    readonly estimate: Estimate;
    /** Whether it is of work that is no step, as a backup. Default: it is of steps. */
    readonly isBare?: boolean;
}

/** The estimates of several gates summed up. */
export interface SummedEstimate {
    /** The sum of those that are known; undefined if none is. */
    readonly seconds: number | undefined;
    /** The part of it that no step has. */
    readonly bareSeconds: number;
    /** The operations in the journal that they come from, the oldest first. */
    readonly operations: readonly string[];
    /** What has no estimate, and why. `work`: see `Estimate`. Empty if `seconds` is the whole time. */
    readonly missing: readonly { readonly of: string; readonly why: string; readonly work?: string }[];
}

/** @returns the estimates summed up. One that is missing is named, and never counts as 0 of a whole. */
export function sumOfGates(gates: readonly NamedEstimate[]): SummedEstimate {
    const known = gates.flatMap(({ estimate, isBare }) => (estimate.known ? [{ ...estimate, isBare }] : []));
    const total = (some: typeof known) => some.reduce((all, { seconds }) => all + seconds, 0);
    return {
        seconds: known.length === 0 ? undefined : total(known),
        bareSeconds: total(known.filter(({ isBare }) => isBare)),
        operations: [...new Set(known.flatMap(({ operations }) => operations))].sort(),
        missing: gates.flatMap(({ of, estimate }) => {
            if (estimate.known) {
                return [];
            }
            const { why, work } = estimate;
            return [{ of, why, ...(work === undefined ? {} : { work }) }];
        }),
    };
}
