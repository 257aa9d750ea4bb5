import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { startSandbox } from "pulumi-tidb-sandbox";
import { findPulumi, type PulumiOperation, type PulumiRun } from "pulumi-tidb-sandbox/pulumi";
import type { Figure } from "./figure";
import { plainProgram, writeProgram } from "./plainProgram";
import { registeredObjects } from "./registeredObjects";
import { median, ratio } from "./statistics";

const example = path.resolve(__dirname, "..", "examples", "basic");

/** The maximum preview time of a cluster, as a multiple of that of the same objects without gates. */
const previewTarget = 1.3;

/**
 * Compares the preview times of `examples/basic` and of a program with the same objects as plain resources,
 * alternately: before the first deployment, and after it with nothing to change.
 */
export async function previewTime(repetitions: number, log: (line: string) => void): Promise<Figure[]> {
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-bench-"));
    const sandbox = await startSandbox();
    try {
        const driver = await findPulumi();
        log(driver.why);
        const plain = path.join(folder, "plain");
        const objects = await registeredObjects(example, "tidb-basic", { namespace: "plain" });
        writeProgram(plain, example, plainProgram(objects));

        const run = async (operation: PulumiOperation, program: string): Promise<PulumiRun> => {
            const done = await driver.start(operation, {
                program,
                stack: "bench",
                stateFolder: path.join(folder, `state-${path.basename(program)}`),
                environment: { KUBECONFIG: sandbox.kubeconfig, PULUMI_CONFIG_PASSPHRASE: "" },
                skipPreview: true,
            }).done;
            if (!done.ok) {
                throw new Error(`${operation} of ${program} failed:\n${done.output}`);
            }
            return done;
        };
        const compare = async (name: string, isAsExpected: (run: PulumiRun) => boolean): Promise<Figure> => {
            const times: Record<string, number[]> = { [example]: [], [plain]: [] };
            for (let round = 0; round <= repetitions; round++) {
                for (const program of round % 2 === 0 ? [plain, example] : [example, plain]) {
                    const preview = await run("preview", program);
                    if (!isAsExpected(preview)) {
                        throw new Error(`${name}: unexpected preview:\n${preview.output}`);
                    }
                    if (round > 0) {
                        times[program].push(preview.milliseconds); // The first round fills caches.
                    }
                }
                const last = Object.values(times).map((values) => values.at(-1));
                log(`${name}: ${round === 0 ? "warmed up" : `${last[0]} ms / ${last[1]} ms`}`);
            }
            const shown = (program: string): string => `${(median(times[program]) / 1000).toFixed(2)} s`;
            return {
                name,
                measured: ratio(times[example], times[plain]),
                unit: "ratio",
                target: previewTarget,
                detail: `${shown(example)} / ${shown(plain)}, medians of ${repetitions}, ${objects.length} objects, ${driver.kind}`,
            };
        };
        const first = await compare(
            "first preview of examples/basic / of plain resources",
            ({ changes }) => changes.create > objects.length,
        );
        await run("up", plain);
        await run("up", example);
        log("both deployed");
        const unchanged = await compare(
            "preview without a change / of plain resources",
            ({ changes }) => changes.create + changes.update + changes.replace + changes.delete === 0,
        );
        return [first, unchanged];
    } finally {
        await sandbox.down();
        rmSync(folder, { recursive: true, force: true });
    }
}
