import { execFileSync } from "node:child_process";
import * as path from "node:path";
import type { Figure } from "./figure";
import { median, ratio } from "./statistics";

const repository = path.resolve(__dirname, "..");

/**
 * The maximum import time of this package, as a multiple of that of the Kubernetes SDK, which every such program
 * imports.
 */
const importTarget = 1.25;

/**
 * Compares the import times of the built package and of `@pulumi/kubernetes`, each in a fresh process, alternately. The
 * time that Node itself takes to start is excluded.
 */
export function importTime(repetitions: number): Figure[] {
    const ours: number[] = [];
    const theirs: number[] = [];
    timedImport("pulumi-tidb"); // Warms the disk cache.
    for (let round = 0; round < repetitions; round++) {
        theirs.push(timedImport("@pulumi/kubernetes"));
        ours.push(timedImport("pulumi-tidb"));
    }
    return [
        {
            name: "import of pulumi-tidb / of @pulumi/kubernetes",
            measured: ratio(ours, theirs),
            unit: "ratio",
            target: importTarget,
            detail: `${median(ours).toFixed(0)} ms / ${median(theirs).toFixed(0)} ms, medians of ${repetitions}`,
        },
    ];
}

/** Returns how many milliseconds an import takes in a fresh process. */
function timedImport(name: string): number {
    const script = `
        const began = performance.now();
        require(${JSON.stringify(name)});
        process.stdout.write(String(performance.now() - began));`;
    return Number(execFileSync(process.execPath, ["-e", script], { cwd: repository, encoding: "utf8" }));
}
