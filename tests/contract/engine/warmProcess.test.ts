import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { runOperation } from "../../../sandbox/engine/operation";
import { startNode } from "../../../sandbox/engine/nodeProcess";
import { archiveModules } from "../../support/e2e/moduleArchive";
import { startWarm } from "../../support/e2e/warmProcesses";

const root = path.resolve(__dirname, "../../..");
const quickStart = JSON.stringify(path.join(root, "tests/support/e2e/quickStart.js"));

/** What it finds of an earlier run it prints; what a later one could find it leaves. `create` runs in the process of the gates. */
const program = `
const pulumi = require("@pulumi/pulumi");
const found = () => [globalThis.left, process.env.LEFT, process.listenerCount("SIGUSR2"), Error.stackTraceLimit].join();
console.log("program", process.pid, found(), require("./counted").runs++);
Object.assign(globalThis, { left: "left" });
process.env.LEFT = "left";
process.on("SIGUSR2", () => {});
Error.stackTraceLimit = 11;
const what = new pulumi.Config().require("what");
if (what === "throw") throw new Error("thrown by the program");
if (what === "exit") process.exit(3);
if (what === "leak") require("@pulumi/pulumi/runtime/debuggable").debuggablePromise(new Promise(() => {}), "left");
const create = async (inputs) => {
    console.log("gates", process.pid, globalThis.left);
    globalThis.left = "left";
    require("node:http").createServer().listen(0, "127.0.0.1");
    return { id: "one", outs: inputs };
};
new pulumi.dynamic.Resource({ create }, "resource", {});
`;

describe("a process that runs one program after the other", () => {
    let folder: string;
    before(function () {
        this.timeout(120_000);
        archiveModules();
        folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-warm-"));
        mkdirSync(path.join(folder, "states"));
        symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
        const runtime = "runtime:\n  name: nodejs\n  options:\n    typescript: false\n";
        writeFileSync(path.join(folder, "Pulumi.yaml"), `name: warm\n${runtime}`);
        writeFileSync(path.join(folder, "package.json"), JSON.stringify({ main: "index.js" }));
        writeFileSync(path.join(folder, "index.js"), program);
        writeFileSync(path.join(folder, "counted.js"), "exports.runs = 0;");
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    let states = 0;
    const run = async (what: string, start = startWarm) => {
        const lines: string[] = [];
        const ok = await runOperation("up", {
            program: folder,
            stack: "one",
            state: path.join(folder, "states", String(states++)),
            config: { what },
            skipPreview: true,
            environment: { ...process.env, PULUMI_CONFIG_PASSPHRASE: "", NODE_OPTIONS: `--require ${quickStart}` },
            print: (line) => lines.push(line),
            startNode: start,
        });
        const [printed, gates] = ["program", "gates"].map((who) =>
            lines.map((line) => new RegExp(`^ *${who} (\\d+) (.*)$`, "m").exec(line)).find((match) => match !== null),
        );
        return { ok, output: lines.join("\n"), pids: [printed?.[1], gates?.[1]], found: [printed?.[2], gates?.[2]] };
    };

    it("gives each the state of a new process", async () => {
        const [cold, first, second] = [await run("end", startNode), await run("end"), await run("end")];
        assert.deepEqual([cold.ok, first.ok, second.ok], [true, true, true], second.output);
        assert.deepEqual(second.pids, first.pids, "both ran in the same processes");
        assert.deepEqual(first.found, cold.found);
        assert.deepEqual(second.found, cold.found);
    });

    for (const [what, says] of [
        ["throw", /thrown by the program/],
        ["exit", /the program ended with exit code 3/],
        ["leak", /1 promise was still active/],
    ] as const) {
        it(`fails one that would fail in a new process (${what}), and runs the next`, async () => {
            const failed = await run(what);
            assert.equal(failed.ok, false, failed.output);
            assert.match(failed.output, says);
            assert.equal((await run(what, startNode)).ok, false);
            const next = await run("end");
            assert.equal(next.ok, true, next.output);
        });
    }
});
