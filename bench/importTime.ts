import { execFileSync } from "node:child_process";
import * as path from "node:path";
import type { Figure } from "./figure";
import { median, ratio } from "./statistics";

const repository = path.resolve(__dirname, "..");

/** What an import of this package may cost beside one of the Kubernetes SDK, which every program of its kind has. */
const importTarget = 1.15;

/**
 * Times the import of the built package against that of `@pulumi/kubernetes`, each in a fresh process, in turn. What
 * Node itself takes to start is left out of both.
 */
export function importTime(repetitions: number): Figure[] {
    const ours: number[] = [];
    const theirs: number[] = [];
    timedImport("pulumi-tidb"); // The first one reads from the disk.
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

/** Milliseconds that an import takes in a process of its own. */
function timedImport(name: string): number {
    const script = `
        const began = performance.now();
        require(${JSON.stringify(name)});
        process.stdout.write(String(performance.now() - began));`;
    return Number(execFileSync(process.execPath, ["-e", script], { cwd: repository, encoding: "utf8" }));
}
