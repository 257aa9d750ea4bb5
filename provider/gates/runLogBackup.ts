import { StaleDecision } from "../cluster/staleDecision";
import { unknownSeconds } from "../lifecycle/jobs/nextJobMove";
import type { ObservedJob } from "../lifecycle/jobs/observedJob";
import { stepWords } from "../lifecycle/logBackup/logWords";
import { logBackupName, planLogBackup } from "../lifecycle/logBackup/planLogBackup";
import type { LogBackupBefore } from "../lifecycle/logBackup/target";
import type { ProblemCode } from "../lifecycle/vocabulary/problemCodes";
import { clockTime } from "./clockTime";
import { GateError } from "./gateError";
import type { LogBackupProgramInputs } from "./logBackupInputs";
import { isAtWork, isOwn, jobOf, ownJobName, reachedWith, revisionOf, targetOf } from "./logBackupJob";
import type { LogBackupPorts } from "./logBackupWorld";
import { asGateErrors, assertMayBegin, runJob } from "./runJob";
import { stoppedRun, whyStopped } from "./stoppedRun";
import { reportWaits } from "./waitReports";

const pauseMilliseconds = 1_000;

/**
 * Takes the steps that PD's word asks for, each by a Job whose end it waits for, until none is left. PD is asked again after each: that a
 * Job succeeded does not make a step done, except truncation, of which PD knows nothing.
 *
 * @throws GateError if the program is refused, the task is gone, a Job failed, or what must be known is not known in time.
 */
export async function runLogBackup(
    inputs: LogBackupProgramInputs,
    before: LogBackupBefore,
    ports: LogBackupPorts,
): Promise<void> {
    const name = logBackupName(inputs);
    const failure = (code: ProblemCode, seen: string, next: string) =>
        new GateError({
            code,
            step: name,
            target: ownJobName(inputs),
            seen,
            next: `${next}, then run \`pulumi up\` again`,
        });
    const waits = reportWaits(ports);
    /** The Jobs that this run has created, or seen at work. */
    const seen = new Set<string | undefined>();
    let reached = before;
    let unknownSince: number | undefined;
    let lateSince: number | undefined;

    /** @returns since when it is waited for. */
    const waitToKnow = async (why: string, since = ports.now()): Promise<number> => {
        const until = since + unknownSeconds * 1000;
        if (ports.now() >= until) {
            throw failure(
                "log-backup-unknown",
                `it is not known for ${unknownSeconds} s: ${why}`,
                "make PD and the API server answer",
            );
        }
        waits.waiting(name, why, `waiting for the ${name}: ${why} (fails at ${clockTime(until, ports.now())})`);
        await ports.sleep(pauseMilliseconds);
        return since;
    };

    for (;;) {
        const stopped = whyStopped(ports, undefined);
        if (stopped !== undefined) {
            throw stoppedRun({ description: name }, stopped);
        }
        const { job } = await ports.look();
        const tasks = await ports.tasks();
        const own = job.known ? job.value : undefined;
        if (own && !isOwn(own)) {
            throw failure(
                "job-name-taken",
                "this program has not created the Job of this name",
                "delete that Job, or rename this Backup if another one has made it",
            );
        }
        if (own && isAtWork(own) && !own.deleting) {
            seen.add(own.uid);
            await runJob(targetOf(inputs, own), true, ports);
            continue;
        }
        if (!job.known || !tasks.known || own?.deleting) {
            unknownSince = await waitToKnow(
                !job.known ? job.why : !tasks.known ? tasks.why : `${ownJobName(inputs)} is being deleted`,
                unknownSince,
            );
            continue;
        }
        unknownSince = undefined;
        waits.over("PD and the API server answered");
        reached = reachedWith(own, inputs, reached);
        const { steps, warnings, problem } = planLogBackup(tasks.value, inputs, reached, Date.now());
        if (problem !== undefined) {
            throw new GateError(problem);
        }
        if (steps.length === 0) {
            warnings.forEach((warning) => ports.progress.warn(warning));
            return;
        }
        const [step] = steps;
        if (own === undefined) {
            if (step === "start") {
                assertMayBegin({ ...inputs, does: name }, ownJobName(inputs));
            }
            const call = () => ports.create(jobOf(inputs, step));
            try {
                seen.add(await asGateErrors({ ...jobId(inputs), does: stepWords(step, inputs) }, call));
            } catch (error) {
                if (!(error instanceof StaleDecision)) {
                    throw error;
                }
                lateSince = await waitToKnow(error.message, lateSince);
                continue;
            }
            lateSince = undefined;
            ports.progress.note(`created ${ownJobName(inputs)}: ${stepWords(step, inputs)}`);
            continue;
        }
        if (own.revision === revisionOf(inputs, step)) {
            if (own.conditions.some(({ type }) => type === "Failed")) {
                // It fails the run, with its last words.
                await runJob(targetOf(inputs, own), true, ports);
            }
            if (seen.has(own.uid)) {
                throw failure(
                    "log-backup-contradicted",
                    `BR could ${stepWords(step, inputs)}, but PD says otherwise`,
                    "find out who else works on this log backup",
                );
            }
        }
        await asGateErrors({ ...jobId(inputs), does: name }, () => ports.remove(own.uid));
    }
}

/** Deletes the Job of the last step when the log backup leaves the program. Its task goes on. */
export async function leaveLogBackup(inputs: LogBackupProgramInputs, ports: LogBackupPorts): Promise<void> {
    const { job } = await ports.look();
    const own: ObservedJob | undefined = job.known ? job.value : undefined;
    if (own !== undefined && isOwn(own)) {
        await ports.remove(own.uid);
    }
    const tasks = await ports.tasks();
    if (tasks.known && tasks.value.some(({ name }) => name === inputs.task)) {
        const message = `the ${logBackupName(inputs)} goes on as long as its cluster runs: TiKV keeps writing to ${inputs.storage}. \`br log stop --task-name=${inputs.task}\` stops it`;
        ports.progress.warn({ code: "log-backup-continues", message });
    }
}

function jobId({ job }: LogBackupProgramInputs): { namespace: string; job: string } {
    return { namespace: job.metadata.namespace, job: job.metadata.name };
}
