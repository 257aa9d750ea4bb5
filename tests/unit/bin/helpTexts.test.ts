import * as assert from "node:assert/strict";
import type { Command, Option } from "commander";
import { commandLine } from "../../../bin/pulumi-tidb";
import { sandboxCommand } from "../../../sandbox/command";

/** A command and all below it that its help lists, each with the words that lead to it. */
function commandsOf(command: Command, words: readonly string[] = []): { words: string; command: Command }[] {
    const visible = command.createHelp().visibleCommands(command);
    const below = command.commands.filter((one) => visible.includes(one));
    return [{ words: words.join(" "), command }, ...below.flatMap((one) => commandsOf(one, [...words, one.name()]))];
}

const all = [
    ...commandsOf(commandLine()).filter(({ words }) => words !== "sandbox"),
    ...commandsOf(sandboxCommand(), ["sandbox"]),
];
const takesValue = ({ required, optional }: Option): boolean => required || optional;

const isKubeconfig = ({ long }: Option): boolean => long === "--kubeconfig";

/** What a flag does. */
const verb = /^(do|exit|keep|print|repair|show|skip|start|stop|take|treat) /;

describe("The help", () => {
    for (const { words, command } of all) {
        const help = command.createHelp();
        const options = help.visibleOptions(command);

        it(`of ${words || "the program"} says what the value of an option or an argument is, and what a flag does`, () => {
            for (const option of options) {
                const { flags, description } = option;
                assert.equal(verb.test(description), !takesValue(option), `${flags}: ${description}`);
                assert.match(description, /^(?!the |a |an )[^A-Z].*[^.]$/, flags);
            }
            for (const argument of command.registeredArguments) {
                assert.match(argument.description, /^(?!the |a |an )[^A-Z].*[^.]$/, argument.name());
            }
            assert.doesNotMatch(help.formatHelp(command, help), /\{\}|object Object|display/);
        });
    }

    for (const { words, command } of all.filter(({ command }) => command.options.some(isKubeconfig))) {
        it(`of ${words} lists its exit codes and gives examples, as that of each command that asks a cluster`, () => {
            let help = "";
            command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
            assert.match(help, /\nExit codes:\n {2}0 {2}.+\n {2}1 {2}/);
            assert.match(help, new RegExp(`\nExamples:\n {2}\\S.* ${words} \\S+`));
        });
    }

    it("of a command that does not exist does not name the command that only completion scripts run", async () => {
        const program = commandLine();
        let errors = "";
        program.exitOverride().configureOutput({ writeErr: (text) => void (errors += text) });
        await assert.rejects(program.parseAsync(["help", "nope"], { from: "user" }));
        assert.equal(
            errors.split("\n")[0],
            "error: help: found nope, expected one of render, plan, status, diagnose, timeline, convert, sandbox, approve, stop, sweep, controller, completion, help",
        );
    });
});
