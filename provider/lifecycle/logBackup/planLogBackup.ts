import { timeOfTso, tsoAt, tsoOf } from "../../../topology/timestamps";
import type { Problem } from "../vocabulary/move";
import type { ProblemCode } from "../vocabulary/problemCodes";
import type { LogBackupBefore, LogBackupTarget, LogState, LogStep, LogTask } from "./target";
import { type Notice, noticesOf } from "../vocabulary/notices";

/** What is to be done about a log backup. */
export interface LogBackupPlan {
    /** In their order. Empty if there is a problem, or nothing to do. */
    readonly steps: readonly LogStep[];
    readonly warnings: readonly Notice[];
    /** Why nothing may be done. */
    readonly problem?: Problem;
    /** Whether the program itself is refused, so that a preview fails too. */
    readonly refused?: true;
}

/**
 * Plans a log backup from the tasks that PD knows. A task that is missing is never taken as stopped by this program: it is started
 * again only when that is asked for.
 *
 * @param now in milliseconds since 1970.
 */
export function planLogBackup(
    tasks: readonly LogTask[],
    target: LogBackupTarget,
    before: LogBackupBefore,
    now: number,
): LogBackupPlan {
    const task = tasks.find(({ name }) => name === target.task);
    const isSame = task && isSamePlace(task, target);
    if (task !== undefined && isSame === false) {
        const where = task.storage === "" ? "a storage of another kind" : placeOf(task);
        return refuse(
            "log-backup-elsewhere",
            target,
            `PD has a task of this name that writes to ${where}, not to ${placeOf(target)}`,
            "give this Backup another name, or stop that task first",
        );
    }
    const isGone = task === undefined && (before.wanted === "running" || before.wanted === "paused");
    const gone = "PD has no such task, and nothing here has stopped it";
    if (task === undefined && target.wanted !== "stopped") {
        const [other] = tasks;
        if (other !== undefined) {
            return refuse(
                "log-backup-of-another-name",
                target,
                `PD has the task ${other.name}, which writes to ${other.storage}; BR runs one log backup at a time`,
                `stop the task ${other.name} first`,
            );
        }
        if (isGone && target.attempt <= (before.attempt ?? 0)) {
            return problem(
                "log-backup-gone",
                target,
                `${gone}. Since then changes are not backed up`,
                `find out who stopped it, then raise \`attempt\` from ${target.attempt} to ${target.attempt + 1}, which starts it again: BR goes on from the end of the log, or fails if GC has passed it. Then a new full backup is needed, and a log backup with another prefix`,
            );
        }
        if (target.wanted === "paused") {
            return refuse(
                "log-backup-not-started",
                target,
                "PD has no such task, so there is nothing to pause",
                "start it first",
            );
        }
    }
    const cut = truncation(tasks, target, before, now);
    if (typeof cut === "object") {
        return cut;
    }
    const step = stepTo(target.wanted, task);
    const steps = [...(step === undefined ? [] : [step]), ...(cut ? ["truncate" as const] : [])];
    if (task !== undefined && isSame === undefined && (cut || step === "stop")) {
        return refuse(
            "log-storage-unknown",
            target,
            `whether PD's task, which writes to ${placeOf(task)}, writes to ${placeOf(target)} is not known: one names no endpoint`,
            "name the task's endpoint in the storage or in `br.options`, or use `br log` by hand",
        );
    }
    return {
        // PD forgets the checkpoint when the log is stopped.
        steps: step === "stop" ? steps.reverse() : steps,
        warnings: [
            ...noticesOf("log-backup-gone", isGone ? `${logBackupName(target)}: ${gone}` : undefined),
            ...noticesOf(
                "log-backup-error",
                ...(task?.errors ?? []).map((error) => `${logBackupName(target)}: TiKV's last error: ${error}`),
            ),
        ],
    };
}

/** @returns how messages name a log backup. */
export function logBackupName({ task, of }: Pick<LogBackupTarget, "task" | "of">): string {
    return `log backup ${task} of the cluster ${of}`;
}

function stepTo(wanted: LogState, task: LogTask | undefined): LogStep | undefined {
    switch (wanted) {
        case "running":
            return task === undefined ? "start" : task.paused ? "resume" : undefined;
        case "paused":
            return task?.paused === false ? "pause" : undefined;
        case "stopped":
            return task === undefined ? undefined : "stop";
    }
}

/**
 * Whether the log is to be truncated; or why that is refused. What is newer than the checkpoint is nowhere else. Only a task in this PD
 * proves whose log it is, and how far it goes: a task that is yet to start is asked about again after that.
 */
function truncation(
    tasks: readonly LogTask[],
    target: LogBackupTarget,
    before: LogBackupBefore,
    now: number,
): boolean | LogBackupPlan {
    const until = tsoOf(target.truncateUntil);
    if (until === undefined || until <= (tsoOf(before.truncateUntil ?? "") ?? 0n)) {
        return false;
    }
    const seen = (what: string) => `spec.logTruncateUntil is ${timeOfTso(until)}, ${what}`;
    const next =
        "truncate to a time before it, and not after the oldest full backup that is to be restored with this log";
    if (until > tsoAt(now)) {
        return refuse("log-truncated-too-far", target, seen(`after now, ${timeOfTso(tsoAt(now))}`), next);
    }
    const other = tasks.find((one) => one.name !== target.task && isSamePlace(one, target) !== false);
    if (other !== undefined) {
        return refuse(
            "log-storage-shared",
            target,
            `PD has the task ${other.name}, which writes there too`,
            `truncate with the Backup ${other.name}`,
        );
    }
    const task = tasks.find(({ name }) => name === target.task);
    if (task === undefined && target.wanted === "stopped") {
        return refuse(
            "log-checkpoint-unknown",
            target,
            seen("and the checkpoint is not known, because PD has no such task"),
            "leave it as it was; truncate while the log runs or is paused, then stop it",
        );
    }
    return task !== undefined && until > task.checkpointTs
        ? refuse(
              "log-truncated-too-far",
              target,
              seen(`after the checkpoint of the log, ${timeOfTso(task.checkpointTs)}`),
              next,
          )
        : true;
}

/** @returns undefined if only one of them names an endpoint. */
function isSamePlace(task: LogTask, target: LogBackupTarget): boolean | undefined {
    const isOtherAccount = task.account && target.account && task.account !== target.account;
    if (trimmed(task.storage) !== trimmed(target.storage) || isOtherAccount) {
        return false;
    }
    const [one, other] = [endpointOf(task), endpointOf(target)];
    return one === other || (one !== "" && other !== "" ? false : undefined);
}

/** AWS is where S3 is if nothing is named; the name of a bucket is unique there. */
function endpointOf({ endpoint = "" }: Pick<LogTask, "endpoint">): string {
    return /^https?:\/\/([\w-]+\.)*amazonaws\.com\/*$/.test(endpoint) ? "" : trimmed(endpoint);
}

function placeOf({ storage, endpoint, account }: Pick<LogTask, "storage" | "endpoint" | "account">): string {
    return `${storage}${account ? ` of ${account}` : ""}${endpoint ? ` at ${endpoint}` : ""}`;
}

function trimmed(text: string): string {
    return text.replace(/\/+$/, "");
}

function problem(code: ProblemCode, target: LogBackupTarget, seen: string, next: string): LogBackupPlan {
    const whole = { code, step: logBackupName(target), target: target.storage, seen, next };
    return { steps: [], warnings: [], problem: whole };
}

function refuse(code: ProblemCode, target: LogBackupTarget, seen: string, next: string): LogBackupPlan {
    return { ...problem(code, target, seen, next), refused: true };
}
