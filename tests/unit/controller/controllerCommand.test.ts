import * as assert from "node:assert/strict";
import { Command } from "commander";
import { addControllerCommand, type ControllerOptions, runCommand } from "../../../bin/controllerCommand";
import { pinnedWords } from "../../support/pinned";

const options = (more: Partial<ControllerOptions>): ControllerOptions => ({
    act: [],
    interval: 10,
    leaseName: "pulumi-tidb-controller",
    listen: { host: "127.0.0.1", port: 0 },
    logFormat: "json",
    ...more,
});

/** What the command says of these words; it never begins. */
async function refusal(...words: string[]): Promise<string> {
    const program = new Command("pulumi-tidb").exitOverride();
    let text = "";
    addControllerCommand(program);
    for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
        command.exitOverride().configureOutput({ writeErr: (line) => (text += line) });
    }
    await assert.rejects(program.parseAsync(["controller", "run", ...words], { from: "user" }), {
        code: "commander.invalidArgument",
    });
    return text;
}

describe("pulumi-tidb controller run", () => {
    const refused: Record<string, Partial<ControllerOptions>> = {
        "no namespace": {},
        "a namespace and all of them": { namespace: ["tidb"], allNamespaces: true },
        "several namespaces, and none for its Lease": { namespace: ["blue", "green"] },
        "a cluster of another namespace": {
            namespace: ["tidb"],
            cluster: [{ namespace: "blue", cluster: "main" }],
        },
        "all namespaces, and none for its Lease": { allNamespaces: true },
        "a kubeconfig that does not exist": { namespace: ["tidb"], kubeconfig: "/does/not/exist" },
    };
    for (const [title, given] of Object.entries(refused)) {
        it(`refuses ${title}`, async () => assert.equal((await runCommand(options(given))).exitCode, 1));
    }

    const words = [
        ["--act", "upgrade"],
        ["--lease-name", "basic-pulumi-tidb"],
        ["--cluster", "main"],
        ["--interval", "0"],
        ["--listen", "somewhere"],
        ["--listen", "70000"],
    ];
    for (const given of words) {
        it(`refuses ${given.join(" ")}`, () => refusal("-n", "tidb", ...given));
    }

    pinnedWords("controller-command", {
        ...Object.fromEntries(
            Object.entries(refused).map(([title, given]) => [
                title,
                async () => (await runCommand(options(given))).errors,
            ]),
        ),
        ...Object.fromEntries(words.map((given) => [given.join(" "), () => refusal("-n", "tidb", ...given)])),
    });
});
