import type { Command } from "commander";
import { usableSandbox } from "./chooseSandbox";
import { sandboxesFolder } from "./controlPlane/folders";
import { type PodOnNode, startNode, stopNode } from "./controlPlane/nodes";
import { listSandboxes } from "./controlPlane/registry";
import { SandboxNameOption } from "./sandboxNameOption";

/**
 * Adds `node stop` and `node start`, which play the death of a node and its return.
 *
 * @param report Runs the work, prints its error and sets the exit code.
 */
export function addNodeCommand(
    sandbox: Command,
    command: string,
    report: (work: () => Promise<void>) => Promise<void>,
): void {
    const node = sandbox
        .command("node")
        .description("stop a node of a sandbox, to see what becomes of its pods, and start it again")
        .helpCommand("help [command]", "print the help of a command");
    const add = (verb: string, description: string, act: (name: string, sandboxName?: string) => Promise<string[]>) =>
        node
            .command(verb)
            .description(description)
            .argument("<node>", "name of the node, as `kubectl get nodes` shows it")
            .addOption(
                new SandboxNameOption(
                    "--sandbox <name>",
                    "name of the sandbox; default: the only one, or of several the one that KUBECONFIG names",
                ),
            )
            .action((name: string, options: { sandbox?: string }) =>
                report(async () => {
                    const lines = await act(name, options.sandbox);
                    lines.forEach((line) => console.log(line));
                }),
            );
    const kubeconfigOf = async (sandboxName?: string): Promise<string> => {
        const states = await listSandboxes(sandboxesFolder());
        return usableSandbox(states, sandboxName, command, process.env.KUBECONFIG).kubeconfig;
    };
    add("stop", "stop a node, as if its machine had lost power", async (name, sandboxName) => {
        const pods = await stopNode(await kubeconfigOf(sandboxName), name);
        const again = `${command} node start ${name}${sandboxName === undefined ? "" : ` --sandbox ${sandboxName}`}`;
        return [
            `Stopped ${name}, and with it ${listed(pods)}.`,
            "Its heartbeats have ended too: Kubernetes calls it NotReady in about 50 s.",
            `To start it again: ${again}`,
        ];
    });
    add("start", "start a stopped node: the containers of its pods start again", async (name, sandboxName) => {
        const pods = await startNode(await kubeconfigOf(sandboxName), name);
        return [`Started ${name}, and on it ${listed(pods)}.`];
    });
}

function listed(pods: readonly PodOnNode[]): string {
    return pods.length === 0 ? "no pod" : pods.map(({ namespace, name }) => `${namespace}/${name}`).join(", ");
}
