import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { runOperation } from "../../../sandbox/engine/operation";

const program = path.join(__dirname, "../../fixtures/refusals");

/** A promised refusal that hangs, or that is followed by a stack of other errors, costs a user the cause. */
describe("what the sandbox's engine refuses ends the run by name", () => {
    let state: string;
    before(() => (state = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-refusals-"))));
    after(() => rmSync(state, { recursive: true }));

    for (const [name, refusal] of [
        ["stack-reference", /stack reference organization\/other\/dev; pass its outputs with --config, or use the/],
        ["transforms", /the option transforms of acme:index:Shop shop; use the option transformations, or use/],
        ["stack-transforms", /transforms of the whole stack; use transformations, or use the Pulumi CLI/],
        ["function", /the function acme:index:find; leave it out, or use the Pulumi CLI/],
        ["failing-resource", /the cause/],
    ] as const) {
        it(name, async () => {
            const lines: string[] = [];
            const ok = await runOperation("preview", {
                program,
                stack: name,
                state,
                config: { program: name },
                environment: { ...process.env, PULUMI_CONFIG_PASSPHRASE: "" },
                print: (line) => lines.push(line),
            });
            assert.equal(ok, false);
            const output = lines.join("\n");
            const errors = lines.filter((line) => /^\s*error: /.test(line));
            assert.equal(errors.length, 1, output);
            assert.match(errors[0], refusal);
            assert.doesNotMatch(output, /update the Pulumi CLI|Channel has been shut down|unhandled/);
            assert.doesNotMatch(output, /to create/, "a refused preview counts nothing");
        });
    }
});
