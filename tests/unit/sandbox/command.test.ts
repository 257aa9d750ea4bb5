import * as assert from "node:assert/strict";
import { Command } from "commander";
import { addSandboxCommand } from "../../../bin/sandboxCommand";
import { sandboxCommand } from "../../../sandbox/command";

type Load = Parameters<typeof addSandboxCommand>[1];

async function run(load: Load, words: string[]): Promise<void> {
    const program = new Command("npx pulumi-tidb").version("0.0.0", "-v, --version");
    addSandboxCommand(program, load);
    await program.parseAsync(["sandbox", ...words], { from: "user" });
}

/** What `require` throws where a module is not there. */
function without(name: string): Load {
    return () => {
        const message = `Cannot find module '${name}'\nRequire stack:\n- /somewhere/bin/sandboxCommand.js`;
        throw Object.assign(new Error(message), { code: "MODULE_NOT_FOUND" });
    };
}

describe("pulumi-tidb sandbox", () => {
    it("passes all words after it on, including options", async () => {
        for (const words of [
            [],
            ["start", "--name", "one", "--nodes", "3"],
            ["list", "-o", "json"],
            ["stop", "-h"],
            ["--help"],
        ]) {
            const given: [readonly string[], string][] = [];
            await run(
                () => ({ runSandboxCommand: async (...handed) => void given.push(handed), sandboxCommand }),
                words,
            );
            assert.deepEqual(given, [[words, "npx pulumi-tidb sandbox"]]);
        }
    });

    it("says how to install the sandbox if it is missing", async () => {
        const written: string[] = [];
        const { write } = process.stderr;
        const { exitCode } = process;
        process.stderr.write = ((text: string) => written.push(text) > 0) as typeof write;
        try {
            await run(without("pulumi-tidb-sandbox/command"), ["start"]);
            assert.equal(process.exitCode, 1);
        } finally {
            process.stderr.write = write;
            process.exitCode = exitCode;
        }
        assert.match(
            written.join(""),
            /^error: the sandbox is a separate package .*npm pack --workspace sandbox in a clone of pulumi-tidb, .*npm install --save-dev PATH, .*\n$/,
        );
    });

    it("does not blame the sandbox if something that it needs is missing", async () => {
        await assert.rejects(run(without("yaml"), ["start"]), /^Error: Cannot find module 'yaml'/);
    });
});
