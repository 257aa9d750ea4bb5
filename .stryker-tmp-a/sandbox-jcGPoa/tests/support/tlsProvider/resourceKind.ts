import type { PropertyMap, PropertyValue } from "../../../sandbox/engine/values";

/** One input of a resource. */
export interface InputRule {
    required?: boolean;
    /** What it is where the program says nothing; the resource shows it. */
    default?: PropertyValue;
    /** Its change leaves the resource as it is; that of any other input makes a new one. */
    inPlace?: boolean;
    /** Undefined where the value will do, else what is wrong with it. The value is known, and there. */
    problem?: (value: PropertyValue) => string | undefined;
}

/** A resource of the package: what it takes, what it shows, how it is made. Nothing of it is outside of Pulumi's state. */
export interface ResourceKind {
    inputs: Record<string, InputRule>;
    /** What it shows besides its inputs. */
    computed: string[];
    /** @param inputs with defaults, all of them known */
    create(inputs: PropertyMap, now: Date): Promise<{ id: string; outputs: PropertyMap }>;
    /** A property for which it is to be made anew although no input has changed. */
    outlived?(properties: PropertyMap, now: Date): string | undefined;
}

/** @returns the inputs, and the defaults of those that are not given. */
export function withDefaults(kind: ResourceKind, given: PropertyMap): PropertyMap {
    const defaults = Object.entries(kind.inputs).flatMap(([name, rule]) =>
        rule.default === undefined ? [] : [[name, rule.default] as const],
    );
    const known = Object.entries(given).filter(([name]) => name in kind.inputs);
    return { ...Object.fromEntries(defaults), ...Object.fromEntries(known) };
}

/** A rule for numbers of hours. */
export function notNegative(value: PropertyValue): string | undefined {
    return typeof value === "number" && value >= 0 ? undefined : "must be a number of at least 0";
}

/** A rule for values out of a list. */
export function oneOf(allowed: readonly string[]): (value: PropertyValue) => string | undefined {
    return (value) => (allowed.includes(value as string) ? undefined : `must be one of ${allowed.join(", ")}`);
}
