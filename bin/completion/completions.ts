import type { Command, Option } from "commander";

/** What a shell may put in place of the last word. */
export interface Completions {
    readonly words: readonly { readonly word: string; readonly description: string }[];
    /** What the shell offers besides the words. */
    readonly paths: "files" | "folders" | undefined;
}

const nothing: Completions = { words: [], paths: undefined };

/**
 * Returns what can be in place of the last of the words that follow the program's name.
 * @param sandbox returns the command `sandbox`, which comes from a package of its own; `undefined` if it is not installed.
 */
export function completionsOf(
    program: Command,
    given: readonly string[],
    sandbox: () => Command | undefined,
): Completions {
    const words = withoutEqualsSigns(given);
    const last = words.at(-1) ?? "";
    let command = program;
    let isHelp = false;
    let position = 0;
    let option: Option | undefined;
    for (const word of words.slice(0, -1)) {
        if (option !== undefined) {
            option = undefined; // The word is its value.
            continue;
        }
        if (word.startsWith("-")) {
            option = word.includes("=") ? undefined : optionWithValue(command, word);
            continue;
        }
        const next = command.commands.find((one) => one.name() === word);
        if (command === program && word === "help") {
            isHelp = true;
        } else if (next === undefined) {
            position += 1;
        } else {
            const below = command === program && word === "sandbox" ? sandbox() : next;
            if (below === undefined) {
                return nothing;
            }
            command = below;
        }
    }
    if (option !== undefined) {
        return beginningWith(last, valuesOf(option));
    }
    if (isHelp) {
        return beginningWith(last, { words: commandsOf(command), paths: undefined });
    }
    if (last.startsWith("-")) {
        return beginningWith(last, optionsOf(command, last));
    }
    const { registeredArguments: all } = command;
    const argument = all[position] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
    const commands = position === 0 ? commandsOf(command) : [];
    const { words: values, paths } = choices(argument?.argChoices, argument?.name() ?? "");
    return beginningWith(last, { words: [...commands, ...values], paths });
}

/** bash splits `--output=json` into three words. */
function withoutEqualsSigns(words: readonly string[]): string[] {
    return words.flatMap((word, index) => {
        const isSign = word === "=" && (words[index - 1] ?? "").startsWith("--");
        return !isSign ? [word] : index === words.length - 1 ? [""] : [];
    });
}

function beginningWith(beginning: string, { words, paths }: Completions): Completions {
    return { words: words.filter(({ word }) => word.startsWith(beginning)), paths };
}

function commandsOf(command: Command): Completions["words"] {
    return command
        .createHelp()
        .visibleCommands(command)
        .map((one) => ({ word: one.name(), description: one.description() }));
}

/** The options of a command; after `--output=`, the option with each of its values. */
function optionsOf(command: Command, word: string): Completions {
    const [flag, value] = word.split("=", 2);
    const option = value === undefined ? undefined : optionWithValue(command, flag);
    if (option !== undefined) {
        const { words, paths } = valuesOf(option);
        return { words: words.map((one) => ({ ...one, word: `${flag}=${one.word}` })), paths };
    }
    const words = command
        .createHelp()
        .visibleOptions(command)
        .map(({ long, short, description }) => ({ word: long ?? short ?? "", description }));
    return { words, paths: undefined };
}

function optionWithValue(command: Command, flag: string): Option | undefined {
    const option = command.options.find(({ long, short }) => flag === long || flag === short);
    return option !== undefined && (option.required || option.optional) ? option : undefined;
}

/** An option that knows its values only when it is asked, such as the names of the running sandboxes. */
interface AskedOption extends Option {
    completions?(): readonly string[];
}

function valuesOf(option: AskedOption): Completions {
    return choices(option.argChoices ?? option.completions?.(), /[<[](.*)[>\]]/.exec(option.flags)?.[1] ?? "");
}

/** The values of an option or an argument. It is a path if its name in the help says so. */
function choices(values: readonly string[] | undefined, name: string): Completions {
    const paths = name === "folder" ? "folders" : ["file", "path"].includes(name) ? "files" : undefined;
    return { words: (values ?? []).map((word) => ({ word, description: "" })), paths };
}
