import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { commandLine } from "../../../bin/pulumi-tidb";
import { commentMarker } from "../../../plan/markdownPlan";
import { root } from "./pages";

interface Step {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
    readonly env?: Readonly<Record<string, string>>;
}

interface Job {
    readonly if?: string;
    readonly environment: string;
    readonly steps: readonly Step[];
}

const folder = join(root, "examples", "ci");

function readWorkflow(file: string) {
    const text = readFileSync(join(folder, ".github", "workflows", file), "utf8");
    const document = parseDocument(text, { strict: true });
    const workflow = document.toJS() as Record<string, unknown> & { jobs: Record<string, Job> };
    const jobs = Object.values(workflow.jobs);
    return { text, document, workflow, jobs, steps: jobs.flatMap((job) => job.steps) };
}

/** Keys that GitHub documents for a workflow, a job and a step, as far as one of ours may have them. */
const known = {
    workflow: ["name", "on", "concurrency", "permissions", "env", "jobs"],
    job: ["if", "runs-on", "environment", "permissions", "timeout-minutes", "steps"],
    step: ["name", "id", "if", "uses", "with", "run", "env"],
};

/** Inputs of `pulumi/actions` 7.0.0, from its action.yml. */
const pulumiInputs = ["command", "stack-name", "diff", "comment-on-pr"];

describe("the workflows of examples/ci", () => {
    for (const file of ["tidb.yml", "drift.yml"]) {
        it(`${file} is YAML with keys that GitHub knows`, () => {
            const { document, workflow, jobs, steps } = readWorkflow(file);
            assert.deepEqual([...document.errors, ...document.warnings], []);
            assert.deepEqual(unknownKeys(workflow, known.workflow), []);
            assert.deepEqual(
                jobs.flatMap((job) => unknownKeys(job, known.job)),
                [],
            );
            assert.deepEqual(
                steps.flatMap((step) => unknownKeys(step, known.step)),
                [],
            );
            assert.ok(steps.every(({ uses, run }) => (uses === undefined) !== (run === undefined)));
            const pulumi = steps.filter(({ uses }) => uses?.startsWith("pulumi/actions@"));
            assert.deepEqual(
                pulumi.flatMap((step) => unknownKeys(step.with ?? {}, pulumiInputs)),
                [],
            );
        });

        it(`${file} uses actions of pinned versions, may only read unless a job says otherwise, and has scripts that bash can read`, () => {
            const { workflow, steps } = readWorkflow(file);
            const used = steps.flatMap(({ uses }) => uses ?? []);
            assert.ok(
                used.every((action) => /@v\d+\.\d+\.\d+$/.test(action)),
                used.join(", "),
            );
            assert.deepEqual(workflow.permissions, { contents: "read" });
            for (const { run } of steps) {
                if (run !== undefined) {
                    execFileSync("bash", ["-n", "-c", run.replace(/\$\{\{.*?\}\}/g, "0")]);
                }
            }
        });
    }
});

describe("the workflow for drift of examples/ci", () => {
    it("compares the cluster with the program by a preview, and changes nothing", () => {
        const { steps } = readWorkflow("drift.yml");
        const calls = steps.flatMap(({ run }) => run?.match(/^pulumi .*/) ?? []);
        assert.deepEqual(calls, [
            'pulumi preview --refresh --expect-no-changes --diff --stack "$STACK" --non-interactive',
        ]);
        assert.ok(steps.every((step) => step.with?.command === undefined));
    });
});

describe("the workflow for plans of examples/ci", () => {
    const { text, workflow, steps } = readWorkflow("tidb.yml");

    it("previews a pull request and comments, and previews and updates after the merge", () => {
        const pulumi = steps.filter(({ uses }) => uses?.startsWith("pulumi/actions@"));
        assert.deepEqual(
            pulumi.map((step) => step.with?.command),
            ["preview", "preview", "up"],
        );
        assert.match(text, /pull-requests: write/);
    });

    it("gives no secrets to a fork, and updates only after a push to main, in an environment with reviewers", () => {
        const { plan, apply } = workflow.jobs;
        assert.match(plan.if ?? "", /head\.repo\.full_name == github\.repository/);
        assert.deepEqual([apply.if, apply.environment], ["github.event_name == 'push'", "production"]);
    });

    it("puts no text of a contributor into a script: expressions only name numbers of steps", () => {
        const expressions = steps.flatMap(({ run = "" }) => run.match(/\$\{\{.*?\}\}/g) ?? []);
        assert.ok(
            expressions.every((one) => one === "${{ steps.gates.outputs.code }}"),
            expressions.join(", "),
        );
    });

    it("calls options that pulumi-tidb has", () => {
        // Without a condition: comment.sh fails the job if there is no plan.
        assert.ok(steps.some(({ run, ...step }) => run === "./comment.sh plan.md" && !("if" in step)));
        const options = commandLine().commands.find((command) => command.name() === "plan")?.options ?? [];
        const [call] = /npx pulumi-tidb plan .*/.exec(text) ?? [""];
        const given = call.match(/--[a-z-]+/g) ?? [];
        assert.deepEqual(given, ["--operations", "--output"]);
        assert.ok(given.every((flag) => options.some(({ long }) => long === flag)));
    });
});

describe("comment.sh of examples/ci", () => {
    let scratch: string;
    beforeEach(() => {
        scratch = mkdtempSync(join(tmpdir(), "pulumi-tidb-comment-"));
        writeFileSync(join(scratch, "plan.md"), `${commentMarker}\n\n## TidbCluster\n`);
    });
    afterEach(() => rmSync(scratch, { recursive: true, force: true }));

    /** Runs the script with a GitHub CLI that lists the id, and records how it is called. */
    function calls(id: string): string[] {
        const gh = join(scratch, "gh");
        const log = join(scratch, "log");
        writeFileSync(
            gh,
            `#!/bin/sh\necho "$first_line|$*" >> "${log}"\ncase "$*" in *--jq*) printf '%s' "${id}";; esac\n`,
        );
        chmodSync(gh, 0o755);
        const env = {
            ...process.env,
            PATH: `${scratch}:${process.env.PATH}`,
            GITHUB_REPOSITORY: "acme/db",
            PULL_REQUEST: "7",
        };
        execFileSync("sh", [join(folder, "comment.sh"), "plan.md"], {
            cwd: scratch,
            env,
            encoding: "utf8",
            stdio: "pipe",
        });
        return readFileSync(log, "utf8").trim().split("\n").slice(1);
    }

    it("fails without asking GitHub if there is no plan, so that an older comment does not count as one", () => {
        for (const prepare of [
            () => writeFileSync(join(scratch, "plan.md"), ""),
            () => rmSync(join(scratch, "plan.md")),
        ]) {
            prepare();
            assert.throws(() => calls("42\n"), { status: 1, stderr: /plan\.md is empty or missing, expected a plan/ });
            assert.ok(!existsSync(join(scratch, "log")));
        }
    });

    it("writes a new comment if there is none", () => {
        assert.deepEqual(calls(""), [
            `${commentMarker}|api --silent --method POST repos/acme/db/issues/7/comments --field body=@plan.md`,
        ]);
    });

    it("replaces the comment that begins with the plan's first line", () => {
        assert.deepEqual(calls("42\n"), [
            `${commentMarker}|api --silent --method PATCH repos/acme/db/issues/comments/42 --field body=@plan.md`,
        ]);
    });
});

function unknownKeys(value: object, keys: readonly string[]): string[] {
    return Object.keys(value).filter((key) => !keys.includes(key));
}
