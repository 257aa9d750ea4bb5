import { deferring } from "./planGate";
import { isDeepStrictEqual } from "node:util";
import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import type { ObservedJob } from "../lifecycle/jobs/observedJob";
import { clusterName, hasBegun, mayRestore } from "../lifecycle/restore/mayRestore";
import { type Fact, notKnown } from "../lifecycle/vocabulary/evidence";
import { clockTime } from "./clockTime";
import type { Gate, GateReport } from "./gateDefinition";
import { GateError, refusalOf } from "./gateError";
import { unknownPath, unknownValue } from "./inputs";
import type { RestoreFindings, RestoreProgramInputs } from "./restoreInputs";
import { liveRestoreWorld, type RestorePorts, type RestoreWorld } from "./restoreWorld";
import { stoppedRun, whyStopped } from "./stoppedRun";
import { tellOwnPlan } from "./tellPlan";
import { reportWaits } from "./waitReports";
import type { Notice } from "../lifecycle/vocabulary/notices";

type Values = Record<string, unknown>;
type Inputs = RestoreProgramInputs & RestoreFindings;

const pauseMilliseconds = 1_000;

/**
 * Creates the gate before a restore, which refuses a cluster that holds data unless the program allows it. The Job of the restore
 * is created after it. Each attempt is checked until its Job has begun: after the restore the cluster holds data, and that is right. An answer counts for no later
 * update, because users may have written since, and the program may lead to another cluster.
 */
export function createRestoreGate(world: RestoreWorld = liveRestoreWorld): Gate {
    const planOf = (olds: Values, news: Values) =>
        planRestoreGate(world, olds, news as unknown as RestoreProgramInputs);
    return {
        planOf,
        check: async (olds, news, isPreview = false) => {
            const program = news as unknown as RestoreProgramInputs;
            const into = clusterName({ namespace: shown(program.namespace), cluster: shown(program.cluster) });
            const report = await planOf(olds, news);
            return tellOwnPlan(`the restore into ${into}`, report, world.progress(program), isPreview);
        },
        diff: (_id, olds, news) =>
            Promise.resolve({ changes: !wasChecked(olds, news) || (news.plan as string[]).length > 0 }),
        create: async (inputs) => {
            await waitUntilAllowed(world, {}, inputs as unknown as Inputs);
            return { id: `${inputs.namespace as string}/${inputs.cluster as string}`, outs: inputs };
        },
        update: async (_id, olds, news) => {
            await waitUntilAllowed(world, olds, news as unknown as Inputs);
            return { outs: news };
        },
    };
}

export const restoreGate: Gate = createRestoreGate();

/** An update of the gate enters the state only if it let the attempt pass. */
function wasChecked(olds: Values, news: Values | RestoreProgramInputs): boolean {
    return (["namespace", "cluster", "attempt"] as const).every(
        (field) => olds[field] !== undefined && olds[field] === news[field],
    );
}

async function planRestoreGate(world: RestoreWorld, olds: Values, program: RestoreProgramInputs): Promise<GateReport> {
    const report = (plan: string[], deferral?: Notice, restored = false): GateReport =>
        deferring(
            {
                inputs: { ...program, plan, ...(restored ? { restored } : {}) },
                plan: plan.map((words) => ({ is: "task", words })),
                warnings: [],
            },
            deferral,
        );
    const isRestored = olds.restored === true && isDeepStrictEqual(olds.access, program.access);
    if (isRestored && wasChecked(olds, program)) {
        return report([], undefined, true);
    }
    const steps = program.allowData === true ? [] : [`restore only if it holds no data`];
    if (program.allowData === true || unknownPath(program) !== undefined) {
        return report(steps);
    }
    try {
        const ports = await world.open(program);
        try {
            const { begun, users } = await dataBefore(ports, olds, program);
            if (begun) {
                return report(
                    [],
                    undefined,
                    begun.conditions.some(({ type }) => type === "Complete"),
                );
            }
            const now = ports.now();
            const move = users.known ? mayRestore(users, program, now, now) : undefined;
            return move?.kind === "fail"
                ? { ...report([]), refused: [refusalOf(move.problem)] }
                : report(steps, users.known ? undefined : { code: "restore-target-unknown", message: users.why });
        } finally {
            ports.close();
        }
    } catch (error) {
        if (error instanceof ClusterAccessError) {
            return { ...report([]), refused: [{ property: "", reason: error.message }] };
        }
        if (error instanceof KubernetesApiError) {
            return report(steps, { code: "api-call-failed", message: error.message });
        }
        throw error;
    }
}

/** @returns what users created; or the Job of this attempt, if it has begun after the attempt was let pass. */
async function dataBefore(
    ports: RestorePorts,
    olds: Values,
    program: RestoreProgramInputs,
): Promise<{ begun: ObservedJob; users?: never } | { begun?: never; users: Fact<string[]> }> {
    if (wasChecked(olds, program)) {
        const job = await ports.job();
        if (!job.known) {
            return { users: notKnown(job.why) };
        }
        if (hasBegun(job.value)) {
            return { begun: job.value };
        }
    }
    return { users: await ports.schemas() };
}

async function waitUntilAllowed(world: RestoreWorld, olds: Values, inputs: Inputs): Promise<void> {
    if (inputs.allowData) {
        return;
    }
    const ports = await world.open(inputs);
    try {
        await waitWith(ports, olds, inputs);
    } finally {
        ports.close();
    }
}

async function waitWith(ports: RestorePorts, olds: Values, inputs: Inputs): Promise<void> {
    const waits = reportWaits(ports);
    const began = ports.now();
    for (;;) {
        const stopped = whyStopped(ports, undefined);
        if (stopped !== undefined) {
            throw stoppedRun({ description: inputs.does }, stopped);
        }
        const { begun, users } = await waits.during("an answer of a TiDB", () => dataBefore(ports, olds, inputs));
        if (begun) {
            return;
        }
        const move = mayRestore(users, inputs, began, ports.now());
        if (move.kind === "fail") {
            throw new GateError(move.problem);
        }
        if (move.kind === "pass") {
            waits.over("a TiDB said what the cluster holds");
            ports.progress.note(`${clusterName(inputs)} holds no data: ${inputs.does}`);
            return;
        }
        const words = `waiting for ${clusterName(inputs)}: ${move.reason} (fails at ${clockTime(move.until, ports.now())})`;
        waits.waiting(inputs.cluster, move.reason, words);
        await ports.sleep(pauseMilliseconds);
    }
}

function shown(value: string): string {
    return value === unknownValue || value === undefined ? "…" : value;
}
