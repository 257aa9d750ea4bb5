import { deferring } from "./planGate";
import { isDeepStrictEqual } from "node:util";
import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import { heldBack } from "../lifecycle/jobs/jobsBeside";
import { judgeJob } from "../lifecycle/jobs/judgeJob";
import { asMade, jobName, type JobTarget, nextAttempt } from "../lifecycle/jobs/observedJob";
import {
    begunBefore,
    doneBefore,
    goesBack,
    madeAnew,
    type JobBefore,
    type JobDone,
    type JobPlan,
    isOutdated,
    outdatedSince,
    planDone,
    planNew,
    planSeen,
} from "../lifecycle/jobs/planJob";
import { notKnown } from "../lifecycle/vocabulary/evidence";
import type { Gate, GateReport } from "./gateDefinition";
import { unknownPath, unknownValue } from "./inputs";
import { forgetFailed, keepDone, keepFailed, leaveBackup, planKeeping } from "./leaveBackup";
import { liveLeftBackups, type LeftBackupsWorld } from "./leftBackupJobs";
import { cautionOf, missingBefore } from "./jobSecrets";
import type { JobFindings, JobProgramInputs } from "./jobInputs";
import { type JobPorts, type JobWorld, liveJobWorld } from "./jobWorld";
import { lookAtJob, runJob } from "./runJob";
import { tellOwnPlan } from "./tellPlan";
import type { Notice } from "../lifecycle/vocabulary/notices";

type Values = Record<string, unknown>;

/**
 * Creates the gate of a Job. The Kubernetes provider creates the Job suspended; the gate starts it, once, and waits for its end. A Job that succeeded is in
 * the stack's state, so its work is never done a second time, whatever becomes of the Job.
 */
export function createJobGate(world: JobWorld = liveJobWorld, left: LeftBackupsWorld = liveLeftBackups): Gate {
    const planOf = (olds: Values, news: Values, isAhead = true) =>
        planJobGate(world, left, olds, news as unknown as JobProgramInputs, isAhead);
    return {
        planOf: (olds, news) => planOf(olds, news),
        check: async (olds, news, isPreview = false) => {
            const program = news as unknown as JobProgramInputs;
            const report = await planOf(olds, news, isPreview);
            return tellOwnPlan(jobName(program), report, world.progress(program), isPreview);
        },
        diff: (_id, olds, news) => {
            const isSame = olds.namespace === news.namespace && olds.job === news.job;
            const isCleanedSame = isDeepStrictEqual(olds.clean, news.clean);
            return Promise.resolve({ changes: !isSame || !isCleanedSame || (news.plan as string[]).length > 0 });
        },
        create: async (inputs) => {
            const id = `${inputs.namespace as string}/${inputs.job as string}`;
            return { id, outs: await carryOut(world, left, inputs as unknown as JobProgramInputs & JobFindings) };
        },
        update: async (_id, _olds, news) => ({
            outs: await carryOut(world, left, news as unknown as JobProgramInputs & JobFindings),
        }),
        delete: (_id, props) => leaveBackup(props as unknown as JobProgramInputs, left),
    };
}

export const jobGate: Gate = createJobGate();

async function carryOut(
    world: JobWorld,
    left: LeftBackupsWorld,
    inputs: JobProgramInputs & JobFindings,
): Promise<Values> {
    const done = inputs.done ?? (await runNow(world, left, inputs));
    if (done) {
        await keepDone(inputs, done.uid, left);
    }
    if (done && inputs.clean?.onFailure) {
        await forgetFailed(inputs, left);
    }
    return { ...inputs, ...(done === undefined ? {} : { done }) };
}

/** A Job that fails does not enter the state, so nobody would ask this gate what its data are to become: they are put on record now. */
async function runNow(world: JobWorld, left: LeftBackupsWorld, inputs: JobProgramInputs): Promise<JobDone | undefined> {
    try {
        return await runJob(inputs, inputs.wait, await world.open(inputs));
    } catch (error) {
        const noted = inputs.clean?.onFailure ? leaveBackup(inputs, left, false) : keepFailed(inputs, left);
        await noted.catch((other: Error) =>
            world.progress(inputs).warn({ code: "backup-not-recorded", message: other.message }),
        );
        throw error;
    }
}

