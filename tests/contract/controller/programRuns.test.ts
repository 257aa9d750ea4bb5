import * as assert from "node:assert/strict";
import {
    chmodSync,
    copyFileSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    realpathSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { driftOf } from "../../../controller/drift/judgeDrift";
import { programRuns } from "../../../controller/drift/programRuns";
import { refreshed, service, step } from "../../unit/controller/drift/programEvents";

/** The Automation API with a stand-in for the Pulumi CLI: tests/e2e/drift.test.ts uses the real one, where there is one. */
describe("A program that is run by the Automation API", function () {
    this.timeout(120_000);
    let folder: string;
    let program: string;
    const environment = { PATH: process.env.PATH, STAND_IN_FOLDER: process.env.STAND_IN_FOLDER };
    const never = new AbortController().signal;
    const plays = (content: object): void => writeFileSync(path.join(folder, "plays.json"), JSON.stringify(content));
    const calls = (): string[] => {
        const file = path.join(folder, "calls");
        return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    };
    /** The pauses of the time limit, which a test ends: the limit first. */
    let pauses: (() => void)[];
    const runs = () =>
        programRuns(
            { folder: program, stack: "prod" },
            {
                longest: 600_000,
                grace: 10_000,
                wait: (_, signal) =>
                    new Promise((resolve, reject) => {
                        signal.addEventListener("abort", () => reject(new Error("not needed any more")));
                        pauses.push(resolve);
                    }),
            },
        );
    const until = async (isSo: () => boolean): Promise<void> => {
        while (!isSo()) {
            await pause(50);
        }
    };
    const interrupts = () => calls().filter((call) => call === "SIGINT").length;
    const drift = { events: [refreshed(service, "gone"), step("create", service)], counts: { create: 1, same: 30 } };

    beforeEach(() => {
        folder = realpathSync(mkdtempSync(path.join(tmpdir(), "pulumi-tidb-stand-in-")));
        program = path.join(folder, "program");
        mkdirSync(program);
        writeFileSync(path.join(program, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
        const command = path.join(folder, "pulumi");
        copyFileSync(path.join(__dirname, "standInPulumi.cjs"), command);
        chmodSync(command, 0o755);
        process.env.PATH = `${folder}${path.delimiter}${path.dirname(process.execPath)}`;
        process.env.STAND_IN_FOLDER = folder;
        pauses = [];
        plays({});
    });
    afterEach(() => {
        Object.assign(process.env, environment);
        rmSync(folder, { recursive: true, force: true });
    });

    it("is previewed with a refresh and without, in its folder, and what the engine tells is read", async () => {
        plays({ "preview --refresh": drift });
        const seen = await runs().preview(true, never);
        assert.equal(seen.failure, undefined);
        assert.deepEqual(
            driftOf(seen).map(({ name, change }) => [name, change]),
            [["basic-tidb", "deleted"]],
        );
        assert.deepEqual((await runs().preview(false, never)).steps, []);
        assert.deepEqual(calls(), [`preview --refresh in ${program} of prod`, `preview in ${program} of prod`]);
    });

    it("is repaired by the very plan of the preview, in a folder that nobody else may read, which is removed", async () => {
        plays({ "preview --refresh": drift });
        const planned = await runs().plan(true, never);
        assert.equal(planned.failure, undefined);
        await planned.repair(never);
        await planned.close();
        assert.deepEqual(calls(), [
            `preview --refresh --save-plan by force in ${program} of prod`,
            "plan of 700",
            `up --refresh --plan there in ${program} of prod`,
        ]);
    });

    it("keeps what a preview saw before it failed, and says why it failed in one line", async () => {
        const diagnosticEvent = {
            severity: "error",
            message: "TidbCluster demo:\n  PD does not answer",
            color: "never",
        };
        const events = [...drift.events, { sequence: 1, timestamp: 1, diagnosticEvent }];
        plays({ "preview --refresh": { events, stderr: "error: preview failed\n", exitCode: 1 } });
        const seen = await runs().preview(true, never);
        assert.equal(driftOf(seen).length, 1);
        assert.deepEqual(seen.failure, { problem: "TidbCluster demo: PD does not answer", isConflict: false });
    });

    it("says that the repair failed, and why", async () => {
        plays({ "up --refresh": { stderr: "error: the stack is currently locked by 1 lock(s)\n", exitCode: 1 } });
        const planned = await runs().plan(false, never);
        await assert.rejects(planned.repair(never), /^Error: stack prod is locked by another update; if none runs/);
        await planned.close();
    });

    const failures: [title: string, prepare: () => void, problem: RegExp][] = [
        ["no CLI is there", () => rmSync(path.join(folder, "pulumi")), /^found no `pulumi` on PATH/],
        [
            "there is no such stack",
            () => plays({ "stack select": { stderr: "error: no stack named 'prod' found\n", exitCode: 1 } }),
            /^found no stack prod of the program/,
        ],
        [
            "the passphrase is wrong",
            () =>
                plays({
                    "preview --refresh": {
                        stderr: "error: get stack secrets manager: incorrect passphrase\n",
                        exitCode: 1,
                    },
                }),
            /^stack prod cannot be decrypted/,
        ],
    ];
    for (const [title, prepare, problem] of failures) {
        it(`never rejects because ${title}`, async () => {
            prepare();
            const { failure } = await runs().preview(true, never);
            assert.match(failure?.problem ?? "", problem);
        });
    }

    it("has not failed because of a default provider, whose steps Pulumi tells but does not count", async () => {
        const events = [...drift.events, step("update", { type: "pulumi:providers:pulumi-nodejs", name: "default" })];
        plays({ "preview --refresh": { ...drift, events } });
        assert.equal((await runs().preview(true, never)).failure, undefined);
    });

    for (const [title, counts] of [
        ["does not count", "none"],
        ["counts more", { create: 1, update: 1 }],
    ] as const) {
        it(`has failed if Pulumi tells fewer steps than it takes: it ${title}`, async () => {
            plays({ "preview --refresh": { ...drift, counts } });
            const { failure } = await runs().preview(true, never);
            assert.match(failure?.problem ?? "", /is not complete: .* \((no count came|update: 1 counted, 0 told)\)$/);
        });
    }

    it("is asked to end as by Ctrl-C, and waited for", async () => {
        plays({ "preview --refresh": { waits: true } });
        const stopping = new AbortController();
        const run = runs().preview(true, stopping.signal);
        await until(() => calls().includes("waits"));
        stopping.abort();
        assert.ok((await run).failure);
        assert.equal(calls().at(-1), "SIGINT");
    });

    it("is cancelled when it takes too long: what it saw counts for nothing, and the problem says what to do", async () => {
        plays({ "preview --refresh": { ...drift, waits: true } });
        const run = runs().preview(true, never);
        await until(() => calls().includes("waits"));
        pauses[0]();
        const seen = await run;
        assert.equal(interrupts(), 1);
        assert.deepEqual(driftOf(seen), []);
        assert.equal(seen.failure?.isConflict, false);
        assert.equal(
            seen.failure.problem,
            `it did not end within 600 s and was cancelled: run \`pulumi preview --refresh --stack prod\` in ${program} to see what it waits for; if it is only slow, raise --preview-timeout`,
        );
    });

    it("is interrupted twice if it does not end, and given up; none begins beside it", async () => {
        plays({ "preview --refresh": { waits: { interrupts: 3 } } });
        const program = runs();
        const run = program.preview(true, never);
        await until(() => calls().includes("waits"));
        pauses[0]();
        await until(() => interrupts() === 1);
        pauses[1]();
        await until(() => interrupts() === 2);
        pauses[2]();
        assert.match((await run).failure?.problem ?? "", /^it did not end within 600 s/);
        const before = calls().length;
        assert.match((await program.preview(false, never)).failure?.problem ?? "", /^an earlier one was cancelled/);
        assert.equal(calls().length, before, "no other one was begun");
        process.kill(Number(readFileSync(path.join(folder, "pid"), "utf8")), "SIGINT");
        await until(() => interrupts() === 3);
        while ((await program.preview(false, never)).failure !== undefined) {
            await pause(50);
        }
    });

    it("begins nothing after it was asked to end", async () => {
        const stopped = AbortSignal.abort();
        assert.ok((await runs().preview(true, stopped)).failure);
        assert.deepEqual(calls(), []);
    });
});
