import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setTimeout as sleep } from "node:timers/promises";
import type { HookProcess } from "./hooks";
import { askProbe, countAnswer, type ProbeVerdict } from "./probes";

/** What follows from the answers of a container's probes. */
export interface ProbeConsequences {
    report(ready: boolean, started: boolean): Promise<void>;
    /** Called when the container must be started again. */
    fail(kind: "startup" | "liveness", probe: k8s.V1Probe): void;
}

/** Asks the probes of a container while its process runs, as kubelet does. */
export function watchProbes(
    container: k8s.V1Container,
    { address, log }: { address: string; log(line: string): void },
    process: HookProcess,
    { report, fail }: ProbeConsequences,
): { begin(): Promise<void>; end(): void } {
    const { startupProbe, readinessProbe, livenessProbe } = container;
    let isOver = false;
    let ready = readinessProbe === undefined && startupProbe === undefined;
    const ask = async (probe: k8s.V1Probe, on: (verdict: ProbeVerdict) => Promise<boolean>): Promise<void> => {
        await sleep((probe.initialDelaySeconds ?? 0) * 1000);
        for (let counts = { successes: 0, failures: 0 }; !isOver;) {
            const isOk = await askProbe(probe, container, address, process.exec);
            const counted = countAnswer(probe, counts, isOk);
            counts = counted.counts;
            if (isOver || (await on(counted.verdict))) {
                return;
            }
            await sleep((probe.periodSeconds ?? 10) * 1000);
        }
    };
    const afterStart = async (): Promise<void> => {
        ready ||= readinessProbe === undefined;
        await report(ready, true);
        await Promise.all([
            readinessProbe &&
                ask(readinessProbe, async (verdict) => {
                    if (verdict !== "undecided" && ready !== (verdict === "succeeds")) {
                        ready = verdict === "succeeds";
                        await report(ready, true);
                    }
                    return false;
                }),
            livenessProbe &&
                ask(livenessProbe, (verdict) => {
                    if (verdict === "fails") {
                        fail("liveness", livenessProbe);
                    }
                    return Promise.resolve(verdict === "fails");
                }),
        ]);
    };
    const all = async (): Promise<void> => {
        if (startupProbe === undefined) {
            return afterStart();
        }
        let hasStarted = false;
        await ask(startupProbe, (verdict) => {
            if (verdict === "fails") {
                fail("startup", startupProbe);
            }
            hasStarted = verdict === "succeeds";
            return Promise.resolve(verdict !== "undecided");
        });
        if (hasStarted && !isOver) {
            await afterStart();
        }
    };
    return {
        begin: async () => {
            await report(ready, startupProbe === undefined);
            all().catch((error: unknown) => log(`the probes of container ${container.name} failed: ${String(error)}`));
        },
        end: () => void (isOver = true),
    };
}
