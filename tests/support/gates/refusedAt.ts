import type { Refusal } from "../../../provider/lifecycle/vocabulary/ownership";

/** @returns the fields and objects that a gate refuses. */
export function refusedAt(refused: readonly Refusal[] = []): string[] {
    return refused.map(({ property }) => property);
}
