import { status } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { type LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import * as assert from "node:assert/strict";
import { createRequire } from "node:module";
import type * as ProgressModule from "../../../provider/gates/progress";
import type { Progress } from "../../../provider/cluster/gatePorts";

const load = createRequire(__filename);
const file = load.resolve("../../../provider/gates/progress.ts");

const unavailable = () => Object.assign(new Error("14 UNAVAILABLE"), { code: status.UNAVAILABLE });

/** What Pulumi's display shows of a message. */
interface Line {
    urn: string;
    text: string;
    severity: number;
    isReplaced: boolean;
}

describe("a gate's line in Pulumi's display", () => {
    const given = process.argv;
    const real = {
        log: EngineClient.prototype.log,
        write: process.stdout.write.bind(process.stdout),
        exit: process.exit.bind(process),
        setTimeout: globalThis.setTimeout,
        now: Date.now,
    };
    let lines: Line[];
    let printed: string;
    let hasTerminal: boolean;
    /** Whether the engine answers. */
    let answers: boolean;
    let time: number;
    /** What is to be done much later: after how long, and whether it keeps the process alive. */
    let later: { after: number; work: () => void; keepsAlive: boolean }[];
    let ended: number[];

    /** The messages of a process whose last argument is this, as a new process says them. */
    const processWith = (...args: string[]): Progress => {
        process.argv = args;
        delete load.cache[file];
        return (load(file) as typeof ProgressModule).createProgress("urn:of-a-gate", () => hasTerminal);
    };
    /** Does the work with this process's output, clock and end replaced. */
    const quietly = (work: () => void): void => {
        process.stdout.write = ((text: string) => {
            printed += text;
            return true;
        }) as typeof process.stdout.write;
        process.exit = ((code: number) => ended.push(code)) as unknown as typeof process.exit;
        globalThis.setTimeout = ((work: () => void, after: number) => {
            if (after < 1_000) {
                return real.setTimeout(work, after);
            }
            const one = { after, work, keepsAlive: true };
            later.push(one);
            return { unref: () => (one.keepsAlive = false) };
        }) as unknown as typeof setTimeout;
        Date.now = () => time;
        try {
            work();
        } finally {
            process.stdout.write = real.write;
            process.exit = real.exit;
            globalThis.setTimeout = real.setTimeout;
            Date.now = real.now;
        }
    };

    /** The engine answers each message only when it is told to. @returns what has it answer, in the order of the messages. */
    const holdBack = (): (() => void)[] => {
        const arrive: (() => void)[] = [];
        EngineClient.prototype.log = ((request: LogRequest, done: (error: Error | null) => void) => {
            lines.push({ urn: "", text: request.getMessage(), severity: 1, isReplaced: false });
            arrive.push(() => done(null));
        }) as unknown as typeof EngineClient.prototype.log;
        return arrive;
    };

    beforeEach(() => {
        [lines, printed, answers, time, later, ended] = [[], "", true, 1_700_000_000_000, [], []];
        hasTerminal = true;
        EngineClient.prototype.log = ((request: LogRequest, done: (error: Error | null) => void) => {
            lines.push({
                urn: request.getUrn(),
                text: request.getMessage(),
                severity: request.getSeverity(),
                isReplaced: request.getEphemeral(),
            });
            done(answers ? null : unavailable());
        }) as typeof EngineClient.prototype.log;
    });
    afterEach(() => {
        EngineClient.prototype.log = real.log;
        process.argv = given;
    });

    it("keeps actions and warnings as lines, and replaces the line with what is waited for", () => {
        const progress = processWith("node", "run.js", "127.0.0.1:4000");
        quietly(() => {
            progress.info("restart basic-pd-2");
            progress.warn({ code: "lock-held", message: "waiting for ana@laptop" });
            progress.status("waiting: store 13 is Down");
        });
        const urn = "urn:of-a-gate";
        assert.deepEqual(lines, [
            { urn, text: "restart basic-pd-2", severity: LogSeverity.INFO, isReplaced: false },
            { urn, text: "waiting for ana@laptop", severity: LogSeverity.WARNING, isReplaced: false },
            { urn, text: "store 13 is Down", severity: LogSeverity.INFO, isReplaced: true },
        ]);
        assert.deepEqual([printed, progress.abandoned], ["", false]);
    });

    it("is empty again once the gate's work has ended, whatever it still had to send", () => {
        const progress = processWith("127.0.0.1:4000");
        const { clearLines } = load(file) as typeof ProgressModule;
        const arrive = holdBack();
        quietly(() => {
            clearLines("urn:of-a-gate");
            progress.info("restart basic-pd-2");
            progress.status("basic-pd-2 is still stopping");
            clearLines("urn:of-a-gate");
            clearLines("urn:of-a-gate");
        });
        for (let at = 0; at < arrive.length; at++) {
            arrive[at]();
        }
        assert.deepEqual(
            lines.map(({ text }) => text),
            ["restart basic-pd-2", ""],
        );
    });

    it("is that of its component in a terminal, where Pulumi fills the gate's own with the inputs that differ", () => {
        const progress = processWith("127.0.0.1:4000");
        const { showOn, clearLines } = load(file) as typeof ProgressModule;
        quietly(() => {
            showOn("urn:of-a-gate", "urn:of-pd");
            progress.info("restart basic-pd-2");
            progress.note("done waiting after 4 s");
            progress.status("basic-pd-2 is still stopping");
            clearLines("urn:of-a-gate");
            hasTerminal = false;
            progress.note("done waiting after 6 s");
            progress.info("restart basic-pd-1");
        });
        assert.deepEqual(
            lines.map(({ urn, text, isReplaced }) => [urn, text, isReplaced]),
            [
                ["urn:of-a-gate", "restart basic-pd-2", false],
                ["urn:of-pd", "restart basic-pd-2", true],
                ["urn:of-pd", "done waiting after 4 s", true],
                ["urn:of-pd", "basic-pd-2 is still stopping", true],
                ["urn:of-a-gate", "", true],
                ["urn:of-pd", "", true],
                ["urn:of-a-gate", "done waiting after 6 s", true],
                ["urn:of-a-gate", "restart basic-pd-1", false],
            ],
        );
    });

    it("has no status without a terminal, because Pulumi would print each one; only lines worth logging", () => {
        hasTerminal = false;
        const progress = processWith("localhost:65535");
        quietly(() => {
            progress.status("waiting: store 13 is Down (1 s)");
            progress.note("waiting: store 13 is Down (30 s)");
        });
        assert.deepEqual(
            lines.map(({ text, isReplaced }) => [text, isReplaced]),
            [["waiting: store 13 is Down (30 s)", true]],
        );
    });

    it("gets a status at most twice a second, and never the same one again", () => {
        const progress = processWith("localhost:65535");
        quietly(() => {
            for (const [after, text] of [
                [0, "1 s"],
                [499, "2 s"],
                [1, "2 s"],
                [10_000, "2 s"],
                [0, "3 s"],
                [100, "4 s"],
            ] as const) {
                time += after;
                progress.status(text);
            }
        });
        assert.deepEqual(
            lines.map(({ text }) => text),
            ["1 s", "2 s", "3 s"],
        );
    });

    it("sends a message once the one before has arrived: the engine takes calls side by side", async () => {
        const progress = processWith("127.0.0.1:4000");
        const arrive = holdBack();
        const sent = () => lines.map(({ text }) => text);
        progress.note("done waiting after 4 s");
        progress.info("restart basic-pd-2");
        const all = (load(file) as typeof ProgressModule).allSent();
        assert.deepEqual(sent(), ["done waiting after 4 s"]);
        arrive[0]();
        assert.deepEqual(sent(), ["done waiting after 4 s", "restart basic-pd-2"]);
        assert.equal(await Promise.race([all.then(() => "sent"), Promise.resolve("under way")]), "under way");
        arrive[1]();
        await all;
        await (load(file) as typeof ProgressModule).allSent();
    });

    it("keeps the newest status or note of a gate alone while the engine takes none", () => {
        const progress = processWith("127.0.0.1:4000");
        const arrive = holdBack();
        quietly(() => {
            for (const text of ["1 s", "2 s", "3 s"]) {
                time += 1_000;
                progress.status(text);
                progress.note(`note at ${text}`);
            }
        });
        for (let at = 0; at < arrive.length; at++) {
            arrive[at]();
        }
        assert.deepEqual(
            lines.map(({ text }) => text),
            ["1 s", "note at 3 s"],
        );
    });

    it("goes on after an engine that lives has refused a message, and prints that one", () => {
        const progress = processWith("127.0.0.1:4000");
        quietly(() => {
            progress.info("restart basic-pd-2");
            const { log } = EngineClient.prototype;
            EngineClient.prototype.log = ((_: LogRequest, done: (error: Error | null) => void) =>
                done(Object.assign(new Error("too long"), { code: status.RESOURCE_EXHAUSTED }))) as typeof log;
            progress.info("restart basic-pd-1");
            EngineClient.prototype.log = log;
            progress.info("restart basic-pd-0");
        });
        assert.deepEqual(
            [lines.map(({ text }) => text), printed, progress.abandoned],
            [["restart basic-pd-2", "restart basic-pd-0"], "restart basic-pd-1\n", false],
        );
    });

    it("holds up a gate for two seconds at most if Pulumi's display takes no messages", async () => {
        const progress = processWith("127.0.0.1:4000");
        EngineClient.prototype.log = (() => undefined) as unknown as typeof EngineClient.prototype.log;
        progress.info("restart basic-pd-2");
        const began = performance.now();
        await (load(file) as typeof ProgressModule).allSent();
        assert.ok(performance.now() - began >= 1_990);
    }).timeout(10_000);

    for (const [name, args, isEngine] of [
        ["the name of a host, and a port", ["pulumi-engine.internal:41817"], true],
        ["an address, and a port", ["127.0.0.1:4"], true],
        ["a word", ["no-engine"], false],
        ["a URL", ["http://127.0.0.1:4000"], false],
        ["an address with more behind it", ["127.0.0.1:4000/engine"], false],
        ["a path that ends as an address does", ["/tmp/a:4000"], false],
        ["a name with a colon and no port", ["stack:prod"], false],
        ["a port alone", [":4000"], false],
        ["nothing", [], false],
        ["an address that is not the last argument", ["127.0.0.1:4000", "run"], false],
    ] as const) {
        it(`is ${isEngine ? "the engine's" : "standard output"} if the last argument is ${name}`, () => {
            const progress = processWith(...args);
            quietly(() => {
                progress.status("waiting");
                progress.info("restart basic-pd-2");
            });
            const texts = lines.map(({ text }) => text);
            assert.deepEqual(texts, isEngine ? ["waiting", "restart basic-pd-2"] : []);
            assert.equal(printed, isEngine ? "" : "restart basic-pd-2\n");
            assert.equal(progress.abandoned, false);
        });
    }

    it("is standard output from then on if no engine ever answered", () => {
        const progress = processWith("127.0.0.1:4000");
        answers = false;
        quietly(() => {
            progress.info("restart basic-pd-2");
            progress.info("restart basic-pd-1");
        });
        assert.equal(printed, "restart basic-pd-2\nrestart basic-pd-1\n");
        assert.deepEqual([lines.length, progress.abandoned, later], [1, false, []]);
    });

    it("is silent once Pulumi was killed, and its process ends after two minutes", () => {
        const progress = processWith("127.0.0.1:4000");
        quietly(() => {
            progress.info("restart basic-pd-2");
            answers = false;
            progress.info("restart basic-pd-1");
            assert.equal(progress.abandoned, true);
            progress.info("restart basic-pd-0");
            progress.warn({ code: "lock-held", message: "waiting for ana@laptop" });
            progress.status("waiting");
        });
        assert.deepEqual(
            lines.map(({ text }) => text),
            ["restart basic-pd-2", "restart basic-pd-1"],
        );
        assert.equal(printed, "");
        assert.deepEqual(
            later.map(({ after, keepsAlive }) => [after, keepsAlive]),
            [[120_000, false]],
        );
        assert.deepEqual(ended, []);
        quietly(() => later[0].work());
        assert.deepEqual(ended, [1]);
    });

    it("is silent for every gate of the process once one has seen that Pulumi was killed, and the process ends once", () => {
        const progress = processWith("127.0.0.1:4000");
        const waiting: ((error: Error | null) => void)[] = [];
        EngineClient.prototype.log = ((_: LogRequest, done: (error: Error | null) => void) =>
            waiting.push(done)) as unknown as typeof EngineClient.prototype.log;
        quietly(() => {
            progress.info("restart basic-pd-2");
            progress.info("restart basic-pd-1");
            progress.info("restart basic-pd-0");
            waiting[0](null);
            waiting[1](unavailable());
        });
        assert.deepEqual([waiting.length, later.length, progress.abandoned, printed], [2, 1, true, ""]);
    });
});
