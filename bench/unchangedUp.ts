import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { startSandbox } from "pulumi-tidb-sandbox";
import { findPulumi, type PulumiRun } from "pulumi-tidb-sandbox/pulumi";
import { projectFiles } from "../convert/projectFiles";
import { codeBlocks } from "../tests/contract/docs/pages";
import type { Figure } from "./figure";
import { type ProcessUse, watchProcesses } from "./processUse";
import { median } from "./statistics";

const repository = path.resolve(__dirname, "..");
const targets = { cpu: { unit: "s", target: 6 }, memory: { unit: "MB", target: 650 } } as const;

/** Measures what all processes of an `up` without a change use: README's program, in a project as `convert` makes it. */
export async function unchangedUp(repetitions: number, log: (line: string) => void): Promise<Figure[]> {
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-bench-"));
    const sandbox = await startSandbox();
    try {
        writeReadmeProject(folder);
        const driver = await findPulumi();
        log(driver.why);
        const up = async (): Promise<PulumiRun & ProcessUse> => {
            const run = driver.start("up", {
                program: folder,
                stack: "bench",
                stateFolder: path.join(folder, "state"),
                environment: { KUBECONFIG: sandbox.kubeconfig, PULUMI_CONFIG_PASSPHRASE: "" },
                skipPreview: true,
            });
            const used = watchProcesses(run.pid);
            const done = await run.done.finally(used);
            if (!done.ok) {
                throw new Error(`up of README's program failed:\n${done.output}`);
            }
            return { ...done, ...used() };
        };
        await up();
        await up(); // Fills caches, and may write what the first one could not know.
        const all: ProcessUse[] = [];
        for (let round = 0; round < repetitions; round++) {
            const { changes, output, ...used } = await up();
            if (changes.create + changes.update + changes.replace + changes.delete > 0) {
                throw new Error(`unexpected change:\n${output}`);
            }
            const { cpuSeconds, mostBytes, processes } = used;
            log(`${cpuSeconds.toFixed(2)} s, ${(mostBytes / 1e6).toFixed(0)} MB, ${processes} processes`);
            all.push(used);
        }
        const detail = `median of ${repetitions}, README's program, ${driver.kind}`;
        const cpuSeconds = median(all.map((one) => one.cpuSeconds));
        const megabytes = median(all.map((one) => one.mostBytes / 1e6));
        return [
            { ...targets.cpu, name: "CPU of an `up` without a change", measured: cpuSeconds, detail },
            { ...targets.memory, name: "resident memory of an `up` without a change", measured: megabytes, detail },
        ];
    } finally {
        await sandbox.down();
        rmSync(folder, { recursive: true, force: true });
    }
}

function writeReadmeProject(folder: string): void {
    const text = readFileSync(path.join(repository, "README.md"), "utf8");
    const program = codeBlocks({ path: "README.md", text }).find(({ language }) => language === "ts")?.code;
    if (program === undefined) {
        throw new Error("README.md has no program");
    }
    const names = { cluster: "mine", namespace: "default", stack: "bench" };
    const files = projectFiles({ ...names, program, dependencies: {}, devDependencies: {} });
    Object.entries(files).forEach(([name, content]) => writeFileSync(path.join(folder, name), content));
    symlinkSync(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
}
