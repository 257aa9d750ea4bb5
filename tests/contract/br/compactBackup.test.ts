import * as assert from "node:assert/strict";
import { type ChildProcess, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { checkBr } from "../../../components/br/checkBr";
import { renderBr } from "../../../components/br/renderBr";
import { tsoAt } from "../../../topology/timestamps";
import { startFromOneFile } from "../../support/inOneFile";
import { type BrStage, openBrStage } from "../../support/recorders/brStage";
import { type ContainerRun, type PlayedContainer, runContainer } from "../../support/recorders/runContainer";

const shell = spawnSync("sh", ["-c", "command -v dash"]).status === 0 ? "dash" : "sh";

/** The containers of the Job are processes with the real shell and the recorder of br and tikv-ctl. */
describe(`the Job of a CompactBackup, under ${shell}`, function () {
    this.timeout(120_000);
    let stage: BrStage;
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

    beforeEach(() => {
        log = fs.mkdtempSync(path.join(stage.folder, "log-"));
        run = fs.mkdtempSync(path.join(stage.folder, "run-"));
    });
    afterEach(() => stage.recorder.setFault(undefined));

    const files = (folder: string): string[] => {
        const found = path.join(log, folder);
        return fs.existsSync(found) ? fs.readdirSync(found) : [];
    };
    const locks = () => files("v1").filter((name) => name.startsWith("LOCK"));

    /** Runs the containers one after the other, as kubelet does: the next only after the one before has succeeded. */
    async function compact(started?: (process: ChildProcess) => void): Promise<ContainerRun[]> {
        const volume = { volume: { name: "nfs" }, volumeMount: { name: "nfs", mountPath: log } };
        const manifest = checkBr("CompactBackup", {
            metadata: { name: "log", namespace: "db" },
            spec: {
                startTs: "2020-01-01 00:00:00Z",
                endTs: "2020-01-02 00:00:00Z",
                br: { cluster: "basic" },
                local: volume,
            },
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

    it("hands the storage to tikv-ctl without BR's log, and leaves no lock", async () => {
        const runs = await compact();
        assert.deepEqual(
            runs.map(({ code }) => code),
            [0, 0],
            runs.at(-1)?.output,
        );
        assert.match(fs.readFileSync(path.join(run, "storage"), "utf8"), /^[A-Za-z0-9+/]+=*\n$/);
        assert.deepEqual([files("v1/migrations").length, locks()], [1, []]);
        const [br, ctl] = stage.recorder.calls();
        assert.deepEqual([br.args, br.exitCode], [["operator", "base64ify", `--storage=local://${log}`], 0]);
        const [from, until] = ["2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z"].map((at) =>
            String(tsoAt(Date.parse(at))),
        );
        const words = ["--log-level", "info", "compact-log-backup", "--from", from, "--until", until, "-N", "4"];
        assert.deepEqual([ctl.args.slice(0, -1), ctl.exitCode], [[...words, "--storage-base64"], 0]);
    });

    it("does not begin if BR fails: its last words are BR's", async () => {
        stage.recorder.setFault({ kind: "fails", words: "AccessDenied: Access Denied" });
        const runs = await compact();
        assert.deepEqual([runs.length, runs[0].code, locks()], [1, 1, []]);
        assert.match(runs[0].output, /Error: AccessDenied: Access Denied/);
    });

    it("fails with tikv-ctl's words and exit code", async () => {
        // Only tikv-ctl gets half way.
        stage.recorder.setFault({ kind: "fails", words: "Cannot load checkpoint", exitCode: 3, halfWay: true });
        const [, failed] = await compact();
        assert.equal(failed.code, 3);
        assert.match(failed.output, /Cannot load checkpoint/);
    });

    it("takes its lock off when Kubernetes ends the pod", async () => {
        const held = path.join(run, "held");
        fs.writeFileSync(held, "");
        stage.recorder.setFault({ kind: "held", by: held });
        const [, ended] = await compact((child) => {
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
    });

    it("leaves the lock when it is killed", async () => {
        stage.recorder.setFault({ kind: "killed" });
        const [, killed] = await compact();
        assert.deepEqual([killed.code, locks().length], [128 + 9, 1]);
    });
});
