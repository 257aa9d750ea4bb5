import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";

/** A dynamic provider's process, as far as messages are concerned: it says a line for each that it is sent. */
const provider = `
    const { createProgress } = require("./provider/gates/progress.ts");
    const progress = createProgress("urn:of-a-gate");
    process.on("message", (text) => {
        progress.info(text);
        setTimeout(() => process.send({ abandoned: progress.abandoned }), 300);
    });
    process.send("ready");
`;

describe("the messages of a gate", () => {
    let child: ChildProcess;
    let output: string;

    const start = async (lastArgument: string) => {
        output = "";
        child = spawn(process.execPath, ["--require", "tsx/cjs", "--eval", provider, lastArgument], {
            stdio: ["ignore", "pipe", "inherit", "ipc"],
        });
        child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
        await once(child, "message");
    };
    const say = async (text: string): Promise<boolean> => {
        child.send(text);
        const [{ abandoned }] = (await once(child, "message")) as [{ abandoned: boolean }];
        return abandoned;
    };

    afterEach(() => child.kill("SIGKILL"));

    it("reach the engine on the gate's line; once the engine is gone, the gate is silent and ends", async () => {
        const heard: { urn: string; message: string }[] = [];
        const engine = new Server();
        engine.addService(EngineService as never, {
            log: (call: { request: LogRequest }, done: (error: null, answer: Empty) => void) => {
                heard.push({ urn: call.request.getUrn(), message: call.request.getMessage() });
                done(null, new Empty());
            },
        });
        const port = await new Promise<number>((resolve, reject) =>
            engine.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
                error ? reject(error) : resolve(bound),
            ),
        );
        await start(`127.0.0.1:${port}`);
        assert.equal(await say("restart basic-pd-2"), false);
        assert.deepEqual(heard, [{ urn: "urn:of-a-gate", message: "restart basic-pd-2" }]);

        engine.forceShutdown();
        await say("restart basic-pd-1");
        assert.equal(await say("restart basic-pd-0"), true);
        assert.equal(output, "");
    });

    it("go to standard output without an engine, and the gate continues", async () => {
        await start("no-engine");
        assert.equal(await say("restart basic-pd-2"), false);
        assert.equal(output, "restart basic-pd-2\n");
    });
}).timeout(30_000);
