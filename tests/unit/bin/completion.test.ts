import * as assert from "node:assert/strict";
import { completionsOf } from "../../../bin/completion/completions";
import { commandLine } from "../../../bin/pulumi-tidb";
import { sandboxCommand } from "../../../sandbox/command";

const commands = [
    "render",
    "plan",
    "status",
    "diagnose",
    "timeline",
    "convert",
    "sandbox",
    "approve",
    "stop",
    "sweep",
    "controller",
    "completion",
    "help",
];

describe("completion", () => {
    const complete = (line: string, sandbox: Parameters<typeof completionsOf>[2] = sandboxCommand) => {
        const { words, paths } = completionsOf(commandLine(), line.split(" "), sandbox);
        return [...words.map(({ word }) => word), ...(paths ? [`:${paths}`] : [])];
    };

    const rows: [string, string[]][] = [
        ["", commands],
        ["re", ["render"]],
        ["nonsense", []],
        ["render ", [":files"]],
        ["render cluster.yaml ", [":files"]], // takes several
        ["plan cluster.yaml ", []],
        ["render --o", ["--output", "--only", "--operations"]],
        ["render cluster.yaml --st", ["--strict"]],
        ["render --output ", ["json", "yaml"]],
        ["render -o y", ["yaml"]],
        ["render --output=j", ["--output=json"]],
        ["render --output = j", ["json"]], // as bash splits it
        ["render --output =", ["json", "yaml"]],
        ["render --strict ", [":files"]], // takes no value
        ["render -o yaml ", [":files"]],
        ["plan cluster.yaml --kubeconfig ", [":files"]],
        ["plan cluster.yaml --kubeconfig=", [":files"]],
        ["plan cluster.yaml --context ", []],
        ["convert cluster.yaml --stack ", [":folders"]],
        ["stop ", []],
        ["status ", []],
        ["status basic --output ", ["text", "json", "html"]],
        ["completion ", ["bash", "zsh", "fish"]],
        ["controller ", ["run", "help"]],
        ["controller run --log-format ", ["json", "text"]],
        ["sandbox ", ["start", "list", "stop", "node", "pulumi", "help"]],
        ["sandbox st", ["start", "stop"]],
        ["sandbox start --n", ["--name", "--nodes"]],
        ["sandbox pulumi ", ["preview", "up", "destroy", "refresh", "help"]],
        ["sandbox pulumi up ", [":folders"]],
        ["sandbox pulumi up --skip", ["--skip-preview"]],
        ["help ", commands],
        ["help sandbox sta", ["start"]],
        ["--v", ["--version"]],
    ];
    for (const [line, expected] of rows) {
        it(`of "${line}" offers ${expected.join(" ") || "nothing"}`, () => {
            assert.deepEqual(complete(line), expected);
        });
    }

    it("of sandbox offers nothing if its package is not installed", () => {
        assert.deepEqual(
            complete("sandbox st", () => undefined),
            [],
        );
    });
});
