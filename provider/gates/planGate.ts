import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import type { Notice } from "../lifecycle/vocabulary/notices";
import type { Refusal } from "../lifecycle/vocabulary/ownership";
import { describePlan, type PlanItem } from "../lifecycle/walks/describePlan";
import type { PlanPorts } from "../cluster/gatePorts";
import { answerOf } from "./describeWait";
import { type CommonInputs, type GateDefinition, type GateReport, Unreadable } from "./gateDefinition";
import type { GateWorld } from "./gateWorld";
import { unknownPath } from "./inputs";
import { withhold } from "./paused";
import { relevantInputsChanged } from "./relevantInputs";
import { assertSameCluster, onItsPd } from "./sameCluster";
import { reportWaits } from "./waitReports";
import { ReportedUnreachable } from "./unreachable";

const firstDeployment: Notice = {
    code: "first-deployment",
    message: "this is the first deployment: there is no cluster to ask yet",
};

/** How many entries of a paused gate's plan are shown, as of a file's warnings: a comment on a pull request has a limit. */
const mostWithheld = 20;

type Values = Record<string, unknown>;

/**
 * Plans from the live cluster. A paused cluster gets no plan, and a warning that says what is withheld.
 * @param olds the inputs of the last update, from the stack's state.
 * @param news the inputs that the program passes now.
 */
export async function planGate<Program extends CommonInputs>(
    definition: GateDefinition<Program>,
    world: GateWorld,
    olds: Values,
    news: Values,
): Promise<GateReport> {
    const program = news as unknown as Program;
    const found = await findPlan(definition, world, olds, program);
    if (!program.paused) {
        return found;
    }
    // No consent lets a withheld step through, and after the pause the plan may be another one. Nothing is waited for, either: what
    // pods lack is mostly what the steps of other gates would bring, which those gates say.
    const beside = found.plan.flatMap((item) =>
        item.is === "approval" || item.is === "missing" || item.is === "held" ? [item.words] : [],
    );
    const { withheld: all, ...paused } = withhold(olds, found);
    const withheld = all.filter((line) => !beside.some((words) => line.includes(words)));
    const lines =
        withheld.length > mostWithheld
            ? [...withheld.slice(0, mostWithheld), `… and ${withheld.length - mostWithheld} more`]
            : withheld;
    const message = ["spec.paused is true; withheld:", ...lines.map((line) => `  - ${line}`)].join("\n");
    const warnings: Notice[] = lines.length > 0 ? [{ code: "paused", message }] : [];
    return { ...paused, plan: [], warnings: [...found.warnings, ...warnings] };
}

/** @returns what a gate without a step reports: its inputs, and why it has no plan, unless there is nothing to do. */
export function reportWithoutPlan(inputs: Values, deferral?: Notice): GateReport {
    return deferring({ inputs: { ...inputs, plan: [] }, plan: [], warnings: [] }, deferral);
}

/** @returns the report with the reason why its plan is not exact, as data and as the gate's input. Default: it is exact. */
export function deferring(report: GateReport, deferral?: Notice): GateReport {
    const deferred = deferral === undefined ? "" : `deferred: ${deferral.message}`;
    return { ...report, inputs: { ...report.inputs, deferred }, ...(deferral ? { deferral } : {}) };
}

