import type { Command } from "commander";
import { type SandboxPackage, withSandbox } from "./sandboxCommand";

/**
 * Adds `help [command...]`: prints the help of a command, also of one below another. The commands of the sandbox come from its
 * own package.
 */
export function addHelpCommand(program: Command, load?: () => SandboxPackage): void {
    program.helpCommand(false);
    program
        .command("help")
        .description("print the help of a command, such as: help sandbox start")
        .argument("[command...]", "command, with those below it")
        .action(async (words: string[]) => {
            if (words[0] === "sandbox") {
                const print = (sandbox: Command): void => printHelp(program, sandbox, words, 1);
                await withSandbox((loaded) => print(loaded.sandboxCommand(`${program.name()} sandbox`)), load);
            } else {
                printHelp(program, program, words, 0);
            }
        });
}

/** Prints the help of the command that the words lead to. @param known how many of the words have led to `command`. */
function printHelp(program: Command, command: Command, words: readonly string[], known: number): void {
    if (known === words.length) {
        command.help();
    }
    const visible = command.createHelp().visibleCommands(command);
    const commands = command.commands.filter((one) => visible.includes(one));
    const next = commands.find((one) => one.name() === words[known]);
    if (next === undefined) {
        const names = commands.map((one) => one.name()).join(", ");
        const expected = names === "" ? "nothing, because this command has no commands" : `one of ${names}`;
        const place = ["help", ...words.slice(0, known)].join(" ");
        program.error(`error: ${place}: found ${words[known]}, expected ${expected}`);
    }
    printHelp(program, next, words, known + 1);
}
