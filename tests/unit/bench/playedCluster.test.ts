import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { answerOf } from "../../../bench/largeCluster/playedCluster";

describe("bench: the answer of a process", () => {
    const start = (program: string): ChildProcess =>
        spawn(process.execPath, ["--eval", program], { stdio: ["ignore", "ignore", "ignore", "ipc"] });

    it("is its next message", async () => {
        assert.deepEqual(await answerOf(start('process.send("ready", () => process.disconnect())')), [
            "ready",
            undefined,
        ]);
    });

    it("is an error if the process ends instead", async () => {
        await assert.rejects(answerOf(start("process.exit(3)")), /^Error: the process ended with 3$/);
    });

    it("is an error if the process has ended before it is asked", async () => {
        const child = start("setInterval(() => {}, 1000)");
        child.kill("SIGKILL");
        await once(child, "exit");
        await assert.rejects(answerOf(child), /^Error: the process ended with SIGKILL$/);
    });
});
