import * as assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { layoutOf } from "../../../sandbox/controlPlane/layout";
import { isRunning, startMark } from "../../../sandbox/controlPlane/processes";
import {
    checkSandboxName,
    claimFolder,
    keepFolder,
    listSandboxes,
    releaseKept,
    saveState,
} from "../../../sandbox/controlPlane/registry";
import { startWatchdog } from "../../../sandbox/controlPlane/watchdog";

describe("sandbox: the owners of folders", () => {
    let folder: string;
    beforeEach(() => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-registry-"));
    });
    afterEach(() => fs.rmSync(folder, { recursive: true }));

    it("gives a folder to one owner only, and names that owner", async () => {
        const box = path.join(folder, "one");
        await claimFolder("one", box);
        await assert.rejects(
            claimFolder("one", box),
            new RegExp(`a sandbox named "one" already exists \\(process ${process.pid}\\).*sandbox stop --name one`),
        );
        assert.deepEqual(fs.readdirSync(folder), ["one"]);
    });

    it("does not take a folder that holds something else", async () => {
        fs.writeFileSync(path.join(folder, "thesis.txt"), "");
        await assert.rejects(claimFolder("x", folder), /is not empty and does not belong to a sandbox/);
        assert.deepEqual(fs.readdirSync(folder), ["thesis.txt"]);
    });

    it("takes a folder over from a dead owner", async () => {
        const box = path.join(folder, "one");
        saveState({ ...(await claimFolder("one", box)), ownerProcessId: 999999999 });
        assert.equal((await claimFolder("one", box)).ownerProcessId, process.pid);
    });

    it("keeps a kept folder until its new owner says that it is ready", async () => {
        const box = path.join(folder, "one");
        const ended = { ...(await claimFolder("one", box)), network: 17, hasEnded: true };
        const marks = () => fs.readdirSync(box).filter((name) => name.startsWith("kept"));
        saveState(ended);
        keepFolder(box);
        const { network, isResumed } = await claimFolder("one", box);
        assert.deepEqual([network, isResumed, marks()], [17, true, ["kept"]]);
        releaseKept(box);
        assert.deepEqual(marks(), []);
        await assert.rejects(claimFolder("one", box), /already exists/);
    });

    it("lets one process take a kept folder, also after one that died while it did", async () => {
        const box = path.join(folder, "one");
        saveState({ ...(await claimFolder("one", box)), hasEnded: true });
        const taken = `kept-${process.pid}-${startMark(process.pid)}`;
        fs.writeFileSync(path.join(box, taken), "");
        await assert.rejects(claimFolder("one", box), /already exists/);
        fs.renameSync(path.join(box, taken), path.join(box, "kept-999999999-1"));
        assert.equal((await claimFolder("one", box)).isResumed, true);
        assert.ok(fs.existsSync(layoutOf(box).kept));
    });

    it("distinguishes an owner from another process that got its id", async () => {
        const box = path.join(folder, "one");
        saveState({ ...(await claimFolder("one", box)), ownerStartMark: "1" });
        assert.deepEqual(await listSandboxes(folder), []);
    });

    it("cleans up after a dead owner: the folder, and the programs that name it", async () => {
        const box = path.join(folder, "one");
        const state = await claimFolder("one", box);
        const program = spawn("sleep", ["1000", box], { stdio: "ignore" });
        program.on("error", () => undefined);
        const kept = spawn("sleep", ["1000"], { stdio: "ignore" });
        const stand = spawn("sh", ["-c", "while :; do sleep 1; done", box], { stdio: "ignore" });
        fs.mkdirSync(layoutOf(box).processIds);
        fs.writeFileSync(path.join(layoutOf(box).processIds, "etcd"), String(stand.pid));
        fs.writeFileSync(path.join(layoutOf(box).processIds, "kwok"), String(kept.pid));
        saveState({ ...state, ownerProcessId: 999999999 });
        try {
            assert.deepEqual(await listSandboxes(folder), []);
            assert.deepEqual(fs.readdirSync(folder), []);
            assert.equal(isRunning(stand.pid ?? 0), false);
            assert.equal(isRunning(kept.pid ?? 0), true, "a process that does not name the folder was ended");
        } finally {
            [program, kept, stand].forEach((child) => child.kill("SIGKILL"));
        }
    });

    it("lists living sandboxes by name", async () => {
        await claimFolder("b", path.join(folder, "b"));
        await claimFolder("a", path.join(folder, "a"));
        assert.deepEqual(
            (await listSandboxes(folder)).map((state) => [state.name, state.ready]),
            [
                ["a", false],
                ["b", false],
            ],
        );
        assert.deepEqual(await listSandboxes(path.join(folder, "none")), []);
    });

    it("refuses names that cannot be a folder and a context", () => {
        for (const bad of ["", "A", "a_b", "-a", "a-", "../x", "a".repeat(41)]) {
            assert.throws(() => checkSandboxName(bad), /is not a valid sandbox name/, bad);
        }
        checkSandboxName("a-1");
    });
});

describe("sandbox: processes", () => {
    it("are recognized as running or ended", () => {
        assert.equal(isRunning(process.pid), true);
        assert.equal(isRunning(spawnSync("true").pid), false);
        assert.equal(isRunning(0), false);
        assert.ok(startMark(process.pid));
    });

    it("have a watchdog that removes the folder and its programs when it is released", async () => {
        const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-watchdog-"));
        const child = spawn("sleep", ["1000"], { stdio: "ignore" });
        fs.mkdirSync(layoutOf(folder).processIds);
        fs.writeFileSync(path.join(layoutOf(folder).processIds, "etcd"), `${child.pid}\n`);
        const watchdog = startWatchdog(folder);
        assert.equal(isRunning(watchdog.processId), true);
        await watchdog.release();
        assert.equal(fs.existsSync(folder), false);
        assert.equal(isRunning(child.pid ?? 0), false);
        assert.equal(isRunning(watchdog.processId), false);
    });
});
