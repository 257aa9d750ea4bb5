import * as assert from "node:assert/strict";
import { type ChildProcess, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import type { PdSimulator } from "pulumi-tidb-sandbox";
import { checkBr } from "../../../components/br/checkBr";
import { renderBr } from "../../../components/br/renderBr";
import { tsoAt } from "../../../topology/timestamps";
import { startFromOneFile } from "../../support/inOneFile";
import { type BrStage, customers, openBrStage, orders, pdOf } from "../../support/recorders/brStage";
import { type ContainerRun, type PlayedContainer, runContainer } from "../../support/recorders/runContainer";

const shell = spawnSync("sh", ["-c", "command -v dash"]).status === 0 ? "dash" : "sh";

/** The containers of the Job are processes with the real shell and the recorder of br and tikv-ctl. */
describe(`the Job of a CompactBackup, under ${shell}`, function () {
    this.timeout(120_000);
    let stage: BrStage;
    let source: PdSimulator;
    let log: string;
    let run: string;
    let programs: string;

    before(() => {
        stage = openBrStage();
        startFromOneFile(stage.recorder.tikvCtl);
        programs = path.join(stage.folder, "bin");
        fs.mkdirSync(programs);
        for (const [name, file] of Object.entries({ br: stage.recorder.file, "tikv-ctl": stage.recorder.tikvCtl })) {
            fs.symlinkSync(file, path.join(programs, name));
        }
    });
    after(() => stage.end());

    let cases = 0;
    beforeEach(async () => {
        log = path.join(stage.folder, `log-${++cases}`);
        run = path.join(stage.folder, `run-${cases}`);
        fs.mkdirSync(run);
        source = await stage.startCluster({ cluster: `basic-${cases}`, members: 1 });
        assert.equal((await br("log", "start", "--task-name=log", "--pd", pdOf(source))).code, 0);
        await later();
        [orders, customers].forEach((table) => source.putTable(table));
        await later();
        await source.flushLog();
    });
    afterEach(() => stage.recorder.setFault(undefined));

    const br = (...args: string[]) => stage.run([...args, `--storage=local://${log}`]);
    const later = () => new Promise((resolve) => setTimeout(resolve, 5));
    const now = () => String(tsoAt(Date.now()));
    const files = (folder: string): string[] => {
        const found = path.join(log, folder);
        return fs.existsSync(found) ? fs.readdirSync(found) : [];
    };
    const locks = () => files("v1").filter((name) => name.startsWith("LOCK"));

    /** Runs the containers one after the other, as kubelet does: the next only after the one before has succeeded. */
    async function compact(spec: object = {}, started?: (process: ChildProcess) => void): Promise<ContainerRun[]> {
        const volume = { volume: { name: "nfs" }, volumeMount: { name: "nfs", mountPath: log } };
        const manifest = checkBr("CompactBackup", {
            metadata: { name: "log", namespace: "db" },
            spec: { startTs: "2020-01-01 00:00:00Z", endTs: now(), br: { cluster: "basic" }, local: volume, ...spec },
        });
        const cluster = { name: "basic", namespace: "db", version: "v8.5.5", tls: false };
        const { template } = renderBr("CompactBackup", manifest, cluster).job.spec as { template: { spec: object } };
        const pod = template.spec as { initContainers: PlayedContainer[]; containers: PlayedContainer[] };
        const runs: ContainerRun[] = [];
        for (const container of [...pod.initContainers, ...pod.containers]) {
            const options = { folder: run, programs, ...(container.name === "storage" ? {} : { started }) };
            runs.push(await runContainer(shell, container, options));
            if (runs.at(-1)?.code !== 0) {
                break;
            }
        }
        return runs;
    }

    /** A time up to which the log is whole. */
    async function written(): Promise<string> {
        const until = now();
        await later();
        await source.flushLog();
        return until;
    }

    it("writes compacted files beside the log, which stays as it is, and leaves no lock", async () => {
        const before = files("v1/backupmeta");
        const runs = await compact({ endTs: await written() });
        assert.deepEqual(
            runs.map(({ code }) => code),
            [0, 0],
            runs.at(-1)?.output,
        );
        assert.match(runs[1].output, /Compact log backup successfully/);
        assert.match(fs.readFileSync(path.join(run, "storage"), "utf8"), /^[A-Za-z0-9+/]+=*\n$/);
        assert.equal(files("v1/compaction_out").length, 1);
        assert.equal(files("v1/migrations").length, 1);
        assert.deepEqual(files("v1/backupmeta"), before);
        assert.deepEqual(locks(), []);
        const calls = stage.recorder.calls().slice(-2);
        assert.deepEqual(
            calls.map(({ args, exitCode }) => [args.slice(0, 3), exitCode]),
            [
                [["operator", "base64ify", `--storage=local://${log}`], 0],
                [["--log-level", "info", "compact-log-backup"], 0],
            ],
        );
    });

    it("fails with tikv-ctl's words, and writes nothing, if the log is not whole until then", async () => {
        const runs = await compact({ endTs: String(tsoAt(Date.now() + 3_600_000)) });
        assert.equal(runs[1].code, 1);
        assert.match(runs[1].output, /The `--until`\(\d+\) is greater than the checkpoint\(\d+\)/);
        assert.deepEqual([files("v1/compaction_out"), locks()], [[], []]);
    });

    it("fails where there is no log, and where BR truncates it", async () => {
        fs.writeFileSync(path.join(log, "v1/LOCK.WRIT"), "{}");
        const [, locked] = await compact({ endTs: await written() });
        assert.match(locked.output, /there is a file v1\/LOCK\.WRIT/);
        log = `${log}-empty`;
        const [, empty] = await compact();
        assert.equal(empty.code, 1);
        assert.match(empty.output, /Cannot load checkpoint from /);
    });

    it("does not begin if BR cannot open the storage: its last words are BR's", async () => {
        fs.rmSync(log, { recursive: true });
        fs.writeFileSync(log, "no folder");
        const runs = await compact();
        assert.equal(runs.length, 1);
        assert.equal(runs[0].code, 1);
        assert.match(runs[0].output, /Error: mkdir .*log-/);
    });

    it("takes its lock off when Kubernetes ends the pod, and goes on in the next attempt", async () => {
        const endTs = await written();
        stage.recorder.setFault({ kind: "slow", millisecondsPerTable: 1500 });
        const [, ended] = await compact({ endTs }, (child) => {
            const untilLocked = setInterval(() => {
                if (locks().length > 0) {
                    clearInterval(untilLocked);
                    child.kill("SIGTERM");
                }
            }, 20);
        });
        assert.notEqual(ended.code, 0);
        assert.match(ended.output, /User canceled by Ctrl-C/);
        assert.deepEqual([locks(), files("v1/migrations")], [[], []]);
        stage.recorder.setFault(undefined);
        assert.equal((await compact({ endTs }))[1].code, 0);
    });

    it("leaves the lock when it is killed", async () => {
        stage.recorder.setFault({ kind: "killed", afterTables: 1 });
        const [, killed] = await compact({ endTs: await written() });
        assert.equal(killed.code, 128 + 9);
        assert.equal(locks().length, 1);
    });
});
