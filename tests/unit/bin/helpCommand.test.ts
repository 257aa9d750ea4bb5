import * as assert from "node:assert/strict";
import { Command } from "commander";
import { addHelpCommand } from "../../../bin/helpCommand";
import { sandboxCommand } from "../../../sandbox/command";

/** Runs `pulumi-tidb help …` in a program with the commands `plan` and `sandbox`. */
async function help(...words: string[]): Promise<{ output: string; errors: string; exitCode: number | undefined }> {
    const written = { output: "", errors: "" };
    const quiet = (command: Command): Command => {
        command.exitOverride().configureOutput({
            writeOut: (text) => void (written.output += text),
            writeErr: (text) => void (written.errors += text),
        });
        command.commands.forEach(quiet);
        return command;
    };
    const program = new Command("npx pulumi-tidb").description("Tools");
    program.command("plan").argument("<file>").description("print the steps");
    program.command("sandbox").argument("[arguments...]").helpOption(false);
    addHelpCommand(program, () => ({
        runSandboxCommand: () => assert.fail("help runs no command"),
        sandboxCommand: (command) => quiet(sandboxCommand(command)),
    }));
    try {
        await quiet(program).parseAsync(["help", ...words], { from: "user" });
        return { ...written, exitCode: undefined };
    } catch (error) {
        return { ...written, exitCode: (error as { exitCode?: number }).exitCode };
    }
}

describe("pulumi-tidb help", () => {
    const rows: [string[], begins: string, has?: string][] = [
        [[], "Usage: npx pulumi-tidb [options] [command]\n"],
        [["plan"], "Usage: npx pulumi-tidb plan [options] <file>\n"],
        [["help"], "Usage: npx pulumi-tidb help [options] [command...]\n"],
        [["sandbox"], "Usage: npx pulumi-tidb sandbox [options] [command]\n", "\n  start [options]"],
        [["sandbox", "start"], "Usage: npx pulumi-tidb sandbox start [options]\n", "--nodes <count>"],
        [["sandbox", "pulumi"], "Usage: npx pulumi-tidb sandbox pulumi [options] [command]\n"],
        [["sandbox", "pulumi", "up"], "Usage: npx pulumi-tidb sandbox pulumi up [options] [folder]\n"],
    ];
    for (const [words, begins, has = ""] of rows) {
        it(`${words.join(" ")} prints the help of that command`.trim(), async () => {
            const { output, errors, exitCode } = await help(...words);
            assert.ok(output.startsWith(begins) && output.includes(has), output);
            assert.deepEqual([errors, exitCode], ["", 0]);
        });
    }

    const refused: [string[], string][] = [
        [["plans"], "error: help: found plans, expected one of plan, sandbox, help\n"],
        [["plan", "now"], "error: help plan: found now, expected nothing, because this command has no commands\n"],
        [["sandbox", "go"], "error: help sandbox: found go, expected one of start, list, stop, node, pulumi\n"],
    ];
    for (const [words, message] of refused) {
        it(`${words.join(" ")} is an error`, async () => {
            assert.deepEqual(await help(...words), { output: "", errors: message, exitCode: 1 });
        });
    }
});
