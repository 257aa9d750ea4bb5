import * as assert from "node:assert/strict";
import * as path from "node:path";
import type { PulumiRun } from "pulumi-tidb-sandbox/pulumi";
import { describeOnEngine } from "../support/e2e/arena";
import { assertFailed, assertOk, assertUnchanged, messagesOf, until, whileRunning } from "../support/e2e/expect";
import { clusterConfig, openStack, type RunOptions, type TestStack } from "../support/e2e/stack";
import { sqlRecorder } from "../support/sqlRecorder";
import { repeats } from "../support/repeats";

const program = path.resolve(__dirname, "../fixtures/clusters/initializer");
const one = { pd: { replicas: 1 }, tikv: { replicas: 1 }, tidb: { replicas: 1 } };
const recorder = sqlRecorder();

interface Initializer {
    spec: Record<string, unknown>;
    attempt?: number;
    wait?: boolean;
    timeoutSeconds?: number;
}

/** TidbInitializer is the component whose Job these tests run: its command is a real process, whose SQL is recorded. */
describeOnEngine(
    "a Job that runs once",
    (arena) => {
        after(() => recorder.close());
        beforeEach(() => recorder.write({}));

        const open = async (namespace: string): Promise<TestStack> => {
            await arena().kubernetes.createNamespace(namespace);
            await arena().kubernetes.writeSecret(namespace, "passwords", {
                root: "secret-of-root",
                app: "secret-of-app",
            });
            return openStack(arena(), namespace, program, "demo");
        };
        const options = (
            stack: TestStack,
            initializer: Initializer | undefined,
            more: RunOptions = {},
        ): RunOptions => ({
            skipPreview: true,
            ...more,
            config: {
                ...clusterConfig(stack.namespace, one),
                ...(initializer === undefined ? {} : { initializer: JSON.stringify(initializer) }),
            },
        });
        const up = (stack: TestStack, initializer?: Initializer): Promise<PulumiRun> =>
            stack.run("up", options(stack, initializer));
        const preview = (stack: TestStack, initializer?: Initializer): Promise<PulumiRun> =>
            stack.run("preview", options(stack, initializer));
        const commands = (namespace: string): number =>
            arena().sandbox.dataPlane.jobs?.runs.filter((run) => run.namespace === namespace).length ?? 0;
        const isWaiting = (): true | undefined => recorder.read().statements.includes("this waits") || undefined;

        const spec = { passwordSecret: "passwords", initSql: "create database app;" };

        it("initializes a cluster in its first deployment, and never again", async () => {
            const stack = await open("once");
            const planned = assertOk(await preview(stack, { spec }));
            assert.match(
                messagesOf(planned, "init-gate").join("\n"),
                /run Job once\/demo-tidb-initializer to initialize TidbCluster demo, which runs mysqlclient \(tnir\/mysqlclient\)/,
            );
            assert.equal(commands("once"), 0);
            assertOk(await up(stack, { spec }));
            assert.deepEqual(recorder.read().accounts, { "root@%": "secret-of-root", "app@%": "secret-of-app" });
            assert.ok(recorder.read().statements.includes("create database app"));
            assert.equal(commands("once"), 1);
            assertUnchanged(await preview(stack, { spec }));
            assertUnchanged(await up(stack, { spec }));

            // A change does not touch what was done, and says so.
            const changed = await up(stack, { spec: { ...spec, initSql: "create database other;" } });
            assertUnchanged(changed);
            repeats(changed.output, "raise `attempt` from 1 to 2");

            // Its time to live ends, or somebody deletes it.
            await arena().kubernetes.deleteJob("once", "demo-tidb-initializer");
            assertUnchanged(await up(stack, { spec }));
            assertOk(await stack.run("refresh", options(stack, { spec })));
            assertOk(await up(stack, { spec }));
            assert.equal(commands("once"), 1);
            const [job] = await arena().kubernetes.jobs("once");
            assert.equal(job.spec?.suspend, true);
            assertOk(await stack.run("destroy", options(stack, { spec })));
            assert.deepEqual(await arena().kubernetes.jobs("once"), []);
        });

        it("fails with its last words, is not tried again by itself, and runs again with a raised attempt", async () => {
            const stack = await open("fails");
            const wrong = { spec: { ...spec, initSql: "create database app;\nthis fails;" } };
            const output = assertFailed(
                await up(stack, wrong),
                /Job fails\/demo-tidb-initializer: it failed \(BackoffLimitExceeded: .*container mysql-client of pod demo-tidb-initializer-\w+ ended with exit code 1 \(Error\)/,
                /You have an error in your SQL syntax near/,
                /raise `attempt` from 1 to 2/,
            );
            assert.ok(!output.includes("secret-of"), "the output has no password");
            assertFailed(await up(stack, { spec }), /it failed/);
            assert.equal(commands("fails"), 1);
            // The password is set by now: the second attempt logs in with it.
            assertOk(await up(stack, { spec, attempt: 2 }));
            assert.deepEqual(
                recorder.read().logins.map(({ usedPassword }) => usedPassword),
                [false, true],
            );
            assert.equal(commands("fails"), 2);
            assert.deepEqual(
                (await arena().kubernetes.jobs("fails")).map(({ metadata }) => metadata?.name),
                ["demo-tidb-initializer-2"],
            );
            assertUnchanged(await up(stack, { spec, attempt: 2 }));
        });

        it("counts as failed when its process is killed half way, and an update that is killed goes on waiting", async () => {
            const stack = await open("killed");
            const waiting = { spec: { ...spec, initSql: "this waits;" } };
            const started = stack.start("up", options(stack, waiting));
            await whileRunning(started, "the statement runs", isWaiting);
            started.kill();
            await started.done;
            let waits = false;
            const onLine = (line: string) => (waits ||= line.includes("waiting for Job killed/demo-tidb-initializer"));
            const next = stack.start("up", options(stack, waiting, { onLine }));
            await whileRunning(next, "the second update waits", () => waits || undefined);
            const pod = arena().sandbox.dataPlane.jobs?.runs.find(({ namespace }) => namespace === "killed")?.pod ?? "";
            arena().sandbox.dataPlane.jobs?.kill("killed", pod);
            assertFailed(await next.done, /ended with exit code 137/, /raise `attempt` from 1 to 2/);
            assert.equal(commands("killed"), 1);
        });

        it("is not begun again where it was made anew, by Pulumi or by hand, before an update saw that it succeeded", async () => {
            const stack = await open("anew");
            const jobOf = async (name: string) =>
                (await arena().kubernetes.jobs("anew")).find(({ metadata }) => metadata?.name === name);
            const anew = async (initializer: Initializer, name: string) => {
                await arena().kubernetes.deleteJob("anew", name);
                await until("the Job is gone", async () => (await jobOf(name)) === undefined || undefined);
                assertOk(await stack.run("refresh", options(stack, initializer)));
                const words = [
                    new RegExp(`Job anew/${name} was created again \\(uid .*\\), and whether the one before`),
                    new RegExp(`did its work is not known.*raise \`attempt\` from ${initializer.attempt ?? 1} to`),
                ];
                const before = commands("anew");
                assertFailed(await preview(stack, initializer), ...words);
                assertFailed(await up(stack, initializer), ...words);
                // The Job is there by now, and suspended.
                assertFailed(await up(stack, initializer), ...words);
                assert.equal(commands("anew"), before);
                assert.equal((await jobOf(name))?.spec?.suspend, true);
            };
            const waiting = { spec: { ...spec, initSql: "this waits;" } };
            const killed = stack.start("up", options(stack, waiting));
            await whileRunning(killed, "the statement runs", isWaiting);
            killed.kill();
            await killed.done;
            await anew(waiting, "demo-tidb-initializer");

            const wrong = { spec: { ...spec, initSql: "this fails;" }, attempt: 2 };
            assertFailed(await up(stack, wrong), /it failed/);
            await anew(wrong, "demo-tidb-initializer-2");

            const notWaitedFor = { ...waiting, attempt: 3, wait: false };
            assertOk(await up(stack, notWaitedFor));
            await anew(notWaitedFor, "demo-tidb-initializer-3");

            const right = { spec, attempt: 4 };
            assertOk(await up(stack, right));
            assert.equal(commands("anew"), 4);
            assertUnchanged(await up(stack, right));
        });

        it("is not waited for if the program says so, and is noted by a later update", async () => {
            const stack = await open("nowait");
            const waiting = { spec, wait: false };
            assertOk(await up(stack, waiting));
            await until("the Job ends", async () => {
                const [job] = await arena().kubernetes.jobs("nowait");
                return job.status?.conditions?.some(({ type }) => type === "Complete") || undefined;
            });
            const noted = assertOk(await up(stack, waiting));
            assert.equal(noted.changes.update, 1, noted.output);
            assertUnchanged(await up(stack, waiting));
            assert.equal(commands("nowait"), 1);
        });

        it("is what the example runs", async () => {
            await arena().kubernetes.createNamespace("initializer");
            await arena().kubernetes.writeSecret("initializer", "app-passwords", { root: "of-root", app: "of-app" });
            const folder = path.resolve(__dirname, "../../examples/initializer");
            const stack = openStack(arena(), "initializer", folder, "app");
            assertOk(await stack.run("up", { skipPreview: true }));
            assert.deepEqual(recorder.read().accounts, { "root@%": "of-root", "app@%": "of-app" });
            assert.ok(recorder.read().statements.some((one) => /^GRANT ALL PRIVILEGES ON app/.test(one)));
            assertUnchanged(await stack.run("up", { skipPreview: true }));
        });

        it("refuses a cluster whose root gets a random password", async () => {
            const stack = await open("refused");
            const both = { ...one, tidb: { replicas: 1, initializer: { createPassword: true } } };
            const config = { ...clusterConfig("refused", both), initializer: JSON.stringify({ spec }) };
            assertFailed(
                await stack.run("preview", { config }),
                /tidbCluster: found spec\.tidb\.initializer\.createPassword/,
            );
        });
    },
    { programs: { python: recorder.python } },
);
