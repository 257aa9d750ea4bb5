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
        .description("stop a node of a sandbox, to see what happens to its pods, and start it again")
        .helpCommand("help [command]", "print the help of a command");
    const add = (
        name: string,
        description: string,
        act: (kubeconfig: string, node: string) => Promise<PodOnNode[]>,
        words: (node: string, pods: string) => string[],
    ): void => {
        node.command(name)
            .description(description)
            .argument("<node>", "name of the node, as `kubectl get nodes` shows it")
            .addOption(
                new SandboxNameOption(
                    "--sandbox <name>",
                    "name of the sandbox; default: the only one, or of several the one that KUBECONFIG names",
                ),
            )
            .action((which: string, options: { sandbox?: string }) =>
                report(async () => {
                    const states = await listSandboxes(sandboxesFolder());
                    const state = usableSandbox(states, options.sandbox, command, process.env.KUBECONFIG);
                    const pods = (await act(state.kubeconfig, which)).map(
                        ({ namespace, name: pod }) => `${namespace}/${pod}`,
                    );
                    words(which, pods.join(", ")).forEach((line) => console.log(line));
                }),
            );
    };
    add(
        "stop",
        "stop a node as if its machine had lost power: its pods and its heartbeats end",
        stopNode,
        (name, pods) => [
            `Stopped ${name}${pods === "" ? ", on which there is no pod" : `, and with it ${pods}`}.`,
            `Kubernetes calls it NotReady in about 50 s. To start it again: ${command} node start ${name}`,
        ],
    );
    add(
        "start",
        "start a stopped node: it is Ready, and the containers of its pods start again",
        startNode,
        (name, pods) => [`Started ${name}${pods === "" ? ", on which there is no pod" : `, and on it ${pods}`}.`],
    );
}
