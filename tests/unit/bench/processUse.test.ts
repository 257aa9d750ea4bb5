import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { watchProcesses } from "../../../bench/processUse";

const [test, where] = existsSync("/proc/self/stat") ? [it, ""] : [it.skip, " (skipped: there is no /proc here)"];

describe("bench: what processes use", () => {
    test(`adds up a process and those that it started${where}`, async () => {
        const busy = "const kept = Buffer.alloc(50e6, 1); while (process.cpuUsage().user < 500e3); kept.at(0)";
        const parent = `require("node:child_process").spawnSync(process.execPath, ["--eval", ${JSON.stringify(busy)}])`;
        const child = spawn(process.execPath, ["--eval", parent], { stdio: "ignore" });
        const used = watchProcesses(child.pid ?? 0);
        await once(child, "exit");
        const { cpuSeconds, mostBytes, processes } = used();
        assert.equal(processes, 2);
        assert.ok(cpuSeconds > 0.3 && cpuSeconds < 5, `${cpuSeconds} s`);
        assert.ok(mostBytes > 80e6 && mostBytes < 400e6, `${mostBytes} bytes`);
    });
});
