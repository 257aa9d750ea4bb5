import { usageError } from "../errors";
import type { Flag, Flags, ValueKind } from "./flags";

/** The largest and smallest values of Go's integers, of which `uint` has 64 bits. */
const ranges: Partial<Record<ValueKind, [bigint, bigint]>> = {
    int32: [-(2n ** 31n), 2n ** 31n - 1n],
    int64: [-(2n ** 63n), 2n ** 63n - 1n],
    uint: [0n, 2n ** 64n - 1n],
    uint32: [0n, 2n ** 32n - 1n],
    uint64: [0n, 2n ** 64n - 1n],
};
const isTrue = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const isFalse = new Set(["0", "f", "F", "false", "FALSE", "False"]);

/** Why Go does not take a text for a value of a kind, in Go's words. Undefined if it does. */
function problemOf(kind: ValueKind, text: string): string | undefined {
    const range = ranges[kind];
    if (kind === "bool") {
        return isTrue.has(text) || isFalse.has(text)
            ? undefined
            : `strconv.ParseBool: parsing "${text}": invalid syntax`;
    }
    if (kind === "duration") {
        return durationProblem(text);
    }
    if (range !== undefined) {
        const unsigned = range[0] === 0n;
        const pattern = unsigned ? /^\d+$/ : /^[-+]?\d+$/;
        const problem = !pattern.test(text)
            ? "invalid syntax"
            : BigInt(text.replace("+", "")) < range[0] || BigInt(text.replace("+", "")) > range[1]
              ? "value out of range"
              : undefined;
        return problem && `strconv.Parse${unsigned ? "Uint" : "Int"}: parsing "${text}": ${problem}`;
    }
    return undefined;
}

function durationProblem(text: string): string | undefined {
    if (/^[-+]?0$/.test(text) || /^[-+]?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) {
        return undefined;
    }
    return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(text)
        ? `time: missing unit in duration "${text}"`
        : `time: invalid duration "${text}"`;
}

/** The values of a command's flags: those given, and the others as they are initially. */
export class Values {
    private readonly given = new Map<string, string[]>();

    constructor(private readonly flags: Flags) {}

    /** Takes a value that the command line gives. `said` is the flag as messages show it. */
    take(name: string, text: string, said: string): void {
        const problem = problemOf(this.flags[name].kind, text);
        if (problem !== undefined) {
            throw usageError(`invalid argument "${text}" for "${said}" flag: ${problem}`);
        }
        this.given.set(name, [...(this.given.get(name) ?? []), text]);
    }

    isGiven(name: string): boolean {
        return this.given.has(name);
    }

    /** The last given value as text. */
    text(name: string): string {
        return this.given.get(name)?.at(-1) ?? this.flagOf(name).initial ?? "";
    }

    isOn(name: string): boolean {
        return isTrue.has(this.text(name));
    }

    /** All values of a flag that may be given more than once. A comma separates values of a `stringSlice` only. */
    list(name: string): string[] {
        const { kind, initial = "" } = this.flagOf(name);
        const texts = this.given.get(name);
        if (texts === undefined) {
            return initial.split(",");
        }
        return kind === "stringSlice" ? texts.flatMap((text) => (text === "" ? [] : text.split(","))) : texts;
    }

    /** All given flags, for the log, by name. */
    all(): [string, string][] {
        return [...this.given].map(([name, texts]) => [name, texts.join(",")]);
    }

    has(name: string): boolean {
        return this.flags[name] !== undefined;
    }

    private flagOf(name: string): Flag {
        const flag = this.flags[name];
        if (flag === undefined) {
            throw new Error(`the recorder asks for --${name}, which this command does not take`);
        }
        return flag;
    }
}
