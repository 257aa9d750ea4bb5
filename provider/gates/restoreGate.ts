import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import { clusterName, mayRestore } from "../lifecycle/restore/mayRestore";
import { reportOwnPlan } from "../lifecycle/walks/planReport";
import { clockTime } from "./clockTime";
import type { Gate, GateReport } from "./gateDefinition";
import { GateError } from "./gateError";
import { unknownPath, unknownValue } from "./inputs";
import type { RestoreFindings, RestoreProgramInputs } from "./restoreInputs";
import { liveRestoreWorld, type RestorePorts, type RestoreWorld } from "./restoreWorld";
import { stoppedRun, whyStopped } from "./stoppedRun";
import { reportWaits } from "./waitReports";

type Values = Record<string, unknown>;
type Inputs = RestoreProgramInputs & RestoreFindings;

const pauseMilliseconds = 1_000;

/**
 * Creates the gate before a restore, which refuses a cluster that holds data unless the program allows it. The Job of the restore
 * is created after it. Each attempt is checked once: after the restore the cluster holds data, and that is right.
 */
export function createRestoreGate(world: RestoreWorld = liveRestoreWorld): Gate {
    const planOf = (olds: Values, news: Values) =>
        planRestoreGate(world, olds, news as unknown as RestoreProgramInputs);
    return {
        planOf,
        check: async (olds, news, isPreview = false) => {
            const program = news as unknown as RestoreProgramInputs;
            const { inputs, failures, warnings, plan } = await planOf(olds, news);
            const progress = world.progress(program);
            warnings.forEach((warning) => progress.warn(warning));
            const into = clusterName({ namespace: shown(program.namespace), cluster: shown(program.cluster) });
            const of = `the restore into ${into}`;
            const report = reportOwnPlan({ of, plan, deferred: String(inputs.deferred) });
            if (isPreview && failures === undefined && report !== undefined) {
                progress.info(report);
            }
            return { inputs, ...(failures === undefined ? {} : { failures }) };
        },
        diff: (_id, olds, news) => Promise.resolve({ changes: !wasChecked(olds, news) }),
        create: async (inputs) => {
            await waitUntilAllowed(world, inputs as unknown as Inputs);
            return { id: `${inputs.namespace as string}/${inputs.cluster as string}`, outs: inputs };
        },
        update: async (_id, _olds, news) => {
            await waitUntilAllowed(world, news as unknown as Inputs);
            return { outs: news };
        },
    };
}

export const restoreGate: Gate = createRestoreGate();

/** An update of the gate enters the state only if it let the attempt pass. */
function wasChecked(olds: Values, news: Values): boolean {
    return (["namespace", "cluster", "attempt"] as const).every(
        (field) => olds[field] !== undefined && olds[field] === news[field],
    );
}

async function planRestoreGate(world: RestoreWorld, olds: Values, program: RestoreProgramInputs): Promise<GateReport> {
    const report = (plan: string[], deferred = "", warnings: string[] = []): GateReport => ({
        inputs: { ...program, plan, deferred },
        plan: plan.map((words) => ({ is: "task", words })),
        warnings,
    });
    if (wasChecked(olds, program as unknown as Values)) {
        return report([]);
    }
    const steps = program.allowData === true ? [] : [`restore only if it holds no data`];
    if (program.allowData === true || unknownPath(program) !== undefined) {
        return report(steps);
    }
    try {
        const ports = await world.open(program);
        try {
            const users = await ports.schemas();
            const now = ports.now();
            const move = users.known ? mayRestore(users, program, now, now) : undefined;
            return move?.kind === "fail"
                ? { ...report([]), failures: [{ property: "", reason: new GateError(move.problem).message }] }
                : report(steps, users.known ? "" : `deferred: ${users.why}`);
        } finally {
            ports.close();
        }
    } catch (error) {
        if (error instanceof ClusterAccessError) {
            return { ...report([]), failures: [{ property: "", reason: error.message }] };
        }
        if (error instanceof KubernetesApiError) {
            return report(steps, `deferred: ${error.message}`);
        }
        throw error;
    }
}

async function waitUntilAllowed(world: RestoreWorld, inputs: Inputs): Promise<void> {
    if (inputs.allowData) {
        return;
    }
    const ports = await world.open(inputs);
    try {
        await waitWith(ports, inputs);
    } finally {
        ports.close();
    }
}

async function waitWith(ports: RestorePorts, inputs: Inputs): Promise<void> {
    const waits = reportWaits(ports);
    const began = ports.now();
    for (;;) {
        const stopped = whyStopped(ports, undefined);
        if (stopped !== undefined) {
            throw stoppedRun({ description: inputs.does }, stopped);
        }
        const schemas = await waits.during("an answer of a TiDB", () => ports.schemas());
        const move = mayRestore(schemas, inputs, began, ports.now());
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
