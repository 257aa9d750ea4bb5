import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { startSandbox, type Sandbox } from "pulumi-tidb-sandbox";
import {
    binaryVariable,
    findPulumi,
    type PulumiDriver,
    type PulumiOperation,
    type PulumiRun,
} from "pulumi-tidb-sandbox/pulumi";

const programs = path.join(__dirname, "..", "fixtures", "programs");
const hasCli = spawnSync(process.env[binaryVariable] || "pulumi", ["version"]).status === 0;

interface RunOptions {
    config?: Record<string, string>;
    environment?: Record<string, string>;
    onLine?: (line: string) => void;
}

/** One stack of one program in a state folder of its own. */
function stackOf(getDriver: () => PulumiDriver, program: string, environment: () => Record<string, string>) {
    const stateFolder = mkdtempSync(path.join(tmpdir(), "engine-e2e-"));
    const start = (operation: PulumiOperation, options: RunOptions = {}) =>
        getDriver().start(operation, {
            program: path.join(programs, program),
            stack: "test",
            stateFolder,
            skipPreview: true,
            config: options.config,
            onLine: options.onLine,
            // Type checking the program is not what is tested, and takes most of the time.
            environment: { PULUMI_NODEJS_TRANSPILE_ONLY: "true", ...environment(), ...options.environment },
        });
    return {
        stateFolder,
        start,
        run: (operation: PulumiOperation, options?: RunOptions) => start(operation, options).done,
        remove: () => rmSync(stateFolder, { recursive: true, force: true }),
    };
}

/** The steps that change something, as `operation name`, in no particular order. */
function changesOf(run: PulumiRun): string[] {
    return run.steps
        .filter(({ op }) => op !== "same")
        .map(({ op, name }) => `${op} ${name}`)
        .sort();
}

function stepOf(run: PulumiRun, name: string): PulumiRun["steps"][number] {
    const step = run.steps.find((each) => each.name === name);
    assert.ok(step, `no step for ${name} in:\n${run.output}`);
    return step;
}

function assertOk(run: PulumiRun): void {
    assert.equal(run.ok, true, run.output);
}

function errorsOf(run: PulumiRun): string {
    return run.diagnostics
        .filter(({ severity }) => severity === "error")
        .map(({ message }) => message)
        .join("\n");
}

function filesUnder(folder: string): string[] {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
        .map((file) => path.join(folder, file))
        .filter((file) => statSync(file).isFile());
}

const engines = [
    { choice: "sandbox" as const, name: "the sandbox's engine", present: true },
    {
        choice: "cli" as const,
        name: hasCli ? "the Pulumi CLI" : "the Pulumi CLI (not found: not tested)",
        present: hasCli,
    },
];

