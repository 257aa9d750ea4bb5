import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startSandbox } from "pulumi-tidb-sandbox";
import { findPulumi } from "pulumi-tidb-sandbox/pulumi";
import { startCertManager } from "../tests/support/certificates/certManager";
import { countEvents, type DoneStep, renderReport } from "./report";
import { steps } from "./steps";

/** Whether the cluster talks TLS, with certificates from what plays cert-manager in the sandbox. */
function readOptions(): { tls: boolean } {
    const { values } = parseArgs({ options: { tls: { type: "boolean", default: false } } });
    return values;
}

/** Runs the main job in a sandbox and shows what was done. @returns the exit code. */
async function main({ tls }: { tls: boolean }): Promise<number> {
    const program = join(__dirname, "..", "examples", tls ? "tls" : "basic");
    const say = (line: string) => console.log(line);
    const pulumi = await findPulumi();
    say(`Pulumi: ${pulumi.why}`);
    const began = Date.now();
    // Less data than a sandbox has by default: the demo shows what is done; how fast is for `npm run bench`.
    const sandbox = await startSandbox({ log: say, timings: { leadersPerStore: 200 } });
    say(
        `sandbox "${sandbox.name}"${tls ? ", with TLS," : ""} is up after ${seconds(began).toFixed(1)} s; kubeconfig ${sandbox.kubeconfig}`,
    );
    const certManager = tls ? await startCertManager(sandbox.kubeconfig, say) : undefined;
    const stateFolder = mkdtempSync(join(tmpdir(), "pulumi-tidb-demo-"));
    const done: DoneStep[] = [];
    const events = () => sandbox.dataPlane.events;
    let eventsBeforeDestroy = 0;
    try {
        for (const [index, step] of steps.entries()) {
            say(`\n== ${index + 1}/${steps.length} ${step.title}`);
            const start = Date.now();
            if (index === steps.length - 1) {
                eventsBeforeDestroy = events().length;
            }
            try {
                const outcome = await step.run({
                    say,
                    events,
                    start: (operation, config) =>
                        pulumi.start(operation, {
                            program,
                            stack: "demo",
                            stateFolder,
                            // `npm run check` has checked the example's types; checking them at each run takes most of its time.
                            environment: {
                                KUBECONFIG: sandbox.kubeconfig,
                                PULUMI_NODEJS_TRANSPILE_ONLY: "true",
                            },
                            config: { ...config },
                            diff: operation === "preview",
                            skipPreview: operation !== "preview",
                            onLine: say,
                        }),
                });
                done.push({ title: step.title, seconds: seconds(start), outcome, ok: true });
            } catch (error) {
                done.push({ title: step.title, seconds: seconds(start), outcome: (error as Error).message, ok: false });
                break;
            }
        }
        const saw = countEvents(events().slice(0, eventsBeforeDestroy || undefined));
        say(`\n${renderReport(done, saw)}`);
        const safe =
            saw.leadersAtRestart === 0 && saw.leadersStopped === 0 && saw.evictionsBegun === saw.evictionsEnded;
        const ok = safe && done.length === steps.length && done.every((step) => step.ok);
        say(ok ? `all ${steps.length} steps done in ${seconds(began).toFixed(0)} s` : "the demo FAILED, see above");
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
