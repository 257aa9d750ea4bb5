import { commonFlags } from "./commonFlags";
import { backupFlags, restoreFlags } from "./commandFlags";
import { type CommandName, commands, groups, otherCommands } from "./commands";
import { type Flags, flagsOf } from "./flags";

/** Where the words of a command are among the arguments. */
export interface Found {
    /** The words, such as `backup full`. Undefined: BR shows its help. */
    readonly command: CommandName | undefined;
    /** The arguments without those words, in their order: flags may stand before a word. */
    readonly rest: string[];
    /** The words that were found. */
    readonly path: string;
}

/** A command that BR has and the recorder does not carry out. */
export class NotRecorded extends Error {}

/** The flags of `br` itself, and of its groups of commands. */
export const groupFlags: Readonly<Record<string, Flags>> = {
    "": { ...commonFlags, ...flagsOf("bool", ["version V"]) },
    backup: { ...commonFlags, ...backupFlags },
    restore: { ...commonFlags, ...restoreFlags },
    log: commonFlags,
    operator: commonFlags,
};

/**
 * Finds the command among the arguments, as BR's library for commands does: it goes from word to word, and skips flags
 * with their values. A word that it does not know ends the search, and BR shows the help of what it has found.
 */
export function findCommand(args: readonly string[]): Found {
    const words: string[] = [];
    const rest: string[] = [];
    for (let index = 0; index < args.length; index++) {
        const arg = args[index];
        const flags = groupFlags[words.join(" ")];
        if (flags === undefined) {
            rest.push(...args.slice(index));
            break;
        }
        if (arg.startsWith("-")) {
            rest.push(arg);
            if (takesNext(arg, flags) && index + 1 < args.length) {
                rest.push(args[++index]);
            }
            continue;
        }
        const path = [...words, arg].join(" ");
        if (otherCommands.includes(path)) {
            throw new NotRecorded(`the recorder does not carry out \`br ${path}\``);
        }
        if (!(groups as readonly string[]).includes(path) && !(path in commands)) {
            rest.push(...args.slice(index));
            break;
        }
        words.push(arg);
    }
    const path = words.join(" ");
    return { command: path in commands ? (path as CommandName) : undefined, rest, path };
}

/** Whether the next argument is the value of this one: the library takes it so for a flag that it does not know, too. */
function takesNext(arg: string, flags: Flags): boolean {
    if (arg.includes("=")) {
        return false;
    }
    if (arg.startsWith("--")) {
        return flags[arg.slice(2)]?.kind !== "bool";
    }
    const short = Object.values(flags).find((flag) => flag.short === arg.slice(1));
    return arg.length === 2 && short?.kind !== "bool";
}
