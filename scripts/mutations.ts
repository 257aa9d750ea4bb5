import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { mutations } from "./mutations/list";
import type { Mutation } from "./mutations/mutation";

/**
 * Removes one rule at a time from a copy of this repository, and checks whether a unit test fails. Does not touch the
 * working tree.
 *
 * usage: mutations.ts [--only WORDS] [--model] [--check]
 *   --only WORDS   try only the mutations whose names contain these words
 *   --model        run only the random model, with FC_RUNS runs (default 300), to see what it finds by itself
 *   --check        run no tests; only check that each mutation still applies to the code
 */

const root = resolve(__dirname, "..");
const workers = 2;
const notCopied = new Set(["node_modules", ".git", "dist", "examples", "docs", "coverage"]);
/** Tests of the rules take seconds; those of the model take longer. */
const quick = ["lifecycle", "gates", "cluster"].map((folder) => `tests/unit/${folder}/**/*.test.ts`);
const model = ["tests/model/**/*.test.ts"];

const mocha = [
    join(root, "node_modules", "mocha", "bin", "mocha.js"),
    ...["--no-config", "--require", "tsx/cjs", "--extension", "ts", "--timeout", "60000"],
];

type Outcome = { mutation: Mutation; by: string | undefined; seconds: number };

const usage = "usage: npm run mutants -- [--only WORDS] [--model] [--check]\n";

async function main(options: readonly string[]): Promise<number> {
    if (options.some((one) => one.startsWith("-") && !["--only", "--model", "--check"].includes(one))) {
        process.stderr.write(usage);
        return 2;
    }
    const at = options.indexOf("--only");
    const chosen = at < 0 ? mutations : mutations.filter(({ name }) => name.includes(options[at + 1]));
    const outdated = chosen.filter((mutation) => occurrences(mutation) !== 1);
    for (const { name, file, find } of outdated) {
        process.stderr.write(`does not apply: ${name}: expected exactly once in ${file}: ${JSON.stringify(find)}\n`);
    }
    process.stdout.write(`${chosen.length - outdated.length} of ${chosen.length} mutations apply\n`);
    if (options.includes("--check")) {
        return outdated.length > 0 ? 1 : 0;
    }
    const waiting = chosen.filter((mutation) => !outdated.includes(mutation));
    const outcomes: Outcome[] = [];
    const red = options.includes("--model") ? [] : await redFiles();
    red.forEach((file) => process.stdout.write(`skipped, because it fails without any mutation: ${file}\n`));
    await Promise.all(
        Array.from({ length: workers }, async () => {
            const copy = copyOfRoot();
            try {
                await assertGreen(copy, chosen);
                for (let next = waiting.shift(); next; next = waiting.shift()) {
                    const outcome = await tryOne(copy, next, options.includes("--model"), red);
                    outcomes.push(outcome);
                    const by = outcome.by === undefined ? "SURVIVED" : `found by ${outcome.by}`;
                    process.stdout.write(`${by}: ${next.name} (${Math.round(outcome.seconds)} s)\n`);
                }
            } finally {
                rmSync(copy, { recursive: true });
            }
        }),
    );
    const survived = outcomes.filter(({ by }) => by === undefined);
    process.stdout.write(`${outcomes.length - survived.length} of ${outcomes.length} mutations found\n`);
    survived.forEach(({ mutation }) => process.stdout.write(`survived: ${mutation.name} (${mutation.file})\n`));
    return survived.length + red.length + outdated.length === 0 ? 0 : 1;
}

function occurrences({ file, find }: Mutation): number {
    return readFileSync(join(root, file), "utf8").split(patternOf(find)).length - 1;
}

/** Matches any white space between words, because the formatter may break a line anywhere. */
function patternOf(find: string): RegExp {
    const escaped = find.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new RegExp(escaped.replace(/\s+/g, "\\s+"));
}

function copyOfRoot(): string {
    const copy = mkdtempSync(join(tmpdir(), "mutations-"));
    cpSync(root, copy, { recursive: true, filter: (path) => !notCopied.has(relative(root, path)) });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    return copy;
}

/** Runs the mutation's own tests first, then the other quick tests, then all unit tests, then the model. */
async function tryOne(copy: string, mutation: Mutation, modelAlone: boolean, red: readonly string[]): Promise<Outcome> {
    const path = join(copy, mutation.file);
    const original = readFileSync(path, "utf8");
    const began = Date.now();
    const stages: [string, readonly string[]][] = modelAlone
        ? [["the model", model]]
        : [
              ["its own tests", mutation.tests],
              ["another quick test", quick],
              ["another unit test", ["tests/unit/**/*.test.ts"]],
              ["the model", model],
          ];
    try {
        writeFileSync(
            path,
            original.replace(patternOf(mutation.find), () => mutation.replace),
        );
        for (const [by, files] of stages) {
            if (by === "the model" && !modelAlone && !(await modelIsGreen())) {
                continue;
            }
            const asked = files.filter((file) => !red.includes(file));
            if (asked.length > 0 && !(await pass(copy, asked, red, modelAlone))) {
                return { mutation, by, seconds: (Date.now() - began) / 1000 };
            }
        }
        return { mutation, by: undefined, seconds: (Date.now() - began) / 1000 };
    } finally {
        writeFileSync(path, original);
    }
}

/** Checks that the tests pass without a mutation: a test that always fails would seem to find every mutation. */
async function assertGreen(copy: string, chosen: readonly Mutation[]): Promise<void> {
    const tests = [...new Set(chosen.flatMap((mutation) => mutation.tests))];
    if (!(await pass(copy, tests, [], false))) {
        throw new Error("tests fail in a copy without any mutation: run `npm run test:unit` first");
    }
}

/** @returns the quick tests that fail on unchanged code: they say nothing about a mutation. */
async function redFiles(): Promise<string[]> {
    const options = [...mocha, "--reporter", "json", ...quick];
    const run = spawn(process.execPath, options, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
    let text = "";
    run.stdout.on("data", (data: Buffer) => (text += data.toString()));
    await new Promise((resolveEnd) => run.on("close", resolveEnd));
    const { failures } = JSON.parse(text.slice(text.indexOf('{\n  "stats"'))) as { failures: { file: string }[] };
    return [...new Set(failures.map(({ file }) => relative(root, file)))];
}

let green: Promise<boolean> | undefined;

/** @returns whether the model's tests pass on unchanged code. They run once, for the first mutation that needs them. */
function modelIsGreen(): Promise<boolean> {
    green ??= pass(root, model, [], false).then((isGreen) => {
        if (!isGreen) {
            process.stdout.write("skipped, because it fails without any mutation: the model\n");
        }
        return isGreen;
    });
    return green;
}

/** @returns whether the tests pass. */
function pass(
    copy: string,
    files: readonly string[],
    ignored: readonly string[],
    modelAlone: boolean,
): Promise<boolean> {
    const ignore = ignored.flatMap((file) => ["--ignore", file]);
    const env = { ...process.env, ...(modelAlone ? { FC_RUNS: process.env.FC_RUNS ?? "300" } : {}) };
    const options = [...mocha, "--bail", ...ignore, ...files];
    const run = spawn(process.execPath, options, { cwd: copy, env, stdio: "ignore" });
    return new Promise((resolvePass, reject) => {
        run.on("error", reject);
        run.on("exit", (code) => resolvePass(code === 0));
    });
}

main(process.argv.slice(2)).then(
    (code) => (process.exitCode = code),
    (error: Error) => {
        process.stderr.write(`mutations: ${error.message}\n`);
        process.exitCode = 1;
    },
);
