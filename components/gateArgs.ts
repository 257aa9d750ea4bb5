import type * as pulumi from "@pulumi/pulumi";
import type { Planned } from "./objects";

/** Inputs that are known in every preview, because the fields behind them must be plain values. */
const alwaysKnown: readonly string[] = ["component", "components"];

/**
 * Returns a gate's inputs as arguments of its resource: one Output per input. Which inputs there are is decided by the
 * outline.
 */
export function gateArgs<T extends object>({ outline, content }: Planned<T>): { [K in keyof T]: pulumi.Input<T[K]> } {
    const args = Object.entries(outline).map(([key, value]: [string, unknown]) => [
        key,
        alwaysKnown.includes(key) ? value : content.apply((inputs) => inputs[key as keyof T]),
    ]);
    return Object.fromEntries(args) as { [K in keyof T]: pulumi.Input<T[K]> };
}
