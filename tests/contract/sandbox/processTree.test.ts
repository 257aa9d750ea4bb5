import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { isRunning } from "../../../sandbox/controlPlane/processes";
import { killTree } from "../../../sandbox/pulumi/processTree";

describe("driver: process tree", () => {
    it("kills a grandchild that has a process group of its own", async () => {
        const script = `
            const { spawn } = require("node:child_process");
            const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" });
            console.log(child.pid);
            setInterval(() => {}, 1000);`;
        const root = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"], detached: true });
        const [line] = (await once(createInterface({ input: root.stdout }), "line")) as [string];
        const grandchild = Number(line);
        assert.equal(isRunning(grandchild), true);
        const closed = once(root, "close");
        killTree(root.pid ?? 0);
        await closed;
        for (const deadline = Date.now() + 2000; isRunning(grandchild) && Date.now() < deadline;) {
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        assert.equal(isRunning(grandchild), false);
    });
});
