import { usageError } from "../errors";
import { type CommandName, commands } from "./commands";
import { findCommand, groupFlags } from "./findCommand";
import type { Flags } from "./flags";
import { Values } from "./values";

/** What a command line asks for. */
export type Asked =
    | { readonly kind: "help"; readonly path: string }
    | { readonly kind: "version" }
    | { readonly kind: "command"; readonly name: CommandName; readonly values: Values };

/**
 * Reads BR's command line, by the rules of its library for flags. Throws BR's own error for a flag that the command does not
 * take, a value that is none, an argument too many, and a flag that is missing.
 */
export function parseArguments(args: readonly string[]): Asked {
    const { command, rest, path } = findCommand(args);
    if (command === undefined) {
        const values = new Values(groupFlags[path]);
        takeFlags(rest, groupFlags[path], values);
        return values.isGiven("version") ? { kind: "version" } : { kind: "help", path };
    }
    const { flags, required } = commands[command];
    const values = new Values(flags);
    const words = takeFlags(rest, flags, values);
    if (words === "help") {
        return { kind: "help", path };
    }
    if (words.length > 0) {
        throw usageError(`unknown command "${words[0]}" for "br ${path}"`);
    }
    const missing = required.filter((name) => !values.isGiven(name));
    if (missing.length > 0) {
        throw usageError(`required flag(s) ${missing.map((name) => `"${name}"`).join(", ")} not set`);
    }
    return { kind: "command", name: command, values };
}

/** Takes the flags, and returns the arguments that are none. */
function takeFlags(args: readonly string[], flags: Flags, values: Values): string[] | "help" {
    const words: string[] = [];
    for (let index = 0; index < args.length; index++) {
        const arg = args[index];
        if (arg === "--") {
            return [...words, ...args.slice(index + 1)];
        }
        if (!arg.startsWith("-") || arg === "-") {
            words.push(arg);
            continue;
        }
        const { name, given, said, written } = readFlag(arg, flags);
        if (name === "help") {
            return "help";
        }
        if (given !== undefined) {
            values.take(name, given, said);
        } else if (flags[name].kind === "bool") {
            values.take(name, "true", said);
        } else if (index + 1 < args.length) {
            values.take(name, args[++index], said);
        } else {
            throw usageError(`flag needs an argument: ${written}`);
        }
    }
    return words;
}

interface WrittenFlag {
    name: string;
    /** The value after `=`, or after a short name. */
    given: string | undefined;
    /** The flag with its short name, as messages about its value show it. */
    said: string;
    /** The flag as messages about a missing value show it. */
    written: string;
}

function readFlag(arg: string, flags: Flags): WrittenFlag {
    if (arg.startsWith("--")) {
        const [, name, , given] = /^--([^=]*)(=(.*))?$/s.exec(arg) as unknown as [string, string, string, string?];
        if (name === "help" || flags[name] !== undefined) {
            return { name, given, said: saidOf(name, flags), written: `--${name}` };
        }
        throw usageError(`unknown flag: --${name}`);
    }
    const short = arg[1];
    const name = short === "h" ? "help" : Object.keys(flags).find((one) => flags[one].short === short);
    if (name === undefined) {
        throw usageError(`unknown shorthand flag: '${short}' in ${arg}`);
    }
    const after = arg.slice(2);
    const given = after === "" ? undefined : after.startsWith("=") ? after.slice(1) : after;
    return { name, given, said: saidOf(name, flags), written: `'${short}' in ${arg}` };
}

function saidOf(name: string, flags: Flags): string {
    const short = flags[name]?.short;
    return short === undefined ? `--${name}` : `-${short}, --${name}`;
}
