import * as assert from "node:assert/strict";
import { Command, CommanderError } from "commander";
import { addControllerCommand, type ControllerOptions, runCommand } from "../../../bin/controllerCommand";

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
    await assert.rejects(program.parseAsync(["controller", "run", ...words], { from: "user" }), CommanderError);
    return text;
}

describe("pulumi-tidb controller run", () => {
    const rows: [title: string, given: Partial<ControllerOptions>, error: RegExp][] = [
        ["no namespace", {}, /^error: found neither, expected either --namespace or --all-namespaces\n$/],
        [
            "a namespace and all of them",
            { namespace: ["tidb"], allNamespaces: true },
            /^error: found both, expected either --namespace or --all-namespaces\n$/,
        ],
        [
            "several namespaces, and none for its Lease",
            { namespace: ["blue", "green"] },
            /^error: --lease-namespace: found none, expected the namespace of the controller's own Lease/,
        ],
        [
            "a cluster of another namespace",
            { namespace: ["tidb"], cluster: [{ namespace: "blue", cluster: "main" }] },
            /^error: --cluster: found namespace blue, expected one of --namespace\n$/,
        ],
        ["all namespaces, and none for its Lease", { allNamespaces: true }, /^error: --lease-namespace: found none/],
        [
            "a kubeconfig that does not exist",
            { namespace: ["tidb"], kubeconfig: "/does/not/exist" },
            /^error: found no kubeconfig: \/does\/not\/exist, given as --kubeconfig, does not exist/,
        ],
    ];
    for (const [title, given, error] of rows) {
        it(`refuses ${title}`, async () => {
            const { errors, exitCode } = await runCommand(options(given));
            assert.match(errors, error);
            assert.equal(exitCode, 1);
        });
    }

    const words: [string[], RegExp][] = [
        [["--act", "upgrade"], /found "upgrade", expected failover, drain, sweep or none/],
        [
            ["--lease-name", "basic-pulumi-tidb"],
            /found "basic-pulumi-tidb", expected another name: the Lease of a cluster/,
        ],
        [["--cluster", "main"], /found "main", expected namespace\/name, such as tidb\/basic/],
        [["--interval", "0"], /found "0", expected whole seconds from 1 to 3600/],
        [["--listen", "somewhere"], /found "somewhere", expected a port or host:port, such as 127\.0\.0\.1:8080/],
        [["--listen", "70000"], /found "70000", expected a port/],
    ];
    for (const [given, error] of words) {
        it(`refuses ${given.join(" ")}`, async () => {
            assert.match(await refusal("-n", "tidb", ...given), error);
        });
    }
});
