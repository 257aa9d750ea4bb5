import { compactFlags, type CtlFlags, globalFlags } from "./flags";

/** tikv-ctl refuses its arguments, in the words of its library for them, and ends with 1. */
export class CtlUsageError extends Error {
    override readonly name = "CtlUsageError";
}

/** The one command that the recorder carries out. */
const command = "compact-log-backup";

/** The values of a call of `tikv-ctl compact-log-backup`, by flag. Switches that are on have `true`. */
export type CtlCall = Readonly<Record<string, string | undefined>>;

/** Reads the arguments of tikv-ctl. @throws CtlUsageError as tikv-ctl says it (clap 2). */
export function parseCall(args: readonly string[]): CtlCall {
    const at = commandAt(args);
    const global = takeFlags(args.slice(0, at), globalFlags);
    if (args[at] !== command) {
        throw new CtlUsageError(
            `Found argument '${args[at] ?? ""}' which wasn't expected, or isn't valid in this context`,
        );
    }
    const own = takeFlags(args.slice(at + 1), compactFlags);
    const missing = Object.keys(compactFlags).filter((name) => compactFlags[name].required && own[name] === undefined);
    if (missing.length > 0) {
        const names = missing.map((name) => `    --${name} <${name}>`).join("\n");
        throw new CtlUsageError(`The following required arguments were not provided:\n${names}`);
    }
    if (!["json", "text"].includes(global["log-format"] ?? "")) {
        throw new CtlUsageError(`unknown log format ${global["log-format"]}`);
    }
    return { ...global, ...own };
}

/** Where the command stands: the first word that is neither a flag nor the value of one. */
function commandAt(args: readonly string[]): number {
    let at = 0;
    while (at < args.length && args[at].startsWith("-")) {
        const name = args[at].slice(2);
        at += args[at].includes("=") || globalFlags[name]?.kind === "switch" ? 1 : 2;
    }
    return Math.min(at, args.length);
}

function takeFlags(args: readonly string[], flags: CtlFlags): CtlCall {
    const given: Record<string, string> = {};
    for (let at = 0; at < args.length; at++) {
        const [, long, , value] = /^--([\w-]+)(=(.*))?$/s.exec(args[at]) ?? [];
        const [, letter, rest] = /^-(\w)=?(.*)$/s.exec(args[at]) ?? [];
        const name = long ?? Object.keys(flags).find((one) => letter !== undefined && flags[one].short === letter);
        const flag = name === undefined || !Object.hasOwn(flags, name) ? undefined : flags[name];
        if (name === undefined || flag === undefined) {
            throw new CtlUsageError(
                `Found argument '${args[at]}' which wasn't expected, or isn't valid in this context`,
            );
        }
        if (Object.hasOwn(given, name)) {
            throw new CtlUsageError(
                `The argument '--${name}' was provided more than once, but cannot be used multiple times`,
            );
        }
        const found = flag.kind === "switch" ? "true" : (value ?? (rest ? rest : args[++at]));
        if (found === undefined) {
            throw new CtlUsageError(`The argument '--${name} <${name}>' requires a value but none was supplied`);
        }
        if (flag.kind === "u64" && (!/^\+?\d+$/.test(found) || BigInt(found) >= 2n ** 64n)) {
            throw new CtlUsageError(`Invalid value for '--${name} <${name}>': invalid digit found in string`);
        }
        given[name] = found;
    }
    const initial = Object.entries(flags).flatMap(([name, { initial: one }]) =>
        one === undefined ? [] : [[name, one]],
    );
    return { ...(Object.fromEntries(initial) as CtlCall), ...given };
}
