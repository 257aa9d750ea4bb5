import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { runBr } from "../../../sandbox/recorders/br/run";

const fixture = path.resolve(__dirname, "../../fixtures/br/refusals.json");
const real = JSON.parse(fs.readFileSync(fixture, "utf8")) as {
    source: string;
    answers: { args: string[]; exitCode: number; error: string | null }[];
};

describe(`the recorder of br: its refusals against those of ${real.source.split(":")[0]}`, () => {
    real.answers.forEach(({ args, exitCode, error }) => {
        it(`br ${args.map((arg) => (arg === "" ? '""' : arg)).join(" ")}: ${error ?? "shows its help"}`, async () => {
            const said: string[] = [];
            const code = await runBr(
                args,
                {
                    environment: { BR_LOG_TO_TERM: "1" },
                    brVersion: "v8.5.4",
                    fault: undefined,
                    kill: () => assert.fail("nothing is to be killed"),
                    now: () => 0,
                },
                { out: () => undefined, err: (line) => said.push(line), append: () => assert.fail("no log file") },
            );
            assert.deepEqual({ code, said }, { code: exitCode, said: error === null ? [] : [`Error: ${error}`] });
        });
    });
});