for (const engine of engines) {
    (engine.present ? describe : describe.skip)(`A program with dynamic resources on ${engine.name}`, () => {
        let driver: PulumiDriver;
        let stack: ReturnType<typeof stackOf>;

        before(async () => {
            driver = await findPulumi(engine.choice);
            stack = stackOf(
                () => driver,
                "plan",
                () => ({}),
            );
        });
        after(() => stack.remove());

        it("previews what it would create, with the inputs that check computes, and does none of it", async () => {
            for (let time = 0; time < 2; time++) {
                const run = await stack.run("preview");
                assertOk(run);
                assert.deepEqual(run.changes, { create: 6, update: 0, replace: 0, delete: 0, same: 0, read: 0 });
                assert.equal(run.outputs.replicas, 3);
                assert.deepEqual(stepOf(run, "pair-second").diff.replicas, { after: 3 });
                assert.ok(!run.output.includes("creating pair-first"));
            }
        });

        it("fails the preview when check finds a failure, and says where and why", async () => {
            const run = await stack.run("preview", { config: { wanted: "-1" } });
            assert.equal(run.ok, false);
            assert.match(errorsOf(run), /pair-first.*property wanted value .*-1.* has a problem: must not be negative/);
            assert.equal(
                run.steps.some(({ name }) => name === "pair-second"),
                false,
            );
        });

        it("creates, shows what providers print, and keeps secrets", async () => {
            const run = await stack.run("up");
            assertOk(run);
            assert.equal(run.changes.create, 6);
            assert.deepEqual(run.outputs, { replicas: 3, password: "[secret]" });
            assert.ok(run.diagnostics.some(({ message }) => message.includes("creating pair-first")));
            for (const file of filesUnder(stack.stateFolder)) {
                assert.ok(!readFileSync(file, "utf8").includes("hunter2"), `${file} holds the secret in clear`);
            }
        });

        it("does nothing when nothing has changed", async () => {
            const run = await stack.run("up");
            assertOk(run);
            assert.deepEqual(changesOf(run), []);
            assert.equal(run.changes.same, 6);
        });

        it("carries out a plan that comes from the live system, with no change in the program", async () => {
            const run = await stack.run("preview", { environment: { LIVE: "2" } });
            assertOk(run);
            assert.deepEqual(stepOf(run, "pair-first").diff, { "plan[0]": { after: "go from 2 to 3, was 3" } });
            assert.equal(run.changes.update, 4);
        });

        it("shows the plan and the values that follow from it before it acts", async () => {
            const run = await stack.run("preview", { config: { wanted: "5" } });
            assertOk(run);
            assert.deepEqual(changesOf(run), ["update pair-first", "update pair-second"]);
            assert.deepEqual(stepOf(run, "pair-second").diff, {
                wanted: { before: 3, after: 5 },
                replicas: { before: 3, after: 5 },
            });
            assert.equal(run.outputs.replicas, 5);
        });

        it("keeps what was done when a step fails, and the next run does the rest", async () => {
            const config = { wanted: "4", extra: "true", name: "other", fails: "true" };
            await stack.run("up", { config: { extra: "false" } });
            const failed = await stack.run("up", { config });
            assert.equal(failed.ok, false);
            assert.match(errorsOf(failed), /cannot create other/);
            const next = await stack.run("up", { config: { wanted: "4", name: "other" } });
            assertOk(next);
            assert.deepEqual(changesOf(next), ["create other"]);
        });

        it("takes an alias for the same resource, and replaces where the provider says so", async () => {
            const run = await stack.run("up", { config: { wanted: "4", zone: "z1", name: "other" } });
            assertOk(run);
            assert.deepEqual(changesOf(run), ["replace pair-first"]);
            assert.match(run.output, /deleting pair-first[^]*creating pair-first/);
            await stack.run("up", { config: { wanted: "4", zone: "z1", extra: "false" } });
            await stack.run("up", { config: { wanted: "4", zone: "z1" } });
            const renamed = await stack.run("up", { config: { wanted: "4", zone: "z1", name: "renamed" } });
            assert.deepEqual(changesOf(renamed), []);
        });

        it("does not delete what is protected, and forgets what is to be retained", async () => {
            const config = { wanted: "4", zone: "z1", name: "renamed" };
            assertOk(await stack.run("up", { config: { ...config, protect: "true" } }));
            const refused = await stack.run("up", { config: { ...config, extra: "false" } });
            assert.equal(refused.ok, false);
            assert.match(errorsOf(refused), /it is protected/);
            assertOk(await stack.run("up", { config: { ...config, retain: "true" } }));
            const forgotten = await stack.run("up", { config: { ...config, extra: "false" } });
            assertOk(forgotten);
            assert.equal(forgotten.changes.delete, 1);
            assert.ok(!forgotten.output.includes("deleting extra"));
        });

        it("refuses a second run of the stack beside a first, and after a kill tries again what was under way", async () => {
            const config = { wanted: "4", zone: "z1", milliseconds: "60000" };
            let begun: () => void;
            const isUnderWay = new Promise<void>((resolve) => (begun = resolve));
            const first = stack.start("up", { config, onLine: (line) => line.includes("creating extra") && begun() });
            await isUnderWay;
            const second = await stack.run("up", { config });
            assert.equal(second.ok, false);
            assert.match(second.output, /currently locked/);

            first.kill();
            const killed = await first.done;
            assert.equal(killed.exitCode, null);
            assert.equal(stepOf(killed, "extra").op, "create");

            const next = await stack.run("up", { config: { ...config, milliseconds: "0" } });
            assertOk(next);
            assert.deepEqual(changesOf(next), ["create extra"]);
            assert.match(next.diagnostics.map(({ message }) => message).join("\n"), /interrupted while creating/);
        });

        it("refreshes, and then destroys everything in reverse order", async () => {
            const refreshed = await stack.run("refresh");
            assertOk(refreshed);
            assert.equal(refreshed.changes.same, 6);
            const destroyed = await stack.run("destroy");
            assertOk(destroyed);
            assert.equal(destroyed.changes.delete, 6);
            assert.match(destroyed.output, /deleting pair-second[^]*deleting pair-first/);
            assert.equal((await stack.run("preview")).changes.create, 6);
        });

        it("says what is wrong with a program that does not run", async () => {
            const broken = stackOf(
                () => driver,
                "broken",
                () => ({}),
            );
            const run = await broken.run("preview");
            broken.remove();
            assert.equal(run.ok, false);
            assert.match(errorsOf(run), /broken on purpose/);
        });
    });
}

