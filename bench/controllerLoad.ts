import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { Figure } from "./figure";
import { startPlayedCluster } from "./largeCluster/playedCluster";

const stores = 10;
const [coresTarget, memoryTarget] = [1, 300];
const everySeconds = 10;
/** A look begins 10 seconds after the end of the one before, and at most a tenth of that later. */
const mostSeconds = everySeconds * 1.1 + 0.5;
/** Until every cluster was found and looked at, and the process has loaded what it needs. */
const settledAfterSeconds = 30;

/** What the controller tells Prometheus of itself. */
interface Sample {
    readonly at: number;
    readonly cpuSeconds: number;
    readonly residentBytes: number;
    readonly looks: number;
    readonly failures: number;
    /** Clusters that it found as wanted. */
    readonly ready: number;
    readonly lookSeconds: number;
}

/**
 * Runs the built `pulumi-tidb controller run`, as `LifecycleController` does, for clusters of 10 stores each, in namespaces of their own, and reads its metrics before
 * and after some time.
 */
export async function controllerLoad(clusters: number, seconds: number): Promise<Figure[]> {
    const played = await startPlayedCluster({ stores, timings: {}, namespaces: clusters });
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-bench-"));
    const kubeconfig = path.join(folder, "kubeconfig");
    writeFileSync(kubeconfig, played.kubeconfig);
    const controller = startController(kubeconfig, clusters);
    try {
        const address = await listening(controller);
        await pause(settledAfterSeconds * 1_000);
        const before = await sampleOf(address);
        await pause(seconds * 1_000);
        const after = await sampleOf(address);
        const took = (after.at - before.at) / 1_000;
        const looks = after.looks - before.looks;
        const failures = after.failures - before.failures;
        const areAllSeen = failures === 0 && after.ready === clusters;
        const of = `${clusters} clusters of ${stores} stores`;
        const each = (1_000 * (after.lookSeconds - before.lookSeconds)) / looks;
        return [
            {
                name: "CPU of a controller",
                measured: (after.cpuSeconds - before.cpuSeconds) / took,
                unit: "cores",
                target: coresTarget,
                detail: `${of}: ${looks} looks in ${took.toFixed(0)} s, ${each.toFixed(0)} ms each; ${failures} failed`,
            },
            {
                name: "memory of a controller",
                measured: after.residentBytes / 1e6,
                unit: "MB",
                target: memoryTarget,
                detail: `${of}, resident at the end; ${(before.residentBytes / 1e6).toFixed(0)} MB ${took.toFixed(0)} s before`,
            },
            {
                name: "time between two looks at a cluster",
                measured: areAllSeen ? (clusters * took) / looks : NaN,
                unit: "s",
                target: mostSeconds,
                detail: `${everySeconds} s after the look before; ${after.ready} clusters are Ready`,
            },
        ];
    } finally {
        controller.kill("SIGKILL");
        played.stop();
        rmSync(folder, { recursive: true, force: true });
    }
}

function startController(kubeconfig: string, clusters: number): ChildProcess {
    const namespaces = Array.from({ length: clusters }, (_, index) => ["--namespace", `tidb-${index}`]).flat();
    const command = path.resolve(__dirname, "..", "cli", "pulumi-tidb.js");
    return spawn(
        process.execPath,
        [
            ...[command, "controller", "run", "--kubeconfig", kubeconfig, ...namespaces],
            ...["--lease-namespace", "controller", "--listen", "127.0.0.1:0", "--interval", String(everySeconds)],
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
    );
}

/** @returns the address on which it listens, once it does. Its further lines are read, and dropped. */
async function listening(controller: ChildProcess): Promise<string> {
    const lines = createInterface(controller.stdout!);
    const ended = once(controller, "exit").then(([code]) => {
        throw new Error(`the controller ended with ${String(code)}`);
    });
    const found = new Promise<string>((resolve) =>
        lines.on("line", (line) => {
            const address = /listens on ([^"\s]+)/.exec(line)?.[1];
            if (address !== undefined) {
                resolve(address);
            }
        }),
    );
    return Promise.race([found, ended]);
}

async function sampleOf(address: string): Promise<Sample> {
    const text = await (await fetch(`${address.startsWith("http") ? address : `http://${address}`}/metrics`)).text();
    const sum = (name: string, labels = ""): number =>
        text
            .split("\n")
            .filter((line) => line.startsWith(name) && line.includes(labels))
            .reduce((total, line) => total + Number(line.split(" ").at(-1)), 0);
    return {
        at: performance.now(),
        cpuSeconds: sum("process_cpu_seconds_total"),
        residentBytes: sum("process_resident_memory_bytes"),
        looks: sum("pulumi_tidb_cluster_looks_total", 'result="success"'),
        failures: sum("pulumi_tidb_cluster_looks_total", 'result="failure"'),
        ready: sum("pulumi_tidb_cluster_condition", 'condition="Ready",status="True"'),
        lookSeconds: sum("pulumi_tidb_cluster_look_duration_seconds_sum"),
    };
}
