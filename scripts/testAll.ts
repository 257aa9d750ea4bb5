import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * Runs all tests, or those of one shard, suite after suite. A suite that fails does not keep the next ones from running.
 *
 * usage: testAll.ts [--shard I/N] [--rest] [SUITE...]    SUITE is unit, model, contract or e2e; default: all of them. --rest leaves
 * out the files that `npm test` runs whole.
 */

const suites = ["unit", "model", "contract", "e2e"];
const root = join(__dirname, "..");

/** @returns the files of a suite in the order of its configuration, where slow ones may come first. @param spec paths, or `<folder>/**` patterns. */
export function filesOf(spec: readonly string[], folder = root): string[] {
    return spec.flatMap((one) => {
        const [start] = one.split("/**");
        return statSync(join(folder, start)).isFile()
            ? [start]
            : readdirSync(join(folder, start), { recursive: true, encoding: "utf8" })
                  .filter((name) => name.endsWith(".test.ts"))
                  .map((name) => `${start}/${name}`)
                  .sort();
    });
}

/** @returns every n-th file from the i-th on, so that slow ones that follow each other come into different shards. @throws Error if the text is not I/N. */
export function shardOf(files: readonly string[], shard = "1/1"): string[] {
    const [, index, count] = (/^([1-9]\d*)\/([1-9]\d*)$/.exec(shard) ?? []).map(Number);
    if (index === undefined || index > count) {
        throw new Error(`--shard: found ${shard}, expected I/N with I from 1 to N, as in 2/4`);
    }
    return files.filter((_, position) => position % count === index - 1);
}

function configOf(suite: string): { spec: string[] } {
    return JSON.parse(readFileSync(join(root, `.mocharc.${suite}.json`), "utf8")) as { spec: string[] };
}

/** @returns the files that `npm test` runs whole: not one with a test marked as thorough, and no model, of which it plays fewer stories. */
export function quickFiles(): string[] {
    const files = ["quick", "day"].flatMap((suite) => filesOf(configOf(suite).spec));
    return files.filter(
        (file) => !file.startsWith("tests/model/") && !readFileSync(join(root, file), "utf8").includes("@thorough"),
    );
}

function run(suite: string, shard: string | undefined, leftOut: readonly string[], folder: string): boolean {
    const { spec, ...options } = configOf(suite);
    const files = shardOf(filesOf(spec), shard).filter((file) => !leftOut.includes(file));
    const config = join(folder, `${suite}.json`);
    writeFileSync(config, JSON.stringify({ ...options, spec: files }));
    const mocha = join(root, "node_modules", "mocha", "bin", "mocha.js");
    const began = Date.now();
    const { status } = spawnSync(process.execPath, [mocha, "--config", config], { cwd: root, stdio: "inherit" });
    const seconds = Math.round((Date.now() - began) / 1000);
    console.log(`${suite}: ${status === 0 ? "passed" : "FAILED"} after ${seconds} s`);
    return status === 0;
}

function main(args: string[]): number {
    const options = { shard: { type: "string" }, rest: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const unknown = positionals.find((name) => !suites.includes(name));
    if (unknown !== undefined) {
        throw new Error(`found the suite ${unknown}, expected one of ${suites.join(", ")}`);
    }
    shardOf([], values.shard);
    const folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-tests-"));
    try {
        const chosen = positionals.length === 0 ? suites : positionals;
        const leftOut = values.rest === true ? quickFiles() : [];
        const results = chosen.map((suite) => run(suite, values.shard, leftOut, folder));
        return results.every((passed) => passed) ? 0 : 1;
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

if (require.main === module) {
    process.exitCode = main(process.argv.slice(2));
}
