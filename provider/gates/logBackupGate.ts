import { deferring } from "./planGate";
import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import { secretsOf } from "../lifecycle/jobs/jobSecrets";
import { stepWords } from "../lifecycle/logBackup/logWords";
import { logBackupName, planLogBackup } from "../lifecycle/logBackup/planLogBackup";
import type { LogBackupBefore } from "../lifecycle/logBackup/target";
import type { Refusal } from "../lifecycle/vocabulary/ownership";
import type { Gate, GateReport } from "./gateDefinition";
import { GateError, refusalOf } from "./gateError";
import { unknownPath } from "./inputs";
import { cautionOf, missingBefore } from "./jobSecrets";
import type { LogBackupFindings, LogBackupProgramInputs } from "./logBackupInputs";
import { type LogBackupWorld, liveLogBackupWorld } from "./logBackupWorld";
import { isAtWork, ownJobName, reachedWith } from "./logBackupJob";
import { leaveLogBackup, runLogBackup } from "./runLogBackup";
import { tellOwnPlan } from "./tellPlan";
import { type Notice, noticesOf } from "../lifecycle/vocabulary/notices";

type Values = Record<string, unknown>;

/** What an update of the gate reached, if it has these values: the same again is nothing to do unless PD says otherwise. */
const reachedFields = ["task", "of", "storage", "wanted", "truncateUntil", "attempt"] as const;

/**
 * Creates the gate of a log backup. The task is in PD, so what is to be done follows from what PD says of it; each step is a Job that the
 * gate creates, one at a time.
 */
export function createLogBackupGate(world: LogBackupWorld = liveLogBackupWorld): Gate {
    const planOf = (olds: Values, news: Values, isAhead = true) =>
        planLogBackupGate(world, olds, news as unknown as LogBackupProgramInputs, isAhead);
    const carryOut = async (olds: Values, news: Values) => {
        const inputs = news as unknown as LogBackupProgramInputs & LogBackupFindings;
        const ports = await world.open(inputs);
        try {
            await runLogBackup(inputs, beforeOf(olds, inputs), ports);
        } finally {
            ports.close();
        }
        return news;
    };
    return {
        planOf: (olds, news) => planOf(olds, news),
        check: async (olds, news, isPreview = false) => {
            const program = news as unknown as LogBackupProgramInputs;
            const of = isKnown(program) ? ownJobName(program) : "log backup";
            const report = await planOf(olds, news, isPreview);
            return tellOwnPlan(of, report, world.progress(program), isPreview);
        },
        diff: (_id, olds, news) => {
            return Promise.resolve({ changes: !isReached(olds, news) || (news.plan as string[]).length > 0 });
        },
        create: async (inputs) => ({
            id: `${String(inputs.of)}/${String(inputs.task)}`,
            outs: await carryOut({}, inputs),
        }),
        update: async (_id, olds, news) => ({ outs: await carryOut(olds, news) }),
        delete: async (_id, props) => {
            const inputs = props as unknown as LogBackupProgramInputs;
            try {
                const ports = await world.open(inputs);
                await leaveLogBackup(inputs, ports).finally(() => ports.close());
            } catch (error) {
                if (!(error instanceof KubernetesApiError || error instanceof ClusterAccessError)) {
                    throw error;
                }
                const message = `${ownJobName(inputs)} was not deleted: ${error.message}`;
                world.progress(inputs).warn({ code: "job-not-deleted", message });
            }
        },
    };
}

export const logBackupGate: Gate = createLogBackupGate();

function isReached(olds: Values, news: object): boolean {
    return reachedFields.every((field) => olds[field] === (news as Values)[field]);
}

/** Before the Namespace or the cluster is there, a preview does not know all of the program's values. */
function isKnown(program: LogBackupProgramInputs): boolean {
    return unknownPath(program) === undefined;
}

function wish(program: LogBackupProgramInputs): string {
    if (!isKnown(program)) {
        return "make the log backup what the program says, by the steps that PD's word asks for";
    }
    const { wanted, truncateUntil } = program;
    return `make the ${logBackupName(program)} ${wanted}${truncateUntil === "" ? "" : `, and truncate it until ${truncateUntil}`}, by the steps that PD's word asks for`;
}

/** An update enters the stack's state only if it reached all that it asked for. */
function beforeOf(olds: Values, { task, of, storage }: LogBackupProgramInputs): LogBackupBefore {
    const { wanted, truncateUntil, attempt } = olds as LogBackupBefore;
    return olds.task === task && olds.of === of
        ? { wanted, attempt, ...(olds.storage === storage ? { truncateUntil } : {}) }
        : {};
}

/** @param isAhead whether the update is still to come: in the update itself, the program may be about to create what is missing. */
async function planLogBackupGate(
    world: LogBackupWorld,
    olds: Values,
    program: LogBackupProgramInputs,
    isAhead: boolean,
): Promise<GateReport> {
    const report = (plan: string[], warnings: readonly Notice[] = [], deferral?: Notice): GateReport =>
        deferring(
            { inputs: { ...program, plan }, plan: plan.map((words) => ({ is: "task", words })), warnings },
            deferral,
        );
    const refused = (refusal: Refusal): GateReport => ({ ...report([]), refused: [refusal] });
    if (!isKnown(program)) {
        return report([wish(program)], [], {
            code: "value-unknown",
            message: "the program's values are not known yet",
        });
    }
    const notSeen = (why: string) =>
        // An update that changes nothing does not fail because PD cannot be asked.
        isReached(olds, program)
            ? report(
                  [],
                  noticesOf(
                      "log-backup-unknown",
                      `${logBackupName(program)}: whether it is ${program.wanted} is not known: ${why}`,
                  ),
              )
            : report([wish(program)], [], { code: "log-backup-unknown", message: why });
    try {
        const ports = await world.open(program);
        try {
            const [tasks, { job }] = [await ports.tasks(), await ports.look()];
            if (!tasks.known) {
                return notSeen(tasks.why);
            }
            const own = job.known ? job.value : undefined;
            const reached = reachedWith(own, program, beforeOf(olds, program));
            const found = planLogBackup(tasks.value, program, reached, Date.now());
            if (found.refused && found.problem) {
                return refused(refusalOf(found.problem));
            }
            const { problem, steps } = found;
            const [refusal] = steps[0] === "start" ? cautionOf(program.refusal) : [];
            if (refusal !== undefined) {
                return refused({ property: "", reason: refusal.message });
            }
            const { metadata, spec } = program.job;
            const secrets = isAhead && steps.length > 0 ? secretsOf(spec.template.spec) : [];
            const missing = await missingBefore({ ...metadata, job: metadata.name }, secrets, () =>
                Promise.resolve(ports),
            );
            const cautions = isAhead && steps[0] === "start" ? cautionOf(program.caution) : [];
            const warnings = [...found.warnings, ...cautions, ...missing];
            const words = [
                ...(own && isAtWork(own) ? [`wait for the end of ${ownJobName(program)}`] : []),
                ...steps.map((step) => stepWords(step, program)),
                ...(problem ? [`fail, because of the ${logBackupName(program)}`] : []),
            ];
            // The update itself fails with these words a moment later.
            const why = problem && isAhead ? noticesOf(problem.code, new GateError(problem).message) : [];
            return report(words, [...warnings, ...why]);
        } finally {
            ports.close();
        }
    } catch (error) {
        if (error instanceof ClusterAccessError) {
            return refused({ property: "", reason: error.message });
        }
        if (error instanceof KubernetesApiError) {
            return notSeen(error.message);
        }
        throw error;
    }
}
