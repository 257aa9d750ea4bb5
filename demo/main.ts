import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startSandbox } from "pulumi-tidb-sandbox";
import { findPulumi, type PulumiOperation, type PulumiOptions } from "pulumi-tidb-sandbox/pulumi";
import { startCertManager } from "../tests/support/certificates/certManager";
import { countEvents, type DoneStep, renderReport } from "./report";
import { type Config, steps } from "./steps";
import { leaveTimeline } from "./timeline";

/**
 * Reads the options. `tls`: the cluster uses TLS, with certificates from the stand-in for cert-manager in the sandbox.
 */
function readOptions(): { tls: boolean } {
    const { values } = parseArgs({ options: { tls: { type: "boolean", default: false } } });
    return values;
}

/** Runs the demo's steps in a sandbox and reports them. @returns the exit code. */
async function main({ tls }: { tls: boolean }): Promise<number> {
    const program = join(__dirname, "..", "examples", tls ? "tls" : "basic");
    const log = (line: string) => console.log(line);
    const pulumi = await findPulumi();
    log(`Pulumi: ${pulumi.why}`);
    const began = Date.now();
    // Less data than in a default sandbox: the demo shows the steps, and `npm run bench` measures their speed.
    const sandbox = await startSandbox({ log, timings: { leadersPerStore: 200 } });
    log(
        `sandbox "${sandbox.name}"${tls ? ", with TLS," : ""} is up after ${seconds(began).toFixed(1)} s; kubeconfig ${sandbox.kubeconfig}`,
    );
    const certManager = tls ? await startCertManager(sandbox.kubeconfig, log) : undefined;
    const stateFolder = mkdtempSync(join(tmpdir(), "pulumi-tidb-demo-"));
    const optionsOf = (operation: PulumiOperation, config: Config): PulumiOptions => ({
        program,
        stack: "demo",
        stateFolder,
        // Checking types takes most of a run's time, and `npm run check` has checked the example's.
        environment: { KUBECONFIG: sandbox.kubeconfig, PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
        config: { ...config },
        diff: operation === "preview",
        skipPreview: operation !== "preview",
        onLine: log,
    });
    const done: DoneStep[] = [];
    const events = () => sandbox.dataPlane.events;
    let eventsBeforeDestroy = 0;
    let page: string | undefined;
    try {
        for (const [index, step] of steps.entries()) {
            log(`\n== ${index + 1}/${steps.length} ${step.title}`);
            const start = Date.now();
            if (index === steps.length - 1) {
                eventsBeforeDestroy = events().length;
                // The journal goes with the cluster.
                page = await leaveTimeline(sandbox.kubeconfig);
            }
            try {
                const outcome = await step.run({
                    log,
                    events,
                    run: (operation, config) => pulumi.run(operation, optionsOf(operation, config)),
                    start: (operation, config) => pulumi.start(operation, optionsOf(operation, config)),
                });
                done.push({ title: step.title, seconds: seconds(start), outcome, ok: true });
            } catch (error) {
                done.push({ title: step.title, seconds: seconds(start), outcome: (error as Error).message, ok: false });
                break;
            }
        }
        const counts = countEvents(events().slice(0, eventsBeforeDestroy || undefined));
        log(`\n${renderReport(done, counts)}`);
        log(page ?? (await leaveTimeline(sandbox.kubeconfig)));
        const safe =
            counts.leadersAtRestart === 0 &&
            counts.leadersStopped === 0 &&
            counts.evictionsBegun === counts.evictionsEnded;
        const ok = safe && done.length === steps.length && done.every((step) => step.ok);
        log(ok ? `all ${steps.length} steps done in ${seconds(began).toFixed(0)} s` : "the demo FAILED, see above");
        return ok ? 0 : 1;
    } finally {
        await certManager?.stop();
        await sandbox.down();
        rmSync(stateFolder, { recursive: true, force: true });
    }
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
