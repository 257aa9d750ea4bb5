import { firstStep, KubernetesApiError } from "../cluster/apiCall";
import { StaleDecision } from "../cluster/staleDecision";
import { logOf } from "../lifecycle/jobs/jobContainers";
import { judgeJob } from "../lifecycle/jobs/judgeJob";
import { checkApiServer, heldBack, type HeldBack } from "../lifecycle/jobs/jobsBeside";
import { type JobWait, nextJobMove, waitToBegin } from "../lifecycle/jobs/nextJobMove";
import { asMade, commandOf, jobName, type JobObservation, type JobTarget } from "../lifecycle/jobs/observedJob";
import { changedSince, type JobDone } from "../lifecycle/jobs/planJob";
import { clockTime } from "./clockTime";
import { GateError } from "./gateError";
import { secretLooks } from "./jobSecrets";
import type { JobPorts } from "./jobWorld";
import { stoppedRun, whyStopped } from "./stoppedRun";
import { reportWaits } from "./waitReports";

const shortestPauseMilliseconds = 150;
const longestPauseMilliseconds = 2_000;
/** While waiting, the run pauses for a twentieth of the time waited so far. */
const pauseShare = 20;
/** How often a log is read, for the line that says what the Job does. */
const logEveryMilliseconds = 5_000;

/**
 * Starts a Job that has not run yet, and waits for its end.
 * @param wait whether to wait for the end. Otherwise it returns as soon as the Job is known to have begun.
 * @returns that the Job succeeded; undefined if it is still at work, and is not waited for.
 * @throws GateError with the container's own last words if the Job failed; or if its end is not known in time.
 */
export async function runJob(
    asked: JobTarget & { readonly refusal?: string },
    wait: boolean,
    ports: JobPorts,
): Promise<JobDone | undefined> {
    const waits = reportWaits(ports);
    let memory: JobWait = { began: ports.now() };
    let readLogAt = -Infinity;
    const withSecrets = secretLooks(ports);
    let target = asked;
    for (;;) {
        const stopped = whyStopped(ports, await ports.stopAsked?.());
        if (stopped !== undefined) {
            throw stoppedRun({ ...target, description: target.does }, `${stopped}; ${jobName(target)} goes on`);
        }
        const observation = await asGateErrors(target, () =>
            lookAtJob(ports, ports.now() - readLogAt >= logEveryMilliseconds, withSecrets),
        );
        readLogAt = observation.lastLines.known ? ports.now() : readLogAt;
        target = asMade(asked, observation);
        const verdict = judgeJob(observation, target);
        if (!wait && verdict.is === "at work") {
            return undefined;
        }
        let move = nextJobMove(verdict, target, memory, ports.now());
        if (move.kind === "start") {
            assertMayBegin(target, jobName(target));
            const held = await startInTurn(target, ports);
            if (held === undefined) {
                memory = { began: ports.now() };
                continue;
            }
            move = waitToBegin(held, target, memory, ports.now());
        }
        if (move.kind === "fail") {
            throw new GateError(move.problem);
        }
        if (move.kind === "done") {
            waits.over("it succeeded");
            ports.progress.note(`${jobName(target)} succeeded: ${target.does}`);
            if (move.revision !== target.revision) {
                ports.progress.warn(changedSince(target));
            }
            return { uid: target.jobUid, revision: move.revision };
        }
        memory = move.wait;
        const waited = ports.now() - memory.began;
        const until = clockTime(move.until, ports.now());
        const words = `waiting for ${jobName(target)}: ${move.reason} (${Math.round(waited / 1000)} s; fails at ${until})`;
        waits.waiting(jobName(target), move.reason, words);
        await ports.sleep(Math.min(longestPauseMilliseconds, Math.max(shortestPauseMilliseconds, waited / pauseShare)));
    }
}

/** @throws GateError if the program alone tells why it must not begin. A gate that could not look before has not refused it. */
export function assertMayBegin({ does, refusal }: { does: string; refusal?: string }, target: string): void {
    if (refusal) {
        throw new GateError({
            code: "job-refused",
            step: does,
            target,
            seen: refusal,
            next: "correct the program and raise `attempt`, because the Job is made and keeps what it was made from. Then run `pulumi up` again",
        });
    }
}

/** @returns what is seen of the Job, with its log if it has failed, or if the log is due, and with the Secrets that it lacks. */
export async function lookAtJob(
    ports: Pick<JobPorts, "look" | "lastLines" | "absentSecrets">,
    isLogDue = true,
    withSecrets = secretLooks(ports),
): Promise<JobObservation> {
    const observation = await withSecrets(await ports.look());
    const of = logOf(observation);
    const hasFailed = observation.job.known && observation.job.value?.conditions.some(({ type }) => type === "Failed");
    return of !== undefined && (isLogDue || hasFailed)
        ? { ...observation, lastLines: await ports.lastLines(of) }
        : observation;
}

let turn: Promise<unknown> = Promise.resolve();

/** Starts a Job unless another one must end first. One at a time: of two restores of a program, the later one sees the other. */
function startInTurn(target: JobTarget, ports: JobPorts): Promise<HeldBack | undefined> {
    const next = turn.then(() =>
        asGateErrors(target, async () => heldBack(await ports.beside(), target) ?? (await startJob(target, ports))),
    );
    turn = next.catch(() => undefined);
    return next;
}

/** @returns undefined if the Job begins now; otherwise that this is not known: no answer, another Job of its name, or too late a request. */
async function startJob(target: JobTarget, ports: JobPorts): Promise<HeldBack | undefined> {
    try {
        await ports.start(target.jobUid);
        ports.progress.note(`started ${jobName(target)}: ${target.does}`);
        return undefined;
    } catch (error) {
        const isUnknown =
            error instanceof StaleDecision ||
            (error instanceof KubernetesApiError &&
                (error.isTransient || error.status === 404 || error.status === 422));
        if (!isUnknown) {
            throw error;
        }
        return { is: "not known", lacks: error.message, remedy: checkApiServer(target) };
    }
}

/** An error of the API server says what failed; the user must also know what to do. */
export async function asGateErrors<T>(
    target: Pick<JobTarget, "does" | "namespace" | "job" | "command">,
    call: () => Promise<T>,
): Promise<T> {
    try {
        return await call();
    } catch (error) {
        if (!(error instanceof KubernetesApiError)) {
            throw error;
        }
        const first = firstStep(error, "grant the user of the kubeconfig this permission (docs/permissions.md)");
        const next = `${first}, then run ${commandOf(target)} again: it continues with this Job`;
        throw new GateError(
            { code: "api-call-failed", step: target.does, target: jobName(target), seen: error.message, next },
            { cause: error },
        );
    }
}
