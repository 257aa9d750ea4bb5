import type { GatePorts, HeldLock } from "../cluster/gatePorts";
import { approvalDigest, goalOf } from "../lifecycle/approval/approvalDigest";
import { identityOf, stepsLetThrough, withFirst } from "../lifecycle/approval/approvalPlan";
import type { ApprovalPlan, ApprovalStep } from "../lifecycle/approval/planToApprove";
import { describeChange, describeLetThrough, stepsToConsentTo } from "../lifecycle/approval/approvalWords";
import { isEndOfPlan, needsConsent } from "../lifecycle/vocabulary/actions";
import {
    approvalNoteEvery,
    type Approvals,
    approveCommand,
    describeVoid,
    isCurrentConsent,
    stopCommand,
    withUsed,
} from "../lifecycle/vocabulary/approvals";
import { noLook } from "../lifecycle/vocabulary/look";
import type { Move, WaitMove } from "../lifecycle/vocabulary/move";
import type { Observation } from "../lifecycle/vocabulary/observation";
import { duration } from "../lifecycle/walks/describePlan";
import { GateError } from "./gateError";
import type { OperationApproval } from "./operationApproval";
import type { Retrying } from "./retry";
import { reportWaits } from "./waitReports";

/** The consents of one run: what it may do, and what it must ask for. */
export interface RunApprovals {
    /** @returns whether no step of the plan lacks consent. */
    isAllApproved(observation: Observation): boolean;
    /** @returns the plan that somebody must consent to before the move is made; undefined if it may be made. */
    lacking(move: Move, observation: Observation): ApprovalPlan | undefined;
    /** @param lock the lock that is held now, if any. */
    isGiven(plan: ApprovalPlan, observation: Observation, lock: HeldLock | undefined): boolean;
    /** @returns the wait for a consent to the plan, for the record of the operation. */
    waitFor(plan: ApprovalPlan, observation: Observation): WaitMove;
    /** Takes the consent, under the lock and from what was seen under it, so it is used once. */
    take(plan: ApprovalPlan, observation: Observation, lock: HeldLock): Promise<void>;
    /**
     * Records which revision the template has, and waits without the lock until a consent may have come, somebody asks the run to stop, or the plan is due to be computed
     * again, because it may have changed.
     * @throws GateError if nobody consents in time.
     */
    wait(plan: ApprovalPlan, observation: Observation): Promise<void>;
    /** Removes the note that the run waits. */
    end(): Promise<void>;
}

/** How often the Lease is read, from a watch as a rule. */
const pauseMilliseconds = 2_000;
/** How long a run waits for the consent to one plan: as long as for another run's lock. */
const timeoutMilliseconds = 3_600_000;
/** How long a run waits for consents to plans that keep changing. */
const longestTimeoutMilliseconds = 24 * timeoutMilliseconds;

type Ports = Pick<GatePorts, "now" | "sleep" | "look" | "noteApprovalWait" | "noteFirstRevision" | "progress">;