describe("A program with Kubernetes objects", () => {
    let sandbox: Sandbox;
    before(async () => {
        sandbox = await startSandbox();
    });
    after(() => sandbox.down());

    for (const engine of engines) {
        (engine.present ? describe : describe.skip)(`on ${engine.name}`, () => {
            let driver: PulumiDriver;
            let stack: ReturnType<typeof stackOf>;
            const namespace = `objects-${engine.choice}`;
            const run = (operation: PulumiOperation, config: Record<string, string> = {}) =>
                stack.run(operation, { config: { namespace, ...config } });

            before(async () => {
                driver = await findPulumi(engine.choice);
                stack = stackOf(
                    () => driver,
                    "objects",
                    () => ({ KUBECONFIG: sandbox.kubeconfig }),
                );
            });
            after(() => stack.remove());

            it("previews names and namespaces before anything is there", async () => {
                const preview = await run("preview");
                assertOk(preview);
                assert.equal(preview.changes.create, 8);
                assert.match(String(preview.outputs.settingsName), /^settings-[0-9a-f]{8}$/);
                const { metadata } = stepOf(preview, "store").diff;
                assert.equal((metadata?.after as { namespace?: string }).namespace, namespace);
            });

            it("creates, waits for the Deployment, and has nothing to do after that", async () => {
                const created = await run("up");
                assertOk(created);
                assert.equal(created.changes.create, 8);
                assert.equal(created.outputs.available, 1);
                assert.match(String(created.outputs.uid), /^[0-9a-f-]{36}$/);
                const again = await run("up");
                assertOk(again);
                assert.deepEqual(changesOf(again), []);
            });

            it("finds an empty map that the server does not keep changed in every update of a custom resource", async () => {
                const created = await run("up", { custom: "true" });
                assertOk(created);
                assert.deepEqual(changesOf(created), ["create empty-part", "create parts", "create plain-part"]);
                for (let time = 0; time < 2; time++) {
                    const again = await run("up", { custom: "true" });
                    assertOk(again);
                    assert.deepEqual(changesOf(again), ["update empty-part"]);
                }
                assert.equal((await run("up")).changes.delete, 3);
            });

            it("updates in place, and replaces a ConfigMap whose name is generated", async () => {
                const preview = await run("preview", { replicas: "3", toml: "x = 1" });
                assertOk(preview);
                assert.deepEqual(changesOf(preview), ["replace settings", "update store"]);
                assert.deepEqual(stepOf(preview, "store").diff["spec.replicas"], { before: 2, after: 3 });
                const up = await run("up", { replicas: "3", toml: "x = 1" });
                assertOk(up);
                assert.deepEqual(changesOf(up), ["replace settings", "update store"]);
            });

            it("leaves alone what is under ignoreChanges", async () => {
                const up = await run("up", { replicas: "5", toml: "x = 1", ignoreReplicas: "true" });
                assertOk(up);
                assert.deepEqual(changesOf(up), []);
            });

            it("foresees that an immutable field replaces the StatefulSet", async () => {
                const preview = await run("preview", { replicas: "3", toml: "x = 1", policy: "OrderedReady" });
                assertOk(preview);
                assert.deepEqual(changesOf(preview), ["replace store"]);
            });

            it("sees nothing new in a refresh, and deletes it all", async () => {
                const refreshed = await run("refresh", { replicas: "3", toml: "x = 1" });
                assertOk(refreshed);
                assert.deepEqual(
                    [refreshed.changes.same, refreshed.changes.update, refreshed.changes.delete],
                    [8, 0, 0],
                );
                const again = await run("up", { replicas: "3", toml: "x = 1" });
                assert.deepEqual(changesOf(again), []);
                const destroyed = await run("destroy");
                assertOk(destroyed);
                assert.equal(destroyed.changes.delete, 8);
            });

            it("names the kubeconfig when the cluster cannot be reached", async () => {
                const nowhere = path.join(stack.stateFolder, "missing-kubeconfig");
                const started = Date.now();
                const failed = await stack.run("up", { config: { namespace }, environment: { KUBECONFIG: nowhere } });
                assert.equal(failed.ok, false);
                assert.match(errorsOf(failed), /unreachable/);
                assert.ok(Date.now() - started < 30_000);
            });
        });
    }
});
