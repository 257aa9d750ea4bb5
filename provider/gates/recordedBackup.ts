import type { GatePorts } from "../cluster/gatePorts";
import { jobName, type JobTarget } from "../lifecycle/jobs/observedJob";
import { recordOperation } from "./operationRecord";
import { StoppedRun } from "./stoppedRun";

/**
 * Runs a gate's wait for the Job of a backup as an operation of its own in the cluster's journal. Its end is written and nothing before it: without the
 * cluster's lock, a timeline would take an operation without an end for one whose process was killed.
 */
export async function recordedBackup<T>(
    target: JobTarget,
    ports: Pick<GatePorts, "now" | "journal" | "plan" | "progress">,
    run: () => Promise<T>,
): Promise<T> {
    const record = recordOperation(target.does, ports);
    const waitingFor = `the end of ${jobName(target)}`;
    record.waits({ kind: "wait", step: target.does, target: target.job, waitingFor, since: ports.now() });
    let failure: unknown;
    try {
        return await run();
    } catch (error) {
        failure = error;
        if (error instanceof StoppedRun) {
            record.stopped();
        }
        throw error;
    } finally {
        await record.ended(failure);
    }
}