/** @param isAhead whether the update is still to come: in the update itself, the program may be about to create what is missing. */
async function planJobGate(
    world: JobWorld,
    left: LeftBackupsWorld,
    olds: Values,
    program: JobProgramInputs,
    isAhead: boolean,
): Promise<GateReport> {
    const report = ({ plan, warnings, done }: JobPlan, deferral?: Notice): GateReport =>
        deferring(
            {
                inputs: { ...program, plan: [...plan], ...(done === undefined ? {} : { done }) },
                plan: plan.map((words) => ({ is: "task", words })),
                warnings,
            },
            deferral,
        );
    const { access, jobUid, began, wait, runs, secrets, caution, refusal, ...rest } = program;
    const failing = (reason: string): GateReport => ({
        ...report({ plan: [], warnings: [] }),
        refused: [{ property: "", reason }],
    });
    const isReachable = isAhead && unknownPath(access) === undefined;
    /** Once a Job has begun, what it does is done: nothing is refused any more. */
    const notBegun = async (named: JobTarget, words: readonly string[]): Promise<GateReport> => {
        const why = cautionOf(refusal).at(0)?.message;
        const held = why === undefined ? await heldAhead(named) : undefined;
        if (why !== undefined || held?.is === "refused") {
            return failing(why ?? `${jobName(named)} does not begin: ${held?.lacks}. Next: ${held?.remedy}`);
        }
        const { plan, warnings } = planNew(named, wait, words, await ahead());
        const first = held?.is === "waits" ? [`wait: ${held.lacks}; ${held.remedy}`] : [];
        return report({ plan: [...first, ...plan], warnings });
    };
    const heldAhead = async (named: JobTarget) => {
        const isKnown = unknownPath([program.namespace, program.job, program.into]) === undefined;
        return isReachable && isKnown ? heldBack(await besideOf(() => world.open(program)), named) : undefined;
    };
    const ahead = async () => [
        ...(isAhead ? cautionOf(caution) : []),
        ...(isReachable ? await missingBefore(program, secrets, () => world.open(program)) : []),
    ];
    const earlierDone = doneBefore(olds as JobBefore, rest);
    if (jobUid === undefined || unknownPath(program) !== undefined) {
        if (earlierDone !== undefined) {
            return report({ plan: [], warnings: [], done: earlierDone });
        }
        // In a preview, a Job that the Kubernetes provider has not created yet has no UID.
        const known = unknownPath(runs) === undefined ? runs : [];
        return notBegun(knownWords(program), known);
    }
    const target: JobTarget = { ...rest, jobUid };
    const earlier = goesBack(olds as JobBefore, target);
    if (earlier !== undefined) {
        return failing(earlier);
    }
    if (earlierDone) {
        const kept = program.clean && (await planKeeping(program, earlierDone.uid, left));
        return report({ ...planDone(target, earlierDone), ...(kept === undefined ? {} : { plan: [kept] }) });
    }
    const replaced = madeAnew(target, begunBefore(olds as JobBefore, target) ?? began);
    if (replaced !== undefined) {
        return failing(replaced);
    }
    try {
        const ports = await world.open({ ...program, access });
        const observation = await lookAtJob(ports);
        const isNew = olds.namespace !== target.namespace || olds.job !== target.job;
        if (isNew && observation.job.known && observation.job.value === undefined) {
            // In a preview, the Kubernetes provider may return the Job it would create, with a UID that no update keeps.
            return notBegun(target, runs);
        }
        const made = asMade(target, observation);
        const verdict = judgeJob(observation, made);
        if (verdict.is === "waits for its start") {
            return notBegun(target, runs);
        }
        const { warnings: said, ...found } = planSeen(verdict, made, wait, runs);
        // The update fails with these words a moment later.
        const seen = verdict.is === "failed" && wait && !isAhead ? [] : said;
        // A Job that succeeded is on record by the next update, which warns itself.
        const isSaid = verdict.is !== "succeeded" && isOutdated(observation, target);
        // Its pod may outlive it.
        const held =
            isSaid && verdict.is === "failed"
                ? heldBack(await besideOf(() => Promise.resolve(ports)), nextAttempt(target))
                : undefined;
        return report({ ...found, warnings: isSaid ? [...seen, outdatedSince(target, verdict, held)] : seen });
    } catch (error) {
        if (error instanceof ClusterAccessError) {
            return failing(error.message);
        }
        if (error instanceof KubernetesApiError) {
            const { message } = error;
            const plan = planSeen({ is: "not known", why: message }, target, wait, runs);
            return report(plan, { code: "api-call-failed", message });
        }
        throw error;
    }
}

/** Where it is not known, a preview says nothing: the update waits until it is. */
async function besideOf(open: () => Promise<JobPorts>): ReturnType<JobPorts["beside"]> {
    try {
        return await (await open()).beside();
    } catch (error) {
        if (error instanceof KubernetesApiError || error instanceof ClusterAccessError) {
            return notKnown(error.message);
        }
        throw error;
    }
}

/** What a preview does not know yet is left out of its words. */
function knownWords(program: JobProgramInputs): JobTarget {
    const shown = (value: string) => (value === unknownValue || value === undefined ? "…" : value);
    return { ...program, namespace: shown(program.namespace), job: shown(program.job), does: shown(program.does) };
}
