import { execFileSync } from "node:child_process";
import type { Figure } from "./figure";
import { median, ratio } from "./statistics";

/** Multiple of the import time of the Kubernetes SDK, which every such program imports. */
const target = 1.25;

/** Compares the import times of the built package and of `@pulumi/kubernetes`, each in a fresh process, alternately. */
export function importTime(repetitions: number): Figure[] {
    const ours: number[] = [];
    const theirs: number[] = [];
    timedImport("pulumi-tidb"); // Warms the disk cache.
    for (let round = 0; round < repetitions; round++) {
        theirs.push(timedImport("@pulumi/kubernetes"));
        ours.push(timedImport("pulumi-tidb"));
    }
    const detail = `${median(ours).toFixed(0)} ms / ${median(theirs).toFixed(0)} ms, medians of ${repetitions}`;
    const name = "import of pulumi-tidb / of @pulumi/kubernetes";
    return [{ name, measured: ratio(ours, theirs), unit: "ratio", target, detail }];
}

/** @returns how many milliseconds an import takes in a fresh process, without the start of Node. */
function timedImport(name: string): number {
    const script = `
        const began = performance.now();
        require(${JSON.stringify(name)});
        process.stdout.write(String(performance.now() - began));`;
    return Number(execFileSync(process.execPath, ["-e", script], { cwd: __dirname, encoding: "utf8" }));
}
