import type { PropertyMap, PropertyValue } from "../../../sandbox/engine/values";

/** One input of a resource. */
export interface InputRule {
    required?: boolean;
    /** The value if the program sets none. It is also an output. */
    default?: PropertyValue;
    /** Whether a change leaves the resource in place. A change of any other input replaces it. */
    inPlace?: boolean;
    /** Returns the problem with a known value. Undefined if it is valid. */
    problem?: (value: PropertyValue) => string | undefined;
}

/** A kind of resource: its inputs, its outputs and its creation. It exists only in Pulumi's state. */
export interface ResourceKind {
    inputs: Record<string, InputRule>;
    /** The outputs in addition to the inputs. */
    computed: string[];
    /** @param inputs the known inputs, including defaults */
    create(inputs: PropertyMap, now: Date): Promise<{ id: string; outputs: PropertyMap }>;
    /** Returns a property that forces a replacement although no input has changed. */
    outlived?(properties: PropertyMap, now: Date): string | undefined;
}

/** @returns the inputs, with defaults for those that are not set */
export function withDefaults(kind: ResourceKind, given: PropertyMap): PropertyMap {
    const defaults = Object.entries(kind.inputs).flatMap(([name, rule]) =>
        rule.default === undefined ? [] : [[name, rule.default] as const],
    );
    const known = Object.entries(given).filter(([name]) => name in kind.inputs);
    return { ...Object.fromEntries(defaults), ...Object.fromEntries(known) };
}

/** A rule for a number of hours. */
export function notNegative(value: PropertyValue): string | undefined {
    return typeof value === "number" && value >= 0 ? undefined : "must be a number of at least 0";
}

/** A rule for values from a list. */
export function oneOf(allowed: readonly string[]): (value: PropertyValue) => string | undefined {
    return (value) => (allowed.includes(value as string) ? undefined : `must be one of ${allowed.join(", ")}`);
}