/** @param reading makes the calls that wait, and retries them. */
export function approvalsOf(approval: OperationApproval | undefined, ports: Ports, reading: Retrying): RunApprovals {
    const covered = new Set<string>();
    const waits = reportWaits(ports);
    const revisions = new Map<string | undefined, string>();
    let asked:
        { digest: string; plan: ApprovalPlan; change: string | undefined; since: number; waited: number } | undefined;
    let noted: { at: number; of: string } | undefined;
    let waitedInAll = 0;
    let taking: { digest: string; goal: string; by: string; at: number; lock: HeldLock } | undefined;

    /**
     * What a consent covers: the target as it is, and the step as it was consented to. Another kind or risk is another step.
     * @param step undefined: the target alone, for a step that the plan does not name.
     */
    const coverOf = (observation: Observation, target: string, step?: ApprovalStep) => {
        const { component } = (approval as OperationApproval).target;
        return JSON.stringify([target, identityOf(observation, component, target), step?.kind, step?.risk]);
    };
    /** Without what this run has consent to. */
    const planOf = (observation: Observation): ApprovalPlan | undefined => {
        if (approval === undefined) {
            return undefined;
        }
        const plan = approval.planOf(observation);
        const editedTo = plan.editedTo ?? editOf(observation, plan);
        return {
            ...plan,
            editedTo,
            steps: plan.steps.filter((step) => !covered.has(coverOf(observation, step.target, step))),
        };
    };
    /** The revision of a template that somebody has edited since this run first saw it. */
    const editOf = ({ members }: Observation, { templateRevision, updateRevision }: ApprovalPlan) => {
        const { settled } = members[(approval as OperationApproval).target.component]?.statefulSet ?? {};
        if (!settled || updateRevision === undefined) {
            return undefined;
        }
        const first = revisions.get(templateRevision) ?? updateRevision;
        revisions.set(templateRevision, first);
        return first === updateRevision ? undefined : updateRevision;
    };
    /** Whether this run has taken the consent, and has not heard so: the answer of the API server was lost. Otherwise it was withdrawn. */
    const wasTaken = (digest: string, plan: ApprovalPlan, { approvals }: Observation, lock: HeldLock | undefined) =>
        taking !== undefined &&
        taking.digest === digest &&
        taking.lock === lock &&
        approvals?.given[digest] === undefined &&
        approvals?.goals[plan.of] === taking.goal &&
        approvals.used?.[digest]?.at === taking.at;
    /** Before the digest is shown, and before anything is done with a consent: a run that resumes this one compares with it. */
    const recordRevision = async ({ templateRevision, updateRevision, editedTo }: ApprovalPlan, seen: Observation) => {
        const { component } = (approval as OperationApproval).target;
        const isNew = seen.approvals?.firstRevisions?.[component]?.template !== templateRevision;
        if (isNew && templateRevision !== undefined && updateRevision !== undefined) {
            const revision = editedTo === undefined ? updateRevision : revisions.get(templateRevision);
            await ports.noteFirstRevision(component, { template: templateRevision, revision: revision as string });
        }
    };
    const tryToNote = async (...note: Parameters<Ports["noteApprovalWait"]>): Promise<void> => {
        try {
            await ports.noteApprovalWait(...note);
        } catch (error) {
            // The note is for people. The consent itself does not depend on it.
            const message = `the Lease does not say what this run waits for: ${(error as Error).message}`;
            ports.progress.warn({ code: "approval-wait-not-recorded", message });
        }
    };
    const endNote = async () => {
        const ended = noted;
        noted = undefined;
        if (ended !== undefined) {
            await tryToNote(ended.of, undefined);
        }
    };
    const told = new Set<string>();
    /** A consent that a person has given and that does not count is not passed over in silence. */
    const warnOfVoid = (digest: string, observation: Observation) => {
        const consent = observation.approvals?.given[digest];
        if (consent !== undefined && !isGiven(digest, observation) && !told.has(digest)) {
            told.add(digest);
            const message = `${describeVoid(digest, consent, timeOf(observation))}; approve it again`;
            ports.progress.warn({ code: "consent-does-not-count", message });
        }
        const problem = observation.approvals?.givenProblem;
        if (problem !== undefined && !told.has(problem)) {
            told.add(problem);
            ports.progress.warn({ code: "approval-record-unreadable", message: problem });
        }
    };
    return {
        isAllApproved: (observation) => (planOf(observation)?.steps ?? []).length === 0,
        lacking: (move, observation) => {
            const isFree = move.kind !== "done" && (move.kind !== "act" || !needsConsent(move.action));
            if (isFree) {
                return undefined;
            }
            if (move.kind === "done" || isEndOfPlan(move.action)) {
                const left = approval?.coversEnd ? planOf(observation) : undefined;
                return left && left.steps.length > 0 ? left : undefined;
            }
            const plan = planOf(observation);
            const isLacking = plan?.steps.some(({ target }) => target === move.target);
            const mayGoOn =
                plan === undefined ||
                plan.begun.includes(move.target) ||
                (!isLacking && covered.has(coverOf(observation, move.target)));
            return mayGoOn ? undefined : withFirst(plan, move.action, move.target);
        },
        isGiven: (plan, observation, lock) => {
            const digest = approvalDigest(plan);
            const isOnRecord = isGiven(digest, observation) || wasTaken(digest, plan, observation, lock);
            return isOnRecord && plan.firstProblem === undefined;
        },
        waitFor: (plan, { now }) => ({
            kind: "wait",
            step: "approval",
            target: plan.steps[0].target,
            waitingFor: `approval of ${approvalDigest(plan)}: ${describeLetThrough(plan)}`,
            since: asked?.since ?? now,
        }),
        take: async (plan, observation, lock) => {
            const digest = approvalDigest(plan);
            const { given, goals, used, usedProblem }: Approvals = observation.approvals ?? { given: {}, goals: {} };
            const now = timeOf(observation);
            const old = Object.keys(given).filter((one) => one === digest || !isCurrentConsent(given[one], now));
            await recordRevision(plan, observation);
            const earlier = wasTaken(digest, plan, observation, lock) ? taking : undefined;
            const { by, at } = earlier ?? { by: given[digest].by, at: now };
            taking = { digest, goal: goalOf(plan), by, at, lock };
            // What cannot be read is evidence for a person, so nothing is written over it.
            const nowUsed = usedProblem === undefined ? withUsed(used, digest, { by, at }) : undefined;
            await lock.takeConsent(old, { ...goals, [plan.of]: taking.goal }, nowUsed, earlier ? undefined : digest);
            if (usedProblem !== undefined) {
                const message = `that the consent to ${digest} was used is not on record: ${usedProblem}`;
                ports.progress.warn({ code: "approval-record-unreadable", message });
            }
            for (const step of stepsLetThrough(plan)) {
                covered.add(coverOf(observation, step.target)).add(coverOf(observation, step.target, step));
                if (step.alone !== undefined) {
                    covered.add(coverOf(observation, step.target, { ...step, risk: step.alone.risk }));
                }
            }
            waits.over(`${by} has approved it`);
            ports.progress.info(`${by} has approved plan ${digest}: ${describeLetThrough(plan)}`);
            [asked, taking] = [undefined, undefined];
            await endNote();
        },
        wait: async (plan, observation) => {
            if (plan.firstProblem !== undefined) {
                const [seen, next] = [plan.firstProblem, "do that, then run `pulumi up` again"];
                throw new GateError({
                    code: "approval-record-unreadable",
                    step: "approval",
                    target: plan.of,
                    seen,
                    next,
                });
            }
            await reading(() => recordRevision(plan, observation));
            const digest = approvalDigest(plan);
            const lets = describeLetThrough(plan);
            const command = approveCommand(plan.namespace, plan.cluster, digest);
            const at = ports.now();
            if (asked?.digest !== digest) {
                const change = asked && describeChange(asked.plan, plan);
                const changed = asked
                    ? `the plan has changed (${change}), and ${asked.digest} does not let it through; `
                    : "";
                const paused = observation.records.smoothUpgrade
                    ? "; until TiDB's upgrade is finished, the DDL statements of users are paused"
                    : "";
                ports.progress.info(
                    `${changed}${plan.of} waits for approval: \`${command}\` lets through: ${lets}${paused}`,
                );
                waits.told();
                asked = { digest, plan, change, since: at, waited: 0 };
                noted = undefined;
            }
            if (noted === undefined || at - noted.at >= approvalNoteEvery) {
                noted = { at, of: plan.of };
                await tryToNote(plan.of, {
                    digest,
                    lets,
                    steps: stepsToConsentTo(plan),
                    ...(asked.change === undefined ? {} : { change: asked.change }),
                    since: asked.since,
                    at,
                });
            }
            warnOfVoid(digest, observation);
            const until = ports.now() + approvalNoteEvery;
            while (ports.now() < until && !ports.progress.abandoned) {
                if (asked.waited >= timeoutMilliseconds || waitedInAll >= longestTimeoutMilliseconds) {
                    throw notApproved(plan, command, lets, asked.waited);
                }
                const time = duration(Math.round(asked.waited / 1_000));
                const of = `approval of ${digest}: ${lets}`;
                waits.waiting(
                    digest,
                    of,
                    `waiting for ${of} (${time}); run \`${command}\`, or to end this run \`${stopCommand(plan.namespace, plan.cluster)}\``,
                );
                const pausedAt = ports.now();
                await ports.sleep(pauseMilliseconds);
                const seen = await reading(() => ports.look(noLook, {}));
                const waited = ports.now() - pausedAt;
                asked.waited += waited;
                waitedInAll += waited;
                if (seen !== undefined && (seen.stopRequest !== undefined || isGiven(digest, seen))) {
                    return;
                }
            }
        },
        end: endNote,
    };
}

/** The time with which the times of consents are compared: both are by the API server's clock, if it is known. */
function timeOf({ approvals, now }: Observation): number {
    return approvals?.asOf ?? now;
}

function isGiven(digest: string, observation: Observation): boolean {
    const consent = observation.approvals?.given[digest];
    return consent !== undefined && isCurrentConsent(consent, timeOf(observation));
}

function notApproved(plan: ApprovalPlan, command: string, lets: string, waited: number): GateError {
    const isTimedOut = waited >= timeoutMilliseconds;
    const seen = isTimedOut
        ? `nobody has approved it for an hour: ${lets}`
        : `the plan keeps changing, and after a day of waiting nobody has approved: ${lets}`;
    return new GateError({
        code: isTimedOut ? "approval-timed-out" : "plan-keeps-changing",
        step: "approval",
        target: plan.of,
        seen,
        next: `run \`${command}\`, then \`pulumi up\`, which continues from here as long as the plan is the same`,
    });
}
