import { Argument, type Command } from "commander";
import { completionsOf } from "./completion/completions";
import { scripts, shells } from "./completion/scripts";
import { installedSandbox, type SandboxPackage } from "./sandboxCommand";

/** Adds `completion SHELL`, which prints a script for a shell, and the hidden `complete`, which the script runs. */
export function addCompletionCommand(program: Command, load?: () => SandboxPackage): void {
    program
        .command("completion")
        .description("print a script that completes this command's words in a shell")
        .addArgument(new Argument("<shell>", "shell that the script is for").choices(shells))
        .addHelpText(
            "after",
            `
Completes commands, options, their values, paths and names of running sandboxes. pulumi-tidb must be on PATH; words after npx are not completed.

To have it in each new shell, add a line to its startup file:
  bash  ~/.bashrc                   source <(pulumi-tidb completion bash)
  zsh   ~/.zshrc, after compinit    source <(pulumi-tidb completion zsh)
  fish  ~/.config/fish/config.fish  pulumi-tidb completion fish | source`,
        )
        .action((shell: (typeof shells)[number]) => {
            process.stdout.write(scripts[shell]);
        });
    program
        .command("complete", { hidden: true })
        .argument("[words...]")
        .action((given: string[]) => {
            const sandbox = (): Command | undefined => installedSandbox(load)?.sandboxCommand("pulumi-tidb sandbox");
            const { words, paths } = completionsOf(program, given, sandbox);
            const lines = words.map(({ word, description }) => `${word}\t${description}`);
            process.stdout.write([...lines, ...(paths ? [`:${paths}`] : [])].map((line) => `${line}\n`).join(""));
        });
}
