import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type DataPlaneEvent, type Sandbox, startSandbox } from "pulumi-tidb-sandbox";
import { findPulumi, type PulumiDriver, type PulumiOperation, type PulumiOptions } from "pulumi-tidb-sandbox/pulumi";
import { countEvents, type DoneStep, renderReport } from "./report";
import { plain, type Scenario, withBackup, withTls } from "./scenarios";
import type { Config, Step, StepContext } from "./step";
import { leaveTimeline } from "./timeline";

/** @throws Error for an unknown option, and for two that exclude each other. */
function readOptions(): Scenario {
    const { values } = parseArgs({
        options: { tls: { type: "boolean", default: false }, backup: { type: "boolean", default: false } },
    });
    if (values.tls && values.backup) {
        throw new Error("found --tls and --backup, expected at most one of them");
    }
    return values.tls ? withTls() : values.backup ? withBackup() : plain();
}

const log = (line: string): void => console.log(line);

/** Runs the scenario's steps in a sandbox and reports them. @returns the exit code. */
async function main(scenario: Scenario): Promise<number> {
    const pulumi = await findPulumi();
    log(`Pulumi: ${pulumi.why}`);
    const began = Date.now();
    const stateFolder = mkdtempSync(join(tmpdir(), "pulumi-tidb-demo-"));
    let sandbox: Sandbox | undefined;
    try {
        // Less data than in a default sandbox: the demo shows the steps, and `npm run bench` measures their speed.
        sandbox = await startSandbox({ log, timings: { leadersPerStore: 200 }, ...scenario.sandbox });
        const { name, kubeconfig } = sandbox;
        log(`sandbox "${name}" is up after ${seconds(began).toFixed(1)} s; kubeconfig ${kubeconfig}`);
        const steps = await scenario.begin(sandbox, log);
        const { done, seen, page } = await runSteps(
            steps,
            contextOf(pulumi, sandbox, scenario, stateFolder),
            kubeconfig,
        );
        const counts = countEvents(seen);
        log(`\n${renderReport(done, counts)}`);
        log(page);
        const safe =
            counts.leadersAtRestart === 0 &&
            counts.leadersStopped === 0 &&
            counts.evictionsBegun === counts.evictionsEnded;
        const ok = safe && done.length === steps.length && done.every((step) => step.ok);
        log(ok ? `all ${steps.length} steps done in ${seconds(began).toFixed(0)} s` : "the demo FAILED, see above");
        return ok ? 0 : 1;
    } finally {
        await scenario.end();
        await sandbox?.down();
        rmSync(stateFolder, { recursive: true, force: true });
    }
}

function contextOf(pulumi: PulumiDriver, sandbox: Sandbox, { example }: Scenario, stateFolder: string): StepContext {
    const optionsOf = (operation: PulumiOperation, config: Config): PulumiOptions => ({
        program: join(__dirname, "..", "examples", example),
        stack: "demo",
        stateFolder,
        // Checking types takes most of a run's time, and `npm run check` has checked the example's.
        environment: { KUBECONFIG: sandbox.kubeconfig, PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
        config: { ...config },
        diff: operation === "preview",
        skipPreview: operation !== "preview",
        onLine: log,
    });
    return {
        log,
        events: () => sandbox.dataPlane.events,
        cluster: () => {
            const cluster = sandbox.dataPlane.cluster("tidb", "basic");
            if (cluster === undefined) {
                throw new Error("the sandbox has no cluster tidb/basic");
            }
            return cluster;
        },
        run: (operation, config) => pulumi.run(operation, optionsOf(operation, config)),
        start: (operation, config) => pulumi.start(operation, optionsOf(operation, config)),
    };
}

/** What the steps came to. */
interface Outcome {
    readonly done: readonly DoneStep[];
    /** What happened in the steps that are not meant to end the cluster. */
    readonly seen: readonly DataPlaneEvent[];
    /** Where the page with the timeline is. */
    readonly page: string;
}

/** Runs the steps one after the other, until one fails. */
async function runSteps(steps: readonly Step[], context: StepContext, kubeconfig: string): Promise<Outcome> {
    const done: DoneStep[] = [];
    const seen: DataPlaneEvent[] = [];
    let page: string | undefined;
    for (const [index, { title, destroys, run }] of steps.entries()) {
        log(`\n== ${index + 1}/${steps.length} ${title}`);
        const [start, before] = [Date.now(), context.events().length];
        if (destroys) {
            // The journal goes with the cluster.
            page = await leaveTimeline(kubeconfig);
        }
        const [ok, outcome] = await run(context).then(
            (text) => [true, text] as const,
            (error: Error) => [false, error.message] as const,
        );
        done.push({ title, seconds: seconds(start), outcome, ok });
        if (!destroys) {
            seen.push(...context.events().slice(before));
        }
        if (!ok) {
            break;
        }
    }
    return { done, seen, page: page ?? (await leaveTimeline(kubeconfig)) };
}

function seconds(since: number): number {
    return (Date.now() - since) / 1000;
}

Promise.resolve()
    .then(() => main(readOptions()))
    .then(
        (code) => process.exit(code),
        (error: Error) => {
            console.error(error.message);
            process.exit(1);
        },
    );
