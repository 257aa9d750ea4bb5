import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { type Sandbox, startSandbox } from "pulumi-tidb-sandbox";
import { findPulumi, type PulumiOperation, type PulumiRun } from "pulumi-tidb-sandbox/pulumi";
import type { Figure } from "./figure";
import { plainProgram, writeProgram } from "./plainProgram";
import { registeredObjects } from "./registeredObjects";
import { median, ratio } from "./statistics";

const example = path.resolve(__dirname, "..", "examples", "basic");

/** `examples/basic`, and a program with the same objects as plain resources in a namespace of its own. */
export interface Pair {
    readonly sandbox: Sandbox;
    /** The number of objects of each. */
    readonly objects: number;
    /** The kind of engine that runs them. */
    readonly engine: string;
    run(operation: PulumiOperation, program: "example" | "plain"): Promise<PulumiRun>;
    /**
     * Runs both alternately, and compares their times.
     * @param isAsExpected whether a run did what is measured.
     */
    compare(
        name: string,
        operation: PulumiOperation,
        times: { repetitions: number; target: number },
        isAsExpected: (run: PulumiRun) => boolean,
    ): Promise<Figure>;
}

/** Starts a sandbox for both programs. @param config of the example. Both programs have its objects. */
export async function withPair<T>(
    config: Record<string, string>,
    log: (line: string) => void,
    use: (pair: Pair) => Promise<T>,
): Promise<T> {
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-bench-"));
    const sandbox = await startSandbox();
    try {
        const driver = await findPulumi();
        log(driver.why);
        const plain = path.join(folder, "plain");
        const objects = await registeredObjects(example, "tidb-basic", { ...config, namespace: "plain" });
        writeProgram(plain, example, plainProgram(objects));
        const run: Pair["run"] = async (operation, which) => {
            const program = which === "plain" ? plain : example;
            const done = await driver.start(operation, {
                program,
                stack: "bench",
                stateFolder: path.join(folder, `state-${which}`),
                environment: { KUBECONFIG: sandbox.kubeconfig, PULUMI_CONFIG_PASSPHRASE: "" },
                ...(which === "plain" ? {} : { config }),
                skipPreview: true,
            }).done;
            if (!done.ok) {
                throw new Error(`${operation} of ${program} failed:\n${done.output}`);
            }
            return done;
        };
        const pair = { sandbox, objects: objects.length, engine: driver.kind, run };
        return await use({ ...pair, compare: (...args) => compare(pair, log, ...args) });
    } finally {
        await sandbox.down();
        rmSync(folder, { recursive: true, force: true });
    }
}

async function compare(
    { run, objects, engine }: Omit<Pair, "compare">,
    log: (line: string) => void,
    ...[name, operation, { repetitions, target }, isAsExpected]: Parameters<Pair["compare"]>
): Promise<Figure> {
    const times = { example: [] as number[], plain: [] as number[] };
    for (let round = 0; round <= repetitions; round++) {
        for (const program of round % 2 === 0 ? (["plain", "example"] as const) : (["example", "plain"] as const)) {
            const done = await run(operation, program);
            if (!isAsExpected(done)) {
                throw new Error(`${name}: unexpected ${operation}:\n${done.output}`);
            }
            if (round > 0) {
                times[program].push(done.milliseconds); // The first round fills caches.
            }
        }
        const last = Object.values(times).map((values) => values.at(-1));
        log(`${name}: ${round === 0 ? "warmed up" : `${last[0]} ms / ${last[1]} ms`}`);
    }
    const shown = (values: readonly number[]): string => `${(median(values) / 1000).toFixed(2)} s`;
    return {
        name,
        measured: ratio(times.example, times.plain),
        unit: "ratio",
        target,
        detail: `${shown(times.example)} / ${shown(times.plain)}, medians of ${repetitions}, ${objects} objects, ${engine}`,
    };
}

/** Whether a run has nothing to change. */
export function changesNothing({ changes }: PulumiRun): boolean {
    return changes.create + changes.update + changes.replace + changes.delete === 0;
}