async function findPlan<Program extends CommonInputs>(
    definition: GateDefinition<Program>,
    world: GateWorld,
    olds: Record<string, unknown>,
    program: Program,
): Promise<GateReport> {
    const news = program as unknown as Record<string, unknown>;
    const inputs = (): Values => ({
        ...news,
        replicas: definition.replicasOf(program, olds),
        ...definition.assumed?.(program, olds),
    });
    const withoutPlan = (deferral?: Notice): GateReport => reportWithoutPlan(inputs(), deferral);
    if (news.access && unknownPath(news.access) === undefined) {
        const refusal = await accessRefusal(program, world);
        if (refusal) {
            return { ...withoutPlan(), refused: [refusal] };
        }
    }
    // In a preview, a Kubernetes provider that has not created the Lease yet returns its metadata without a UID.
    const unknown = program.leaseUid ? unknownPath(news) : "leaseUid";
    if (unknown !== undefined) {
        const silent = unknown === "leaseUid" ? await silenceOf(program, world) : undefined;
        return withoutPlan(
            silent
                ? { code: "api-call-failed", message: silent.message }
                : unknown === "leaseUid"
                  ? firstDeployment
                  : { code: "value-unknown", message: `${unknown} is known only during the update` },
        );
    }
    const ports = onItsPd(await world.open(program, "check"));
    const waits = reportWaits(ports);
    const anyAnswer = "an answer of the API server, PD or a pod";
    const asking = <T>(call: (instead: (lacks: string) => void) => Promise<T>) => waits.during(anyAnswer, call);
    const notes = definition.notes?.(olds, program) ?? [];
    const warnings = notes.flatMap(({ code, words, isWarning }) => (isWarning ? [{ code, message: words }] : []));
    const found = (items: PlanItem[], findings?: Values, deferral?: Notice): GateReport => {
        const plan = [...notes, ...items];
        return deferring({ inputs: { ...inputs(), ...findings, plan: describePlan(plan) }, plan, warnings }, deferral);
    };
    try {
        const lease = await asking(() => ports.lease());
        if (!lease && olds.leaseUid !== program.leaseUid) {
            // In a preview, the Kubernetes provider may return the Lease it would create, with a UID that no update keeps.
            return { ...withoutPlan(firstDeployment), warnings };
        }
        assertSameCluster(program, lease);
        const planned = await asking((instead) => {
            const look: PlanPorts["look"] = (options, lag) =>
                ports
                    .look(options, lag, (asked) => instead(answerOf(options, asked)))
                    .finally(() => instead(anyAnswer));
            return definition.plan(program, { ...ports, look }, olds);
        });
        waits.over("the plan is made");
        const { plan, refused, remarks, memberRisks, estimate, replicas, replicasHeld, findings, foreseen } = planned;
        warnings.push(...(planned.warnings ?? []));
        const report = found(plan, findings);
        if (replicas !== undefined) {
            report.inputs.replicas = replicas;
        }
        return {
            ...report,
            ...(refused ? { refused: [refused].flat() } : {}),
            ...(remarks ? { remarks } : {}),
            ...(memberRisks ? { memberRisks } : {}),
            ...(estimate ? { estimate } : {}),
            ...(replicasHeld ? { replicasHeld } : {}),
            ...(foreseen ? { foreseen } : {}),
        };
    } catch (error) {
        waits.over("the call failed");
        if (!(error instanceof KubernetesApiError || error instanceof Unreadable)) {
            throw error;
        }
        const why: Notice = {
            code: error instanceof Unreadable ? error.code : "api-call-failed",
            message: error.message,
        };
        const steps = error instanceof Unreadable ? error.steps : (definition.stepsWhenUnreachable?.() ?? []);
        const findings = error instanceof Unreadable ? error.findings : {};
        warnings.push(...(error instanceof Unreadable ? error.warnings : []));
        const isUnchanged = !relevantInputsChanged(olds, { ...inputs(), ...findings });
        const notLive = `${error.message}; the plan below is NOT based on the live cluster`;
        if (isSilence(error)) {
            // Once for the cluster, whether this gate has changes or not.
            if (!(error instanceof ReportedUnreachable)) {
                const first = error.status === undefined ? ". Make it reachable" : ". Log in again";
                warnings.push({ ...why, message: `${notLive}${first} before \`pulumi up\`` });
            }
        } else if (isUnchanged && (steps.length === 0 || error instanceof KubernetesApiError)) {
            warnings.push({ ...why, message: `${notLive} (this gate's inputs are unchanged)` });
        }
        if (isUnchanged && steps.length === 0) {
            const report = withoutPlan();
            return { ...report, inputs: { ...report.inputs, ...findings }, warnings, unread: why };
        }
        const isFirstToSay = isSilence(error) && !(error instanceof ReportedUnreachable);
        return {
            ...found(steps, findings, why),
            ...(isFirstToSay ? { silence: error } : {}),
            ...(error instanceof Unreadable && error.replicasHeld ? { replicasHeld: true } : {}),
        };
    }
}

/** Without an answer nobody knows that it is a first deployment. The cluster's first gate has asked, and warned. */
async function silenceOf(program: CommonInputs, world: GateWorld): Promise<Error | undefined> {
    const { access, namespace, cluster, owner } = program as CommonInputs & { readonly owner?: unknown };
    return unknownPath([access, namespace, cluster, owner]) === undefined
        ? (await world.open(program, "check")).silence?.()
        : undefined;
}

/** Whether the API server gave no answer at all, or would give this one to every gate. */
function isSilence(error: Error): error is KubernetesApiError {
    return error instanceof KubernetesApiError && error.isOfEveryCall;
}

async function accessRefusal(program: CommonInputs, world: GateWorld): Promise<Refusal | undefined> {
    try {
        await world.tryAccess(program.access);
        return undefined;
    } catch (error) {
        if (error instanceof ClusterAccessError) {
            return { property: "", reason: error.message };
        }
        throw error;
    }
}
