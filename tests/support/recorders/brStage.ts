import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import {
    type BrRecorder,
    type PdSimulator,
    type PdSimulatorOptions,
    startPdSimulator,
    writeBrRecorder,
} from "pulumi-tidb-sandbox";
import { judgeJob } from "../../../provider/lifecycle/jobs/judgeJob";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { ended, failed, seen, target } from "../../unit/lifecycle/jobs/observed";
import { startFromOneFile } from "../inOneFile";

/** How a call of `br` has ended, and its output. */
export interface BrRun {
    code: number | null;
    signal: NodeJS.Signals | null;
    output: string;
    errors: string;
}

/** A recorder of `br` in a folder of its own, and clusters that it can be pointed at. */
export interface BrStage {
    readonly folder: string;
    readonly recorder: BrRecorder;
    startCluster(options?: PdSimulatorOptions): Promise<PdSimulator>;
    /** Runs `br`, which logs to its output, as a process of its own. */
    run(args: string[], environment?: Record<string, string>): Promise<BrRun>;
    /** Ends all clusters and removes the folder. */
    end(): Promise<void>;
}

export const orders = { database: "shop", name: "orders", rows: ["1,apples", "2,pears", "3,plums"] };
export const customers = { database: "shop", name: "customers", rows: ["1,Ann", "2,Bob"] };

/** Makes a stage. */
export function openBrStage(): BrStage {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-recorder-"));
    const recorder = writeBrRecorder(path.join(folder, "recorder"));
    startFromOneFile(recorder.file);
    const clusters: PdSimulator[] = [];
    return {
        folder,
        recorder,
        startCluster: async (options) => {
            const cluster = await startPdSimulator(options);
            clusters.push(cluster);
            return cluster;
        },
        run: (args, environment = {}) =>
            new Promise((resolve, reject) => {
                const { PATH = "" } = process.env;
                const child = spawn(recorder.file, args, { env: { PATH, BR_LOG_TO_TERM: "1", ...environment } });
                const [output, errors]: [Buffer[], Buffer[]] = [[], []];
                child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
                child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
                child.on("error", reject);
                child.on("close", (code, signal) =>
                    resolve({
                        code,
                        signal,
                        output: Buffer.concat(output).toString(),
                        errors: Buffer.concat(errors).toString(),
                    }),
                );
            }),
        end: async () => {
            await Promise.all(clusters.map((cluster) => cluster.stop()));
            fs.rmSync(folder, { recursive: true, force: true });
        },
    };
}

/** The address of a cluster's PD as `--pd` takes it. */
export function pdOf(cluster: PdSimulator): string {
    return cluster.urls[0].replace(/^https?:\/\//, "");
}

/** @returns what `pulumi up` says of a Job whose container was this run of `br`. */
export function toldOf({ code, output, errors }: BrRun): string {
    const lines = `${output}${errors}`.split("\n").filter((line) => line.trim() !== "");
    const observation = {
        ...seen(failed, [ended("backup-monday-x", code ?? 137)]),
        lastLines: known(lines, "its log", 0),
    };
    const verdict = judgeJob(observation, target);
    return verdict.is === "failed" ? verdict.problem.seen : verdict.is;
}
